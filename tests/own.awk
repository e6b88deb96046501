# Instructions in the library's own functions, of a file of callgrind: those of lines whose object is one of ours, whatever header they
# stand in; of calls what the called functions take is in lines of their own. (callgrind_annotate names no object for lines of headers.)
/^c?ob=/ {
    id = $0
    sub(/^[^(]*\(/, "", id)
    sub(/\).*/, "", id)
    if ($0 ~ /\) /) ours[id] = $0 ~ /\/libtopompi/
    if (/^ob/) here = ours[id]
    next
}
/^calls=/ { called = 1; next }
/^[0-9+*-]/ {
    if (!called && here) sum += $2
    called = 0
}
END { printf "%d\n", sum }
