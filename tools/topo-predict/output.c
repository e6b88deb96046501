#include "topo-predict/output.h"

#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "common/cli.h"
#include "common/script.h"

enum { SUMMARY = 10 };

int predict_check(const char *tool, int status, bool one_trace, const struct predict_output *wanted)
{
    if (status == CLI_OK && !one_trace)
        status = cli_fail(tool, CLI_USAGE, "one trace is needed; see %s --help", tool);
    if (status == CLI_OK && wanted->summary && wanted->format != PREDICT_TEXT)
        status = cli_fail(tool, CLI_USAGE, "--summary goes with --format text");
    return status;
}

struct predict_progress predict_progress_of(const char *tool, const struct predict_output *wanted)
{
    return (struct predict_progress){.tool = tool,
                                     .shown = wanted->progress        ? PREDICT_SHOWN
                                              : isatty(STDERR_FILENO) ? PREDICT_LATE
                                                                      : PREDICT_HIDDEN};
}

int predict_end(const char *tool, const struct predict_output *wanted, struct prediction *predictions, int count,
                const char *source, const char *native, struct topo_notes *notes)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int status = CLI_FAILED;
    for (int i = 0; i < notes->kept; i++)
        fprintf(stderr, "%s: %s%s\n", tool, notes->list[i].is_error ? "" : "warning: ", notes->list[i].text);
    if (notes->errors + notes->warnings > notes->kept)
        fprintf(stderr, "%s: and %ld more\n", tool, notes->errors + notes->warnings - notes->kept);
    if (count) {
        struct report report = {source, predictions, count, (int)wanted->depth, wanted->summary ? SUMMARY : -1,
                                notes,  native};
        const char *const page[] = {wanted->output ? wanted->output : "-", NULL};
        (wanted->format == PREDICT_TEXT ? report_text : report_json)(&report, &out);
        status = wanted->format == PREDICT_HTML ? cli_script(tool, predict_page_script, page, &out)
                                                : cli_write(tool, wanted->output, &out);
    }
    if (notes->errors)
        status = CLI_FAILED;
    for (int i = 0; i < count; i++)
        topo_intervals_free(&predictions[i].intervals);
    topo_notes_free(notes);
    return status;
}
