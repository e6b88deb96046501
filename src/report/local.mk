src_libpure_la_SOURCES += \
	src/report/report.c src/report/report.h \
	src/report/json.c \
	src/report/sheets.c src/report/sheets.h \
	src/report/table.c src/report/table.h \
	src/report/text.c
