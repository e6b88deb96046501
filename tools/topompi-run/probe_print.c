#include "topompi-run/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "topompi.h"

const char *probe_operation_name(enum probe_operation operation)
{
    static const char *const names[] = {"allgather", "allreduce", "alltoall", "bcast", "barrier"};
    return names[operation];
}

/* Nodes of the library's machine, "2 x switch, 8 x node, 64 x core"; -1: it names none. */
static int nodes_of(const char *machine)
{
    const char *at = strstr(machine, " x node");
    while (at && at > machine && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? atoi(at) : -1;
}

/* Ranks of the node of `first` whose library is this one. */
static int with_library(const struct probe_report *report, int first)
{
    int with = 0;
    for (int i = 0; i < report->ranks; i++)
        with += !strcmp(report->rank[i].host, report->rank[first].host) &&
                !strcmp(report->rank[i].version, TOPOMPI_VERSION);
    return with;
}

void probe_judge(struct probe_report *report)
{
    const char *machine = report->rank[0].machine;
    for (int i = 0; i < report->ranks; i++) {
        const struct probe_rank *rank = &report->rank[i];
        report->nodes += rank->node_rank == 0;
        report->wrong += strcmp(rank->version, TOPOMPI_VERSION) != 0;
        report->wrong += strcmp(rank->mpi, report->rank[0].mpi) != 0;
        report->wrong += *rank->version && !*rank->core;
        report->wrong += rank->node_rank == 0 && rank->shared_code != 0;
    }
    if (report->ranks == 1 && report->started > 1) {
        report->machine = "the launcher started several processes, and each is a job of one rank: it is not the "
                          "launcher of this MPI (srun: --mpi=pmix for Open MPI)";
        report->wrong++;
    } else if (report->ranks == 1) {
        report->machine = "one rank alone has nobody to talk to: every call is native";
    } else if (!*machine) {
        report->machine = "every call is native; the line of topompi above says why";
        report->wrong++;
    } else if (nodes_of(machine) != report->nodes) {
        /* Not wrong by itself: a machine may be invented, and containers may share a node. */
        report->machine = "MPI sees another number of nodes (TOPOMPI_MACHINE, or containers on one node?)";
    } else {
        report->machine = "MPI sees as many nodes";
    }
}

/* The core on the node of this rank, in words. */
static const char *core_of(const struct probe_report *report, const struct probe_rank *rank)
{
    static char missing[32];
    snprintf(missing, sizeof missing, "no %s", report->family);
    return *rank->core ? rank->core : *rank->version ? missing : "-";
}

static const char *quartiles(const struct probe_time *time, char *text, size_t size)
{
    snprintf(text, size, "%.1f-%.1f", time->low * 1e6, time->high * 1e6);
    return text;
}

static void print_text(const struct probe_report *report)
{
    printf("TopoMPI %s, %s, %d rank%s on %d node%s\n", TOPOMPI_VERSION, report->rank[0].mpi, report->ranks,
           report->ranks == 1 ? "" : "s", report->nodes, report->nodes == 1 ? "" : "s");
    if (report->program)
        printf("%s is a program of this MPI\n", report->program);
    else if (report->unknown)
        printf("which MPI %s has is not known, as it needs none by name; this one is the launcher's\n",
               report->unknown);
    printf("%-24s %7s %8s  %-20s %-8s %12s  %s\n", "node", "ranks", "library", "MPI", "core", "/dev/shm",
           "shared memory");
    for (int i = 0; i < report->ranks; i++) {
        const struct probe_rank *rank = &report->rank[i];
        if (rank->node_rank > 0)
            continue;
        printf("%-24s %7d %8d  %-20s %-8s %8lld MiB  %s\n", rank->host, rank->node_ranks, with_library(report, i),
               rank->mpi, core_of(report, rank), rank->shared_free < 0 ? -1 : rank->shared_free >> 20,
               rank->shared_code ? strerror(rank->shared_code) : "ok");
    }
    printf("machine: %s%s%s\n", report->rank[0].machine, *report->rank[0].machine ? ": " : "", report->machine);
    if (report->rows)
        printf("\n%-10s %10s  %-28s %12s %15s %12s %15s %8s\n", "operation", "bytes", "algorithm", "native us",
               "quartiles", "TopoMPI us", "quartiles", "ratio");
    for (int i = 0; i < report->rows; i++) {
        const struct probe_row *row = &report->row[i];
        char native[32], ours[32];
        printf("%-10s %10d  %-28s %12.1f %15s %12.1f %15s %8.2f\n", probe_operation_name(row->operation), row->bytes,
               row->algorithm, row->native.median * 1e6, quartiles(&row->native, native, sizeof native),
               row->ours.median * 1e6, quartiles(&row->ours, ours, sizeof ours), row->ours.median / row->native.median);
    }
    printf("\n%s\n", report->wrong ? "NOT as it is to be: see above" : "all is as it is to be");
}

static int print_json(const struct probe_report *report)
{
    json_t *nodes = json_array(), *rows = json_array();
    for (int i = 0; i < report->ranks; i++) {
        const struct probe_rank *rank = &report->rank[i];
        if (rank->node_rank == 0)
            json_array_append_new(nodes,
                                  json_pack("{ss si si ss ss sI ss}", "node", rank->host, "ranks", rank->node_ranks,
                                            "with_library", with_library(report, i), "mpi", rank->mpi, "core",
                                            rank->core, "shared_bytes_free", (json_int_t)rank->shared_free,
                                            "shared_memory", rank->shared_code ? strerror(rank->shared_code) : "ok"));
    }
    for (int i = 0; i < report->rows; i++) {
        const struct probe_row *row = &report->row[i];
        json_array_append_new(rows, json_pack("{ss si ss sf sf s[ff] s[ff]}", "operation",
                                              probe_operation_name(row->operation), "bytes", row->bytes, "algorithm",
                                              row->algorithm, "native_seconds", row->native.median, "topompi_seconds",
                                              row->ours.median, "native_quartiles", row->native.low, row->native.high,
                                              "topompi_quartiles", row->ours.low, row->ours.high));
    }
    json_t *whole =
        json_pack("{ss si sb ss* ss so so}", "topompi", TOPOMPI_VERSION, "ranks", report->ranks, "good", !report->wrong,
                  "program", report->program, "machine", report->rank[0].machine, "nodes", nodes, "calls", rows);
    int failed = !whole || json_dumpf(whole, stdout, JSON_INDENT(2)) || putchar('\n') == EOF;
    json_decref(whole);
    return failed;
}

int probe_print(const struct probe_report *report)
{
    int failed = 0;
    if (report->json)
        failed = print_json(report);
    else
        print_text(report);
    return failed || fflush(stdout) || report->wrong;
}
