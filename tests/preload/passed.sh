# Collectives that are not taken over, in the report; for the tests of this tree's MPI and of others.

# passed_as_called REPORT OUTPUT: REPORT, text or JSON, has each name and number of tests/preload/passed.c's OUTPUT, and no other.
passed_as_called() {
    diff <(sed -nE 's/^passed (MPI_\w+) ([0-9]+)$/\1 \2/p' "$2" | awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort) \
        <({ sed -nE 's/^topompi: not taken over: //p' "$1" | tr ',' '\n' | sed -nE 's/^ *([0-9]+) (MPI_\w+)$/\2 \1/p'
            grep '"not_taken_over"' "$1" | grep -oE '"MPI_\w+": [0-9]+' | sed -E 's/"(\w+)": /\1 /'; } | sort) && grep -q '^ok$' "$2"
}
