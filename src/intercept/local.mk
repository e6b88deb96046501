core_sources += \
	src/base/export.h \
	src/intercept/constructors.c \
	src/intercept/core.c \
	src/intercept/destructors.c \
	src/intercept/fortran.c src/intercept/fortran.h \
	src/intercept/lifetime.c \
	src/intercept/next.h \
	src/intercept/operations.c \
	src/intercept/public.c \
	src/intercept/record.h \
	src/intercept/traced.c \
	src/intercept/worldless.c src/intercept/worldless.h
