/* When a communicator's channel is opened, and what comes of it; what of it is for others is in comm/comm.h. */
#ifndef TOPO_COMM_OPENING_H
#define TOPO_COMM_OPENING_H

#include "comm/comm.h"

extern const struct topo_comm_user *topo_comm_user; /* topo_comm_start()'s */

/* It goes: whether it made calls that paid for its opening. */
void topo_comm_count_uses(const struct topo_comm *state);

#endif
