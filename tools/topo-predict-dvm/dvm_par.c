#include "topo-predict-dvm/dvm_par.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { PROCESSORS_MAX = 1 << 20, STATEMENT_MAX = 200 };

void topo_dvm_par_default(struct topo_dvm_par *par)
{
    *par = (struct topo_dvm_par){.machine = {.network = TOPO_NETWORK_BUS, .start = 75e-6, .byte = 0.2e-6}, .power = 1};
}

bool topo_dvm_par_topology(const char *text, struct topo_transfer_machine *machine)
{
    int size[TOPO_GRID_DIMENSIONS_MAX], count = 0;
    long product = 1;
    const char *at = text + strspn(text, " \t{");
    for (;;) {
        char *end;
        long value;
        if (*at < '0' || *at > '9' || count == TOPO_GRID_DIMENSIONS_MAX)
            return false;
        value = strtol(at, &end, 10);
        if (value < 1 || value > PROCESSORS_MAX || product * value > PROCESSORS_MAX)
            return false;
        product *= value;
        size[count++] = (int)value;
        at = end + strspn(end, " \t");
        if (*at != 'x' && *at != ',')
            break;
        at += 1 + strspn(at + 1, " \t");
    }
    if (at[strspn(at, " \t}")] != '\0')
        return false;
    memcpy(machine->size, size, sizeof size);
    machine->dimensions = count;
    return true;
}

static bool read_number(const char *text, double *value)
{
    char *end;
    double number = topo_strtod(text, &end);
    if (end == text || *end || !(number >= 0) || number > 1e15)
        return false;
    *value = number;
    return true;
}

/* Sets what "key = value" says; NULL, or what is allowed. */
static const char *apply(const char *key, const char *value, struct topo_dvm_par *par)
{
    double number;
    if (!strcmp(key, "type")) {
        if (!strcmp(value, "network"))
            par->machine.network = TOPO_NETWORK_BUS;
        else if (!strcmp(value, "transputer"))
            par->machine.network = TOPO_NETWORK_GRID;
        else
            return "network or transputer";
        return NULL;
    }
    if (!strcmp(key, "topology"))
        return topo_dvm_par_topology(value, &par->machine) ? NULL : "{sizes} of 1 to 8 dimensions, such as {2, 2}";
    if (strcmp(key, "start time") != 0 && strcmp(key, "send byte time") != 0 && strcmp(key, "power") != 0)
        return "type, start time, send byte time, power, topology";
    if (!read_number(value, &number))
        return "a number of 0 to 1e15";
    if (!strcmp(key, "power")) {
        if (!(number >= 1e-6 && number <= 1e6))
            return "a number of 1e-6 to 1e6";
        par->power = number;
    } else if (!strcmp(key, "start time")) {
        par->machine.start = number * 1e-6;
    } else {
        par->machine.byte = number * 1e-6;
    }
    return NULL;
}

/* Blanks off both ends, runs of blanks inside to one. */
static void squeeze(char *text)
{
    char *to = text;
    for (char *at = text; *at; at++) {
        bool blank = *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';
        if (!blank)
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

static bool statement(char *text, const char *name, int line, struct topo_dvm_par *par, struct topo_notes *notes)
{
    const char *allowed;
    char *equals = strchr(text, '=');
    if (equals) {
        *equals = '\0';
        squeeze(text);
        squeeze(equals + 1);
        allowed = apply(text, equals + 1, par);
        if (!allowed)
            return true;
        topo_note_error(notes, "%s:%d: '%.60s = %.60s'; allowed: %s", name, line, text, equals + 1, allowed);
        return false;
    }
    squeeze(text);
    topo_note_error(notes, "%s:%d: '%.60s' is no statement; allowed: key = value;", name, line, text);
    return false;
}

enum topo_status topo_dvm_par_parse(const char *text, const char *name, struct topo_dvm_par *par,
                                    struct topo_notes *notes)
{
    char buffer[STATEMENT_MAX + 1];
    size_t length = 0;
    int line = 1, begin = 1;
    bool good = true, too_long = false, empty = true;
    for (const char *at = text; *at; at++) {
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
            if (!*at)
                break;
        }
        if (*at == ';') {
            buffer[length] = '\0';
            if (too_long) {
                topo_note_error(notes, "%s:%d: a statement of more than %d characters", name, begin, STATEMENT_MAX);
                good = false;
            } else if (!empty) {
                good = statement(buffer, name, begin, par, notes) && good;
            }
            length = 0;
            empty = true;
            too_long = false;
            continue;
        }
        if (empty && !strchr(" \t\r\n", *at)) {
            empty = false;
            begin = line;
        }
        line += *at == '\n';
        if (length < STATEMENT_MAX)
            buffer[length++] = *at;
        else
            too_long = true;
    }
    if (!empty) {
        topo_note_error(notes, "%s:%d: the statement does not end with ;", name, begin);
        good = false;
    }
    return good ? TOPO_OK : TOPO_PARSE;
}
