#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "base/cache.h"
#include "base/log.h"
#include "job/job.h"
#include "machine/build.h"
#include "measure/kept.h"
#include "measure/probe.h"

/* What rank 0 knows, as it travels. */
static struct {
    enum { UNKNOWN, MEASURES, KNOWN } state;
    struct topo_params params;
} news;

_Static_assert(sizeof news <= TOPO_NEWS_MOST, "they fit");

/* Rank 0: the file that keeps what was measured, what the system says, and which of them says it; NULL: neither. */
static struct topo_text path;
static struct topo_system_link port;
static const char *source;

static bool speaks(void)
{
    return topo_job.rank == 0 && topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
}

/* Links are of interest. Without the guard nothing that is only read or measured in ms would hold. */
static bool is_wanted(const struct topo_tree *tree)
{
    const struct topo_option_value *value = topo_job.options.value;
    return value[TOPO_OPTION_ENABLED].flag && value[TOPO_OPTION_MEASURE].flag && value[TOPO_OPTION_GUARD].flag &&
           !topo_job.tuning.measured && tree->units[topo_tree_node_level(tree)] > 1;
}

static void tell(const struct topo_params *params, const char *from)
{
    struct topo_text text = {0};
    topo_params_tell_link(params, from, &text);
    if (speaks() && text.text && !text.failed)
        topo_say("%s", text.text);
    topo_text_free(&text);
}

/* Rank 0. */
static void find(void *bytes, const struct topo_tree *tree)
{
    (void)bytes;
    news.params = topo_job.tuning.params;
    source = NULL;
    if (!is_wanted(tree))
        return;
    if (!topo_machine_is_synthetic(topo_job.options.value[TOPO_OPTION_MACHINE].text) && topo_link_read("/sys", &port)) {
        topo_params_set_links(&news.params, port.rate, port.kind);
        news.state = KNOWN;
        source = port.path;
    } else if (!topo_kept_path(tree, &path)) {
        return;
    } else if (topo_kept_read(path.text, &news.params)) {
        news.state = KNOWN;
        source = path.text;
    } else if (topo_cache_usable(path.text)) {
        news.state = MEASURES;
    }
}

struct topo_news topo_measure_news(void)
{
    memset(&news, 0, sizeof news);
    return (struct topo_news){&news, sizeof news, find};
}

void topo_measure_start(void)
{
    if (!topo_job.active)
        return;
    if (news.state == KNOWN) {
        topo_job.found.params = news.params;
        topo_job.found.links = true;
    }
    /* Ranks that share processors would measure who gets one. */
    topo_job.measures = news.state == MEASURES && !topo_job.sharing.processors;
    if (topo_job.tree->units[topo_tree_node_level(topo_job.tree)] > 1)
        tell(&topo_job.found.params, topo_job.tuning.measured ? "the tuning file" : source);
}

void topo_measure_stop(void)
{
    topo_text_free(&path);
}

void topo_measure_now(void)
{
    const struct topo_tree *tree = topo_job.tree;
    const int node = topo_tree_node_level(tree);
    double start = PMPI_Wtime();
    topo_job.measures = false;
    struct topo_probed inner = topo_probe(tree, node, topo_job.rank), outer = inner;
    if (node > 0)
        outer = topo_probe(tree, 0, topo_job.rank);
    if (topo_job.rank != 0)
        return;
    double seconds = PMPI_Wtime() - start;
    if (!(inner.latency > 0 && inner.rate > 0))
        return;
    if (!(outer.latency > 0 && outer.rate > 0))
        outer = inner;
    struct topo_params params = topo_job.tuning.params;
    params.link[TOPO_LEVEL_NODE] = (struct topo_link){.alpha = inner.latency, .beta = 1 / inner.rate};
    params.link[TOPO_LEVEL_SWITCH] = (struct topo_link){.alpha = outer.latency, .beta = 1 / outer.rate};
    char from[64];
    snprintf(from, sizeof from, "messages of %d us, for later jobs", (int)(seconds * 1e6));
    tell(&params, from);
    topo_kept_write(path.text, &params);
}
