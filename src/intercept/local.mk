src_libtopompi_core_la_SOURCES += \
	src/base/export.h \
	src/intercept/allgather.c \
	src/intercept/allgatherv.c \
	src/intercept/allreduce.c \
	src/intercept/alltoall.c \
	src/intercept/alltoallv.c \
	src/intercept/barrier.c \
	src/intercept/bcast.c \
	src/intercept/constructors.c \
	src/intercept/core.c \
	src/intercept/fortran.c src/intercept/fortran.h \
	src/intercept/guard.c src/intercept/guard.h \
	src/intercept/lifetime.c \
	src/intercept/public.c \
	src/intercept/reduce.c \
	src/intercept/reduce_scatter.c \
	src/intercept/traced.c
