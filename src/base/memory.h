/* Memory: every allocation of the library goes through these, so that tests can
 * make the k-th one fail (OOM cases) and overflow is checked in one place. */
#ifndef TOPO_BASE_MEMORY_H
#define TOPO_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* `count` elements of `size` bytes, zeroed. NULL when out of memory or when the
 * product overflows. count == 0 gives a valid pointer. Free with topo_free(). */
void *topo_calloc(size_t count, size_t size);

/* Like topo_calloc(), contents undefined. */
void *topo_alloc(size_t count, size_t size);

/* Grows or shrinks; on failure NULL and the old block stays valid. */
void *topo_realloc(void *block, size_t count, size_t size);

/* Room for element `count` of an array that grows one by one from NULL: at each power of two the block doubles. `array`
 * is the address of the pointer to it. False: out of memory, the array is as it was. */
bool topo_grow(void *array, size_t count, size_t size);

/* The same where *room elements have a place already, at first 0: asks for memory only when they are taken. */
bool topo_grow_room(void *array, int count, int *room, size_t size);

/* A copy of `text`; NULL when out of memory. Free with topo_free(). */
char *topo_strdup(const char *text);

/* NULL is harmless. */
void topo_free(void *block);

/* Several blocks at once: what an object owns, the object last. Each may be NULL. */
#define topo_free_all(...) topo_free_blocks((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void topo_free_blocks(void *const *block, size_t count);

/* A local variable that owns what it points to, which is freed where its scope is left:
 *
 *     TOPO_SCOPED int *order = topo_alloc(ranks, sizeof *order);
 *     TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;   (TOPO_SCOPED_TYPE in its header)
 *     *out = TOPO_KEPT(paths);                                          it is the caller's now, `paths` is NULL
 *
 * Not in the MPI folders: there exceptions pass, and an unwinder that frees on its way would need libgcc_s. */
#define TOPO_SCOPED_BY(end) __attribute__((cleanup(end)))
#define TOPO_SCOPED TOPO_SCOPED_BY(topo_free_scoped)
#define TOPO_SCOPED_TYPE(type) \
    static inline void type##_end(struct type **object) \
    { \
        type##_free(*object); \
    }
#define TOPO_KEPT(pointer) \
    ({ \
        __typeof__(pointer) kept_ = (pointer); \
        (pointer) = NULL; \
        kept_; \
    })

/* What TOPO_SCOPED calls, with the variable's address. */
void topo_free_scoped(void *variable);

/* Tests only: after `after` further successful allocations every one fails;
 * a negative value switches the failing off. */
void topo_memory_fail_after(long after);

#endif
