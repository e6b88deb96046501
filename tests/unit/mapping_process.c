/* Mappings in the process of an application: what it must not notice, a METIS of its own, its threads. */
#include "mapping_process.h"

#include "machines.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "renumber/metis.h"

/* An application's own METIS, of another kind than ours: our calls must not land
 * here, nor those METIS makes inside itself. The program exports these symbols
 * (mapping.mk, -export-dynamic). */
static int captured;
#define CAPTURE(name) \
    int name(void); \
    __attribute__((visibility("default"))) int name(void) \
    { \
        return ++captured; \
    }
CAPTURE(METIS_PartGraphRecursive)
CAPTURE(METIS_SetDefaultOptions)
CAPTURE(libmetis__SetupGraph)

static void handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
}

/* A machine for which METIS prints that it cannot bisect a graph with 0 vertices:
 * 48 nodes with 1 rank each and one with 56. */
static struct topo_tree *lopsided(void)
{
    struct topo_text text = {0};
    topo_text_add(&text, "node:49 core:");
    for (int i = 0; i < 48; i++)
        topo_text_add(&text, "1,");
    topo_text_add(&text, "56");
    struct topo_tree *tree = machine_of(text.text);
    topo_text_free(&text);
    return tree;
}

START_TEST(the_application_does_not_notice)
{
    struct sigaction before[NSIG] = {0}, after[NSIG] = {0},
                     ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t mask_before, mask_after;
    char path[] = "/tmp/check_mapping.XXXXXX";
    int expected[8], out = mkstemp(path), real_stdout = dup(1);
    struct topo_tree *tree = machine_of("node:10 core:10"), *talkative = lopsided();
    topo_metis_allow(_i);
    bool ruled_out = _i == TOPO_METIS_LOCAL && dlsym(RTLD_DEFAULT, "__asan_init"); /* by the sanitizer */
    ck_assert_int_eq(topo_metis_state(NULL), ruled_out ? TOPO_METIS_MISSING : _i);
    enum topo_partitioner partitioner = ruled_out ? TOPO_PARTITIONER_AUTO : TOPO_PARTITIONER_METIS;
    sigaction(SIGTERM, &ours, NULL);
    sigaction(SIGABRT, &ours, NULL);
    srand(42);
    for (int i = 0; i < 8; i++)
        expected[i] = rand();
    srand(42);
    ck_assert_int_eq(rand(), expected[0]);
    for (int s = 1; s < NSIG; s++)
        sigaction(s, NULL, &before[s]);
    pthread_sigmask(SIG_BLOCK, NULL, &mask_before);
    fflush(stdout);
    dup2(out, 1);
    topo_mapping_free(mapping_built_by(tree, TOPO_GRAPH_BRUCK, partitioner));
    /* More than a stdio buffer of METIS's words. */
    for (int i = 0; i < 60 && _i == TOPO_METIS_OWN; i++)
        topo_mapping_free(mapping_built_by(talkative, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_METIS));
    struct topo_mapping *mapping = NULL;
    if (_i == TOPO_METIS_LOCAL && !ruled_out)
        ck_assert_int_eq(topo_mapping_build(talkative, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_METIS, &mapping, NULL),
                         TOPO_UNSUPPORTED);
    fflush(stdout);
    dup2(real_stdout, 1);
    pthread_sigmask(SIG_BLOCK, NULL, &mask_after);
    for (int s = 1; s < NSIG; s++) {
        sigaction(s, NULL, &after[s]);
        ck_assert_msg(before[s].sa_sigaction == after[s].sa_sigaction && before[s].sa_flags == after[s].sa_flags,
                      "the handler of signal %d is the one it was", s);
    }
    ck_assert_msg(!memcmp(&mask_before, &mask_after, sizeof mask_before), "the signal mask is the one it was");
    for (int i = 1; i < 8; i++)
        ck_assert_msg(rand() == expected[i], "rand() goes on as if nothing had been built");
    ck_assert_msg(lseek(out, 0, SEEK_END) == 0, "nothing is written to stdout");
    ck_assert_msg(captured == 0, "a METIS of the application is not called");
    topo_tree_free(tree);
    topo_tree_free(talkative);
    unlink(path);
    close(out);
}
END_TEST

static void *build_in_thread(void *tree)
{
    struct topo_mapping *mapping = NULL;
    topo_mapping_build(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_METIS, &mapping, NULL);
    return mapping;
}

START_TEST(several_threads)
{
    enum { THREADS = 8 };
    struct topo_tree *tree = machine_of("node:10 core:10");
    struct topo_mapping *first = mapping_built_by(tree, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_METIS);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, build_in_thread, tree), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(thread[i], &result);
        struct topo_mapping *mapping = result;
        ck_assert_msg(mapping && !memcmp(mapping->pi, first->pi, 100 * sizeof *first->pi),
                      "thread %d gets the same mapping", i);
        topo_mapping_free(mapping);
    }
    topo_mapping_free(first);
    topo_tree_free(tree);
}
END_TEST

void mapping_add_tests_of_a_process(TCase *all)
{
    tcase_add_loop_test(all, the_application_does_not_notice, TOPO_METIS_OWN, TOPO_METIS_MISSING);
    tcase_add_test(all, several_threads);
}
