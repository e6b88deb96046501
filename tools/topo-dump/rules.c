/* topo-dump rules: what `auto` takes on a described machine, by size, and what the model gives for it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "common/cli.h"
#include "common/json.h"
#include "common/options.h"
#include "machine/synthetic.h"
#include "model/cost.h"
#include "select/by_model.h"
#include "select/candidates.h"
#include "select/shipped.h"
#include "catalog/size_class.h"
#include "topo-dump/commands.h"

enum form { TEXT, JSON };

struct request {
    const char *synthetic, *machine, *tuning, *link, *operation, *output;
    enum form form;
};

static const struct cli_option options[] = {
    {0, "synthetic", "TEXT", "the machine, such as \"switch:2 node:32 core:128\"; by:node at its end deals ranks round",
     CLI_TEXT(struct request, synthetic)},
    {0, "machine", "TEXT", "the old name of --synthetic", CLI_TEXT(struct request, machine)},
    {0, "link", "RATE",
     "a node's and a switch's link, such as 25GB/s or 200G (bits per second) or 100G,infiniband, whose latency is "
     "shorter; system: what /sys says of this node's. Jobs that know that try other forms. What is inside nodes is the "
     "tuning file's, else as shipped",
     CLI_TEXT(struct request, link)},
    {0, "tuning", "FILE", "a tuning file, as TOPOMPI_TUNING names one; without it the shipped rules alone",
     CLI_TEXT(struct request, tuning)},
    {0, "operation", "NAME", "one operation; without it all", CLI_TEXT(struct request, operation)},
    {0, "format", "text|json", "text (the default) or JSON, times in seconds", CLI_WORD(struct request, form)},
    {'o', "output", "FILE", "write to FILE instead of standard output", CLI_TEXT(struct request, output)},
    {0}};

static const struct cli_command command = {
    .name = "topo-dump rules",
    .usage = "usage: topo-dump rules --synthetic TEXT [OPTION]...\n\n"
             "Shows which algorithm TOPOMPI_<OPERATION>=auto takes for messages of each size, by which line or by the "
             "model, and\nwhat the model gives for it, for native and for the fastest it knows; last, what "
             "TOPOMPI_GUARD tries "
             "beside it.\n",
    .options = options};

/* Bytes per second of "25GB/s", "200Gbit/s" or "200G"; 0: none of these. */
static double rate_of(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    /* Digits alone: strtod() would take blanks, "inf" and hexadecimal as well, and rates at which nothing arrives. */
    size_t length = strspn(text, "0123456789.");
    double value = strtod(text, &end);
    if (length == 0 || end != text + length || !(value > 0) || value > 1e15)
        return 0;
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (int left = unit ? (int)(unit - units) + 1 : 0; left > 0; left--)
        value *= 1000;
    end += unit != NULL;
    if (!strcmp(end, "B/s"))
        return value;
    return !*end || !strcmp(end, "bit/s") ? value / 8 : 0;
}

/* What is known of the machine and decides there. */
struct view {
    struct topo_tree *tree;
    struct topo_layout layout;
    struct topo_tuning shipped, tuning;
    struct topo_system_link port; /* --link; a rate of 0: not given */
};

static enum topo_status read_into(const char *path, struct topo_tuning *tuning, struct topo_error *error)
{
    TOPO_SCOPED char *text = NULL;
    enum topo_status status = topo_read_file(path, &text, NULL, error);
    if (status == TOPO_OK)
        status = topo_tuning_parse_over(text, path, tuning, error);
    return status;
}

/* The shipped file beside this program, or what is built in. */
static enum topo_status read_shipped(struct view *view, struct topo_error *error)
{
    char program[1024], path[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    topo_params_default(&view->shipped.params);
    if (length > 0) {
        program[length] = '\0';
        topo_shipped_path(program, TOPO_BINDIR, path, sizeof path);
    }
    if (length > 0 && *path && access(path, F_OK) == 0)
        return read_into(path, &view->shipped, error);
    return topo_tuning_parse_over(topo_rules_text, "the shipped rules", &view->shipped, error);
}

/* What --link says. */
static int look_at_link(const struct request *request, struct topo_system_link *port)
{
    if (request->link && !strcmp(request->link, "system"))
        return topo_link_read("/sys", port)
                   ? CLI_OK
                   : cli_fail(DUMP_TOOL, CLI_FAILED, "--link system: /sys says no rate of this node's links");
    static const char infiniband[] = ",infiniband";
    char text[64];
    const char *suffix = request->link ? strstr(request->link, infiniband) : NULL;
    if (suffix && !suffix[sizeof infiniband - 1])
        port->kind = TOPO_LINK_INFINIBAND;
    snprintf(text, sizeof text, "%.*s", suffix ? (int)(suffix - request->link) : 63,
             request->link ? request->link : "");
    port->rate = 8 * rate_of(text);
    strcpy(port->path, "--link");
    if (request->link && port->rate <= 0)
        return cli_fail(DUMP_TOOL, CLI_USAGE,
                        "--link %.40s: allowed: a number with K, M, G or T and B/s, bit/s or nothing (bits), as "
                        "25GB/s, with ,infiniband or without, or system",
                        request->link);
    return CLI_OK;
}

static int look(const struct request *request, struct view *view)
{
    struct topo_error error = {""};
    if (!request->synthetic)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "rules: --synthetic is needed, such as \"node:64 core:128\"");
    int looked = look_at_link(request, &view->port);
    if (looked != CLI_OK)
        return looked;
    enum topo_status status = topo_synthetic_tree(request->synthetic, 0, &view->tree, &error);
    if (status != TOPO_OK)
        return cli_fail(DUMP_TOOL, status == TOPO_PARSE ? CLI_USAGE : CLI_FAILED, "--synthetic: %s", error.text);
    status = topo_layout_of(view->tree, &view->layout);
    if (status == TOPO_OK)
        status = read_shipped(view, &error);
    view->tuning.params = view->shipped.params;
    view->tuning.shipped = &view->shipped;
    if (status == TOPO_OK && request->tuning)
        status = read_into(request->tuning, &view->tuning, &error);
    if (status != TOPO_OK)
        return cli_fail(DUMP_TOOL, status == TOPO_NOMEM ? CLI_FAILED : CLI_USAGE, "%s", error.text);
    if (view->port.rate > 0) {
        topo_params_set_links(&view->tuning.params, view->port.rate, view->port.kind);
        view->tuning.links = !view->tuning.measured;
    }
    view->layout.has_processors =
        !topo_params_oversubscribed(&view->tuning.params, view->layout.ranks, view->layout.node_ranks_max);
    return CLI_OK;
}

/* What runs at a size, and why. */
struct choice {
    size_t bytes;
    const struct topo_algorithm *runs, *best;
    const struct topo_rule *rule; /* NULL: the model, or nothing said anything */
    bool users, by_model;
    double seconds, native, least; /* below 0: the model says nothing */
    struct topo_candidates tried;  /* by the guard, beside native */
};

/* False: no memory. */
static bool choose(const struct view *view, enum topo_operation operation, size_t bytes, struct choice *choice)
{
    *choice = (struct choice){.bytes = bytes, .rule = topo_tuning_find(&view->tuning, operation, &view->layout, bytes)};
    const struct topo_cost_call call = {.bytes = bytes};
    choice->users = choice->rule != NULL;
    const int size_class = topo_size_class(bytes);
    struct topo_candidates by_model;
    if ((!choice->rule && topo_select_by_model(&view->tuning, operation, view->tree, &view->layout, size_class,
                                               &choice->runs) != TOPO_OK) ||
        topo_candidates_by_model(&view->tuning, operation, view->tree, &view->layout, size_class, &by_model) != TOPO_OK)
        return false;
    choice->by_model = choice->runs != NULL;
    if (!choice->runs) {
        choice->rule = topo_select_rule(&view->tuning, operation, &view->layout, bytes);
        choice->runs = choice->rule ? choice->rule->algorithm : topo_algorithm_native(operation);
    }
    topo_candidates_of(&view->tuning, choice->runs, &view->layout, bytes, &by_model, &choice->tried);
    choice->seconds = choice->native = choice->least = -1;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (!topo_select_is_candidate(algorithm, operation, &view->layout))
            continue;
        if (algorithm->id == choice->runs->id)
            algorithm = choice->runs;
        double seconds = topo_cost_of(algorithm, view->tree, &view->tuning.params, &call);
        if (seconds < 0)
            continue;
        if (algorithm == choice->runs)
            choice->seconds = seconds;
        if (algorithm == topo_algorithm_native(operation))
            choice->native = seconds;
        if (choice->least < 0 || seconds < choice->least) {
            choice->least = seconds;
            choice->best = algorithm;
        }
    }
    return true;
}

static void add_seconds(struct topo_text *out, double seconds)
{
    if (seconds < 0)
        topo_text_addf(out, " %12s", "-");
    else
        topo_text_addf(out, " %12.1f", seconds * 1e6);
}

/* Native, then the forms of ours, where there are any. */
static const struct topo_algorithm *tried(const struct choice *choice, int i)
{
    return i                     ? choice->tried.form[i - 1]
           : choice->tried.count ? topo_algorithm_native(choice->runs->operation)
                                 : choice->runs;
}

/* Its name and parameters in `width` columns, or more. */
static void add_algorithm(const struct topo_algorithm *algorithm, int width, struct topo_text *out)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text name = {0};
    topo_algorithm_write(algorithm, &name);
    out->failed |= name.failed;
    if (!name.failed)
        topo_text_addf(out, "%-*s", width, name.text);
}

static void print_text(const struct choice *choice, struct topo_text *out)
{
    char bytes[32], why[48] = "no rule";
    topo_format_size(choice->bytes, bytes, sizeof bytes);
    if (choice->by_model)
        snprintf(why, sizeof why, "the model");
    else if (choice->rule)
        snprintf(why, sizeof why, "%s line %d", choice->users ? "tuning" : "shipped", choice->rule->line);
    topo_text_addf(out, "  %-6s ", bytes);
    add_algorithm(choice->runs, 19, out);
    topo_text_addf(out, " %-16s", why);
    add_seconds(out, choice->seconds);
    add_seconds(out, choice->native);
    add_seconds(out, choice->least);
    topo_text_add(out, " ");
    if (choice->best)
        add_algorithm(choice->best, 19, out);
    else
        topo_text_addf(out, "%-19s", "-");
    for (int i = 0, said = 0; i <= choice->tried.count; i++) {
        const struct topo_algorithm *form = tried(choice, i);
        if (form == choice->runs)
            continue;
        topo_text_add(out, said++ ? "," : " ");
        add_algorithm(form, 0, out);
    }
    topo_text_add(out, "\n");
}

static json_t *seconds_json(double seconds)
{
    return seconds < 0 ? json_null() : json_real(seconds);
}

/* As rules say it: "radix radix=8". */
static json_t *string_json(const struct topo_algorithm *algorithm)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text name = {0};
    topo_algorithm_write(algorithm, &name);
    return name.failed ? NULL : json_string(name.text);
}

/* What is given: {"radix": 8}. */
static json_t *parameters_json(const struct topo_algorithm *algorithm)
{
    const char *name;
    size_t given;
    json_t *parameters = json_object();
    for (int i = 0; (name = topo_parameter(&algorithm->parameters, i, &given)); i++)
        if (given)
            json_object_set_new(parameters, name, json_integer((json_int_t)given));
    return parameters;
}

static json_t *choice_json(const struct choice *choice)
{
    json_t *names = json_array();
    for (int i = 0; i <= choice->tried.count; i++)
        if (tried(choice, i) != choice->runs)
            json_array_append_new(names, string_json(tried(choice, i)));
    const char *by = choice->by_model ? "model" : choice->users ? "tuning" : choice->rule ? "shipped" : "none";
    return json_pack("{sI ss so ss so so so so so so}", "bytes", (json_int_t)choice->bytes, "algorithm",
                     choice->runs->name, "parameters", parameters_json(choice->runs), "by", by, "line",
                     choice->rule ? json_integer(choice->rule->line) : json_null(), "seconds",
                     seconds_json(choice->seconds), "native", seconds_json(choice->native), "best",
                     choice->best ? string_json(choice->best) : json_null(), "best_seconds",
                     seconds_json(choice->least), "tried", names);
}

static void show(const struct request *request, const struct view *view, int from, int to, struct topo_text *out)
{
    static const size_t sizes[] = {8, 64, 512, 2048, 8192, 32768, 131072, 524288, 2097152, 8388608};
    json_t *all = json_object();
    const char *source = view->port.rate > 0 ? view->port.path : view->tuning.measured ? request->tuning : NULL;
    if (request->form == TEXT)
        topo_text_addf(
            out,
            "%s: %d rank%s on %d node%s; times in us, as the model gives them, native those of " TOPO_COST_NATIVE_OF
            "%s\n",
            request->synthetic, view->layout.ranks, topo_plural(view->layout.ranks), view->layout.nodes,
            topo_plural(view->layout.nodes), view->tuning.measured ? "" : " (nothing was measured: the rules decide)");
    if (request->form == TEXT)
        topo_params_tell_link(&view->tuning.params, source, out);
    if (request->form == TEXT)
        topo_text_add(out, "\n");
    for (int operation = from; operation < to; operation++) {
        json_t *list = json_array();
        int count = operation == TOPO_OPERATION_barrier ? 1 : (int)(sizeof sizes / sizeof *sizes);
        if (request->form == TEXT)
            topo_text_addf(out, "\n%s\n  %-6s %-19s %-16s %12s %12s %12s %-19s %s\n",
                           topo_operation_name((enum topo_operation)operation), "bytes", "auto", "by", "its time",
                           "native", "best", "", "tried");
        for (int i = 0; i < count; i++) {
            struct choice choice;
            if (!choose(view, (enum topo_operation)operation, operation == TOPO_OPERATION_barrier ? 0 : sizes[i],
                        &choice))
                out->failed = true;
            else if (request->form == TEXT)
                print_text(&choice, out);
            else
                json_array_append_new(list, choice_json(&choice));
        }
        json_object_set_new(all, topo_operation_name((enum topo_operation)operation), list);
    }
    if (request->form == JSON)
        cli_json(out,
                 json_pack("{ss ss si si sb s{sf sf ss*} sO}", "native", TOPO_COST_NATIVE_OF, "machine",
                           request->synthetic, "ranks", view->layout.ranks, "nodes", view->layout.nodes, "measured",
                           view->tuning.measured, "link", "seconds_per_byte",
                           view->tuning.params.link[TOPO_LEVEL_NODE].beta, "latency",
                           view->tuning.params.link[TOPO_LEVEL_NODE].alpha, "from", source, "operations", all),
                 JSON_INDENT(2));
    json_decref(all);
}

/* The operations that are asked for: from *from up to before *to. */
static int find_operations(const char *name, int *from, int *to)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text names = {0};
    *from = 0;
    *to = TOPO_OPERATION_COUNT;
    if (!name)
        return CLI_OK;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++) {
        if (!strcmp(name, topo_operation_name((enum topo_operation)operation))) {
            *from = operation;
            *to = operation + 1;
            return CLI_OK;
        }
        topo_text_addf(&names, " %s", topo_operation_name((enum topo_operation)operation));
    }
    return cli_fail(DUMP_TOOL, CLI_USAGE, "--operation %.80s: allowed:%s", name, names.failed ? "" : names.text);
}

int dump_rules(int argc, char **argv)
{
    struct request request = {0};
    struct view view = {0};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int operand, from, to, status = cli_options(&command, argc, argv, &request, &operand, NULL);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    if (request.machine && !request.synthetic) {
        fprintf(stderr, DUMP_TOOL ": rules: --machine is now --synthetic, as in its other commands\n");
        request.synthetic = request.machine;
    }
    status = find_operations(request.operation, &from, &to);
    if (status == CLI_OK)
        status = look(&request, &view);
    if (status == CLI_OK) {
        show(&request, &view, from, to, &out);
        status = cli_write(DUMP_TOOL, request.output, &out);
    }
    topo_tuning_free(&view.tuning);
    topo_tuning_free(&view.shipped);
    topo_tree_free(view.tree);
    return status;
}
