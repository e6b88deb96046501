/* Numbers in text with a decimal point, whatever locale the application has set. */
#ifndef TOPO_BASE_PLAIN_H
#define TOPO_BASE_PLAIN_H

#include <stdarg.h>
#include <stddef.h>

/* strtod(). */
double topo_strtod(const char *string, char **end);

/* vsnprintf(). */
int topo_vsnprintf(char *to, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

#endif
