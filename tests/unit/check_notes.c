#include "unit.h"

#include <string.h>

#include "base/notes.h"

START_TEST(kept_in_order)
{
    struct topo_notes notes = {0};
    topo_note_warning(&notes, "f:%d: %s", 3, "a\tb");
    topo_note_error(&notes, "f:4");
    ck_assert(notes.kept == 2 && notes.errors == 1 && notes.warnings == 1);
    ck_assert_str_eq(notes.list[0].text, "f:3: a?b");
    ck_assert(!notes.list[0].is_error && notes.list[1].is_error);
    topo_notes_free(&notes);
    ck_assert(!notes.list && !notes.kept && !notes.errors && !notes.warnings);
    topo_notes_free(&notes);
}
END_TEST

START_TEST(all_are_counted)
{
    struct topo_notes notes = {0};
    char line[2000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    for (int i = 0; i < 3 * TOPO_NOTES_KEPT; i++)
        (i % 3 ? topo_note_warning : topo_note_error)(&notes, "%d %s", i, line);
    ck_assert_int_eq(notes.kept, TOPO_NOTES_KEPT);
    ck_assert(notes.errors == TOPO_NOTES_KEPT && notes.warnings == 2 * TOPO_NOTES_KEPT);
    ck_assert_msg(!strncmp(notes.list[99].text, "99 xxx", 6) && strlen(notes.list[99].text) < 600, "the first ones");
    topo_notes_free(&notes);
}
END_TEST

START_TEST(out_of_memory)
{
    for (long after = 0; after < 3; after++) {
        struct topo_notes notes = {0};
        topo_memory_fail_after(after);
        topo_note_error(&notes, "lost");
        topo_memory_fail_after(-1);
        ck_assert_msg(notes.errors == 1 && notes.kept == (after == 2), "counted even when the text cannot be kept");
        topo_note_error(&notes, "kept");
        ck_assert_str_eq(notes.list[notes.kept - 1].text, "kept");
        topo_notes_free(&notes);
    }
}
END_TEST

UNIT_MAIN("notes", {kept_in_order}, {all_are_counted}, {out_of_memory})
