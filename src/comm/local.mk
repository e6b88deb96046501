src_libmpi_part_la_SOURCES += \
	src/comm/comm.c src/comm/comm.h \
	src/comm/channel.c src/comm/channel.h \
	src/comm/collect.c src/comm/collect.h \
	src/comm/device.c src/comm/device.h \
	src/comm/discover.c src/comm/discover.h \
	src/comm/flag.c src/comm/flag.h \
	src/comm/job.c src/comm/job.h \
	src/comm/members.c src/comm/members.h \
	src/comm/native.c src/comm/native.h \
	src/comm/plan.c src/comm/plan.h \
	src/comm/presence.c src/comm/presence.h \
	src/comm/segment_name.c src/comm/segment_name.h \
	src/comm/shared.c src/comm/shared.h \
	src/comm/shape.c src/comm/shape.h
