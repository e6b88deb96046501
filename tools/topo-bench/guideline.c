#include "topo-bench/guideline.h"

#include <string.h>

#include "base/memory.h"

static const struct {
    const char *word;
    double slack;
    bool replaces;
} kinds[BENCH_KINDS] = {{"mockup", 0, true},  {"monotone", 0, true}, {"split", 0, true},   {"communicator", 0, false},
                        {"root", 0.1, false}, {"place", 0, true},    {"arrival", 0, false}};

const char *bench_guideline_kind_word(enum bench_guideline_kind kind)
{
    return kinds[kind].word;
}

double bench_guideline_slack(enum bench_guideline_kind kind, double tolerance)
{
    return kinds[kind].slack > tolerance ? kinds[kind].slack : tolerance;
}

bool bench_guideline_replaces(enum bench_guideline_kind kind)
{
    return kinds[kind].replaces;
}

bool bench_guideline_has_sizes(const struct bench_guideline *guideline)
{
    return guideline->left.step[0].kind != BENCH_STEP_BARRIER;
}

size_t bench_step_count(const struct bench_step *step, size_t count, int ranks)
{
    switch (step->amount) {
    case BENCH_WHOLE: return count * (size_t)ranks;
    case BENCH_CHUNK: return (count + (size_t)ranks - 1) / (size_t)ranks;
    case BENCH_INTEGER: return 1;
    case BENCH_COUNT: break;
    }
    return count;
}

static void raise_to(size_t *extent, size_t needed)
{
    if (*extent < needed)
        *extent = needed;
}

size_t bench_form_extent(const struct bench_form *form, enum bench_buffer buffer, size_t count, int ranks)
{
    size_t extent = 0;
    for (int i = 0; i < BENCH_STEPS_MAX && form->step[i].kind; i++) {
        const struct bench_step *step = &form->step[i];
        const struct bench_step_info *info = &bench_step_info[step->kind];
        size_t once = bench_step_count(step, form->twice ? 2 * count : count, ranks), all = once * (size_t)ranks;
        if (step->from == buffer)
            raise_to(&extent, info->from_all ? all : once);
        if (step->to == buffer)
            raise_to(&extent, info->to_all || (form->in_place && info->from_all) ? all : once);
    }
    return extent;
}

void bench_form_words(const struct bench_form *form, struct topo_text *out)
{
    static const char *const roots[] = {"", ", middle root", ", last root"};
    topo_text_add(out, form->again ? "2 " : "");
    for (int i = 0, shown = 0; i < BENCH_STEPS_MAX && form->step[i].kind; i++) {
        const struct bench_step_info *info = &bench_step_info[form->step[i].kind];
        if (*info->name)
            topo_text_addf(out, "%s%s", shown++ ? " + " : "", info->name);
    }
    topo_text_addf(out, "%s%s%s%s", form->twice ? "(2m)" : "", roots[form->root], form->in_place ? " in place" : "",
                   form->lower ? " of half the ranks" : "");
}

static bool is_operation(const char *word)
{
    for (int i = 0; i < bench_guidelines; i++)
        if (!strcmp(bench_guideline[i].operation, word))
            return true;
    return false;
}

static bool is_kind(const char *word)
{
    for (int i = 0; i < BENCH_KINDS; i++)
        if (!strcmp(kinds[i].word, word))
            return true;
    return false;
}

static void kind_words(struct topo_text *out)
{
    for (int i = 0; i < BENCH_KINDS; i++)
        topo_text_addf(out, " %s", kinds[i].word);
}

/* Each once, in the order of the table. */
static void operation_words(struct topo_text *out)
{
    for (int i = 0; i < bench_guidelines; i++) {
        int first = 0;
        while (strcmp(bench_guideline[first].operation, bench_guideline[i].operation))
            first++;
        if (first == i)
            topo_text_addf(out, " %s", bench_guideline[i].operation);
    }
}

/* True where a comma separated list, NULL: of everything, has the word. */
static bool has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, word, length))
            return true;
    return !list;
}

static enum topo_status check_words(const char *option, const char *list, bool (*is_known)(const char *),
                                    void (*words)(struct topo_text *), struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text allowed = {0};
    TOPO_SCOPED char *copy = topo_strdup(list ? list : "");
    char *rest = copy, *word;
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    while (list && (word = strsep(&rest, ",")))
        if (!is_known(word)) {
            words(&allowed);
            return topo_fail(error, TOPO_PARSE, "--%s %.80s: allowed:%s", option, word,
                             allowed.failed ? "" : allowed.text);
        }
    return TOPO_OK;
}

enum topo_status bench_guidelines_choose(const char *kind_list, const char *operation_list, bool *chosen,
                                         struct topo_error *error)
{
    int left = 0;
    enum topo_status status = check_words("guidelines", kind_list, is_kind, kind_words, error);
    if (status == TOPO_OK)
        status = check_words("operations", operation_list, is_operation, operation_words, error);
    for (int i = 0; i < bench_guidelines && status == TOPO_OK; i++) {
        chosen[i] =
            has(kind_list, kinds[bench_guideline[i].kind].word) && has(operation_list, bench_guideline[i].operation);
        left += chosen[i];
    }
    if (status == TOPO_OK && !left)
        return topo_fail(error, TOPO_PARSE, "no guideline of --guidelines %.80s is of --operations %.80s", kind_list,
                         operation_list);
    return status;
}
