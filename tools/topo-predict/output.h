/* What the predictors have in common: how their reports are asked for, and how they end. */
#ifndef TOPO_PREDICT_OUTPUT_H
#define TOPO_PREDICT_OUTPUT_H

#include "common/options.h"
#include "topo-predict/progress.h"
#include "topo-predict/report.h"

enum predict_format { PREDICT_TEXT, PREDICT_JSON, PREDICT_HTML };

/* Starts as {.depth = -1}. */
struct predict_output {
    enum predict_format format;
    const char *output;
    long depth;
    bool summary, progress;
};

/* Its options; `member` is a struct predict_output of the request. */
#define PREDICT_OPTIONS(type, member) \
    {'f', "format", "text|json|html", "the form (default text); html: one self-contained page, by python3", \
     CLI_WORD(type, member.format)}, \
        {'d', "depth", "LEVEL", "leave intervals deeper than LEVEL out; 0 is the whole program", \
         CLI_NUMBER(type, member.depth, 0, 1000)}, \
        {0, "summary", NULL, "text: the whole program and the 10 intervals in which it is longest", \
         CLI_FLAG(type, member.summary)}, \
        {0, "progress", NULL, \
         "a line on standard error with about how long the rest takes; without this on a terminal alone", \
         CLI_FLAG(type, member.progress)}, \
    { \
        'o', "output", "FILE", "instead of standard output", CLI_TEXT(type, member.output) \
    }
#define PREDICT_EXIT_STATUS \
    "exit status: 0 success; 1 errors in the input (what could be read is reported) or failure; 2 wrong arguments\n"

/* After cli_options(), whose result is `status`: one trace, and what goes together. An exit status. */
int predict_check(const char *tool, int status, bool one_trace, const struct predict_output *wanted);

struct predict_progress predict_progress_of(const char *tool, const struct predict_output *wanted);

/* Tells the notes, writes the report of `count` predictions of the trace `source`, frees them and the notes. `native`
 * as in struct report. The exit status. */
int predict_end(const char *tool, const struct predict_output *wanted, struct prediction *predictions, int count,
                const char *source, const char *native, struct topo_notes *notes);

#endif
