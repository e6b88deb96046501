#include "fuzz/job.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRINTED = 3, HUNG = 86 };

struct fuzz_job fuzz_job;
static atomic_int differences;
static atomic_ulong progress;
static struct fuzz_worker *watched[FUZZ_WORKERS_MOST];
static atomic_int watched_count;

bool fuzz_without(const char *word)
{
    const char *words = getenv("FUZZ_WITHOUT");
    return words && strstr(words, word);
}

void fuzz_step_begin(struct fuzz_worker *worker, int step)
{
    worker->step = step;
    worker->plan = fuzz_stream(fuzz_job.seed, (uint64_t)worker->id, (uint64_t)step, 0);
    worker->local = fuzz_stream(fuzz_job.seed, (uint64_t)worker->id, (uint64_t)step, 1 + (uint64_t)fuzz_job.rank);
    fuzz_progress();
}

void fuzz_does(struct fuzz_worker *worker, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(worker->what, sizeof worker->what, format, arguments);
    va_end(arguments);
}

void fuzz_progress(void)
{
    atomic_fetch_add_explicit(&progress, 1, memory_order_relaxed);
}

/* In one piece, so that lines of ranks do not mix. */
static void tell(const char *word, struct fuzz_worker *worker, const char *why)
{
    char line[1000];
    int length = snprintf(line, sizeof line, "%s seed %llu rank %d thread %d step %d: %s%s%s\n", word,
                          (unsigned long long)fuzz_job.seed, fuzz_job.rank, worker->id, worker->step, worker->what,
                          *why ? ": " : "", why);
    if (length >= (int)sizeof line)
        length = sizeof line - 1;
    if (write(STDERR_FILENO, line, (size_t)length) != length)
        abort();
}

void fuzz_differ(struct fuzz_worker *worker, const char *format, ...)
{
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (atomic_fetch_add(&differences, 1) < PRINTED)
        tell("DIFFERENCE", worker, why);
}

int fuzz_differences(void)
{
    return atomic_load(&differences);
}

/* Processes that want a core at this moment, for each core. */
static double crowd(void)
{
    double load = 0;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file && fscanf(file, "%lf", &load) != 1)
        load = 0;
    if (file)
        fclose(file);
    return load / (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static void *watch(void *argument)
{
    const char *text = getenv("FUZZ_PATIENCE");
    double time_limit = text ? atof(text) : 30, waited = 0, factor = 1;
    unsigned long before = 0;
    (void)argument;
    for (;;) {
        usleep(250000);
        unsigned long now = atomic_load(&progress);
        waited = now == before ? waited + 0.25 : 0;
        before = now;
        if (waited < time_limit)
            continue;
        /* A job of 16 ranks on two cores is no hang: ask how busy the machine is only now. */
        factor = 1 + crowd() / 8;
        if (waited < time_limit * factor)
            continue;
        for (int i = 0; i < atomic_load(&watched_count); i++)
            tell("HANG", watched[i], "");
        sleep(2); /* the others tell where they are before mpirun ends them */
        _exit(HUNG);
    }
    return NULL;
}

static void crash(int number)
{
    void *frames[40];
    for (int i = 0; i < atomic_load(&watched_count); i++)
        tell("CRASH", watched[i], strsignal(number));
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
    signal(number, SIG_DFL);
    raise(number);
}

void fuzz_watch_start(void)
{
    const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    pthread_t id;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], crash);
    if (pthread_create(&id, NULL, watch, NULL))
        abort();
    pthread_detach(id);
}

void fuzz_watch(struct fuzz_worker *worker)
{
    watched[worker->id] = worker;
    if (atomic_load(&watched_count) <= worker->id)
        atomic_store(&watched_count, worker->id + 1);
}

void fuzz_watch_main_alone(void)
{
    atomic_store(&watched_count, 1);
}
