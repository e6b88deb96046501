#include "machine/address.h"

#include <stdbool.h>
#include <string.h>

/* Length of the part of an address that begins at `at`. */
static size_t part_length(const char *at)
{
    bool inside = false;
    size_t length = 0;
    for (; at[length] && (inside || at[length] != '.'); length++)
        inside = at[length] == '[' || (inside && at[length] != ']');
    return length;
}

/* Where the name of the node begins. */
static size_t node_begin(const char *address, const char *host)
{
    size_t whole = strlen(address), name = strlen(host), label = strcspn(host, "."), begin = 0;
    if (name && whole >= name && !strcmp(address + whole - name, host) &&
        (whole == name || address[whole - name - 1] == '.'))
        return whole - name;
    bool found = false;
    for (size_t at = 0;;) {
        size_t length = part_length(address + at);
        /* Without a part that is the host the last one counts. */
        bool is_host = label && length == label && !memcmp(address + at, host, label);
        if (is_host || !found)
            begin = at;
        found = found || is_host;
        at += length;
        if (!address[at])
            return begin;
        at++;
    }
}

int topo_address_switches(const char *address, const char *host, int most, size_t *first, size_t *length)
{
    size_t node = node_begin(address, host);
    int switches = 0;
    for (size_t at = 0; at < node; switches++) {
        size_t here = part_length(address + at), rest = node - 1 - at;
        if (here > rest)
            here = rest; /* an unbalanced bracket */
        if (switches < most) {
            first[switches] = at;
            length[switches] = here;
        }
        at += here + 1;
    }
    return switches;
}
