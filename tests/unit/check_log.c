#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

static char got[4096];

static void plainly(const char *text)
{
    topo_say("%s", text);
}

/* What `by` says of `text` on standard error, as one packet a write. */
static ssize_t say_by(void (*by)(const char *text), const char *text, ssize_t *second)
{
    int ends[2], before = dup(STDERR_FILENO);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    dup2(ends[1], STDERR_FILENO);
    by(text);
    dup2(before, STDERR_FILENO);
    close(ends[1]);
    ssize_t first = read(ends[0], got, sizeof got);
    *second = read(ends[0], got + first, sizeof got - (size_t)first);
    close(ends[0]);
    close(before);
    return first;
}

static ssize_t say(const char *text, ssize_t *second)
{
    return say_by(plainly, text, second);
}

START_TEST(one_write_a_line)
{
    ssize_t more, bytes = say("rank 3: x", &more);
    ck_assert_msg(more == 0 && bytes == 19 && !memcmp(got, "topompi: rank 3: x\n", 19), "%.*s", (int)bytes, got);
}
END_TEST

START_TEST(long_lines_end)
{
    static char text[3000];
    memset(text, 'y', sizeof text - 1);
    ssize_t more, bytes = say(text, &more);
    ck_assert_msg(more == 0 && bytes == 1023 && got[bytes - 1] == '\n' && got[bytes - 2] == 'y', "%zd bytes", bytes);
}
END_TEST

/* However many others were said since, if they are not too many. */
START_TEST(said_once)
{
    enum { LINES = 60 };
    ssize_t more;
    char text[20];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < LINES; i++) {
            snprintf(text, sizeof text, "line %d", i);
            ck_assert_int_eq(say_by(topo_say_once, text, &more) > 0, round == 0);
            ck_assert_int_eq(more, 0);
        }
    for (int i = 0; i < 5000; i++) { /* more than are kept */
        snprintf(text, sizeof text, "other %d", i);
        ck_assert_int_gt(say_by(topo_say_once, text, &more), 0);
    }
}
END_TEST

/* A program may have closed it: its job goes on. */
START_TEST(no_standard_error)
{
    int before = dup(STDERR_FILENO);
    close(STDERR_FILENO);
    topo_say("nobody hears");
    dup2(before, STDERR_FILENO);
    close(before);
}
END_TEST

UNIT_MAIN("log", {one_write_a_line}, {long_lines_end}, {said_once}, {no_standard_error})
