#include "job/configuration.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include <mpi.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/memory.h"
#include "catalog/flag.h"
#include "job/job.h"
#include "job/share.h"
#include "job/verdicts.h"
#include "patterns/grid.h"
#include "schedule/scheduler.h"
#include "select/shipped.h"

extern char **environ;

/* What rank 0 read, as it travels: each text with its zero byte, those that are not there left out. */
enum { OPTIONS, SHIPPED, USER, VERDICTS, TEXTS };

/* One that is not what it may be counts as not set; `status` and `why` are what its reader gave. */
static enum topo_status judge(enum topo_option option, enum topo_status status, const struct topo_error *why,
                              struct topo_error *error)
{
    if (status == TOPO_OK)
        return status;
    if (status == TOPO_PARSE && topo_option_refuse(&topo_job.options, option, why->text) != TOPO_OK)
        status = TOPO_NOMEM;
    return topo_fail(error, status, "%s", why->text);
}

/* The options that are text with a meaning of its own, as far as they can be judged here. */
static enum topo_status check_options(struct topo_error *error)
{
    const struct topo_option_value *value = topo_job.options.value;
    const enum topo_option dims = TOPO_OPTION_CYCLIC_GRID, factor = TOPO_OPTION_ALLTOALLV_GGP_K;
    struct topo_grid grid;
    struct topo_error why = {""};
    int k;
    enum topo_status first =
        judge(dims, topo_grid_option(topo_option_info(dims)->name, value[dims].text, &grid, &why), &why, error);
    enum topo_status second =
        judge(factor, topo_scheduler_option_k(topo_option_info(factor)->name, value[factor].text, &k, &why), &why,
              first == TOPO_OK ? error : NULL);
    return first == TOPO_OK || second == TOPO_NOMEM ? second : first;
}

/* Rank 0: what is wrong with the options, a line each. Nothing where that ends the job with a line of its own. */
static void tell_complaints(void)
{
    for (int i = 0; i < TOPO_OPTION_COUNT && !topo_job.options.value[TOPO_OPTION_STRICT].flag; i++) {
        struct topo_text consequence = {0};
        if (!topo_job.options.value[i].complaint)
            continue;
        topo_option_consequence((enum topo_option)i, &consequence);
        topo_say("%s; %s", topo_job.options.value[i].complaint, consequence.text ? consequence.text : "out of memory");
        topo_text_free(&consequence);
    }
}

/* Of TOPOMPI_TUNING, once the options are known. */
static void set_learn_path(void)
{
    const char *tuning = topo_job.options.value[TOPO_OPTION_TUNING].text;
    topo_job.learn_path = tuning && !strncmp(tuning, "learn:", 6) ? tuning + 6 : NULL;
}

/* Rank 0: the path behind `prefix`, as it is meant here: the program may be in another folder when the file is written.
 */
static void set_folder(enum topo_option option, const char *prefix)
{
    struct topo_option_value *value = &topo_job.options.value[option];
    struct topo_text path = {0};
    size_t at = strlen(prefix);
    if (!value->text || strncmp(value->text, prefix, at) != 0 || !value->text[at] || value->text[at] == '/')
        return;
    char *here = getcwd(NULL, 0);
    if (here && !strchr(here, '\n')) /* values travel as lines */
        topo_text_addf(&path, "%s%s/%s", prefix, here, value->text + at);
    if (path.text && !path.failed) {
        topo_free(value->text);
        value->text = path.text;
    } else {
        topo_text_free(&path);
    }
    topo_free(here);
}

/* Rank 0: of all that is written later than in MPI_Init. */
static void set_folders(void)
{
    const struct topo_option_value *value = topo_job.options.value;
    const char *cache = value[TOPO_OPTION_CACHE].text, *report = value[TOPO_OPTION_STATS].text;
    set_folder(TOPO_OPTION_TUNING, "learn:");
    if (cache && strcasecmp(cache, "off") != 0)
        set_folder(TOPO_OPTION_CACHE, "");
    if (report && topo_report_is_json(report) && strcasecmp(report, "json") != 0)
        set_folder(TOPO_OPTION_STATS, "");
    set_folder(TOPO_OPTION_STATS_KEEP, "");
}

/* Rank 0: the environment, whose variables may be unknown, which TOPOMPI_STRICT takes for a mistake, or renamed. */
static enum topo_status tell_names(enum topo_status status, struct topo_error *error)
{
    struct topo_text unknown = {0}, renamed = {0};
    topo_options_unknown(environ, &unknown);
    if (unknown.length && !topo_job.options.value[TOPO_OPTION_STRICT].flag)
        topo_say("unknown variable %s is ignored; 'topo-dump options' lists what is known", unknown.text);
    else if (unknown.length && status == TOPO_OK)
        status =
            topo_fail(error, TOPO_PARSE, "unknown variable %s; 'topo-dump options' lists what is known", unknown.text);
    topo_options_renamed(topo_option_environment, NULL, &renamed);
    if (renamed.length)
        topo_say("%s", renamed.text);
    topo_text_free(&unknown);
    topo_text_free(&renamed);
    return status;
}

/* Rank 0: the options, and as lines in *packed (free with topo_free()). */
static enum topo_status read_options(char **packed, struct topo_error *error)
{
    struct topo_text lines = {0};
    enum topo_status status = topo_options_load(&topo_job.options, topo_option_environment, NULL, error);
    if (status == TOPO_OK || status == TOPO_PARSE) {
        enum topo_status checked = check_options(status == TOPO_OK ? error : NULL);
        status = status == TOPO_OK || checked == TOPO_NOMEM ? checked : status;
    }
    /* What is concerned goes natively, the rest as it is to. */
    tell_complaints();
    if (status == TOPO_PARSE && !topo_job.options.value[TOPO_OPTION_STRICT].flag) {
        status = TOPO_OK;
        error->text[0] = '\0';
    }
    status = tell_names(status, error);
    set_folders();
    set_learn_path();
    topo_options_pack(&topo_job.options, &lines);
    *packed = lines.text;
    return lines.failed ? topo_fail(error, TOPO_NOMEM, "out of memory for the options") : status;
}

/* The other ranks: the options that rank 0 packed. */
static enum topo_status unpack_options(const char *lines, struct topo_error *error)
{
    struct topo_option_lines packed = {.lines = lines};
    enum topo_status status = topo_options_load(&topo_job.options, topo_option_packed, &packed, error);
    topo_text_free(&packed.value);
    set_learn_path();
    return packed.failed ? TOPO_NOMEM : status;
}

/* Rank 0: the first tuning file there is, its text in *text (NULL: none) and its
 * name in `name`. A file that the user names must be there. */
static enum topo_status read_tuning(char *name, size_t name_size, char **text, struct topo_error *error)
{
    const char *given = topo_job.options.value[TOPO_OPTION_TUNING].text;
    const char *home = topo_environment("HOME");
    const char *config = topo_environment("XDG_CONFIG_HOME");
    if (topo_job.learn_path && !*topo_job.learn_path)
        return topo_fail(error, TOPO_PARSE, "TOPOMPI_TUNING=learn:: no path; allowed: %s",
                         topo_option_info(TOPO_OPTION_TUNING)->values);
    if (topo_job.learn_path)
        return TOPO_OK;
    if (*given) {
        snprintf(name, name_size, "%s", given);
        return topo_read_file(name, text, NULL, error);
    }
    for (int i = 0; i < 2 && !*text; i++) {
        if (i == 1)
            snprintf(name, name_size, "%s/topompi/tuning.conf", TOPO_SYSCONFDIR);
        else if (config && *config)
            snprintf(name, name_size, "%s/topompi/tuning.conf", config);
        else
            snprintf(name, name_size, "%s/.config/topompi/tuning.conf", home ? home : "");
        struct topo_error why;
        enum topo_status status = topo_read_file(name, text, NULL, &why);
        if (status != TOPO_OK && status != TOPO_IO)
            return topo_fail(error, status, "%s", why.text);
    }
    return TOPO_OK;
}

/* Rank 0: the rules that were installed with this library, where they still lie beside it (select/shipped.h). */
static enum topo_status read_shipped(char *name, size_t name_size, char **text, struct topo_error *error)
{
    Dl_info here;
    *name = '\0';
    if (dladdr(&topo_job, &here) && here.dli_fname)
        topo_shipped_path(here.dli_fname, TOPO_LIBDIR, name, name_size);
    if (!*name || access(name, F_OK) != 0)
        return TOPO_OK;
    return topo_read_file(name, text, NULL, error);
}

/* A file's text, which rank 0 read, into `tuning`; NULL: there is none. */
static enum topo_status take_file(const char *text, const char *name, struct topo_tuning *tuning,
                                  struct topo_error *error)
{
    enum topo_status status = text ? topo_tuning_parse_over(text, name, tuning, error) : TOPO_OK;
    if (status == TOPO_OK && text && topo_job.rank == 0 && topo_job.options.value[TOPO_OPTION_VERBOSE].flag)
        topo_say("tuning file %s: %d rules", name, tuning->count);
    return status;
}

/* What the library ships with, from the file or built in; the user's rules come over it. */
static enum topo_status take_shipped(const char *text, const char *name, struct topo_error *error)
{
    topo_params_default(&topo_job.shipped.params);
    enum topo_status status = take_file(text, name, &topo_job.shipped, error);
    if (status == TOPO_OK && !text && !topo_shipped())
        status = TOPO_NOMEM;
    topo_job.tuning.params = topo_job.shipped.params;
    topo_job.tuning.shipped = text ? &topo_job.shipped : NULL;
    return status;
}

/* Lines that rank 0 looked through. */
static enum topo_status take_verdicts(const char *text, struct topo_error *error)
{
    return text ? topo_tuning_parse(text, "verdicts", &topo_job.verdicts, error) : TOPO_OK;
}

/* Rank 0: everything, so that its verdict is known before anything travels. */
static enum topo_status read_all(char *texts[TEXTS], struct topo_error *error)
{
    char name[PATH_MAX] = "";
    enum topo_status status = read_options(&texts[OPTIONS], error);
    if (status != TOPO_OK || topo_configuration_off())
        return status;
    status = read_shipped(name, sizeof name, &texts[SHIPPED], error);
    if (status == TOPO_OK)
        status = take_shipped(texts[SHIPPED], name, error);
    if (status == TOPO_OK)
        status = read_tuning(name, sizeof name, &texts[USER], error);
    if (status == TOPO_OK)
        status = take_file(texts[USER], name, &topo_job.tuning, error);
    if (status != TOPO_OK)
        return status;
    texts[VERDICTS] = topo_job_verdicts_read();
    return take_verdicts(texts[VERDICTS], error);
}

/* The other ranks: the same from what came. */
static enum topo_status take_all(char *const texts[TEXTS], struct topo_error *error)
{
    enum topo_status status = unpack_options(texts[OPTIONS], error);
    if (status != TOPO_OK || topo_configuration_off())
        return status;
    status = take_shipped(texts[SHIPPED], "", error);
    if (status == TOPO_OK)
        status = take_file(texts[USER], "", &topo_job.tuning, error);
    return status == TOPO_OK ? take_verdicts(texts[VERDICTS], error) : status;
}

/* Where the texts of these lengths, -1 for none, are in `bytes`; how many bytes they are in all. */
static size_t place_texts(char *bytes, const int lengths[TEXTS], char *texts[TEXTS])
{
    size_t at = 0;
    for (int i = 0; i < TEXTS; i++) {
        texts[i] = bytes && lengths[i] >= 0 ? bytes + at : NULL;
        at += (size_t)(lengths[i] + 1);
    }
    return at;
}

/* Rank 0: the texts one behind the other. */
static char *pack_texts(char *const own[TEXTS], const int lengths[TEXTS])
{
    char *texts[TEXTS], *bytes = topo_alloc(place_texts(NULL, lengths, texts), 1);
    place_texts(bytes, lengths, texts);
    for (int i = 0; i < TEXTS; i++)
        if (texts[i])
            memcpy(texts[i], own[i], (size_t)lengths[i] + 1);
    return bytes;
}

/* What travels in front of them. */
struct head {
    uint64_t number; /* of the job */
    int status, strict, lengths[TEXTS];
};

/* Rank 0: what it read, packed into *count bytes; *head says what that is. NULL: it is not to be had, and there are no
 * bytes. */
static char *begin(struct head *head, size_t *count, struct topo_error *error)
{
    char *own[TEXTS] = {NULL}, *texts[TEXTS];
    head->status = (int)read_all(own, error);
    if (getrandom(&head->number, sizeof head->number, GRND_NONBLOCK) != sizeof head->number)
        head->number = 0;
    head->strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
    for (int i = 0; i < TEXTS; i++)
        head->lengths[i] = own[i] ? (int)strlen(own[i]) : -1;
    char *bytes = pack_texts(own, head->lengths);
    if (!bytes && head->status == TOPO_OK)
        head->status = (int)topo_fail(error, TOPO_NOMEM, "out of memory for the options");
    *count = bytes ? place_texts(NULL, head->lengths, texts) : 0;
    for (int i = 0; i < TEXTS; i++)
        topo_free(own[i]);
    return bytes;
}

bool topo_configuration_share(struct topo_error *error)
{
    struct head head = {.status = TOPO_OK};
    size_t count = 0;
    void *bytes = topo_job.rank == 0 ? begin(&head, &count, error) : NULL;
    char *texts[TEXTS];
    topo_share(&head, sizeof head, &bytes, &count, MPI_COMM_WORLD);
    enum topo_status status = (enum topo_status)head.status;
    if (status == TOPO_OK && topo_job.rank != 0) {
        place_texts(bytes, head.lengths, texts);
        status = bytes ? take_all(texts, error) : TOPO_NOMEM;
    }
    /* It must reach all ranks even when another option is wrong. */
    topo_job.options.value[TOPO_OPTION_STRICT].flag = head.strict;
    topo_job.number = head.number;
    topo_free(bytes);
    return status == TOPO_OK;
}

bool topo_configuration_off(void)
{
    const struct topo_option_value *value = topo_job.options.value;
    if (!value[TOPO_OPTION_ENABLED].flag)
        topo_options_off(&topo_job.options);
    return !value[TOPO_OPTION_ENABLED].flag && !value[TOPO_OPTION_STATS].flag && !value[TOPO_OPTION_VERBOSE].flag &&
           !*value[TOPO_OPTION_TRACE].text;
}
