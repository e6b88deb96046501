/* topo-predict: how long a traced program takes on a machine one does not have. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/script.h"
#include "predict/rater.h"
#include "topo-predict/mpi.h"
#include "topo-predict/report.h"

#define TOOL "topo-predict"

enum { PREDICTIONS_MAX = REPORT_MAX };

static const char usage[] =
    "usage: topo-predict TRACE [OPTION]...\n\n"
    "TRACE is a folder that TOPOMPI_TRACE filled, or a text trace of Lib-DVM.\n\n"
    "For a folder: each --machine or --machine-file gives one prediction with what was named before it.\n"
    "  -m, --machine TEXT    levels and slots, as \"node:4 core:4\" or \"switch:2 node:4 core:4 by:node\"\n"
    "  -M, --machine-file FILE  a machine file with a machine line\n"
    "  -T, --traced          the traced run itself, to compare with\n"
    "  -P, --params FILE     a machine file; what topo-bench levels --params writes is one\n"
    "  -s, --speed FACTOR    of its cores relative to the traced ones (default 1)\n"
    "  -a, --allgather NAME, -A, --allreduce NAME, -V, --alltoallv NAME, -B, --barrier NAME,\n"
    "  -b, --bcast NAME, -r, --reduce NAME, -g, --allgatherv NAME, -l, --alltoall NAME,\n"
    "  -R, --reduce_scatter NAME, -K, --reduce_scatter_block NAME\n"
    "                        algorithm (topo-dump algorithms), native (default), native:han, auto: what\n"
    "                        the library takes, traced: what it took, all: one prediction for each\n"
    "  -c, --scaling [INTERVAL=]RULE  with another number of ranks: strong (default: the problem stays),\n"
    "                        weak (the part of a rank stays), fixed\n\n"
    "For a Lib-DVM trace: each --par gives a machine, each --topology after it one\n"
    "prediction with that shape; without --topology that of the file, else of the trace.\n\n"
    "  -p, --par FILE        parameters: type, start time, send byte time, power, topology\n"
    "  -t, --topology SHAPE  processors, as 4 or 2x2\n"
    "  -f, --format FORMAT   text (default), json or html (one self-contained page)\n"
    "  -d, --depth LEVEL     leave intervals deeper than LEVEL out; 0 is the whole program\n"
    "  -o, --output FILE     instead of standard output\n"
    "  -h, --help            this\n\n"
    "exit status: 0 success; 1 errors in the input (what could be read is reported) or failure;\n"
    "2 wrong arguments\n";

struct wanted {
    char label[300];
    struct topo_dvm_par par;
};

struct request {
    struct mpi_request mpi;
    struct wanted list[PREDICTIONS_MAX];
    int count;
    const char *format, *output;
    int depth;
    bool shaped; /* the last --par has had a --topology */
};

static int add_par(struct request *request, const char *path, struct topo_notes *notes)
{
    struct topo_error error = {""};
    struct wanted *wanted = &request->list[request->count];
    char *text = NULL;
    if (request->count == PREDICTIONS_MAX)
        return cli_fail(TOOL, CLI_USAGE, "more than %d predictions at once", PREDICTIONS_MAX);
    topo_dvm_par_default(&wanted->par);
    snprintf(wanted->label, sizeof wanted->label, "%s", path);
    if (topo_read_file(path, &text, NULL, &error) != TOPO_OK)
        return cli_fail(TOOL, CLI_FAILED, "%s", error.text);
    topo_dvm_par_parse(text, path, &wanted->par, notes);
    topo_free(text);
    request->count++;
    request->shaped = false;
    return CLI_OK;
}

static int add_topology(struct request *request, const char *shape)
{
    if (request->count == 0) {
        topo_dvm_par_default(&request->list[0].par);
        snprintf(request->list[0].label, sizeof request->list[0].label, "default network");
        request->count = 1;
        request->shaped = false;
    }
    if (request->shaped) {
        if (request->count == PREDICTIONS_MAX)
            return cli_fail(TOOL, CLI_USAGE, "more than %d predictions at once", PREDICTIONS_MAX);
        request->list[request->count] = request->list[request->count - 1];
        char *comma = strstr(request->list[request->count].label, ", topology ");
        if (comma)
            *comma = '\0';
        request->count++;
    }
    struct wanted *wanted = &request->list[request->count - 1];
    if (!topo_dvm_par_topology(shape, &wanted->par.machine))
        return cli_fail(TOOL, CLI_USAGE, "--topology %.60s: allowed: sizes as 4 or 2x2, up to 8 dimensions", shape);
    size_t used = strlen(wanted->label);
    snprintf(wanted->label + used, sizeof wanted->label - used, ", topology %s", shape);
    request->shaped = true;
    return CLI_OK;
}

static int read_arguments(int argc, char **argv, struct request *request, struct topo_notes *notes)
{
    static const struct option options[] = {{"par", required_argument, NULL, 'p'},
                                            {"topology", required_argument, NULL, 't'},
                                            {"format", required_argument, NULL, 'f'},
                                            {"depth", required_argument, NULL, 'd'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"machine", required_argument, NULL, 'm'},
                                            {"machine-file", required_argument, NULL, 'M'},
                                            {"traced", no_argument, NULL, 'T'},
                                            {"params", required_argument, NULL, 'P'},
                                            {"speed", required_argument, NULL, 's'},
                                            {"allgather", required_argument, NULL, 'a'},
                                            {"allreduce", required_argument, NULL, 'A'},
                                            {"alltoallv", required_argument, NULL, 'V'},
                                            {"barrier", required_argument, NULL, 'B'},
                                            {"bcast", required_argument, NULL, 'b'},
                                            {"reduce", required_argument, NULL, 'r'},
                                            {"allgatherv", required_argument, NULL, 'g'},
                                            {"alltoall", required_argument, NULL, 'l'},
                                            {"reduce_scatter", required_argument, NULL, 'R'},
                                            {"reduce_scatter_block", required_argument, NULL, 'K'},
                                            {"scaling", required_argument, NULL, 'c'},
                                            {NULL, 0, NULL, 0}};
    int letter, status = CLI_OK;
    long depth;
    opterr = 0;
    while (status == CLI_OK && (letter = getopt_long(argc, argv, ":p:t:f:d:o:h" MPI_OPTIONS, options, NULL)) != -1) {
        switch (letter) {
        case 'p': status = add_par(request, optarg, notes); break;
        case 't': status = add_topology(request, optarg); break;
        case 'f':
            request->format = optarg;
            if (strcmp(optarg, "text") != 0 && strcmp(optarg, "json") != 0 && strcmp(optarg, "html") != 0)
                return cli_fail(TOOL, CLI_USAGE, "--format %.40s: unknown; allowed: text json html", optarg);
            break;
        case 'd':
            if (!topo_parse_long(optarg, 0, 1000, &depth))
                return cli_fail(TOOL, CLI_USAGE, "--depth %.40s: allowed: 0..1000", optarg);
            request->depth = (int)depth;
            break;
        case 'o': request->output = optarg; break;
        case 'h': fputs(usage, stdout); return -1;
        default:
            if (!mpi_takes(letter))
                return cli_bad_option(TOOL, argv, optind, optopt, letter == ':');
            status = mpi_option(&request->mpi, letter, optarg);
        }
    }
    if (status == CLI_OK && optind != argc - 1)
        return cli_fail(TOOL, CLI_USAGE, "one trace is needed; see topo-predict --help");
    return status;
}

int main(int argc, char **argv)
{
    static struct request request = {.format = "text", .depth = -1};
    static struct prediction predictions[PREDICTIONS_MAX];
    struct topo_notes notes = {0};
    struct topo_dvm_trace trace = {0};
    struct topo_text out = {0};
    int made = 0, status = read_arguments(argc, argv, &request, &notes);
    if (status != CLI_OK) {
        mpi_request_free(&request.mpi);
        topo_notes_free(&notes);
        return status < 0 ? CLI_OK : status;
    }
    if (request.count == 0) {
        topo_dvm_par_default(&request.list[0].par);
        snprintf(request.list[0].label, sizeof request.list[0].label, "default network");
        request.count = 1;
    }
    bool is_folder = mpi_is_folder(argv[optind]);
    if (is_folder)
        made = mpi_predict(&request.mpi, argv[optind], predictions, PREDICTIONS_MAX, &notes);
    enum topo_status read = is_folder ? TOPO_IO : topo_dvm_read(argv[optind], &trace, &notes);
    for (int i = 0; i < request.count && (read == TOPO_OK || read == TOPO_PARSE) && trace.count; i++) {
        enum topo_status one = topo_dvm_predict(&trace, &request.list[i].par, &predictions[made].intervals, &notes);
        predictions[made].label = request.list[i].label;
        made += one == TOPO_OK || one == TOPO_PARSE;
    }
    for (int i = 0; i < notes.kept; i++)
        fprintf(stderr, TOOL ": %s%s\n", notes.list[i].is_error ? "" : "warning: ", notes.list[i].text);
    if (notes.errors + notes.warnings > notes.kept)
        fprintf(stderr, TOOL ": and %ld more\n", notes.errors + notes.warnings - notes.kept);
    if (made) {
        struct report report = {argv[optind], predictions, made, request.depth, &notes};
        const char *const page[] = {request.output ? request.output : "-", NULL};
        (strcmp(request.format, "text") ? report_json : report_text)(&report, &out);
        status = strcmp(request.format, "html") ? cli_write(TOOL, request.output, &out)
                                                : cli_script(TOOL, predict_page_script, page, &out);
    }
    if (!made || notes.errors)
        status = CLI_FAILED;
    for (int i = 0; i < made; i++)
        topo_intervals_free(&predictions[i].intervals);
    mpi_request_free(&request.mpi);
    topo_dvm_trace_free(&trace);
    topo_notes_free(&notes);
    topo_text_free(&out);
    return status;
}
