/* topo-dump plan: what each rank does in one call of an algorithm. */
#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "common/cli.h"
#include "common/json.h"
#include "common/options.h"
#include "machine/synthetic.h"
#include "model/allreduce_shape.h"
#include "patterns/limits.h"
#include "patterns/reduce_cut.h"
#include "plan/exchange.h"
#include "plan/gather.h"
#include "plan/rooted.h"
#include "plan/run.h"
#include "plan/scan.h"
#include "plan/sum_lanes.h"
#include "plan/sum_ranks.h"
#include "plan/together.h"
#include "topo-dump/commands.h"
#include "topo-dump/plan.h"

enum form { TEXT, JSON, SVG };

struct request {
    const char *synthetic, *operation, *algorithm, *output;
    long root, rank;
    size_t bytes;
    bool messages, oversubscribed;
    struct topo_parameters parameters;
    enum form form;
};

static enum topo_status read_bytes(void *into, const struct cli_option *option, const char *text,
                                   struct topo_error *error)
{
    struct request *request = into;
    if (topo_parse_size(text, &request->bytes) && request->bytes > 0 && request->bytes <= INT_MAX)
        return TOPO_OK;
    return topo_fail(error, TOPO_PARSE, "--%s %.80s: allowed: 1 up to %d, as 64K", option->name, text, INT_MAX);
}

#define NUMBER(member) CLI_NUMBER(struct request, member, 0, INT_MAX)
static const struct cli_option options[] = {
    {0, "synthetic", "TEXT",
     "the machine, such as \"switch:2 node:4 core:7,5,3,1\"; by:node at its end deals ranks round",
     CLI_TEXT(struct request, synthetic)},
    {0, "operation", "NAME", "the operation (default bcast); of a reduction one stripe is shown",
     CLI_TEXT(struct request, operation)},
    {0, "algorithm", "NAME", "the form, with parameters as in a rule, such as \"chain segment=8K\"",
     CLI_TEXT(struct request, algorithm)},
    {0, "bytes", "SIZE", "of the vector; of what moves blocks of one of them (default 1M)", .read = read_bytes},
    {0, "root", "RANK", "the root (default 0)", NUMBER(root)},
    {0, "rank", "RANK", "the plan of this rank alone", NUMBER(rank)},
    {0, "no-memory", NULL, "ranks of a node share no memory, and send messages to each other",
     CLI_FLAG(struct request, messages)},
    {0, "oversubscribed", NULL, "ranks share processors", CLI_FLAG(struct request, oversubscribed)},
    {0, "format", "text|json|svg", "text (the default), JSON, times in seconds, or a picture of all ranks",
     CLI_WORD(struct request, form)},
    {'o', "output", "FILE", "write to FILE instead of standard output", CLI_TEXT(struct request, output)},
    {0}};

static const struct cli_command command = {
    .name = "topo-dump plan",
    .usage =
        "usage: topo-dump plan --synthetic TEXT --algorithm NAME [OPTION]...\n\n"
        "Shows what each rank does in one call of an algorithm: the tasks that the library runs there, and whether\n"
        "the plans of all ranks together are right. A task handles blocks of the vector one after the other. Times\n"
        "are those of the model with the levels as shipped: from a task's first begin until its last end.\n",
    .options = options};

const char *const dump_plan_kinds[] = {"receive", "send", "give", "take", "add"};

/* "chain segment=8K" of the operation. */
static int find(const struct request *request, const struct topo_algorithm **found, struct topo_parameters *parameters)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0}, operations = {0};
    enum topo_operation shown = TOPO_OPERATION_COUNT;
    struct topo_error error = {""};
    char name[80], *word, *rest = NULL;
    const char *operation = request->operation ? request->operation : "bcast";
    *found = NULL;
    snprintf(name, sizeof name, "%s", request->algorithm ? request->algorithm : "");
    word = strtok_r(name, " ", &rest);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm((enum topo_algorithm_id)id);
        if (!topo_plan_of(row->id))
            continue;
        if (shown != row->operation)
            topo_text_addf(&operations, " %s", topo_operation_name(row->operation));
        shown = row->operation;
        if (strcmp(operation, topo_operation_name(row->operation)) != 0)
            continue;
        topo_text_addf(&names, " %s", row->name);
        if (word && !strcmp(word, row->name))
            *found = row;
    }
    if (!names.failed && !names.length)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--operation %.80s: allowed:%s", operation,
                        operations.failed ? " see topo-dump algorithms" : operations.text);
    if (!*found)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %.80s: allowed for %s:%s", word ? word : "is needed",
                        operation, names.failed ? " see topo-dump algorithms" : names.text);
    while ((word = strtok_r(NULL, " ", &rest)))
        if (topo_parameters_read((*found)->name, (*found)->traits, word, parameters, &error) != TOPO_OK)
            return cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm: %s", error.text);
    return CLI_OK;
}

/* The block of a turn in a later period. */
static int further(const struct topo_plan *plan, const struct topo_task *task, const struct topo_turn *turn, int period)
{
    const int64_t block = turn->block + (int64_t)period * task->stride;
    const int round = task->among > 0 ? task->among : (int)topo_plan_blocks(plan);
    return task->xors ? turn->block ^ period : turn->block - turn->block % round + (int)(block % round);
}

/* Blocks of a turn: "0", "3-7"; of a task with one: "0, 4, ...", or, so many of them, "7, 6, ... 3". */
static void add_blocks(const struct topo_plan *plan, const struct topo_task *task, const struct topo_turn *turn,
                       struct topo_text *out)
{
    const int64_t blocks = topo_plan_blocks(plan);
    const int last = task->periods - 1;
    topo_text_addf(out, "%d", turn->block);
    if (turn->blocks > 1)
        topo_text_addf(out, "-%d", (int)((turn->block + turn->blocks - 1) % blocks));
    if (task->turns > 1 || task->stride == 0 || task->periods == 1)
        return;
    if (task->periods == 0) {
        topo_text_addf(out, ", %d, ...", turn->block + task->stride);
        return;
    }
    topo_text_addf(out, task->periods > 2 ? ", %d, ... %d" : ", %d", further(plan, task, turn, 1),
                   further(plan, task, turn, last));
}

static void task_text(const struct dump_plan_times *times, int rank, int number, struct topo_text *out)
{
    const struct topo_plan *plan = &times->plan[rank];
    const struct topo_task *task = &plan->task[number];
    double begin, end;
    const char *const peer[] = {" from rank ", " to rank ", "", plan->node_vector ? "" : " from rank ", ""};
    topo_text_addf(out, "  %-8s", dump_plan_kinds[task->kind]);
    if (task->round)
        topo_text_addf(out, "%s %s in turn", task->kind == TOPO_TASK_SEND ? "to" : "from",
                       plan->round.firsts ? "the first rank of every node" : "every rank");
    for (int i = 0; i < task->turns && !task->round; i++) {
        const struct topo_turn *turn = &plan->turn[task->turn + i];
        if (turn->blocks == 0)
            continue;
        topo_text_add(out, i > 0 ? ", " : "block ");
        add_blocks(plan, task, turn, out);
        if (*peer[task->kind])
            topo_text_addf(out, "%s%d", peer[task->kind], turn->peer);
    }
    if (task->turns > 1 && task->stride > 0)
        topo_text_addf(out, "; then %d further each time", task->stride);
    if (task->each > 0 && *peer[task->kind])
        topo_text_addf(out, "; %d of them a message", task->each);
    if (task->joined > 1)
        topo_text_addf(out, "; added %d at a time", task->joined);
    if (task->joined > 0 && task->own > 0)
        topo_text_addf(out, "; the own sum is operand %d", task->own + 1);
    if (task->needs > 0)
        topo_text_addf(out, "; after %d of its blocks' positions", task->needs);
    if (topo_plan_window(plan, task) > 1)
        topo_text_addf(out, "; up to %d at a time", topo_plan_window(plan, task));
    if (task->kind == TOPO_TASK_SEND && task->awaited == 1)
        topo_text_add(out, "; when the receiver is ready");
    else if (task->kind == TOPO_TASK_SEND && task->awaited > 1)
        topo_text_addf(out, "; each %dth when the receiver is ready", task->awaited);
    if (task->after >= 0 && plan->in_order)
        topo_text_addf(out, "; after task %d and all before it", task->after + 1);
    else if (task->after >= 0 && task->lag == TOPO_PLAN_WHOLE)
        topo_text_addf(out, "; after task %d", task->after + 1);
    else if (task->after >= 0 && task->lag < 0)
        topo_text_addf(out, "; %d behind task %d", -task->lag, task->after + 1);
    else if (task->after >= 0)
        topo_text_addf(out, "; at most %d ahead of task %d", task->lag, task->after + 1);
    if (dump_plan_task(times, rank, number, &begin, &end))
        topo_text_addf(out, "; %.1f to %.1f us", 1e6 * begin, 1e6 * end);
    topo_text_add(out, "\n");
}

static json_t *task_json(const struct dump_plan_times *times, int rank, int number)
{
    const struct topo_plan *plan = &times->plan[rank];
    const struct topo_task *task = &plan->task[number];
    double begin, end;
    json_t *turns = json_array();
    for (int i = 0; i < task->turns; i++) {
        const struct topo_turn *turn = &plan->turn[task->turn + i];
        json_array_append_new(
            turns, json_pack("{si si si}", "peer", turn->peer, "block", turn->block, "blocks", turn->blocks));
    }
    json_t *json =
        json_pack("{ss si so sb si si si si sb sb si si si si si si si}", "kind", dump_plan_kinds[task->kind], "tag",
                  task->tag, "turns", turns, "round", task->round, "stride", task->stride, "periods", task->periods,
                  "among", task->among, "each", task->each, "xors", task->xors, "circulant", task->circulant, "window",
                  task->window, "awaited", task->awaited, "needs", task->needs, "joined", task->joined, "own",
                  task->own, "after", task->after, "lag", task->lag);
    if (dump_plan_task(times, rank, number, &begin, &end)) {
        json_object_set_new(json, "begin", json_real(begin));
        json_object_set_new(json, "end", json_real(end));
    }
    return json;
}

static json_t *rank_json(const struct dump_plan_times *times, int rank)
{
    const struct topo_plan *plan = &times->plan[rank];
    json_t *tasks = json_array();
    for (int i = 0; i < plan->tasks; i++)
        json_array_append_new(tasks, task_json(times, rank, i));
    return json_pack("{si si sb si si sb si so}", "rank", rank, "node", topo_tree_node_of(times->tree, rank), "has_all",
                     plan->has_all, "own_block", plan->own, "own_blocks", plan->owns, "in_order", plan->in_order,
                     "sends_at_once", plan->at_once, "tasks", tasks);
}

static bool scans(const struct topo_algorithm *algorithm)
{
    return topo_plan_is_scan(topo_plan_of(algorithm->id));
}

static bool is_rooted(const struct topo_algorithm *algorithm)
{
    return topo_operation_waits(algorithm->operation) == TOPO_WAITS_SOME && !scans(algorithm);
}

/* Blocks between the root and each rank. */
static bool deals(const struct topo_algorithm *algorithm)
{
    return topo_plan_is_rooted(topo_plan_of(algorithm->id));
}

static bool gathers(const struct topo_algorithm *algorithm)
{
    return algorithm->operation == TOPO_OPERATION_allgather || algorithm->operation == TOPO_OPERATION_allgatherv;
}

static bool exchanges(const struct topo_algorithm *algorithm)
{
    return topo_plan_is_exchange(topo_plan_of(algorithm->id));
}

/* Bytes of all blocks: where a rank of each node acts for it, all nodes shown as if they were alike. */
static size_t bytes_of(const struct request *request, const struct topo_algorithm *algorithm,
                       const struct topo_tree *tree)
{
    const size_t ranks = (size_t)tree->ranks, nodes = (size_t)tree->units[topo_tree_node_level(tree)];
    if (!exchanges(algorithm))
        return request->bytes * (gathers(algorithm) || deals(algorithm) ? ranks : 1);
    return 2 * request->bytes * ranks * (topo_plan_of(algorithm->id) == topo_plan_exchange ? 1 : ranks) /
           (topo_plan_of(algorithm->id) == topo_plan_exchange ? 1 : nodes);
}

static void rank_text(const struct dump_plan_times *times, int rank, struct topo_text *out)
{
    const struct topo_plan *plan = &times->plan[rank];
    topo_text_addf(out, "rank %d, node %d", rank, topo_tree_node_of(times->tree, rank));
    if (plan->has_all)
        topo_text_add(out, ", has all");
    else if (plan->owns > 0 && !plan->pairs)
        topo_text_addf(out, ", has block %d", plan->own);
    topo_text_add(out, "\n");
    for (int i = 0; i < plan->tasks; i++)
        task_text(times, rank, i, out);
}

/* What is shown of a call whose plans are made and right. */
static void show(const struct request *request, const struct topo_algorithm *algorithm,
                 const struct dump_plan_times *times, struct topo_text *out)
{
    const struct topo_tree *tree = times->tree;
    const struct topo_plan *plan = times->plan;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text title = {0};
    int first = request->rank < 0 ? 0 : (int)request->rank, end = request->rank < 0 ? tree->ranks : first + 1;
    char root[32] = "";
    json_t *ranks = json_array(), *offsets = json_array();
    if (is_rooted(algorithm))
        snprintf(root, sizeof root, ", root %ld", request->root);
    for (int64_t block = 0; block < topo_plan_blocks(plan); block++)
        json_array_append_new(offsets, json_integer((json_int_t)topo_plan_offset(plan, block)));
    topo_text_addf(&title, "%s %s on %s%s: %zu bytes in %lld blocks", topo_operation_name(algorithm->operation),
                   request->algorithm, request->synthetic, root, bytes_of(request, algorithm, tree),
                   (long long)topo_plan_blocks(plan));
    if (times->seconds >= 0)
        topo_text_addf(&title, ", %.1f us", 1e6 * times->seconds);
    if (request->form == TEXT)
        topo_text_addf(out, "%s\n", title.failed ? "" : title.text);
    if (request->form == SVG)
        dump_plan_svg(times, title.failed ? "" : title.text, out);
    for (int rank = first; rank < end; rank++) {
        json_array_append_new(ranks, rank_json(times, rank));
        if (request->form == TEXT)
            rank_text(times, rank, out);
    }
    if (request->form == JSON)
        cli_json(out,
                 json_pack("{ss ss ss sI sI sf sO sO}", "operation", topo_operation_name(algorithm->operation),
                           "algorithm", request->algorithm, "machine", request->synthetic, "root",
                           (json_int_t)request->root, "bytes", (json_int_t)request->bytes, "seconds", times->seconds,
                           "offsets", offsets, "ranks", ranks),
                 JSON_INDENT(2));
    json_decref(ranks);
    json_decref(offsets);
}

/* On the grid, or in the stripes, that a sum by rank takes, and its packets. */
struct by_rank {
    struct topo_allreduce_shape shape;
    struct topo_stripes stripes;
};

static enum topo_status find_shape(const struct topo_tree *tree, enum topo_algorithm_id id, struct by_rank *by_rank,
                                   struct topo_plan_input *call, topo_plan_function **form)
{
    struct topo_params params;
    enum topo_status status = topo_stripes_of(tree, &by_rank->stripes);
    topo_params_default(&params);
    if (status == TOPO_OK)
        status = topo_allreduce_shape_choose(tree, &params, &by_rank->stripes,
                                             id == TOPO_ALGORITHM_allreduce_mixed_grid ? TOPO_SHAPE_MIXED
                                                                                       : TOPO_SHAPE_CYCLIC,
                                             call->bytes, false, &by_rank->shape, NULL);
    if (*form == topo_plan_sum_grid && by_rank->shape.stripes)
        *form = topo_plan_sum_stripes;
    call->grid = &by_rank->shape.grid;
    call->uneven = &by_rank->stripes;
    call->packets = topo_plan_packets_of(topo_plan_sum_blocks(*form, tree->ranks, call), call->bytes / call->element,
                                         call->element, TOPO_PACKET_MOST / call->element);
    return status;
}

/* A form that goes in rounds of segments. */
static enum topo_status cut_rounds(const struct topo_tree *tree, const struct topo_algorithm *algorithm,
                                   struct topo_plan_input *call, struct topo_plan *plan)
{
    enum { WINDOWS = 4 };
    const size_t ranks = (size_t)tree->ranks;
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    if (topo_plan_of(algorithm->id) != topo_plan_gather_lanes)
        return TOPO_OK;
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK)
        return TOPO_NOMEM;
    size_t bytes = call->bytes / ranks, given = call->parameters.segment;
    size_t segment = given ? given : topo_gather_lanes_cut(levels, call->oversubscribed, bytes).segment;
    const int rounds = (int)((bytes + segment - 1) / segment);
    return topo_plans_in_windows(tree, call, false, rounds, WINDOWS, plan);
}

/* A long sum: how it is cut, and the rounds in which it goes. */
static enum topo_status cut_sum(const struct topo_tree *tree, topo_plan_function *form, struct topo_plan_input *call,
                                bool scatters, int *rounds)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL, *few = NULL;
    struct topo_sum_cut cut;
    if (topo_levels_new(tree, 0, &levels) != TOPO_OK || topo_levels_new(tree, TOPO_RADIX, &few) != TOPO_OK)
        return TOPO_NOMEM;
    if (form == topo_plan_reduce_chain) {
        const struct topo_reduce_chain_cut chain = topo_reduce_cut_chain(
            call->bytes, levels, levels->ranks_most, call->oversubscribed, call->parameters.segment);
        call->trees = chain.trees;
        cut = (struct topo_sum_cut){chain.stripes, false, chain.segment};
    } else if (topo_sum_lanes_cut(levels, few, call->bytes, scatters, call->oversubscribed, &cut) != TOPO_OK) {
        return TOPO_NOMEM;
    }
    const size_t round =
        cut.segment * (size_t)cut.stripes * (form == topo_plan_reduce_chain ? 1 : (size_t)levels->nodes);
    call->stripes = cut.stripes;
    call->direct = cut.direct;
    call->scatters = scatters;
    *rounds = call->bytes > round ? (int)((call->bytes - 1) / round + 1) : 1;
    return TOPO_OK;
}

/* The plans of such a sum, of even blocks, as if there were windows for all rounds. */
static void bind_rounds(const struct topo_tree *tree, struct topo_plan_input *call, int rounds, struct topo_plan *plan)
{
    for (int rank = 0; rank < tree->ranks; rank++) {
        topo_plan_bind_rounds(&plan[rank], rounds, rounds);
        plan[rank].cut.bytes = call->bytes / call->element;
        topo_plan_cut_again(&plan[rank], rounds * plan[rank].period);
    }
    call->stripes = 1; /* each rank acts for itself */
}

static int look(const struct request *request, const struct topo_algorithm *algorithm, struct topo_tree *tree,
                struct topo_text *out)
{
    enum { ELEMENT = 8, PARTS = 1 };
    topo_plan_function *form = topo_plan_of(algorithm->id);
    const bool sums = algorithm->operation != TOPO_OPERATION_bcast && !gathers(algorithm) && !deals(algorithm) &&
                      !exchanges(algorithm),
               by_ranks = topo_plan_sums_by_rank(form), in_rounds = topo_plan_sums_in_rounds(form);
    int rounds = 0;
    struct topo_plan_input call = {.root = is_rooted(algorithm) ? (int)request->root : -1,
                                   .bytes = sums ? (request->bytes + ELEMENT - 1) / ELEMENT * ELEMENT
                                                 : bytes_of(request, algorithm, tree),
                                   .stripes = sums && !by_ranks && !scans(algorithm),
                                   .element = sums ? ELEMENT : 0,
                                   .parts = PARTS,
                                   .shares = !request->messages && !deals(algorithm) && !scans(algorithm),
                                   .oversubscribed = request->oversubscribed,
                                   .parameters = request->parameters};
    TOPO_SCOPED_BY(topo_mapping_end) struct topo_mapping *mapping = NULL;
    struct by_rank by_rank = {0};
    struct topo_error error = {"out of memory"};
    struct topo_plan *plan = NULL;
    const char *why;
    call.parameters.radix = (size_t)topo_given(call.parameters.radix, topo_plan_radix_of(algorithm->id));
    if (request->root >= tree->ranks || request->rank >= tree->ranks)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--%s %ld: allowed: 0..%d",
                        request->root >= tree->ranks ? "root" : "rank",
                        request->root >= tree->ranks ? request->root : request->rank, tree->ranks - 1);
    if (!topo_algorithm_applies(algorithm, tree->ranks, &why))
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--algorithm %s: %s", algorithm->name, why);
    enum topo_status status =
        gathers(algorithm) || by_ranks ? topo_plans_mapping(tree, algorithm->id, &mapping, &error) : TOPO_OK;
    call.numbers = topo_plans_numbers(mapping);
    if (status == TOPO_OK && by_ranks)
        status = find_shape(tree, algorithm->id, &by_rank, &call, &form);
    if (status == TOPO_OK && in_rounds)
        status = cut_sum(tree, form, &call, algorithm->operation != TOPO_OPERATION_allreduce, &rounds);
    if (status == TOPO_OK)
        status = topo_plans_make_all(tree, form, &call, &plan);
    if (status == TOPO_OK && in_rounds)
        bind_rounds(tree, &call, rounds, plan);
    if (status == TOPO_OK)
        status = cut_rounds(tree, algorithm, &call, plan);
    if (status == TOPO_OK)
        status = topo_plans_together(tree, plan, &error);
    if (status == TOPO_OK) {
        struct dump_plan_times times = {.tree = tree, .plan = plan};
        dump_plan_time(&call, &times);
        show(request, algorithm, &times, out);
        dump_plan_times_free(&times);
    }
    topo_plans_free_all(tree, plan);
    topo_stripes_free(&by_rank.stripes);
    return status == TOPO_OK ? CLI_OK : cli_fail(DUMP_TOOL, CLI_FAILED, "%s", error.text);
}

int dump_plan(int argc, char **argv)
{
    struct request request = {.bytes = 1 << 20, .rank = -1};
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    const struct topo_algorithm *algorithm;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int operand, status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    if ((status = find(&request, &algorithm, &request.parameters)) != CLI_OK)
        return status;
    if (!request.synthetic)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "plan: --synthetic is needed, such as \"node:4 core:4\"");
    enum topo_status read = topo_synthetic_tree(request.synthetic, 0, &tree, &error);
    if (read != TOPO_OK)
        return cli_fail(DUMP_TOOL, read == TOPO_PARSE ? CLI_USAGE : CLI_FAILED, "--synthetic: %s", error.text);
    status = look(&request, algorithm, tree, &out);
    topo_tree_free(tree);
    return status == CLI_OK ? cli_write(DUMP_TOOL, request.output, &out) : status;
}
