#include "base/numbers.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

int topo_numbers_short = 1024;

void topo_numbers_take(struct topo_numbers *numbers, int *table, int count)
{
    *numbers = (struct topo_numbers){.count = count, .table = table};
}

static void free_table(struct topo_numbers *numbers)
{
    if (!numbers->lent)
        topo_free(numbers->table);
}

void topo_numbers_lend(struct topo_numbers *numbers, int *table)
{
    free_table(numbers);
    numbers->table = table;
    numbers->lent = true;
}

void topo_numbers_free(struct topo_numbers *numbers)
{
    free_table(numbers);
    topo_free(numbers->run);
    *numbers = (struct topo_numbers){0};
}

/* True when the numbers by digits are those of the table; table NULL: when all of them are below `end`. */
static bool counts_through(const struct topo_numbers *by_digits, const int *table, int end)
{
    int digit[TOPO_NUMBERS_DIGITS] = {0};
    int64_t number = by_digits->first;
    for (int i = 0; i < by_digits->count; i++) {
        if (table ? number != table[i] : number < 0 || number >= end)
            return false;
        for (int d = 0; d < by_digits->digits; d++) {
            number += by_digits->digit[d].step;
            if (++digit[d] < by_digits->digit[d].radix)
                break;
            number -= (int64_t)digit[d] * by_digits->digit[d].step;
            digit[d] = 0;
        }
    }
    return true;
}

/* The digits that the table's first numbers show: each as long as its step repeats. */
static bool find_digits(const int *table, struct topo_numbers *to)
{
    const int64_t count = to->count;
    int64_t place = 1;
    to->first = table[0];
    for (to->digits = 0; to->digits == 0 || place < count; to->digits++) {
        if (to->digits == TOPO_NUMBERS_DIGITS)
            return false;
        int step = place < count ? table[place] - table[0] : 0;
        int64_t radix = 1;
        while (radix * place < count && table[radix * place] - table[(radix - 1) * place] == step)
            radix++;
        to->digit[to->digits] = (struct topo_numbers_digit){(int)radix, step};
        place *= radix;
    }
    return counts_through(to, table, 0);
}

/* The end of the run that begins at `at`. */
static int run_end(const int *table, int count, int at)
{
    int end = at + 1;
    while (end < count && table[end] - table[end - 1] == table[at + 1] - table[at])
        end++;
    return end;
}

static bool find_runs(const int *table, struct topo_numbers *to)
{
    const int most = (int)((size_t)to->count * sizeof *table / 2 / sizeof *to->run);
    int runs = 0;
    for (int at = 0; at < to->count && runs <= most; at = run_end(table, to->count, at))
        runs++;
    if (runs > most || !(to->run = topo_alloc((size_t)runs, sizeof *to->run)))
        return false;
    to->digits = to->first = 0;
    for (int at = 0, end; at < to->count; at = end) {
        end = run_end(table, to->count, at);
        to->run[to->runs++] = (struct topo_numbers_run){at, table[at], end - at > 1 ? table[at + 1] - table[at] : 0};
    }
    return true;
}

void topo_numbers_shorten(struct topo_numbers *numbers)
{
    struct topo_numbers by_rule = {.count = numbers->count};
    if (!numbers->table || numbers->count <= topo_numbers_short || numbers->count == 0 ||
        (!find_digits(numbers->table, &by_rule) && !find_runs(numbers->table, &by_rule)))
        return;
    free_table(numbers);
    *numbers = by_rule;
}

int topo_numbers_by_rule(const struct topo_numbers *numbers, int i)
{
    const int last = numbers->digits - 1;
    int number = numbers->first;
    if (last < 0) {
        int low = 0, high = numbers->runs - 1; /* the last run that begins at or before i */
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            if (numbers->run[middle].at <= i)
                low = middle;
            else
                high = middle - 1;
        }
        return numbers->run[low].first + (i - numbers->run[low].at) * numbers->run[low].step;
    }
    for (int d = 0; d < last; d++) {
        int above = i / numbers->digit[d].radix;
        number += (i - above * numbers->digit[d].radix) * numbers->digit[d].step;
        i = above;
    }
    return number + i * numbers->digit[last].step;
}

bool topo_numbers_equal(const struct topo_numbers *a, const struct topo_numbers *b)
{
    bool equal = a->count == b->count;
    if (equal && a->table && b->table)
        return !memcmp(a->table, b->table, (size_t)a->count * sizeof *a->table);
    for (int i = 0; equal && i < a->count; i++)
        equal = topo_numbers_at(a, i) == topo_numbers_at(b, i);
    return equal;
}

/* Form: which of the three, how many digits or runs, the number at 0, then these or the table. */
enum { FORM, PARTS, FIRST, HEADER };
enum form { TABLE, DIGITS, RUNS, FORMS };

/* Integers of each digit, run, number of a table. */
static const size_t part_ints[FORMS] = {1, sizeof(struct topo_numbers_digit) / sizeof(int),
                                        sizeof(struct topo_numbers_run) / sizeof(int)};

static enum form form_of(const struct topo_numbers *numbers)
{
    return numbers->table ? TABLE : numbers->digits ? DIGITS : RUNS;
}

static int parts_of(const struct topo_numbers *numbers)
{
    return numbers->table ? numbers->count : numbers->digits ? numbers->digits : numbers->runs;
}

size_t topo_numbers_packed(const struct topo_numbers *numbers)
{
    return HEADER + (size_t)parts_of(numbers) * part_ints[form_of(numbers)];
}

void topo_numbers_pack(const struct topo_numbers *numbers, int *ints)
{
    enum form form = form_of(numbers);
    const void *parts = form == TABLE    ? (const void *)numbers->table
                        : form == DIGITS ? (const void *)numbers->digit
                                         : (const void *)numbers->run;
    ints[FORM] = (int)form;
    ints[PARTS] = parts_of(numbers);
    ints[FIRST] = numbers->first;
    memcpy(ints + HEADER, parts, (size_t)ints[PARTS] * part_ints[form] * sizeof *ints);
}

/* Every digit takes more than one value, but in a list of one number, and the last no more than it needs: then no other
 * digits give these numbers. */
static bool digits_hold(const struct topo_numbers *numbers, int end)
{
    const int64_t count = numbers->count;
    int64_t place = 1, before = 1;
    for (int d = 0; d < numbers->digits; d++) {
        const struct topo_numbers_digit *digit = &numbers->digit[d];
        if (count == 1 ? digit->radix != 1 || digit->step != 0 : digit->radix < 2)
            return false;
        if (d > 0 && place >= count)
            return false;
        before = place;
        place *= digit->radix;
    }
    return place >= count && place - before < count && counts_through(numbers, NULL, end);
}

static bool runs_hold(const struct topo_numbers *numbers, int end)
{
    for (int r = 0; r < numbers->runs; r++) {
        const struct topo_numbers_run *run = &numbers->run[r];
        const int64_t next = r + 1 < numbers->runs ? run[1].at : numbers->count,
                      last = run->first + (next - run->at - 1) * run->step;
        if ((r == 0 && run->at != 0) || next <= run->at || run->first < 0 || run->first >= end || last < 0 ||
            last >= end)
            return false;
    }
    return true;
}

static bool table_holds(const struct topo_numbers *numbers, int end)
{
    for (int i = 0; i < numbers->count; i++)
        if (numbers->table[i] < 0 || numbers->table[i] >= end)
            return false;
    return true;
}

size_t topo_numbers_unpack(const int *ints, size_t most, int count, int end, struct topo_numbers *numbers,
                           bool *out_of_memory)
{
    *numbers = (struct topo_numbers){.count = count};
    *out_of_memory = false;
    if (most < HEADER || ints[FORM] < 0 || ints[FORM] >= FORMS || ints[PARTS] < 1 ||
        (ints[FORM] != DIGITS && ints[FIRST] != 0))
        return 0;
    const enum form form = (enum form)ints[FORM];
    const size_t parts = (size_t)ints[PARTS], length = parts * part_ints[form];
    if (length > most - HEADER || (form == TABLE && parts != (size_t)count) ||
        (form == DIGITS && parts > TOPO_NUMBERS_DIGITS) || (form == RUNS && parts > (size_t)count))
        return 0;
    void *to = form == DIGITS ? (void *)numbers->digit : topo_alloc(length, sizeof *ints);
    if ((*out_of_memory = !to))
        return 0;
    memcpy(to, ints + HEADER, length * sizeof *ints);
    numbers->first = ints[FIRST];
    bool holds;
    switch (form) {
    case TABLE:
        numbers->table = to;
        holds = table_holds(numbers, end);
        break;
    case DIGITS:
        numbers->digits = ints[PARTS];
        holds = digits_hold(numbers, end);
        break;
    default:
        numbers->run = to;
        numbers->runs = ints[PARTS];
        holds = runs_hold(numbers, end);
    }
    if (!holds)
        topo_numbers_free(numbers);
    return holds ? HEADER + length : 0;
}
