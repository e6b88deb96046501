"""Reads packaging/spack/package.py as Spack does: its directives take what these here take, which have the parameters of
Spack 0.23's and 1.1's; build systems come from where either has them. Prints the names that it depends on.
spack_recipe.py RECIPE before-1.0|from-1.0"""
import sys
import types

depends = {}


def directive(function):
    """It must be called as it is declared; what it returns is of no use in a class."""
    return function


@directive
def version(ver, checksum=None, *, preferred=None, deprecated=None, url=None, sha256=None, git=None, commit=None, tag=None, branch=None):
    assert branch or tag or sha256, ver


@directive
def depends_on(spec, when=None, type=("build", "link"), *, patches=None):
    kinds = (type,) if isinstance(type, str) else type
    assert set(kinds) <= {"build", "link", "run", "test"}, kinds
    depends[spec.split("@")[0]] = (kinds, when)


@directive
def requires(*requirement_specs, policy="one_of", when=None, msg=None):
    assert policy in ("one_of", "any_of") and requirement_specs


@directive
def license(license_identifier, checked_by=None, when=None):
    assert license_identifier == "BSD-3-Clause"


class AutotoolsPackage:
    pass


package = types.ModuleType("spack.package")
for one in (version, depends_on, requires, license):
    setattr(package, one.__name__, one)
sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})
if sys.argv[2] == "before-1.0":
    package.AutotoolsPackage = AutotoolsPackage
else:
    names = "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems", "spack_repo.builtin.build_systems.autotools"
    sys.modules.update({name: types.ModuleType(name) for name in names})
    sys.modules[names[-1]].AutotoolsPackage = AutotoolsPackage
scope = {}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), scope)
recipe = scope["Topompi"]
assert issubclass(recipe, AutotoolsPackage)


class Environment:
    def set(self, name, value):
        assert (name, value) == ("TOPOMPI_ROOT", "/prefix")


built = recipe()
built.spec, built.prefix = {"mpi": types.SimpleNamespace(mpicc="/mpi/bin/mpicc")}, "/prefix"
assert built.configure_args() == ["MPICC=/mpi/bin/mpicc"], built.configure_args()
built.setup_run_environment(Environment())
assert depends["mpi"] == (("build", "link"), None) and depends["python"][0] == ("run",)
print(" ".join(sorted(depends)))
