#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"

/* The counters are true even when the text cannot be kept. */
static void add(struct topo_notes *notes, bool is_error, const char *format, va_list arguments)
{
    char text[512];
    struct topo_note *grown;
    if (is_error)
        notes->errors++;
    else
        notes->warnings++;
    if (notes->kept == TOPO_NOTES_KEPT)
        return;
    grown = topo_realloc(notes->list, (size_t)notes->kept + 1, sizeof *grown);
    if (!grown)
        return;
    notes->list = grown;
    vsnprintf(text, sizeof text, format, arguments);
    topo_one_line(text);
    grown[notes->kept].is_error = is_error;
    grown[notes->kept].text = topo_strdup(text);
    if (grown[notes->kept].text)
        notes->kept++;
}

void topo_note_error(struct topo_notes *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(notes, true, format, arguments);
    va_end(arguments);
}

void topo_note_warning(struct topo_notes *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(notes, false, format, arguments);
    va_end(arguments);
}

void topo_notes_free(struct topo_notes *notes)
{
    for (int i = 0; i < notes->kept; i++)
        topo_free(notes->list[i].text);
    topo_free(notes->list);
    *notes = (struct topo_notes){0};
}
