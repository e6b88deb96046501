/* What the system says of this node's link to the others. */
#ifndef TOPO_MACHINE_LINK_H
#define TOPO_MACHINE_LINK_H

#include <stdbool.h>

enum topo_link_kind { TOPO_LINK_ETHERNET, TOPO_LINK_INFINIBAND };

struct topo_system_link {
    double rate; /* bits a second */
    enum topo_link_kind kind;
    char path[256]; /* of what says it, as "/sys/class/net/eth0" */
};

/* The fastest port there is, InfiniBand before Ethernet, then the lowest name: of InfiniBand devices the ports that are
 * active, of network interfaces those of Ethernet that are up and belong to a device. So bridges, tunnels, pairs of
 * interfaces, bonds (but not what is bonded) and the loopback are none, nor is one whose rate the system does not know,
 * as of many virtual machines. False: there is none. `system` is "/sys", where tests have no other. */
bool topo_link_read(const char *system, struct topo_system_link *link);

/* Bits a second; 0: it is no such text. Of a network interface's file `speed`: "25000", in Mbit/s; -1 where it is not
 * known. Of an InfiniBand port's file `rate`: "100 Gb/sec (4X EDR)". */
double topo_link_ethernet(const char *speed);
double topo_link_infiniband(const char *rate);

#endif
