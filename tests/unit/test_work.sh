# Work that the library does once a communicator, or when it first sees a size, in instructions: at most twice what they were
# on 2026-11-28 (x86-64, gcc 12 -O2). Times of them are no test, as they are this host's: tests/unit/work prints those.
. "$TOP_SRCDIR/tests/lib.sh"

# at_most MILLIONS FUNCTION WORK TEXT
at_most() {
    local most=$1 function=$2 count
    shift 2
    count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$function" \
        "$TOP_BUILDDIR/tests/unit/work" "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : \([1-9][0-9]*\)$/\1/p')
    if [ -n "$count" ] && awk "BEGIN { exit !($count <= $most * 1e6) }"; then
        pass "$*: $count instructions"
    else
        fail "$*" "${count:-no} instructions, at most $most million are allowed"
    fi
}

countable work
built "$TOP_BUILDDIR/tests/unit/work"
at_most 24 topo_synthetic_tree tree "switch:16 switch:16 node:16 core:8 by:node" # 12.0; a quadratic step would be 1,000
at_most 0.2 topo_mapping_build mapping "node:8 core:8"                            # 0.098
at_most 3.7 topo_mapping_build mapping "node:5 core:12"                           # 1.8
at_most 4.6 topo_mapping_build mapping "node:12 core:8"                           # 2.3
at_most 126 topo_mapping_build mapping "node:125 core:8"                          # 62.8
at_most 0.63 topo_cost model "node:8 core:8"                                      # 0.31
at_most 22 topo_cost price "node:64 core:16"                                      # 10.9
at_most 11 topo_schedule_sdrc schedule "N=256,E=N^2/4,seed=5"                     # 5.5
finish
