# Spack recipe: copy into a repository as packages/topompi/package.py (packaging/README).
from spack.package import *

try:  # from Spack 1.0 on, build systems are part of the repository of packages
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass


class Topompi(AutotoolsPackage):
    """Collective operations of MPI that follow the machine, preloaded under unmodified programs."""

    homepage = "https://example.org/topompi"
    git = "https://example.org/topompi.git"  # where the site keeps the source

    license("BSD-3-Clause")

    version("main", branch="main")
    version("1.0.0", tag="v1.0.0")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hwloc@2:")
    depends_on("metis@5:")
    depends_on("jansson@2.7:")
    depends_on("python@3:", type="run")
    # The core is that of this MPI's family (and that of MPI 5's standard ABI, which needs none); others can be added by
    # `make install-core`.
    requires(
        "^[virtuals=mpi] openmpi@4:",
        "^[virtuals=mpi] mpich@3.4:",
        "^[virtuals=mpi] mvapich",
        "^[virtuals=mpi] intel-oneapi-mpi",
        "^[virtuals=mpi] cray-mpich",
        policy="one_of",
    )

    def configure_args(self):
        return [f"MPICC={self.spec['mpi'].mpicc}"]

    def setup_run_environment(self, env):
        env.set("TOPOMPI_ROOT", self.prefix)
