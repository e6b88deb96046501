/* Who is told how far long work is. */
#ifndef TOPO_BASE_WATCH_H
#define TOPO_BASE_WATCH_H

struct topo_watch {
    void (*tell)(void *context, double share); /* share: of the work that is done, 0 .. 1; called often */
    void *context;
};

/* `watch` may be NULL: nobody is told. */
static inline void topo_tell(const struct topo_watch *watch, double share)
{
    if (watch)
        watch->tell(watch->context, share);
}

#endif
