"""stub_spack.py RECIPE VARIANTS PREFIX - as much of Spack as a recipe for CMake uses, on this machine.

Prints, one a line, the arguments of CMake with these variants, such as +mpi~cuda: those that Spack gives
itself and those of the recipe. On standard error, it prints what the recipe depends on.
"""

import re
import shutil
import sys
import types


class Dependency:
    """What a recipe reads of the MPI that it depends on: here, Open MPI."""

    name = "openmpi"
    mpicc = shutil.which("mpicc.openmpi") or shutil.which("mpicc")


class Spec:
    """The variants that were chosen."""

    def __init__(self, text: str):
        self.text = text

    def satisfies(self, what: str) -> bool:
        if not re.fullmatch("[+~][a-z]+", what):
            raise ValueError(f"{what} is no variant")
        return what in self.text

    def __getitem__(self, name: str) -> Dependency:
        if name not in needed(self):
            raise KeyError(f"{name} is not a dependency of {self.text}")
        return Dependency()


class CMakePackage:
    """What a package for CMake inherits."""

    def __init__(self, spec: Spec, prefix: str):
        self.spec, self.prefix = spec, prefix

    @staticmethod
    def define(name: str, value) -> str:
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value}"

    def define_from_variant(self, name: str, variant: str) -> str:
        if variant not in variants:
            raise KeyError(f"{variant} is not a variant")
        return self.define(name, self.spec.satisfies(f"+{variant}"))

    def arguments(self) -> list:
        given = {"CMAKE_INSTALL_PREFIX": self.prefix, "CMAKE_BUILD_TYPE": "Release"}
        return [self.define(name, value) for name, value in given.items()] + self.cmake_args()


variants, dependencies = set(), []


def needed(spec: Spec) -> list:
    return [name for name, when in dependencies if when is None or spec.satisfies(when)]


def variant(name: str, default: bool, description: str):
    variants.add(name)


def depends_on(spec: str, when=None, type=("build", "link")):
    if when is not None and when[1:] not in variants:
        raise KeyError(f"{when} is not a variant")
    dependencies.append((re.match("[a-z0-9-]+", spec)[0], when))


def load(path: str) -> type:
    """Executes a recipe, and returns its class."""
    module = types.ModuleType("spack.package")
    for name in (CMakePackage, variant, depends_on):
        setattr(module, name.__name__, name)
    module.license = lambda identifier: None
    module.version = lambda text, sha256: None
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    names = {"__file__": path}
    with open(path, encoding="utf-8") as recipe:
        exec(compile(recipe.read(), path, "exec"), names)
    return names["Sectile"]


def main():
    recipe = load(sys.argv[1])
    spec = Spec(sys.argv[2])
    print("\n".join(recipe(spec, sys.argv[3]).arguments()))
    print(f"{sys.argv[2]} depends on {', '.join(needed(spec))}", file=sys.stderr)


main()
