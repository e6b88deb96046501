/* Runs every file of a corpus through its reader: tests/readers/replay [READER [FILE...]].
 * Each file has a process of its own, so that one that fails says so and the others run on. What a reader
 * allocates and does not free is counted (local.mk wraps malloc and free), and none gets more than MEMORY_MAX. */
#include "readers/readers.h"
#include "select/shipped.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds: a reader that is still busy then hangs, all of them need some milliseconds. Gigabytes: MEMORY_MAX. */
enum { HANGS_AFTER = 300, MEMORY_MAX = 2 };

static long live; /* blocks allocated by the code under test, less those freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    return block ? __real_realloc(block, size) : counted(__real_realloc(block, size));
}

void __wrap_free(void *block)
{
    live -= block != NULL;
    __real_free(block);
}

static const struct {
    const char *name;
    int (*read)(const uint8_t *data, size_t size);
} readers[] = {
#define READER_ROW(name) {#name, reader_##name},
#undef READER
#define READER(name) READER_ROW(name)
#include "readers/readers.def"
};

/* In the child: the exit status says what became of it. */
static void read_file(int (*read)(const uint8_t *data, size_t size), const char *path)
{
    char *content = NULL;
    size_t size = 0;
    struct topo_error error = {""};
#ifndef __SANITIZE_ADDRESS__
    /* AddressSanitizer reserves terabytes. */
    struct rlimit limit = {(rlim_t)MEMORY_MAX << 30, (rlim_t)MEMORY_MAX << 30};
    setrlimit(RLIMIT_AS, &limit);
#endif
    alarm(HANGS_AFTER);
    MUST(topo_read_file(path, &content, &size, &error) == TOPO_OK, "%s", error.text);
    long before = live;
    read((const uint8_t *)content, size);
    topo_shipped_free(); /* kept by the library */
    MUST(live <= before, "%ld blocks of memory were not freed", live - before);
    topo_free(content);
    exit(EXIT_SUCCESS);
}

static bool passes(int (*read)(const uint8_t *data, size_t size), const char *path)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        read_file(read, path);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        printf("FAIL %s: %s %d\n", path, WIFSIGNALED(status) ? "signal" : "exit status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        return false;
    }
    return true;
}

/* All files of one reader's folder; adds up. */
static void read_corpus(size_t reader, int *passed, int *failed)
{
    char folder[1024], path[2048];
    const char *source = getenv("TOP_SRCDIR");
    struct dirent **entries = NULL;
    int before = *passed, failures = *failed;
    snprintf(folder, sizeof folder, "%s/tests/readers/corpus/%s", source ? source : ".", readers[reader].name);
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            ++*(passes(readers[reader].read, path) ? passed : failed);
        free(entries[i]);
    }
    free(entries);
    if (*passed == before && *failed == failures) {
        printf("FAIL %s: no corpus\n", folder);
        ++*failed;
    } else if (*failed == failures) {
        printf("ok   %s: %d files\n", readers[reader].name, *passed - before);
    }
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (argc > 1 && strcmp(argv[1], readers[i].name) != 0)
            continue;
        if (argc < 3)
            read_corpus(i, &passed, &failed);
        for (int k = 2; k < argc; k++)
            ++*(passes(readers[i].read, argv[k]) ? &passed : &failed);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
