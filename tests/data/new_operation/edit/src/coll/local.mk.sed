/src\/coll\/library\.c/i\
	src/coll/scan/scan.c src/coll/scan/scan.h \\\
	src/coll/scan/scan_chain.c \\
