/* What the programs that feed readers with any bytes share. Each reader_<name>.c
 * defines one READER(name) function, which reads the bytes and checks what a
 * reader promises: an object that was accepted passes its check, an error is one
 * line of text, nothing leaks, no input takes gigabytes. Under libFuzzer the
 * function is LLVMFuzzerTestOneInput(), else replay.c calls it. */
#ifndef TOPO_TESTS_READERS_H
#define TOPO_TESTS_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "base/notes.h"

#define READER(name) int reader_##name(const uint8_t *data, size_t size);
#include "readers/readers.def"
#undef READER

#ifdef READER_FUZZED
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#define READER(name) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#define READER(name) int reader_##name(const uint8_t *data, size_t size)
#endif

/* What must hold; says where it does not, and ends the process so that the input is kept. */
#define MUST(condition, ...) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            abort(); \
        } \
    } while (0)

/* The bytes with a 0 behind them, in memory of just that size. Free with free(). */
char *reader_text(const uint8_t *data, size_t size);

/* Cuts the first line off *rest, which moves behind it; NULL: no more. */
char *reader_line(char **rest);

/* `text` is one line that is not empty and has nothing but printable characters. */
void reader_one_line(const char *text);

/* What the reader returned and wrote into *error, which was empty before: TOPO_OK without a text, or one line. */
void reader_status(enum topo_status status, const struct topo_error *error);

/* The same for readers that note what is wrong; frees the notes. */
void reader_notes(enum topo_status status, struct topo_notes *notes);

/* total = productive + insufficient + communication + synchronization + idle, here and in all intervals inside. */
struct topo_interval;
void reader_interval(const struct topo_interval *interval);

/* From here on the k-th allocation fails, k follows from the input; reader_plenty() ends that. */
void reader_scarce(const uint8_t *data, size_t size);
void reader_plenty(void);

/* A folder of its own; reader_file() writes a file there and returns its path (static); both end the
 * process when they cannot. reader_remove() removes the folder and what is in it. */
const char *reader_folder(void);
const char *reader_file(const char *name, const void *content, size_t size);
void reader_remove(void);

#endif
