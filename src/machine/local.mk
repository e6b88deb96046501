src_libpure_la_SOURCES += \
	src/machine/address.c src/machine/address.h \
	src/machine/build.c src/machine/build.h \
	src/machine/caches.c src/machine/caches.h \
	src/machine/hostlist.c src/machine/hostlist.h \
	src/machine/link.c src/machine/link.h \
	src/machine/names.c src/machine/names.h \
	src/machine/place_pack.c src/machine/place_pack.h \
	src/machine/places.c \
	src/machine/slurm.c src/machine/slurm.h src/machine/slurm_find.c src/machine/slurm_places.h \
	src/machine/switches.c src/machine/switches.h \
	src/machine/synthetic.c src/machine/synthetic.h \
	src/machine/topology_conf.c src/machine/topology_conf.h \
	src/machine/topology_yaml.c src/machine/topology_yaml.h \
	src/machine/tree.c src/machine/tree.h \
	src/machine/tree_pack.c
