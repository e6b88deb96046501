/* Status codes and the one message that goes with a failure. */
#ifndef TOPO_BASE_STATUS_H
#define TOPO_BASE_STATUS_H

/* The texts of a list of X(id, text): `static const char *const texts[] = {LIST(TOPO_WORD)};` */
#define TOPO_WORD(id, text) text,

/* One list feeds the enumeration and the texts. */
#define TOPO_STATUS_MAP(X) \
    X(OK, "success") \
    X(NOMEM, "out of memory") \
    X(INVALID, "invalid argument") \
    X(PARSE, "malformed input") \
    X(IO, "input or output failed") \
    X(UNSUPPORTED, "not supported here") \
    X(MPI, "an MPI call failed") \
    X(INTERNAL, "internal error")

enum topo_status {
#define X(id, text) TOPO_##id,
    TOPO_STATUS_MAP(X)
#undef X
};

/* The message of a failure: one line, no newline, names the variable, file:line
 * or argument and what is allowed. Filled by the function that fails. */
struct topo_error {
    char text[512];
};

/* Short text of a status code; never NULL. */
const char *topo_status_text(enum topo_status status);

/* Writes the message into *error (which may be NULL) and returns `status`, so
 * that a failing function ends with `return topo_fail(error, TOPO_PARSE, ...)`.
 * What it quotes may hold anything: control characters become '?'; what is too
 * long loses its middle. */
enum topo_status topo_fail(struct topo_error *error, enum topo_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes one line of a message: control characters, line feeds too, become '?'. */
void topo_one_line(char *text);

#endif
