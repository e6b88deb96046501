#include "base/numbers_search.h"

#include <string.h>

enum {
    ROW = 16,   /* places that are asked at a time */
    NEAR = 32,  /* numbers behind the last one that are tried where steps do not repeat */
    JUMPS = 6,  /* steps that did not follow from those before */
    FAR = 1024, /* numbers asked about at a time, at most */
    IN_VAIN = 8 /* times that a number was not behind the last one until it is not looked for there */
};

struct search {
    const struct topo_numbers_asked *list;
    int count, end, *table;
    int at;     /* places that are known */
    int period; /* places after which steps are expected to repeat */
    /* The latest ones first, and the place that each led to last. */
    struct jump {
        int step, place;
    } jump[JUMPS];
    int jumps;
    int in_vain;   /* the latest times that a number was not behind the last one */
    uint64_t left; /* numbers that may still be looked at, one place at a time */
};

static int step_to(const struct search *search, int place)
{
    return search->table[place] - search->table[place - 1];
}

static bool is_in(const int *number, int numbers, int64_t wanted)
{
    for (int i = 0; i < numbers; i++)
        if (number[i] == wanted)
            return true;
    return false;
}

/* The next numbers, if steps repeat. */
static int row(const struct search *search, int *number)
{
    int numbers = 0, most = search->count - search->at < ROW ? search->count - search->at : ROW;
    int step[ROW];
    int64_t next = search->table[search->at - 1];
    for (; numbers < most; numbers++) {
        int back = search->at + numbers - search->period;
        step[numbers] = search->at == 1     ? 1
                        : back < search->at ? step_to(search, back)
                                            : step[numbers - search->period];
        next += step[numbers];
        if (next < 0 || next >= search->end || is_in(number, numbers, next))
            break;
        number[numbers] = (int)next;
    }
    return numbers;
}

/* Those that the latest jumps lead to, and those behind the last one. */
static int around(const struct search *search, int *number)
{
    int numbers = 0;
    const int64_t last = search->table[search->at - 1];
    for (int i = 0; i < search->jumps; i++) {
        int64_t next = last + search->jump[i].step;
        if (next >= 0 && next < search->end)
            number[numbers++] = (int)next;
    }
    for (int64_t next = last + 1, leads = numbers; next <= last + NEAR && next < search->end; next++)
        if (!is_in(number, (int)leads, next))
            number[numbers++] = (int)next;
    return numbers;
}

/* Asks the next places about these; *known of them, one after the other, hold one. */
static int ask(struct search *search, const int *number, int numbers, int places, int *known)
{
    int found[ROW];
    *known = 0;
    if (numbers == 0)
        return 0;
    int code = search->list->some(search->list->context, search->at, places, number, numbers, found);
    if (code)
        return code;
    for (; *known < places && found[*known] >= 0; (*known)++)
        search->table[search->at + *known] = number[found[*known]];
    search->at += *known;
    return 0;
}

/* The step to `place` came unexpected: if it did before, steps may repeat after as many places. */
static void jumped(struct search *search, int place)
{
    struct jump now = {step_to(search, place), place};
    int i = 0;
    while (i < search->jumps && search->jump[i].step != now.step)
        i++;
    if (i < search->jumps)
        search->period = place - search->jump[i].place;
    else if (search->jumps < JUMPS)
        search->jumps++;
    else
        i--;
    memmove(search->jump + 1, search->jump, (size_t)i * sizeof now);
    search->jump[0] = now;
}

/* Asks the next place about numbers behind those that are near, more of them each time: a list that only goes up is
 * gone through once. */
static int look_behind(struct search *search, int *known)
{
    int number[FAR], code = 0;
    int64_t next = (int64_t)search->table[search->at - 1] + NEAR + 1;
    for (int most = 2 * NEAR; next < search->end && code == 0 && *known == 0; most = 2 * most < FAR ? 2 * most : FAR) {
        int numbers = 0;
        while (numbers < most && next < search->end)
            number[numbers++] = (int)next++;
        search->left -= search->left < (uint64_t)numbers ? search->left : (uint64_t)numbers;
        code = ask(search, number, numbers, 1, known);
    }
    search->in_vain = *known ? 0 : search->in_vain + 1;
    return code;
}

/* Asks the next place about all numbers. */
static int look_everywhere(struct search *search, bool *all)
{
    int place = search->at, code = 0;
    *all = search->left >= (uint64_t)search->end;
    if (!*all || (code = search->list->any(search->list->context, place, &search->table[place])))
        return code;
    *all = search->table[place] >= 0;
    search->left -= *all ? (uint64_t)search->table[place] : 0;
    search->at++;
    return 0;
}

/* The next place holds what was not expected. */
static int look_around(struct search *search, bool *all)
{
    int number[JUMPS + NEAR], known, place = search->at;
    int places = search->count - place < ROW ? search->count - place : ROW;
    int code = ask(search, number, around(search, number), places, &known);
    if (code == 0 && known == 0 && search->in_vain < IN_VAIN)
        code = look_behind(search, &known);
    if (code == 0 && known == 0)
        code = look_everywhere(search, all);
    if (code == 0 && *all)
        jumped(search, place);
    return code;
}

int topo_numbers_search(const struct topo_numbers_asked *list, int count, int end, uint64_t most, int *table, bool *all)
{
    struct search search = {
        .list = list, .count = count, .end = end, .table = table, .at = 1, .period = 1, .left = most};
    int code = count > 0 ? list->any(list->context, 0, table) : 0;
    *all = count == 0 || (code == 0 && table[0] >= 0);
    while (*all && code == 0 && search.at < count) {
        int number[ROW], numbers = row(&search, number), known;
        code = ask(&search, number, numbers, numbers, &known);
        if (code == 0 && search.at < count && known < ROW)
            code = look_around(&search, all);
        /* Steps that repeat at once: a run. */
        if (known == 0 && search.at > 2 && step_to(&search, search.at - 1) == step_to(&search, search.at - 2))
            search.period = 1;
    }
    return code;
}
