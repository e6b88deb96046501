/case TOPO_OPERATION_barrier:/i\
    case TOPO_OPERATION_scan:\
        return topo_algorithm(bytes < 64 && layout->nodes == 1 ? TOPO_ALGORITHM_scan_chain : TOPO_ALGORITHM_scan_native);
