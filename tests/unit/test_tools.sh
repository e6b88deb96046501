#!/bin/bash
# Command lines of the tools: --help, --version and complaints are alike everywhere, and man pages have every option.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
tools=${TOP_BUILDDIR:-$PWD}/tools
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
version=$(sed -nE 's/^#define TOPOMPI_VERSION "(.*)"/\1/p' "$here/../../include/topompi.h")

# What --version says after the first line: libraries and their versions as they are when the tool runs.
versions=$'\n(Open MPI|MPICH) [0-9.]+(, MPICH [0-9.a]+)?( .built with; this tool needs none.)?\nhwloc [0-9.]+\nMETIS [0-9.]+ .(/.*libmetis.*|missing: .*).'

# runs STATUS PATTERN TOOL ARGUMENT...: that exit status; all that is said matches, on standard output where the status is 0
# and as one line on standard error otherwise.
runs() {
    local wanted=$1 pattern=$2 tool=$3 out error status
    shift 3
    error=$(mktemp)
    out=$(timeout 60 "$tools/$tool/$tool" "$@" 2>"$error")
    status=$?
    [ $status -eq 0 ] || { [ -z "$out" ] && [ "$(wc -l <"$error")" -eq 1 ] && out=$(cat "$error"); }
    rm -f "$error"
    [ $status -eq "$wanted" ] && [[ $out =~ $pattern ]] || { echo "exit status $status: $out"; false; }
}
# documented TOOL [COMMAND]: every long option of its --help stands in the man page.
documented() {
    local page missing='' option
    page=$(sed 's/\\f[A-Z]//g; s/\\//g' "$here/../../man/$1.1")
    while read -r option; do
        grep -qE -- "--$option([^a-z_-]|$)" <<<"$page" || missing+=" --$option"
    done < <("$tools/$1/$1" "${@:2}" --help | sed -nE 's/^ +(-[a-zA-Z], )?--([a-z_-]+).*/\2/p')
    [ -z "$missing" ] || { echo "not in man/$1.1:$missing"; false; }
}
for command in topo-dump 'topo-dump mapping' 'topo-dump algorithms' 'topo-dump options' 'topo-dump schedule' 'topo-dump plan' 'topo-dump rules' 'topo-bench' \
    'topo-bench report' 'topo-bench reduce_local' 'topo-bench guidelines' topo-predict topo-predict-dvm topompi-run; do
    read -ra words <<<"$command"
    built "$tools/${words[0]}/${words[0]}"
    check "$command --help" runs 0 '^usage: .*--version +the version' "${words[@]}" --help
    check "$command --help tells the exit status" runs 0 $'\nexit status: ' "${words[@]}" --help
    check "$command -h" runs 0 '^usage: ' "${words[@]}" -h
    [ "$command" = topompi-run ] && version+=', cores:( abi| mpich| ompi)+'
    check "$command --version" runs 0 "^${words[0]} \(TopoMPI\) $version$versions$" "${words[@]}" --version
    check "$command --frob" runs 2 "^${words[0]}: unknown option --frob; see ${words[0]}( ${words[1]})? --help$" "${words[@]}" --frob
    check "$command --help=yes" runs 2 "^${words[0]}: option --help takes no value; see ${words[0]}( ${words[1]})? --help$" \
        "${words[@]}" --help=yes
    [ "$command" = topompi-run ] || check "$command -%o" runs 2 "^${words[0]}: unknown option -%; see " "${words[@]}" -%o
    check "$command -%" runs 2 "^${words[0]}: unknown option -%; see " "${words[@]}" -%
    check "the man page has the options of $command" documented "${words[@]}"
done
for words in 'topo-dump --output' 'topo-dump options -o' 'topo-dump schedule --matrix' 'topo-bench allgather --sizes' \
    'topo-bench report -p' 'topo-predict --machine' 'topo-predict -b' 'topo-predict-dvm --par'; do
    check "$words: no value" runs 2 "^[a-z-]+: option ${words##* } needs a value; see " $words
done
# What is allowed stands behind the option, under its long name however it was typed.
while IFS=: read -r words allowed; do
    check "$words" runs 2 "^[a-z]+-[a-z]+:$allowed" $words
done <<'END'
topo-dump --format png: --format png: allowed: text json dot svg$
topo-dump --fo png: --format png: allowed: text json dot svg$
topo-dump --placement rank: --placement rank: allowed: slot node$
topo-dump --ranks 0: --ranks 0: allowed: 1..2147483647$
topo-dump --operation alltoallw: --operation alltoallw: allowed: allgather allreduce
topo-dump options -f xml: --format xml: allowed: text json env man$
topo-dump schedule --k x: --k x: allowed: 1..2147483647$
topo-dump schedule --scheduler best: --scheduler best: allowed: direct sdrc drc
topo-bench allgather -s x: --sizes: 'x' is no list of sizes
topo-bench allgather --rate node=7: --rate: 'node=7'
topo-bench allgather --statistic mean: --statistic mean: allowed: median min$
topo-bench allgather --time 0: --time 0: allowed: seconds, more than 0
topo-bench reduce_local --time x: --time x: allowed: seconds
topo-bench guidelines -g speed: --guidelines speed: allowed: mockup monotone split communicator root place arrival$
topo-bench guidelines -o alltoallw: --operations alltoallw: allowed: allreduce barrier
topo-bench guidelines -g root -o barrier: no guideline of --guidelines root is of --operations barrier$
topo-bench guidelines -a native,han: --algorithms native,han: allowed: native, auto$
topo-bench guidelines --calls single: --calls single: allowed: streaming isolated both$
topo-bench guidelines --tolerance -1: --tolerance -1: allowed: 0..1000$
topo-bench guidelines --samples 9..20: --samples 9..20: allowed: from 10, with fewer nothing is certain$
topo-predict -f pdf: --format pdf: allowed: text json html$
topo-predict -d x: --depth x: allowed: 0..1000$
topo-predict -m rack: --machine: 
topo-predict -b fastest: --bcast fastest: no such algorithm; allowed: native
topo-predict -c linear: --scaling linear: allowed: \[INTERVAL=]strong
END

# Exit statuses: 2 is for what was typed (above), 1 for all else that fails, the same in every tool.
while IFS='|' read -r words said; do
    check "$words" runs 1 "^[a-z]+(-[a-z]+)+: .*$said" $words
done <<END
topo-dump --synthetic node:2 -o /nowhere/x|/nowhere/x: No such file
topo-dump algorithms -o /nowhere/x|/nowhere/x: No such file
topo-dump options -o /nowhere/x|/nowhere/x: No such file
topo-dump rules --synthetic node:2 -o /nowhere/x|/nowhere/x: No such file
topo-dump schedule --random N=8,E=16 -o /nowhere/x|/nowhere/x: No such file
topo-bench report /nowhere/x.json|/nowhere/x.json: No such file
topo-predict /nowhere/trace|/nowhere/trace: No such file
topo-predict-dvm $here/../data/dvm/loop.trc -o /nowhere/x|/nowhere/x: No such file
topompi-run --library /nowhere/x true|/nowhere/x: no such library
END
for tool in topo-dump topo-bench topo-predict topo-predict-dvm; do
    check "$tool --help to a full disk" sh -c '"$1" --help >/dev/full 2>/dev/null; test $? -eq 1' - "$tools/$tool/$tool"
done
finish
