# sources of src/machine
src_libpure_la_SOURCES += \
	src/machine/tree.c src/machine/tree.h src/machine/tree_pack.c \
	src/machine/synthetic.c src/machine/synthetic.h
