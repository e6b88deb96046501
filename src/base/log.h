/* Messages to the user: stderr, one line each, prefix "topompi: ". Standard output is the application's. */
#ifndef TOPO_BASE_LOG_H
#define TOPO_BASE_LOG_H

/* One line (the newline is added), written with a single write so that lines of
 * several ranks do not mix. Callers decide which rank speaks. */
void topo_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, but a line that this process has said so is not said again: programs make hundreds of communicators of
 * which there is one thing to say. */
void topo_say_once(const char *text);

#endif
