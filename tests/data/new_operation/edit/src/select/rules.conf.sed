/^# -- barrier/i\
scan nodes=1 bytes=0-63 chain\
scan native
