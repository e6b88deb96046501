src_libpure_la_SOURCES += \
	src/report/report.c src/report/report.h \
	src/report/functions.c src/report/json.c src/report/page.c \
	src/report/sheets.c src/report/sheets.h \
	src/report/table.c src/report/table.h \
	src/report/text.c

# The page of a report, which has its JSON inside.
nodist_src_libpure_la_SOURCES += src/report/page_template.c
CLEANFILES += src/report/page_template.c
EXTRA_DIST += src/report/page.html
src/report/page_template.c: $(top_srcdir)/src/report/page.html
	$(string_of) topo_report_template $(top_srcdir)/src/report/page.html >$@.new && mv $@.new $@
