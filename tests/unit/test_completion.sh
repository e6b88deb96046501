# bash completion against the tools' own tables: every option of every command, the words that options allow, commands and
# operations.
. "$TOP_SRCDIR/tests/lib.sh"
shopt -s extglob
. "$TOP_SRCDIR/packaging/completion/topompi"
for tool in topo-bench topo-dump topo-predict topo-predict-dvm topompi-run; do PATH=$TOP_BUILDDIR/tools/$tool:$PATH; done
cd / || exit 1

completed() { # WORD...: what the last word of a command line becomes
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _topompi
    printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort | paste -sd ' '
}
# gives WANTED WORD...
gives() {
    local wanted=$1 got
    shift
    got=$(completed "$@")
    if [ "$got" = "$wanted" ]; then pass "$*"; else fail "$*" "'$got' instead of '$wanted'"; fi
}
for command in topo-dump 'topo-dump mapping' 'topo-dump algorithms' 'topo-dump options' 'topo-dump schedule' 'topo-dump plan' 'topo-dump rules' 'topo-dump stats' 'topo-dump placement' \
    'topo-bench allgather' 'topo-bench report' 'topo-bench reduce_local' 'topo-bench guidelines' topo-predict topo-predict-dvm; do
    read -ra words <<<"$command"
    tabled=$("${words[@]}" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z_-]+' | grep -oE -- '--.*' | sort | paste -sd ' ')
    [ "$(wc -w <<<"$tabled")" -gt 3 ] || fail "$command" "few options in its help: $tabled"
    gives "$tabled" "${words[@]}" --
done
gives "algorithms mapping options placement plan rules schedule stats" topo-dump ''
gives "$(sed -nE 's/^OPERATION\(([a-z_]+),.*/\1/p' "$TOP_SRCDIR/src/catalog/operations.def" | cat - <(printf '%s\n' levels tune report reduce_local guidelines) | sort | paste -sd ' ')" \
    topo-bench ''
gives "dot json svg text" topo-dump --format ''
gives "json" topo-dump schedule --format j
gives "env json man text" topo-dump options --format ''
gives "html json text" topo-predict trace -f ''
gives "columns json table" topo-bench bcast --format ''
gives "both isolated streaming" topo-bench guidelines --calls ''
gives "--stats --strict" topompi-run --st
# The operations are options of topompi-run.
gives "$(sed -nE 's/^OPERATION\((all[a-z_]+),.*/--\1=/p' "$TOP_SRCDIR/src/catalog/operations.def" | sort | paste -sd ' ')" topompi-run --all
gives "/usr" topo-predict /us
finish
