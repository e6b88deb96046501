#include "machine/link.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Bits a second of no link. */
static const double MOST = 1e14;

/* "25000" or "2.5" at the begin of `text`, without sign, blanks or exponent; *end is what follows. 0: none. */
static double number(const char *text, const char **end)
{
    char *stop;
    const size_t length = strspn(text, "0123456789.");
    double value = topo_strtod(text, &stop);
    *end = text + length;
    return length > 0 && stop == *end ? value : 0;
}

static double within(double rate)
{
    return rate > 0 && rate <= MOST ? rate : 0;
}

double topo_link_ethernet(const char *speed)
{
    const char *end;
    double rate = within(number(speed, &end) * 1e6);
    return *end ? 0 : rate;
}

double topo_link_infiniband(const char *rate)
{
    static const char unit[] = " Gb/sec";
    const char *end;
    double bits = within(number(rate, &end) * 1e9);
    return strncmp(end, unit, sizeof unit - 1) != 0 ? 0 : bits;
}

/* The first line of FOLDER/NAME; nothing where it cannot be read. Short files of the system come whole. */
static void read_line(const char *folder, const char *name, char line[64])
{
    char path[320];
    ssize_t length = -1;
    int fd = -1;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        length = read(fd, line, 63);
        close(fd);
    }
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

/* Keeps what is better than *link. */
static void meet(const char *path, double rate, enum topo_link_kind kind, struct topo_system_link *link)
{
    const bool equal = rate == link->rate;
    if (rate <= 0 || rate < link->rate || strlen(path) >= sizeof link->path ||
        (equal && (kind < link->kind || (kind == link->kind && strcmp(path, link->path) >= 0))))
        return;
    link->rate = rate;
    link->kind = kind;
    strcpy(link->path, path);
}

static void meet_interface(const char *path, struct topo_system_link *link)
{
    enum { ETHERNET = 1 }; /* ARPHRD_ETHER */
    char line[64], device[320];
    long type;
    read_line(path, "type", line);
    if (!topo_parse_long(line, 0, 1 << 16, &type) || type != ETHERNET)
        return;
    read_line(path, "operstate", line);
    if (strcmp(line, "up") != 0)
        return;
    snprintf(device, sizeof device, "%s/device", path);
    if (access(device, F_OK) != 0)
        return;
    read_line(path, "speed", line);
    meet(path, topo_link_ethernet(line), TOPO_LINK_ETHERNET, link);
}

static void meet_port(const char *path, struct topo_system_link *link)
{
    char line[64];
    read_line(path, "link_layer", line);
    if (strcmp(line, "Ethernet") == 0) /* its interface is there, too */
        return;
    read_line(path, "state", line);
    if (!strstr(line, "ACTIVE") || strstr(line, "ACTIVE_DEFER"))
        return;
    read_line(path, "rate", line);
    meet(path, topo_link_infiniband(line), TOPO_LINK_INFINIBAND, link);
}

/* Each entry of `folder`. */
static void visit(const char *folder, void (*each)(const char *path, struct topo_system_link *link),
                  struct topo_system_link *link)
{
    char path[256];
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (entry->d_name[0] != '.' &&
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < sizeof path)
            each(path, link);
    if (entries)
        closedir(entries);
}

static void meet_device(const char *path, struct topo_system_link *link)
{
    char ports[256];
    if ((size_t)snprintf(ports, sizeof ports, "%s/ports", path) < sizeof ports)
        visit(ports, meet_port, link);
}

bool topo_link_read(const char *system, struct topo_system_link *link)
{
    char folder[256];
    *link = (struct topo_system_link){0};
    if ((size_t)snprintf(folder, sizeof folder, "%s/class/infiniband", system) < sizeof folder)
        visit(folder, meet_device, link);
    if ((size_t)snprintf(folder, sizeof folder, "%s/class/net", system) < sizeof folder)
        visit(folder, meet_interface, link);
    return link->rate > 0;
}
