/* The messages of a reader or a prediction: errors (the exit status says so too)
 * and warnings, each one line that names file and line. */
#ifndef TOPO_BASE_NOTES_H
#define TOPO_BASE_NOTES_H

#include <stdbool.h>

/* Start with {0}. The first TOPO_NOTES_KEPT are kept, all are counted. */
struct topo_notes {
    struct topo_note {
        bool is_error;
        char *text;
    } * list;
    int kept;
    long errors, warnings;
};

enum { TOPO_NOTES_KEPT = 100 };

void topo_note_error(struct topo_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void topo_note_warning(struct topo_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void topo_notes_free(struct topo_notes *notes);

#endif
