#include "topo-predict-dvm/libdvm.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { DEPTH_MAX = 32 };

/* Seconds, some 30 years: sums of such times stay finite. */
static const double time_max = 1e9;

struct reader {
    struct topo_dvm_trace *trace;
    struct topo_notes *notes;
    size_t open[DEPTH_MAX]; /* calls that have not returned, outermost first */
    int depth;
    size_t
        owner; /* the call that parameter lines belong to: the last one that was called or returned; SIZE_MAX: none */
    enum topo_dvm_side side;
    int line;
    bool out_of_memory, bad;
};

static void complain(struct reader *reader, const char *what, const char *shown)
{
    topo_note_error(reader->notes, "%s:%d: %s '%.60s'", reader->trace->name, reader->line, what, shown);
    reader->bad = true;
}

static void add_param(struct reader *reader, const char *name, long index, const char *value)
{
    struct topo_dvm_trace *trace = reader->trace;
    if (!topo_grow(&trace->params, trace->param_count, sizeof *trace->params)) {
        reader->out_of_memory = true;
        return;
    }
    trace->params[trace->param_count++] = (struct topo_dvm_param){name, value, index, reader->line};
    if (reader->side == TOPO_DVM_IN)
        trace->calls[reader->owner].in_count++;
    else
        trace->calls[reader->owner].out_count++;
}

/* Parameters of one line, which is cut up: "A=1; B[0]=2; C=3 (AMView);" */
static void read_params(struct reader *reader, char *line)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    for (char *at = line; *at;) {
        char *name = at, *end, *value;
        long index = -1;
        if (*at == '(') {
            end = strchr(at, ')');
            if (!end)
                return;
            at = end + 1;
            if (*at)
                *at++ = '\0';
            add_param(reader, name, -1, "");
            continue;
        }
        at += strspn(at, letters);
        if (at == name) {
            at++;
            continue;
        }
        end = at;
        if (*at == '[') {
            errno = 0;
            index = strtol(at + 1, &at, 10);
            if (errno || index < 0 || *at != ']')
                continue;
            at++;
        }
        if (*at != '=')
            continue;
        value = at + 1 + strspn(at + 1, " \t");
        at = value + strcspn(value, " \t;");
        *end = '\0';
        if (*at)
            *at++ = '\0';
        add_param(reader, name, index, value);
    }
}

/* "KEY=" behind `line`, or NULL. */
static char *find_key(char *line, const char *key)
{
    size_t length = strlen(key);
    for (char *at = line; (at = strstr(at, key)); at += length)
        if (at > line && (at[-1] == ' ' || at[-1] == '\t') && at[length] == '=')
            return at + length + 1;
    return NULL;
}

struct head {
    char *name, *file;
    double seconds;
    long line;
};

/* The rest of a call or ret line behind its prefix; cuts the line up. */
static bool read_head(struct reader *reader, char *rest, struct head *head)
{
    char *time = find_key(rest, "TIME"), *line = find_key(rest, "LINE"), *file = find_key(rest, "FILE"), *end;
    size_t length = strcspn(rest, " \t");
    if (!time || !line || !file || !length) {
        complain(reader, "a call or ret line needs NAME TIME=seconds LINE=number FILE=name, not", rest);
        return false;
    }
    head->seconds = topo_strtod(time, &end);
    if (end == time || !(head->seconds >= 0) || head->seconds > time_max || (*end && *end != ' ' && *end != '\t')) {
        complain(reader, "TIME is not a number of seconds from 0 to 1e9:", time);
        return false;
    }
    errno = 0;
    head->line = strtol(line, &end, 10);
    if (end == line || errno || head->line < 0) {
        complain(reader, "LINE is not a line number:", line);
        return false;
    }
    rest[length] = '\0';
    file[strcspn(file, " \t")] = '\0';
    head->name = rest;
    head->file = file;
    return true;
}

static void read_call(struct reader *reader, char *rest)
{
    struct topo_dvm_trace *trace = reader->trace;
    struct head head;
    if (!read_head(reader, rest, &head))
        return;
    if (reader->depth == DEPTH_MAX) {
        complain(reader, "calls nested too deep (more than 32) at", head.name);
        return;
    }
    if (!topo_grow(&trace->calls, trace->count, sizeof *trace->calls)) {
        reader->out_of_memory = true;
        return;
    }
    trace->calls[trace->count] = (struct topo_dvm_call){.name = head.name,
                                                        .call_time = head.seconds,
                                                        .file = head.file,
                                                        .line = head.line,
                                                        .trace_line = reader->line,
                                                        .depth = reader->depth,
                                                        .in = trace->param_count};
    reader->owner = trace->count;
    reader->side = TOPO_DVM_IN;
    reader->open[reader->depth++] = trace->count++;
}

static void read_return(struct reader *reader, char *rest)
{
    struct topo_dvm_trace *trace = reader->trace;
    struct topo_dvm_call *call;
    struct head head;
    int depth = reader->depth;
    if (!read_head(reader, rest, &head))
        return;
    if (!strcmp(head.name, "dvm_Init")) { /* all before it is the library's own start */
        trace->count = trace->param_count = 0;
        reader->depth = 0;
        reader->owner = SIZE_MAX;
        return;
    }
    while (depth > 0 && strcmp(trace->calls[reader->open[depth - 1]].name, head.name) != 0)
        depth--;
    if (depth == 0) {
        complain(reader, "return of a call that was not made:", head.name);
        return;
    }
    for (; reader->depth > depth; reader->depth--)
        complain(reader, "no return of", trace->calls[reader->open[reader->depth - 1]].name);
    reader->depth--;
    reader->owner = reader->open[reader->depth];
    reader->side = TOPO_DVM_OUT;
    call = &trace->calls[reader->owner];
    call->returned = true;
    call->return_time += head.seconds;
    call->out = trace->param_count;
    if (reader->depth) /* what a nested call takes is time inside the outer one */
        trace->calls[reader->open[reader->depth - 1]].return_time += call->call_time + call->return_time;
}

/* "PSSize= 2 2;" and "VPSSize= 2 2;" of the lines in front of the calls; the virtual system counts. */
static void read_system(struct reader *reader, char *line)
{
    struct topo_dvm_trace *trace = reader->trace;
    char *at = strstr(line, "PSSize=");
    int size[8], dimensions = 0;
    bool is_virtual = at && at > line && at[-1] == 'V';
    if (!at || (trace->dimensions && !is_virtual))
        return;
    for (at += strlen("PSSize="); dimensions < 8;) {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at)
            break;
        if (value < 1 || value > 1 << 20)
            return;
        size[dimensions++] = (int)value;
        at = end;
    }
    if (!dimensions)
        return;
    memcpy(trace->size, size, sizeof size);
    trace->dimensions = dimensions;
}

static void read_line(struct reader *reader, char *line)
{
    line += strspn(line, " \t");
    if (!strncmp(line, "call_", 5))
        read_call(reader, line + 5);
    else if (!strncmp(line, "ret_", 4))
        read_return(reader, line + 4);
    else if (reader->owner != SIZE_MAX)
        read_params(reader, line);
    else
        read_system(reader, line);
}

enum topo_status topo_dvm_parse(const char *text, size_t length, const char *name, struct topo_dvm_trace *trace,
                                struct topo_notes *notes)
{
    struct reader reader = {.trace = trace, .notes = notes, .owner = SIZE_MAX};
    *trace = (struct topo_dvm_trace){0};
    trace->name = topo_strdup(name);
    trace->text = topo_alloc(length + 1, 1);
    if (!trace->name || !trace->text)
        return TOPO_NOMEM;
    memcpy(trace->text, text, length);
    trace->text[length] = '\0';
    for (char *at = trace->text, *end = at + length; at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop ? stop + 1 : end;
        if (!stop)
            stop = end;
        if (stop > at && stop[-1] == '\r')
            stop--;
        *stop = '\0';
        reader.line++;
        read_line(&reader, at);
        if (reader.out_of_memory)
            return TOPO_NOMEM;
        at = next;
    }
    for (; reader.depth > 0; reader.depth--) {
        const struct topo_dvm_call *call = &trace->calls[reader.open[reader.depth - 1]];
        topo_note_error(notes, "%s:%d: the trace ends before call %s (line %d) returns", name, reader.line, call->name,
                        call->trace_line);
        reader.bad = true;
    }
    if (!trace->count) {
        topo_note_error(notes, "%s: no Lib-DVM trace: no line starts with call_", name);
        reader.bad = true;
    }
    return reader.bad ? TOPO_PARSE : TOPO_OK;
}

enum topo_status topo_dvm_read(const char *path, struct topo_dvm_trace *trace, struct topo_notes *notes)
{
    struct topo_error error = {""};
    TOPO_SCOPED char *text = NULL;
    size_t length = 0;
    enum topo_status status = topo_read_file(path, &text, &length, &error);
    *trace = (struct topo_dvm_trace){0};
    if (status != TOPO_OK)
        topo_note_error(notes, "%s", error.text);
    else
        status = topo_dvm_parse(text, length, path, trace, notes);
    return status;
}

void topo_dvm_trace_free(struct topo_dvm_trace *trace)
{
    topo_free_all(trace->name, trace->text, trace->calls, trace->params);
    *trace = (struct topo_dvm_trace){0};
}

static const struct topo_dvm_param *find(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call,
                                         enum topo_dvm_side side, const char *name, long index)
{
    size_t first = side == TOPO_DVM_IN ? call->in : call->out;
    size_t count = side == TOPO_DVM_IN ? call->in_count : call->out_count;
    for (size_t i = first; i < first + count; i++)
        if (trace->params[i].index == index && !strcmp(trace->params[i].name, name))
            return &trace->params[i];
    return NULL;
}

static bool number(const char *text, int base, long *value)
{
    char *end;
    errno = 0;
    *value = base == 16 ? (long)strtoul(text, &end, 16) : strtol(text, &end, base);
    return end != text && !*end && !errno;
}

const char *topo_dvm_text(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call, enum topo_dvm_side side,
                          const char *name)
{
    const struct topo_dvm_param *param = find(trace, call, side, name, -1);
    return param ? param->value : NULL;
}

bool topo_dvm_number(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call, enum topo_dvm_side side,
                     const char *name, int base, long *value)
{
    const char *text = topo_dvm_text(trace, call, side, name);
    return text && number(text, base, value);
}

int topo_dvm_numbers(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call, const char *name, int most,
                     long *values)
{
    for (int i = 0; i < most; i++) {
        const struct topo_dvm_param *param = find(trace, call, TOPO_DVM_IN, name, i);
        if (!param)
            return i;
        if (!number(param->value, 10, &values[i]))
            return -1;
    }
    return most;
}
