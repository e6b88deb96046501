#include "measure/kept.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/about.h"
#include "job/job.h"
#include "machine/build.h"
#include "select/tuning.h"

/* Characters of the parts of a name, which together have to stay below 255. */
enum { WORD = 32, MACHINE_WORD = 80 };

/* The first line of a file of the system, without its end; false: there is none. */
static bool first_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    bool got = file && fgets(line, size, file);
    if (file)
        fclose(file);
    if (got)
        line[strcspn(line, "\n")] = '\0';
    return got;
}

static void add_processor(struct topo_text *name)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        found =
            value && (!strncmp(line, "model name", 10) || !strncmp(line, "CPU part", 8) || !strncmp(line, "cpu\t", 4));
        if (found)
            topo_cache_word(value + 1, WORD, name);
    }
    if (file)
        fclose(file);
    if (!found)
        topo_text_add(name, "processor");
}

/* The fastest interface's rate in Mbit/s; InfiniBand and its like by the name of the device. */
static void add_network(struct topo_text *name)
{
    char path[512], line[64], device[32] = "";
    long fastest = 0;
    DIR *folder = opendir("/sys/class/infiniband");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && (!*device || strcmp(entry->d_name, device) < 0))
            snprintf(device, sizeof device, "%.31s", entry->d_name);
    if (folder)
        closedir(folder);
    if (*device) {
        snprintf(path, sizeof path, "/sys/class/infiniband/%s/ports/1/rate", device);
        topo_cache_word(device, sizeof device, name);
        if (first_line(path, line, sizeof line)) {
            topo_text_add(name, "-");
            topo_cache_word(line, 8, name);
        }
        return;
    }
    folder = opendir("/sys/class/net");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/sys/class/net/%s/speed", entry->d_name);
        long rate = entry->d_name[0] != '.' && first_line(path, line, sizeof line) ? strtol(line, NULL, 10) : 0;
        fastest = rate > fastest ? rate : fastest;
    }
    if (folder)
        closedir(folder);
    topo_text_addf(name, "eth-%ld", fastest);
}

/* The host's name without numbers, which tell nodes of one machine apart. */
static void add_host(struct topo_text *name)
{
    char host[256] = "", kept[256];
    size_t length = 0;
    gethostname(host, sizeof host - 1);
    for (const char *at = host; *at; at++)
        if (!isdigit((unsigned char)*at))
            kept[length++] = *at;
    kept[length] = '\0';
    topo_cache_word(kept, WORD, name);
}

bool topo_kept_path(const struct topo_tree *tree, struct topo_text *path)
{
    const char *given = topo_job.options.value[TOPO_OPTION_CACHE].text;
    const char *machine = topo_job.options.value[TOPO_OPTION_MACHINE].text;
    struct topo_text version = {0};
    char levels[TOPO_ABOUT_MACHINE];
    if ((given && !strcasecmp(given, "off")) ||
        !topo_cache_folder(given, topo_environment("XDG_CACHE_HOME"), topo_environment("HOME"), path))
        return false;
    topo_text_add(path, "/");
    topo_about_mpi(&version);
    topo_cache_word(version.text ? version.text : "", WORD, path);
    topo_text_free(&version);
    topo_text_add(path, "_");
    add_processor(path);
    topo_text_add(path, "_");
    topo_about_machine(tree, levels);
    topo_cache_word(levels, MACHINE_WORD, path);
    topo_text_addf(path, "_%d-ranks_", topo_job.ranks);
    add_network(path);
    topo_text_add(path, "_");
    if (topo_machine_is_synthetic(machine))
        topo_text_add(path, "synthetic");
    else
        add_host(path);
    topo_text_add(path, ".conf");
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

void topo_kept_write(const char *path, const struct topo_params *params, double seconds, int probes)
{
    struct topo_text text = {0};
    struct topo_error error = {""};
    char date[32] = "";
    time_t now = time(NULL);
    struct tm broken;
    const bool verbose = topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
    if (gmtime_r(&now, &broken))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &broken);
    topo_text_addf(&text,
                   "# Level parameters that a job measured by itself (TOPOMPI_MEASURE), on %s in %.1f ms, %d probes.\n"
                   "# ",
                   date, seconds * 1e3, probes);
    topo_about_job(&text);
    topo_text_add(&text, "; ");
    topo_about_mpi(&text);
    topo_text_add(&text,
                  ".\n# Jobs of this shape read it in MPI_Init; once it is removed the next one measures anew.\n");
    topo_params_write(params, &text);
    enum topo_status status = text.failed ? topo_fail(&error, TOPO_NOMEM, "out of memory for %s", path)
                                          : topo_cache_keep(path, text.text, &error);
    if (verbose && status == TOPO_OK)
        topo_say("level parameters are kept in %s", path);
    else if (verbose)
        topo_say("%s; later jobs will measure again", error.text);
    topo_text_free(&text);
}
