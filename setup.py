"""Build the kernels: Python files that Cython compiles ahead of time."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
KERNELS = sorted(HERE.glob("src/tallylearn/kernels/**/[a-z]*.py"))
VIEWS = HERE / "src/tallylearn/kernels/views.c"  # typed views: their code, once for all kernels
CHECKED = os.environ.get("TALLY_BOUNDSCHECK") == "1"  # slower: for tests that read beyond an end
SANITIZED = os.environ.get("TALLY_SANITIZE") == "1"  # for `make soak`: run with libasan preloaded
QUIET = [] if SANITIZED else ["-g0"]  # what a debugger would read takes a fifth of the time
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
NO_COMPILER = """
tallylearn: the kernels did not compile (see above). They need a C compiler and Python's headers:
  Debian, Ubuntu   apt install gcc python3-dev
  Fedora           dnf install gcc python3-devel
  macOS            xcode-select --install
  Windows          the Build Tools for Visual Studio, workload 'C++'
"""


class BuildKernels(build_ext):
    """Compile, on all processors, or say in plain words what is missing."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self):
        try:
            super().run()
        except Exception as error:
            raise SystemExit(f"{error}\n{NO_COMPILER}") from error


def extension(path):
    """A kernel, or (a file of C that Cython writes) what kernels share."""
    name = ".".join(path.relative_to(HERE / "src").with_suffix("").parts)
    # a product and a sum that are fused are rounded once, and only on processors that can
    flags = ["-O1" if CHECKED or SANITIZED else "-O3", "-ffp-contract=off", *QUIET]
    links = SANITIZERS if SANITIZED else []
    source = str(path.relative_to(HERE))
    return Extension(name, [source], extra_compile_args=flags + links, extra_link_args=links)


setup(
    cmdclass={"build_ext": BuildKernels},
    ext_modules=cythonize(
        [extension(path) for path in (*KERNELS, VIEWS)],
        shared_utility_qualified_name="tallylearn.kernels.views",
        build_dir="build",
        nthreads=os.cpu_count() or 1,
        include_path=["src"],
        compiler_directives={
            "language_level": 3,
            "boundscheck": CHECKED,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": True,
            "show_performance_hints": False,
        },
    ),
)
