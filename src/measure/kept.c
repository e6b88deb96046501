#include "measure/kept.h"

#include <sys/stat.h>
#include <time.h>

#include "base/cache.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/about.h"
#include "job/job.h"
#include "select/tuning.h"

bool topo_kept_path(const struct topo_tree *tree, struct topo_text *path)
{
    if (!topo_job_cache_path("links", path))
        return false;
    topo_text_addf(path, "-%d.conf", topo_tree_node_level(tree) + 1);
    return !path->failed;
}

/* A machine changes, and the job that measured it may have met it busy. */
static bool is_old(const char *path)
{
    enum { DAYS = 30 };
    struct stat about;
    return stat(path, &about) != 0 || difftime(time(NULL), about.st_mtime) > DAYS * 24 * 3600.0;
}

bool topo_kept_read(const char *path, struct topo_params *params)
{
    struct topo_tuning tuning = {.params = *params, .shipped = topo_job.tuning.shipped};
    struct topo_error error = {""};
    char *text = NULL;
    bool good = false;
    if (is_old(path))
        return false;
    enum topo_status status = topo_read_file(path, &text, NULL, &error);
    if (status == TOPO_OK)
        status = topo_tuning_parse_over(text, path, &tuning, &error);
    if (status != TOPO_OK)
        topo_say("%s; what an earlier job measured is not used", error.text);
    else if (!tuning.measured)
        topo_say("%s: no line begins with level; what an earlier job measured is not used", path);
    else
        good = true;
    if (good)
        *params = tuning.params;
    topo_tuning_free(&tuning);
    topo_free(text);
    return good;
}

void topo_kept_write(const char *path, const struct topo_params *params)
{
    const struct topo_link *node = &params->link[TOPO_LEVEL_NODE], *outer = &params->link[TOPO_LEVEL_SWITCH];
    struct topo_text text = {0};
    struct topo_error error = {""};
    const bool verbose = topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
    topo_text_add(&text, "# What a job measured of the links between this machine's nodes (TOPOMPI_MEASURE): ");
    topo_about_job(&text);
    topo_text_add(&text, "; ");
    topo_about_mpi(&text);
    topo_text_addf(&text,
                   ".\n# Jobs read it in MPI_Init; once it is removed the next one measures anew.\n"
                   "level switch alpha=%.4g beta=%.4g\nlevel node alpha=%.4g beta=%.4g\n",
                   outer->alpha, outer->beta, node->alpha, node->beta);
    enum topo_status status = text.failed ? topo_fail(&error, TOPO_NOMEM, "out of memory for %s", path)
                                          : topo_cache_keep(path, text.text, &error);
    if (verbose && status == TOPO_OK)
        topo_say("the links are kept in %s", path);
    else if (verbose)
        topo_say("%s; later jobs will measure again", error.text);
    topo_text_free(&text);
}
