#include "job/verdicts.h"

#include <string.h>
#include <time.h>

#include "base/cache.h"
#include "base/log.h"
#include "base/text.h"
#include "job/about.h"
#include "job/job.h"
#include "select/verdicts.h"
#include "topompi.h"

static struct topo_text path;

static bool is_verbose(void)
{
    return topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
}

/* Where they are kept, in `path`; false: nowhere. */
static bool find_path(void)
{
    struct topo_text about = {0};
    topo_text_free(&path);
    path = (struct topo_text){0};
    if (!topo_job.options.value[TOPO_OPTION_GUARD].flag || !topo_job.options.value[TOPO_OPTION_ENABLED].flag)
        return false;
    if (topo_job.learn_path) {
        topo_text_add(&path, topo_job.learn_path);
        return !path.failed;
    }
    if (!topo_job_cache_path("verdicts", &path))
        return false;
    topo_about_mpi(&about);
    topo_text_add(&path, "-");
    topo_cache_word(about.text ? about.text : "", 32, &path);
    topo_text_addf(&path, "-%s.conf", TOPOMPI_VERSION);
    path.failed |= about.failed;
    topo_text_free(&about);
    return !path.failed;
}

char *topo_job_verdicts_read(void)
{
    struct topo_error error = {""};
    char *text = NULL;
    if (!find_path()) {
        topo_job_verdicts_stop();
        return NULL;
    }
    const enum topo_status status = topo_verdicts_read(path.text, topo_job.ranks, time(NULL), &text, &error);
    if (status != TOPO_OK)
        topo_say("%s; what earlier jobs found is not used", error.text);
    else if (topo_job.learn_path)
        topo_say("TOPOMPI_TUNING=learn:%s: each job finds out what is the fastest; what this one finds is kept there",
                 path.text);
    else if (text && *text && is_verbose())
        topo_say("what earlier jobs found is in %s", path.text);
    if (status != TOPO_OK && status != TOPO_PARSE)
        topo_job_verdicts_stop(); /* what is no file of ours stays */
    return text;
}

bool topo_job_verdicts_wanted(void)
{
    return path.text != NULL;
}

void topo_job_verdicts_keep(const char *found)
{
    struct topo_error error = {""};
    if (!path.text || !*found)
        return;
    const bool kept = topo_verdicts_keep(path.text, found, time(NULL), &error) == TOPO_OK;
    if (!kept && (topo_job.learn_path || is_verbose()))
        topo_say("%s; what this job found is lost", error.text);
}

void topo_job_verdicts_stop(void)
{
    topo_text_free(&path);
    path = (struct topo_text){0};
}
