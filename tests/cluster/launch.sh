# shellcheck shell=bash disable=SC2154,SC2054
# Starting commands and MPI programs in a cluster; sourced by `cluster`.

# run_and_wait COMMAND...: waits for it; a signal to this script ends it first. It has a process group of
# its own: mpirun takes a second signal, from a terminal's ^C or from `timeout`, for an order to drop everything.
run_and_wait() {
    local child status received=''
    set -m
    "$@" <&0 &
    child=$!
    set +m
    trap 'received=15; kill -TERM -- -$child' TERM HUP
    trap 'received=2; kill -INT -- -$child' INT
    wait $child
    status=$?
    if [ -n "$received" ]; then
        status=$((128 + received))
        await_group "$child"
    fi
    trap - TERM HUP INT
    return $status
}

# Until no process of the group is left; ends it by force after ten seconds.
await_group() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        kill -0 -- -"$1" 2>/dev/null || return
        sleep 0.05
    done
    kill -KILL -- -"$1" 2>/dev/null
}

# Reads HOW from the arguments: by, np, mca[], mpi, and the rest in arguments[].
check_run() {
    by=slot np='' mpi=openmpi mca=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        case $1 in
        --by | -np | --mpi) [ $# -ge 2 ] || complain "$1 needs a value" ;;
        --mca) [ $# -ge 3 ] || complain "--mca needs a name and a value" ;;
        *) complain "unknown option $1; allowed before --: --by -np --mca --mpi" ;;
        esac
        case $1 in
        --by) by=$2 ;;
        -np) np=$2 ;;
        --mpi) mpi=$2 ;;
        --mca) mca+=(--mca "$2" "$3") && shift ;;
        esac
        shift 2
    done
    [ $# -ge 2 ] || complain "run: a program is missing after --"
    shift
    arguments=("$@")
    [ "$by" = slot ] || [ "$by" = node ] || complain "--by $by: slot or node is possible"
    [ -z "$np" ] || is_number "$np" || complain "-np $np: a number of ranks is wanted"
    [ "$mpi" = openmpi ] || [ "$mpi" = mpich ] || complain "--mpi $mpi: openmpi or mpich is possible"
}

# Variables for every rank, taken out of this process's environment (the launcher itself shall not preload).
take_environment() {
    local variable
    passed_on=()
    [ "$racks" -eq 1 ] || export TOPOMPI_MACHINE=${TOPOMPI_MACHINE:-file:$state/topology.conf}
    export TOPOMPI_CACHE=${TOPOMPI_CACHE:-$state/cache}
    for variable in LD_PRELOAD $(compgen -e | grep '^TOPOMPI'); do
        [ -n "${!variable+set}" ] || continue
        passed_on+=("$variable=${!variable}")
        unset "$variable"
    done
}

# No more ranks than slots; sets `total`.
check_slots() {
    local s
    total=0
    for s in "${slots[@]}"; do total=$((total + s)); done
    [ "${np:-0}" -le $total ] || complain "-np $np: the cluster has $total slots"
}

run_mpi() {
    check_slots
    # Several programs (":") bring their own numbers of ranks.
    if [ -z "$np" ] && ! printf '%s\n' "${arguments[@]}" | grep -qx :; then np=$total; fi
    take_environment
    "run_$mpi"
}

# Daemons that leave the session take their ranks along, and Linux (sched_autogroup) shares a core among sessions first:
# sched_yield() then only reaches ranks of the same "node", while those of others wait, for milliseconds or for ever.
run_openmpi() {
    local command variable
    command=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "${MPIRUN:-mpirun}"
        --hostfile "$state/hostfile" --map-by "$by" --bind-to none
        --mca plm_rsh_agent "$state/agent" --mca plm_rsh_no_tree_spawn 1
        --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --mca pml ob1
        --mca mpi_yield_when_idle 1 --mca orte_leave_session_attached 1)
    [ -z "$np" ] || command+=(-np "$np")
    for variable in "${passed_on[@]}"; do command+=(-x "$variable"); done
    run_and_wait enter 0 "${command[@]}" "${mca[@]}" "${arguments[@]}"
}

run_mpich() {
    local launcher=${MPIEXEC_MPICH:-mpiexec.mpich} hosts='' i variable command
    command -v "$launcher" >/dev/null || { echo "cluster: skipped: MPICH's $launcher is not installed" >&2; exit 77; }
    [ ${#mca[@]} -eq 0 ] || complain "--mca is Open MPI's; MPICH knows no such option"
    if [ "$by" = node ]; then hosts=$(deal_round); else
        for ((i = 0; i < nodes; i++)); do hosts+=${hosts:+,}node$i:${slots[i]}; done
    fi
    command=("$launcher" -launcher ssh -launcher-exec "$state/agent" -hosts "$hosts" -iface eth0)
    [ -z "$np" ] || command+=(-np "$np")
    for variable in "${passed_on[@]}"; do command+=(-genv "${variable%%=*}" "${variable#*=}"); done
    run_and_wait enter 0 "${command[@]}" "${arguments[@]}"
}

# One "node:1" after the other, round the nodes that have slots left.
deal_round() {
    local left=("${slots[@]}") hosts='' i any=1
    while [ $any -eq 1 ]; do
        any=0
        for ((i = 0; i < nodes; i++)); do
            [ "${left[i]}" -gt 0 ] || continue
            left[i]=$((left[i] - 1)) any=1
            hosts+=${hosts:+,}node$i:1
        done
    done
    echo "$hosts"
}
