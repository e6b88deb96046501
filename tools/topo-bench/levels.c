#include "topo-bench/levels.h"

#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/json.h"
#include "model/findings.h"
#include "topo-bench/crowd.h"
#include "topo-bench/links.h"

/* What was found: ping-pong by shared levels (index tree->levels: within the innermost unit), links by level. */
struct findings {
    const struct topo_tree *tree;
    const struct bench_sizes *sizes;
    struct bench_statistics *ping; /* [(levels + 1) * sizes]; count 0: no such pair */
    double *flow;                  /* bytes per second of the same two ranks, message after message; NULL: not asked */
    double nominal[TOPO_LEVELS_MAX];
    double stream[TOPO_LEVELS_MAX + 1][3]; /* by enum bench_direction */
    int pairs[TOPO_LEVELS_MAX + 1];
    struct bench_local local;
    struct topo_sharing sharing;
    double turn; /* seconds */
    struct {
        int pairs;
        double shortest, middle, longest; /* seconds of an exchange of 1, MIDDLE_BYTES, CROWD_BYTES */
        double several;                   /* of SEVERAL messages of 1 byte */
    } crowd[TOPO_LEVELS_MAX + 1];
};

enum { MIDDLE_BYTES = TOPO_CROWD_MIDDLE, CROWD_BYTES = TOPO_CROWD_LONG, SEVERAL = TOPO_CROWD_SEVERAL };

static struct bench_statistics *ping_of(const struct findings *f, int shared, int size)
{
    return &f->ping[(size_t)shared * (size_t)f->sizes->count + (size_t)size];
}

static double *flow_of(const struct findings *f, int shared, int size)
{
    return &f->flow[(size_t)shared * (size_t)f->sizes->count + (size_t)size];
}

/* "between nodes", "within a node". */
static void name_of(const struct topo_tree *tree, int shared, struct topo_text *out)
{
    if (shared < tree->levels)
        topo_text_addf(out, "between %s units", topo_level_name(tree->kind[shared]));
    else
        topo_text_addf(out, "within a %s", topo_level_name(tree->kind[tree->levels - 1]));
}

enum topo_status bench_link_rates(MPI_Comm comm, const struct topo_tree *tree, double *rate, struct topo_error *error)
{
    for (int l = 0; l < tree->levels; l++) {
        struct bench_pairs pairs;
        rate[l] = 0;
        if (l > topo_tree_node_level(tree) || tree->units[l] < 2)
            continue;
        enum topo_status status = bench_pairs_through(tree, l, &pairs, error);
        int failed = status != TOPO_OK;
        PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
        if (failed) {
            bench_pairs_free(&pairs);
            return topo_fail(error, TOPO_NOMEM, "out of memory");
        }
        double in = bench_stream(comm, &pairs, BENCH_IN, BENCH_STREAM_BYTES),
               out = bench_stream(comm, &pairs, BENCH_OUT, BENCH_STREAM_BYTES);
        rate[l] = in > out ? in : out;
        bench_pairs_free(&pairs);
    }
    return TOPO_OK;
}

static void find_streams(MPI_Comm comm, struct findings *f)
{
    const struct topo_tree *tree = f->tree;
    for (int l = 0; l <= tree->levels; l++) {
        struct bench_pairs pairs;
        enum topo_status status =
            l < tree->levels ? bench_pairs_through(tree, l, &pairs, NULL) : bench_pairs_within(tree, &pairs, NULL);
        int failed = status != TOPO_OK;
        PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
        f->pairs[l] = failed ? 0 : pairs.count;
        for (int d = BENCH_IN; f->pairs[l] && d <= BENCH_BOTH; d++)
            f->stream[l][d] = bench_stream(comm, &pairs, (enum bench_direction)d,
                                           d == BENCH_BOTH ? BENCH_STREAM_BOTH_BYTES : BENCH_STREAM_BYTES);
        bench_pairs_free(&pairs);
    }
}

static void find_all(MPI_Comm comm, double seconds, struct findings *f)
{
    for (int shared = 0; shared <= f->tree->levels; shared++) {
        int p, q;
        if (!bench_pair_of(f->tree, shared, &p, &q))
            continue;
        for (int i = 0; i < f->sizes->count; i++) {
            struct bench_pairs pair = {1, &p, &q};
            *ping_of(f, shared, i) = bench_ping_pong(comm, p, q, f->sizes->bytes[i], seconds / 10);
            if (f->flow)
                *flow_of(f, shared, i) = bench_stream(comm, &pair, BENCH_IN, f->sizes->bytes[i]);
        }
    }
    find_streams(comm, f);
    f->local = bench_local_costs(comm, f->tree);
    f->sharing = bench_sharing_of(comm, f->tree);
    f->turn = f->sharing.processors ? bench_turn(comm, f->tree, &f->sharing) : 0;
    for (int shared = 0; shared <= f->tree->levels; shared++) {
        f->crowd[shared].shortest = bench_crowd(comm, f->tree, shared, 1, 1, &f->crowd[shared].pairs);
        f->crowd[shared].several = bench_crowd(comm, f->tree, shared, 1, SEVERAL, &f->crowd[shared].pairs);
        f->crowd[shared].middle = bench_crowd(comm, f->tree, shared, MIDDLE_BYTES, 1, &f->crowd[shared].pairs);
        f->crowd[shared].longest = bench_crowd(comm, f->tree, shared, CROWD_BYTES, 1, &f->crowd[shared].pairs);
    }
}

static void table(const struct findings *f, enum bench_statistic which, struct topo_text *out)
{
    const struct topo_tree *tree = f->tree;
    for (int shared = 0; shared <= tree->levels; shared++) {
        int p, q;
        if (!bench_pair_of(tree, shared, &p, &q))
            continue;
        topo_text_add(out, "# ");
        name_of(tree, shared, out);
        topo_text_addf(out, ": ping-pong of ranks %d and %d, one way; stream: message after message from %d to %d\n", p,
                       q, p, q);
        topo_text_addf(out, "%10s %11s %11s %11s %12s %14s\n", "bytes", "min us", "median us", "max us", "Mbit/s",
                       "stream Mbit/s");
        for (int i = 0; i < f->sizes->count; i++) {
            const struct bench_statistics *s = ping_of(f, shared, i);
            topo_text_addf(out, "%10zu %11.1f %11.1f %11.1f %12.1f %14.1f\n", f->sizes->bytes[i], s->min * 1e6,
                           s->median * 1e6, s->max * 1e6, (double)f->sizes->bytes[i] * 8e-6 / bench_statistic(s, which),
                           *flow_of(f, shared, i) * 8e-6);
        }
    }
    for (int l = 0; l <= tree->levels; l++) {
        static const char *const directions[] = {"in", "out", "both, each"};
        if (!f->pairs[l])
            continue;
        topo_text_add(out, "# all pairs at once ");
        if (l < tree->levels)
            topo_text_addf(out, "through the link of one %s (%d pairs): ", topo_level_name(tree->kind[l]), f->pairs[l]);
        else
            topo_text_addf(out, "within one %s (%d pairs): ", topo_level_name(tree->kind[tree->levels - 1]),
                           f->pairs[l]);
        for (int d = BENCH_IN; d <= BENCH_BOTH; d++) {
            topo_text_addf(out, "%s%s ", d ? ", " : "", directions[d]);
            bench_rate_write(f->stream[l][d], out);
        }
        if (l < tree->levels && f->nominal[l] > 0) {
            topo_text_add(out, "; nominal ");
            bench_rate_write(f->nominal[l], out);
        }
        topo_text_add(out, "\n");
    }
    for (int shared = 0; shared <= tree->levels; shared++)
        if (f->crowd[shared].pairs) {
            topo_text_add(out, "# all at once ");
            name_of(tree, shared, out);
            topo_text_addf(
                out, " (%d pairs): an exchange of 1 byte %.1f us, %d times %.1f us, of %d %.1f us, of %d %.1f us\n",
                f->crowd[shared].pairs, f->crowd[shared].shortest * 1e6, SEVERAL, f->crowd[shared].several * 1e6,
                MIDDLE_BYTES, f->crowd[shared].middle * 1e6, CROWD_BYTES, f->crowd[shared].longest * 1e6);
        }
    if (f->sharing.processors)
        topo_text_addf(out, "# processors: %d for all ranks %s; %.1f us of one for a look for messages\n",
                       f->sharing.processors, f->sharing.of_node ? "of a node" : "together", f->turn * 1e6);
    topo_text_addf(out, "# copy %.3f ns, add %.3f ns per byte; %.3f us of a rank's time per short message\n",
                   f->local.copy * 1e9, f->local.add * 1e9, f->local.message * 1e6);
}

/* What model/findings.h makes parameters of. */
static struct topo_findings findings_of(const struct findings *f)
{
    const struct topo_tree *tree = f->tree;
    const int last = f->sizes->count - 1;
    struct topo_findings found = {.sharing = f->sharing,
                                  .turn = f->turn,
                                  .copy = f->local.copy,
                                  .add = f->local.add,
                                  .message = f->local.message};
    for (int shared = 0; shared <= tree->levels; shared++) {
        struct topo_level_findings *level = &found.level[shared];
        if (!ping_of(f, shared, 0)->count)
            continue;
        level->shortest = ping_of(f, shared, 0)->min;
        level->longest = ping_of(f, shared, last)->min;
        level->bytes = (double)(f->sizes->bytes[last] - f->sizes->bytes[0]);
        level->both = f->stream[shared][BENCH_BOTH];
        level->in = f->stream[shared][BENCH_IN];
        level->pairs = f->crowd[shared].pairs;
        level->pairs_of_unit = shared < tree->levels ? 2.0 * level->pairs / tree->units[shared] : level->pairs;
        level->crowd_shortest = f->crowd[shared].shortest;
        level->crowd_several = f->crowd[shared].several;
        level->crowd_middle = f->crowd[shared].middle;
        level->crowd_longest = f->crowd[shared].longest;
    }
    return found;
}

static void params_of(const struct findings *f, struct topo_params *params)
{
    const struct topo_findings found = findings_of(f);
    topo_params_default(params);
    topo_findings_params(&found, f->tree, params);
}

static json_t *statistics_json(size_t bytes, const struct bench_statistics *s, double flow)
{
    return json_pack("{s:I, s:i, s:f, s:f, s:f, s:f}", "bytes", (json_int_t)bytes, "calls", s->count, "min_us",
                     s->min * 1e6, "median_us", s->median * 1e6, "max_us", s->max * 1e6, "stream", flow);
}

static void json(const struct findings *f, struct topo_text *out)
{
    json_t *levels = json_array();
    for (int l = 0; l <= f->tree->levels; l++) {
        struct topo_text name = {0};
        json_t *ping = json_array();
        for (int i = 0; i < f->sizes->count; i++)
            if (ping_of(f, l, i)->count)
                json_array_append_new(ping, statistics_json(f->sizes->bytes[i], ping_of(f, l, i), *flow_of(f, l, i)));
        name_of(f->tree, l, &name);
        json_array_append_new(levels,
                              json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:o}", "messages", name.failed ? "" : name.text,
                                        "pairs", f->pairs[l], "nominal", l < f->tree->levels ? f->nominal[l] : 0.0,
                                        "in", f->stream[l][BENCH_IN], "out", f->stream[l][BENCH_OUT], "both",
                                        f->stream[l][BENCH_BOTH], "ping_pong", ping));
        topo_text_free(&name);
    }
    cli_json(out, json_pack("{s:s, s:i, s:o}", "tool", "topo-bench levels", "ranks", f->tree->ranks, "levels", levels),
             JSON_INDENT(1) | JSON_REAL_PRECISION(6));
}

/* Writes one of the forms to its file. */
static int write_form(const char *path, struct topo_text *text)
{
    int status = path ? cli_write(BENCH_TOOL, path, text) : CLI_OK;
    topo_text_free(text);
    return status;
}

int bench_levels(const struct bench_request *request, MPI_Comm comm, const struct topo_tree *tree)
{
    struct findings f = {.tree = tree, .sizes = &request->sizes};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text shown = {0}, as_json = {0}, as_params = {0};
    struct topo_params params;
    struct topo_error error = {""};
    int rank, status = CLI_OK;
    PMPI_Comm_rank(comm, &rank);
    if (bench_rates_of(&request->rates, tree, f.nominal, &error) != TOPO_OK)
        return rank ? CLI_USAGE : cli_fail(BENCH_TOOL, CLI_USAGE, "--rate: %s", error.text);
    f.ping = topo_calloc((size_t)(tree->levels + 1) * (size_t)request->sizes.count, sizeof *f.ping);
    f.flow = topo_calloc((size_t)(tree->levels + 1) * (size_t)request->sizes.count, sizeof *f.flow);
    if (!f.ping || !f.flow)
        PMPI_Abort(comm, CLI_FAILED);
    find_all(comm, request->seconds, &f);
    if (rank == 0) {
        table(&f, request->statistic, &shown);
        params_of(&f, &params);
        topo_params_write(&params, &as_params);
        json(&f, &as_json);
        status = cli_write(BENCH_TOOL, NULL, request->format == BENCH_JSON ? &as_json : &shown);
        if (status == CLI_OK)
            status = write_form(request->json, &as_json);
        if (status == CLI_OK)
            status = write_form(request->params, &as_params);
    }
    topo_free(f.ping);
    topo_free(f.flow);
    return status;
}

void bench_levels_params(const struct bench_request *request, MPI_Comm comm, const struct topo_tree *tree,
                         struct topo_text *out)
{
    struct findings f = {.tree = tree, .sizes = &request->sizes};
    struct topo_params params;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    f.ping = topo_calloc((size_t)(tree->levels + 1) * (size_t)request->sizes.count, sizeof *f.ping);
    if (!f.ping)
        PMPI_Abort(comm, CLI_FAILED);
    find_all(comm, request->seconds, &f);
    params_of(&f, &params);
    if (rank == 0)
        topo_params_write(&params, out);
    topo_free(f.ping);
}
