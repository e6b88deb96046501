/^# -- barrier/i\
neighbor_allgather nodes=1 bytes=0-63 direct\
neighbor_allgather native
