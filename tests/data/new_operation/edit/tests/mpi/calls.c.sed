/    case TOPO_OPERATION_reduce:$/i\
    case TOPO_OPERATION_neighbor_allgather:\
        return EITHER(neighbor_allgather, Neighbor_allgather, c->send, c->count, c->send_type, c->receive, c->count,\
                      c->receive_type, comm);
