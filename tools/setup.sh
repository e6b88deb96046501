# Sourced by tests/run and tools/quickstart: puts on the machine what is missing, and builds.
# shellcheck shell=bash

topo_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

setup_say() { printf "%s: %s\n" "${0##*/}" "$*" >&2; }

setup_has() { command -v "$1" >/dev/null 2>&1; }
setup_has_header() { setup_has cc && printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }
setup_has_package() { setup_has pkg-config && pkg-config --exists "$1"; }
# Debian's mpi4py belongs to Debian's Python, which need not be the first in PATH.
setup_has_mpi4py() { python3 -c 'import mpi4py' >/dev/null 2>&1 || /usr/bin/python3 -c 'import mpi4py' >/dev/null 2>&1; }
setup_has_pip() { python3 -m pip --version >/dev/null 2>&1; }
setup_has_venv() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }

# Its mpicc and mpirun stay beside Open MPI's, which the system's alternatives prefer. The first includes no header by itself.
setup_has_mpich() { setup_has mpicc.mpich && printf '#include <mpi.h>\n' | mpicc.mpich -E -x c - >/dev/null 2>&1; }

# shellcheck disable=SC2034
# Debian package, then the command that succeeds when what it holds is there, wherever it came from.
setup_build_needs='
gcc              setup_has cc
libc6-dev        setup_has_header stdio.h
make             setup_has make
autoconf         setup_has autoreconf
automake         setup_has automake
libtool          setup_has libtoolize
pkg-config       setup_has pkg-config
libopenmpi-dev   setup_has mpicc
openmpi-bin      setup_has mpirun
libhwloc-dev     setup_has_package hwloc
libmetis-dev     setup_has_header metis.h
libjansson-dev   setup_has_package jansson'
# shellcheck disable=SC2034
setup_test_needs='
check            setup_has_package check
g++              setup_has c++
gfortran         setup_has gfortran
python3          setup_has python3
gnuplot-nox      setup_has gnuplot
graphviz         setup_has dot
python3-mpi4py   setup_has_mpi4py
python3-pip      setup_has_pip
python3-venv     setup_has_venv
patchelf         setup_has patchelf
valgrind         setup_has valgrind
mpich            setup_has mpiexec.mpich
libmpich-dev     setup_has_mpich
libsimgrid-dev   setup_has smpirun'
# shellcheck disable=SC2034
setup_cluster_needs='
iproute2         setup_has tc
util-linux       setup_has unshare'

# setup_missing NEEDS: the packages whose command fails.
setup_missing() {
    local package test
    while read -r package test; do
        # shellcheck disable=SC2086
        [ -z "$package" ] || $test || printf '%s ' "$package"
    done <<<"$1"
}

# setup_install NEEDS: installs what is missing with apt when it may; otherwise says what is missing and fails.
setup_install() {
    local missing root=() packages
    missing=$(setup_missing "$1")
    [ -n "$missing" ] || return 0
    read -ra packages <<<"$missing"
    if ! setup_has apt-get; then
        setup_say "missing, and there is no apt-get to install it; the names are Debian's: $missing"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! { setup_has sudo && sudo -n true 2>/dev/null; }; then
            setup_say "missing, and only root may install it. Run: sudo apt-get install $missing"
            return 1
        fi
        root=(sudo -n)
    fi
    setup_say "installing $missing"
    if ! { "${root[@]}" apt-get -q update &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${packages[@]}"; } \
        </dev/null >"$topo_root/setup.log" 2>&1; then
        tail -n 30 "$topo_root/setup.log" >&2
        setup_say "apt-get could not install: $missing"
        return 1
    fi
    missing=$(setup_missing "$1")
    [ -z "$missing" ] || setup_say "still missing after the installation: $missing"
}

# setup_do WHAT COMMAND...: quietly; the end of its output when it fails.
setup_do() {
    local what=$1
    shift
    "$@" >"$topo_root/setup.log" 2>&1 && return
    tail -n 40 "$topo_root/setup.log" >&2
    setup_say "$what failed; setup.log has all of its output"
    return 1
}

# setup_configure [CONFIGURE ARGUMENT...]: configures where that was not done yet, or arguments are given; again, with the
# arguments of last time, where something has come or gone since: what configure decides follows what is there now.
setup_configure() {
    local missing known=configured-without
    missing=$(setup_missing "$setup_build_needs$setup_test_needs")
    if [ ! -e Makefile ] || [ $# -gt 0 ]; then
        setup_do configure ./configure -q "$@" || return 1
    elif [ "$(cat $known 2>/dev/null || echo unknown)" != "$missing" ]; then
        setup_do configure ./config.status -q --recheck && setup_do configure ./config.status -q || return 1
    fi
    echo "$missing" >$known
}

# setup_build [CONFIGURE ARGUMENT...]: builds in the source tree.
setup_build() {
    cd "$topo_root" || return 1
    setup_say 'building'
    if [ ! -e configure ] || [ configure.ac -nt configure ]; then
        setup_do autoreconf autoreconf -i || return 1
    fi
    setup_configure "$@" || return 1
    setup_do make make -s -j"$(nproc 2>/dev/null || echo 2)"
}
