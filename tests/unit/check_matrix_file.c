#include "schedule.h"

#include <string.h>

#include "schedule/matrix_file.h"

static struct topo_matrix *read_text(const char *text)
{
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_matrix_parse(text, "here", &matrix, &error) == TOPO_OK, "'%s': %s", text, error.text);
    ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_OK, "'%s': %s", text, error.text);
    return matrix;
}

static void same(const char *text, const char *rows)
{
    struct topo_matrix *matrix = read_text(text), *expected = digit_matrix(rows);
    ck_assert_msg(topo_matrix_equal(matrix, expected), "'%s' is %s", text, rows);
    topo_matrix_free(matrix);
    topo_matrix_free(expected);
}

START_TEST(csv)
{
    same("1,2,0\n0,0,3\n", "120 003");
    same("1,2,0\n0,0,3", "120 003");
    same("# a table\n\n  1 , 2,0 # row 0\r\n\r\n0,0,3\r\n", "120 003");
    same("7", "7");
    same("0,0\n0,0\n", "00 00");
    same("sender,receiver,bytes\n0,1,4\n2,0,1\n0,1,2\n", "060 000 100");
    same("# list\nsender,receiver,bytes\n 1 , 1 , 0\n0,0,5\n", "50 00");
    struct topo_matrix *matrix = read_text("64K,0\n1M,2KiB\n");
    ck_assert(topo_matrix_at(matrix, 0, 0) == 65536 && topo_matrix_at(matrix, 1, 0) == 1 << 20 &&
              topo_matrix_at(matrix, 1, 1) == 2048);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(matrix_market)
{
    same("%%MatrixMarket matrix coordinate integer general\n% a comment\n2 3 3\n1 1 1\n1 2 2\n2 3 3\n", "120 003");
    same("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.25\n2 2 3e0\n", "20 03");
    same("%%MatrixMarket MATRIX Coordinate Pattern Symmetric\n\n3 3 2\n2 1\n3 3\n", "010 100 001");
    same("%%MatrixMarket matrix array integer general\n2 3\n1\n4\n2\n5\n3\n6\n", "123 456");
    same("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3.0\n", "12 23");
    same("%%MatrixMarket matrix coordinate integer general\n2 2 0\n", "00 00");
}
END_TEST

START_TEST(refuses)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"", "here: no matrix in it"},
        {"# nothing\n\n", "here: no matrix in it"},
        {"1,2\n3\n", "here:2"},
        {"1,2\n3,x\n", "here:2: 'x'"},
        {"1,2\n3,\n", "here:2"},
        {"1,-2\n", "here:1: '-2'"},
        {"1,2.5\n", "here:1"},
        {"9223372036854775807,1\n", "add up"},
        {"sender,receiver,bytes\n", "no message"},
        {"sender,receiver,bytes\n0,1\n", "three fields"},
        {"sender,receiver,bytes\n0,1,2,3\n", "here:2"},
        {"sender,receiver,bytes\n0,-1,2\n", "here:2: '-1'"},
        {"sender,receiver,bytes\n0,1048576,2\n", "1048575"},
        {"sender,receiver,bytes\n\n0,1,many\n", "here:3: 'many'"},
        {"%%MatrixMarket\n", "here:1"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "here:1: 'complex'"},
        {"%%MatrixMarket matrix table integer general\n", "here:1: 'table'"},
        {"%%MatrixMarket vector coordinate integer general\n", "here:1: 'vector'"},
        {"%%MatrixMarket matrix coordinate integer hermitian\n", "here:1: 'hermitian'"},
        {"%%MatrixMarket matrix array pattern general\n", "here:1: 'pattern'"},
        {"%%MatrixMarket matrix coordinate integer general\n", "size line is missing"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2\n", "here:2"},
        {"%%MatrixMarket matrix coordinate integer general\n0 2 0\n", "here:2"},
        {"%%MatrixMarket matrix coordinate integer symmetric\n3 2 0\n", "as many rows"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n3 1 1\n", "here:3: '3'"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 0 1\n", "here:3: '0'"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 -1\n", "here:3: '-1'"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 nan\n", "here:3: 'nan'"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1e30\n", "here:3: '1e30'"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n", "1 entries"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1\n2 2 1\n", "more entries"},
        {"%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n", "ends at row 2, column 2"},
        {"%%MatrixMarket matrix array integer general\n1 1\n1\n2\n", "more weights"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct topo_matrix *matrix = NULL;
        struct topo_error error = {""};
        ck_assert_msg(topo_matrix_parse(wrong[k].text, "here", &matrix, &error) == TOPO_PARSE, "'%s' is refused",
                      wrong[k].text);
        ck_assert_msg(strstr(error.text, wrong[k].says), "'%s': the message says '%s': %s", wrong[k].text,
                      wrong[k].says, error.text);
        ck_assert_ptr_null(matrix);
    }
}
END_TEST

START_TEST(files)
{
    char path[] = "/tmp/check_matrix_file_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    ck_assert_ptr_nonnull(file);
    fputs("1,2\n3,bad\n", file);
    fclose(file);
    ck_assert_int_eq(topo_matrix_read(path, &matrix, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, path) && strstr(error.text, ":2:"), "file:line in '%s'", error.text);
    file = fopen(path, "w");
    fwrite("1,2\n3,4\0\n", 1, 9, file);
    fclose(file);
    ck_assert_msg(topo_matrix_read(path, &matrix, &error) == TOPO_PARSE, "a NUL byte is no text");
    file = fopen(path, "w");
    fputs("1,2\n3,4\n", file);
    fclose(file);
    ck_assert_int_eq(topo_matrix_read(path, &matrix, &error), TOPO_OK);
    topo_matrix_free(matrix);
    remove(path);
    ck_assert_int_eq(topo_matrix_read(path, &matrix, &error), TOPO_IO);
    ck_assert_msg(strstr(error.text, path), "the file's name in '%s'", error.text);
}
END_TEST

START_TEST(fuzz)
{
    /* Well-formed texts with bytes changed, cut and doubled: a matrix or a message, never a crash. */
    static const char *const texts[] = {
        "1,2,0\n0,0,3\n4K,5,6 # row\n", "sender,receiver,bytes\n0,1,4\n2,0,1\n0,1,2\n",
        "%%MatrixMarket matrix coordinate integer general\n% c\n2 3 3\n1 1 1\n1 2 2\n2 3 3\n",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 3 2e1\n",
        "%%MatrixMarket matrix array integer general\n2 3\n1\n4\n2\n5\n3\n6\n"};
    static const char bytes[] = "0123456789,.-+eKMGx% #\n\r\t%matrix";
    uint64_t state = 11;
    int taken = 0;
    for (int round = 0; round < 50000; round++) {
        char text[300];
        struct topo_matrix *matrix = NULL;
        struct topo_error error = {""};
        snprintf(text, sizeof text, "%s", texts[topo_random_below(&state, 5)]);
        for (uint64_t change = topo_random_below(&state, 5); change > 0; change--) {
            size_t length = strlen(text), at = topo_random_below(&state, length + 1);
            char byte = bytes[topo_random_below(&state, sizeof bytes - 1)];
            switch (topo_random_below(&state, 3)) {
            case 0: text[at] = at < length ? byte : '\0'; break;
            case 1: memmove(text + at, text + at + (at < length), length - at + (at == length)); break;
            default:
                if (length + 1 < sizeof text) {
                    memmove(text + at + 1, text + at, length - at + 1);
                    text[at] = byte;
                }
            }
        }
        enum topo_status status = topo_matrix_parse(text, "fuzz", &matrix, &error);
        if (status == TOPO_OK) {
            taken++;
            ck_assert_msg(topo_matrix_check(matrix, &error) == TOPO_OK, "'%s': %s", text, error.text);
        } else {
            ck_assert_msg(status == TOPO_PARSE && strstr(error.text, "fuzz:"), "'%s': name:line in '%s'", text,
                          error.text);
        }
        topo_matrix_free(matrix);
    }
    ck_assert_msg(taken > 5000 && taken < 45000, "some are well (%d of 50,000), some are not", taken);
}
END_TEST

START_TEST(out_of_memory)
{
    char text[] = "1,2,0\n0,0,3\n";
    struct topo_matrix *matrix = NULL;
    UNIT_OUT_OF_MEMORY(topo_matrix_parse(text, "here", &matrix, NULL),
                       ck_assert((status == TOPO_OK) == (matrix != NULL));
                       topo_matrix_free(matrix));
}
END_TEST

UNIT_MAIN("matrix_file", {csv}, {matrix_market}, {refuses}, {files}, {fuzz}, {out_of_memory})
