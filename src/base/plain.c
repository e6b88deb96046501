#include "base/plain.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_plain_locale(void)
{
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double topo_strtod(const char *string, char **end)
{
    pthread_once(&once, make_plain_locale);
    return plain_locale ? strtod_l(string, end, plain_locale) : strtod(string, end);
}

int topo_vsnprintf(char *to, size_t size, const char *format, va_list args)
{
    pthread_once(&once, make_plain_locale);
    locale_t applications = plain_locale ? uselocale(plain_locale) : (locale_t)0;
    int length = vsnprintf(to, size, format, args);
    if (applications)
        uselocale(applications);
    return length;
}
