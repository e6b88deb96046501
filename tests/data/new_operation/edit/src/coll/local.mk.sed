/src\/coll\/library\.c/i\
	src/coll/neighbor_allgather/neighbor_allgather.c src/coll/neighbor_allgather/neighbor_allgather.h \\\
	src/coll/neighbor_allgather/neighbor_allgather_direct.c \\
