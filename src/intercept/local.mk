src_libtopompi_la_SOURCES += src/intercept/public.c src/base/export.h
