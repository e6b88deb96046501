mpi_sources += \
	src/node/descriptors.c src/node/descriptors.h \
	src/node/flag.c src/node/flag.h \
	src/node/group_flags.c src/node/group_flags.h \
	src/node/idle.c src/node/idle.h \
	src/node/node.c src/node/node.h \
	src/node/pool.c src/node/pool.h \
	src/node/region.c src/node/region.h \
	src/node/room.c src/node/room.h \
	src/node/segment.c src/node/segment.h \
	src/node/shm_buffer.c src/node/shm_buffer.h \
	src/node/shm_fifo.c src/node/shm_fifo.h \
	src/node/shm_name.c src/node/shm_name.h \
	src/node/shm_windows.c src/node/shm_windows.h
