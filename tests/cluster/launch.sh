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

# Reads HOW from the arguments: by, np, placed, mca[], mpi, and the rest in arguments[].
check_run() {
    by=slot np='' placed='' mpi=openmpi mca=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        case $1 in
        --by | -np | --mpi | --placed) [ $# -ge 2 ] || complain "$1 needs a value" ;;
        --mca) [ $# -ge 3 ] || complain "--mca needs a name and a value" ;;
        *) complain "unknown option $1; allowed before --: --by -np --placed --mca --mpi" ;;
        esac
        case $1 in
        --by) by=$2 ;;
        -np) np=$2 ;;
        --mpi) mpi=$2 ;;
        --placed) placed=$2 ;;
        --mca) mca+=(--mca "$2" "$3") && shift ;;
        esac
        shift 2
    done
    [ $# -ge 2 ] || complain "run: a program is missing after --"
    shift
    arguments=("$@")
    [ "$by" = slot ] || [ "$by" = node ] || complain "--by $by: slot or node is possible"
    [ -z "$np" ] || is_number "$np" || complain "-np $np: a number of ranks is wanted"
    case $mpi in
    openmpi) launcher=${MPIRUN:-mpirun} ;;
    mpich) launcher=${MPIEXEC_MPICH:-mpiexec.mpich} ;;
    */*) [ -x "$mpi/bin/mpiexec" ] || complain "--mpi $mpi: it has no bin/mpiexec" ;;
    *) complain "--mpi $mpi: openmpi, mpich, or a folder with bin/mpiexec is possible" ;;
    esac
}

# Variables for every rank, taken out of this process's environment (the launcher itself shall not preload).
take_environment() {
    local variable
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
    take_mpi
    take_environment
    "run_$family"
}

# Whose launcher it is; an MPI in a folder of its own is found there by each node, daemons and libraries.
take_mpi() {
    if [[ $mpi == */* ]]; then
        mpi=$(cd "$mpi" && pwd -P)
        launcher=$mpi/bin/mpiexec
        export PATH=$mpi/bin:$PATH LD_LIBRARY_PATH=$mpi/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        passed_on=("LD_LIBRARY_PATH=$LD_LIBRARY_PATH")
    else
        passed_on=()
    fi
    command -v "$launcher" >/dev/null || { echo "cluster: skipped: $launcher is not installed" >&2; exit 77; }
    case $("$launcher" --version 2>/dev/null) in
    *'(Open MPI) 5.'*) family=openmpi5 ;;
    *'(Open MPI) '* | *OpenRTE*) family=openmpi ;;
    *Intel*) family=intel ;;
    *HYDRA*) family=mpich ;;
    *) die "$launcher --version: neither Open MPI's, MPICH's nor Intel's" ;;
    esac
}

# Daemons that leave the session take their ranks along, and Linux (sched_autogroup) shares a core among sessions first:
# sched_yield() then only reaches ranks of the same "node", while those of others wait, for milliseconds or for ever.
run_openmpi() {
    start_openmpi -x --mca plm_rsh_agent "$state/agent" --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include eth0 \
        --mca orte_leave_session_attached 1
}

run_openmpi5() {
    start_openmpi -x --prtemca plm_ssh_agent "$state/agent" --prtemca plm_ssh_no_tree_spawn 1 --prtemca prte_if_include eth0 \
        --leave-session-attached
}

start_openmpi() { # OPTION FOR VARIABLES, OPTIONS OF THE DAEMONS...
    local command variable
    command=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$launcher"
        ${placed:---hostfile "$state/hostfile" --map-by "$by"} --bind-to none "${@:2}"
        --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 --mca pml ob1 --mca mpi_yield_when_idle 1)
    [ -z "$np" ] || command+=(-np "$np")
    for variable in "${passed_on[@]}"; do command+=("$1" "$variable"); done
    run_and_wait enter 0 "${command[@]}" "${mca[@]}" "${arguments[@]}"
}

# MPICH never yields by itself (tests/yield.c).
run_mpich() {
    local yield=${MPI_YIELD:-${TOP_BUILDDIR:-$here/../..}/tests/.libs/yield.so} i
    if [ -e "$yield" ]; then
        for i in "${!passed_on[@]}"; do [[ ${passed_on[i]} != LD_PRELOAD=* ]] || { passed_on[i]+=:$yield && yield=''; }; done
        [ -z "$yield" ] || passed_on+=("LD_PRELOAD=$yield")
    fi
    start_hydra
}

run_intel() {
    passed_on+=("I_MPI_ROOT=$(dirname "$(dirname "$(command -v "$launcher")")")" I_MPI_WAIT_MODE=1 FI_PROVIDER=tcp FI_TCP_IFACE=eth0)
    start_hydra
}

# Intel's Hydra knows slots by -machinefile alone. A node that is named twice is two nodes for MPICH: one rank a node, again and
# again, unless nodes differ.
start_hydra() {
    local i variable command each=()
    [ ${#mca[@]} -eq 0 ] || complain "--mca is Open MPI's; Hydra knows no such option"
    if [ "$by" = slot ] || [ "$(printf '%s\n' "${slots[@]}" | sort -u | wc -l)" -eq 1 ]; then
        for ((i = 0; i < nodes; i++)); do echo "node$i:${slots[i]}"; done
        [ "$by" = slot ] || each=(-ppn 1)
    else
        deal_round
    fi >"$state/machines.$$"
    command=("$launcher" -launcher ssh -launcher-exec "$state/agent" ${placed:--machinefile "$state/machines.$$" "${each[@]}"} -iface eth0)
    [ -z "$np" ] || command+=(-np "$np")
    for variable in "${passed_on[@]}"; do command+=(-genv "${variable%%=*}" "${variable#*=}"); done
    run_and_wait enter 0 "${command[@]}" "${arguments[@]}"
}

# One "node:1" after the other, round the nodes that have slots left.
deal_round() {
    local left=("${slots[@]}") i any=1
    while [ $any -eq 1 ]; do
        any=0
        for ((i = 0; i < nodes; i++)); do
            [ "${left[i]}" -gt 0 ] || continue
            left[i]=$((left[i] - 1)) any=1
            echo "node$i:1"
        done
    done
}
