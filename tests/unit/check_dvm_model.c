/* Lib-DVM traces in tests/data/dvm against figures worked out by hand (*.expect):
 *
 *   run TRACE PAR [warnings=N] [errors=N]
 *   interval PATH [entries=N] [io=N ...] [total=US productive=US efficiency=X]
 *   PROCESSORS Metric=US ...     every metric that is not named must be 0
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "topo-predict-dvm/dvm_model.h"

static const char *const files[] = {
    "main",    "intervals",    "loop",    "replicated_loop", "reduction", "reduction_section",
    "shadow",  "redistribute", "realign", "realign_part",    "copy",      "copy_async",
    "buffers", "io",           "tasks",   "psview"};

struct state {
    char where[200];
    struct topo_dvm_trace trace;
    struct topo_intervals intervals;
    struct topo_notes notes;
    struct topo_interval *interval;
    bool loaded;
    long checked;
};

static void unload(struct state *state)
{
    if (!state->loaded)
        return;
    topo_intervals_free(&state->intervals);
    topo_dvm_trace_free(&state->trace);
    topo_notes_free(&state->notes);
    state->loaded = false;
}

static void run(struct state *state, char *rest)
{
    char path[300], *trace = strtok(rest, " "), *par_name = strtok(NULL, " "), *word, *text = NULL;
    long warnings = 0, errors = 0;
    struct topo_dvm_par par;
    struct topo_error error = {""};
    unload(state);
    while ((word = strtok(NULL, " "))) {
        if (!strncmp(word, "warnings=", 9))
            warnings = strtol(word + 9, NULL, 10);
        else if (!strncmp(word, "errors=", 7))
            errors = strtol(word + 7, NULL, 10);
        else
            ck_abort_msg("%s: word %s", state->where, word);
    }
    topo_dvm_par_default(&par);
    snprintf(path, sizeof path, TEST_DATA "/dvm/%s", par_name);
    ck_assert_msg(topo_read_file(path, &text, NULL, &error) == TOPO_OK, "%s", error.text);
    ck_assert_msg(topo_dvm_par_parse(text, path, &par, &state->notes) == TOPO_OK, "%s is sound", path);
    topo_free(text);
    snprintf(path, sizeof path, TEST_DATA "/dvm/%s", trace);
    ck_assert_msg(topo_dvm_read(path, &state->trace, &state->notes) == TOPO_OK, "%s: %s", path,
                  state->notes.kept ? state->notes.list[0].text : "");
    topo_dvm_predict(&state->trace, &par, &state->intervals, &state->notes);
    state->loaded = true;
    ck_assert_msg(state->notes.warnings == warnings && state->notes.errors == errors,
                  "%s: %ld warnings and %ld errors, not %ld and %ld; the first: %s", state->where, warnings, errors,
                  state->notes.warnings, state->notes.errors, state->notes.kept ? state->notes.list[0].text : "none");
}

/* "program" or KIND:LINE[=VALUE]/... */
static struct topo_interval *find(struct state *state, char *path)
{
    struct topo_interval *at = state->intervals.root;
    char *save = NULL;
    for (char *step = strtok_r(path, "/", &save); step && strcmp(step, "program") != 0;
         step = strtok_r(NULL, "/", &save)) {
        char *colon = strchr(step, ':'), *equals = colon ? strchr(colon, '=') : NULL;
        struct topo_interval *found = NULL;
        ck_assert_msg(colon, "%s: path", state->where);
        *colon = '\0';
        for (int i = 0; i < at->child_count; i++) {
            struct topo_interval *inner = at->children[i];
            if (!strcmp(topo_interval_kind_name(inner->kind), step) && inner->line == strtol(colon + 1, NULL, 10) &&
                inner->has_value == (equals != NULL) && (!equals || inner->value == strtol(equals + 1, NULL, 10)))
                found = inner;
        }
        ck_assert_msg(found, "%s: there is an interval %s:%s", state->where, step, colon + 1);
        at = found;
    }
    return at;
}

static void near(const struct state *state, const char *what, double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-6 * (1 + fabs(expected)), "%s: %s is %.6f, by hand it is %.6f",
                  state->where, what, value, expected);
}

static void interval(struct state *state, char *rest)
{
    char *path = strtok(rest, " "), *word;
    struct topo_interval *found = find(state, path);
    state->interval = found;
    while ((word = strtok(NULL, " "))) {
        char *equals = strchr(word, '=');
        double value = strtod(equals + 1, NULL);
        bool known = true;
        *equals = '\0';
        if (!strcmp(word, "entries"))
            near(state, word, (double)found->entries, value);
        else if (!strcmp(word, "total"))
            near(state, word, found->total * 1e6, value);
        else if (!strcmp(word, "productive"))
            near(state, word, found->productive * 1e6, value);
        else if (!strcmp(word, "efficiency"))
            near(state, word, found->efficiency, value);
        else
            known = false;
        for (int kind = 0; kind < TOPO_COMM_KINDS && !known; kind++)
            if (!strcmp(word, topo_comm_kind_name(kind))) {
                near(state, word, (double)found->operations[kind], value);
                known = true;
            }
        ck_assert_msg(known, "%s: word %s", state->where, word);
    }
    /* The identity that interval.h states. */
    near(state, "the sum of all parts of the total time",
         (found->productive + found->sum.insufficient + found->sum.communication + found->sum.synchronization +
          found->sum.idle) *
             1e6,
         found->total * 1e6);
}

static void processors(struct state *state, char *line)
{
    int count, first, last;
    const struct topo_metric *metrics = topo_metrics(&count);
    double expected[64] = {0};
    bool chosen[64] = {false};
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        bool known = false;
        if (!equals) {
            int fields = sscanf(word, "%d-%d", &first, &last);
            ck_assert_msg(fields >= 1, "%s: word %s", state->where, word);
            for (int p = first; p <= (fields == 2 ? last : first); p++)
                chosen[p] = true;
            continue;
        }
        *equals = '\0';
        for (int i = 0; i < count; i++)
            if (!strcmp(metrics[i].name, word)) {
                expected[i] = strtod(equals + 1, NULL);
                known = true;
            }
        ck_assert_msg(known, "%s: metric %s", state->where, word);
    }
    for (int p = 0; p < state->intervals.processors; p++)
        for (int i = 0; i < count && chosen[p]; i++) {
            char what[80];
            snprintf(what, sizeof what, "%s of processor %d", metrics[i].name, p);
            near(state, what, topo_metric_value(&metrics[i], &state->interval->times[p]) * 1e6, expected[i]);
            state->checked++;
        }
}

START_TEST(golden_traces)
{
    struct state state = {.loaded = false};
    char path[300], *text = NULL, *save = NULL;
    struct topo_error error = {""};
    int line = 0;
    snprintf(path, sizeof path, TEST_DATA "/dvm/%s.expect", files[_i]);
    ck_assert_msg(topo_read_file(path, &text, NULL, &error) == TOPO_OK, "%s", error.text);
    for (char *at = strtok_r(text, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
        snprintf(state.where, sizeof state.where, "%s, statement %d", files[_i], ++line);
        if (*at == '#')
            continue;
        if (!strncmp(at, "run ", 4))
            run(&state, at + 4);
        else if (!strncmp(at, "interval ", 9))
            interval(&state, at + 9);
        else
            processors(&state, at);
    }
    ck_assert_msg(state.checked > 0, "%s: something was checked", files[_i]);
    unload(&state);
    topo_free(text);
}
END_TEST

/* Intervals that differ in one part of their key each, thousands of them: every one is found again, none twice. */
START_TEST(many_intervals)
{
    enum { COUNT = 6000 };
    static struct topo_interval *made[COUNT];
    struct topo_intervals intervals;
    ck_assert_int_eq(topo_intervals_new(2, &intervals, NULL), TOPO_OK);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++) {
            char text[20];
            struct topo_interval_key key = {.kind = TOPO_INTERVAL_USER, .name = i % 4 ? "step" : text};
            snprintf(text, sizeof text, "%d", i);
            key.file = i % 4 == 1 ? text : NULL;
            key.line = i % 4 == 2 ? i : 0;
            key.has_value = i % 4 == 3;
            key.value = i;
            struct topo_interval *found = topo_interval_find(&intervals, intervals.root, &key);
            ck_assert_msg(found && (round == 0 || found == made[i]), "interval %d is found again", i);
            made[i] = found;
        }
    ck_assert_int_eq(intervals.root->child_count, COUNT);
    for (int i = 0; i < COUNT; i++)
        ck_assert_msg(intervals.root->children[i] == made[i], "in the order in which they came");
    topo_intervals_free(&intervals);
}
END_TEST

UNIT_MAIN("dvm_model", {golden_traces, sizeof files / sizeof *files}, {many_intervals})
