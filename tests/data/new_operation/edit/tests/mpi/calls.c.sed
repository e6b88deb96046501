/return operation == TOPO_OPERATION_allreduce ||/s/return /return operation == TOPO_OPERATION_scan || /
/    case TOPO_OPERATION_reduce:$/i\
    case TOPO_OPERATION_scan:\
        return EITHER(scan, Scan, c->send, c->receive, c->count, c->send_type, c->op, comm);
