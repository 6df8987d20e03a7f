"""Run the tests that calculate as if on other processors: other BLAS kernels, narrower vectors.

OpenBLAS takes the kernels of the processor that OPENBLAS_CORETYPE names, NumPy leaves the vector
instructions alone that NPY_DISABLE_CPU_FEATURES names. `make processors` runs this file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

CORES = {  # what to ask for: what OpenBLAS may answer, by its version, and how it was built
    "Haswell": ("Haswell",),
    "SkylakeX": ("SkylakeX",),
    "Zen": ("Zen", "Haswell"),
    "Nehalem": ("Nehalem",),
    "Prescott": ("Prescott", "Katmai"),
}
WIDE = {"AVX512F", "AVX512_SKX", "X86_V4"}  # what SkylakeX asks of a processor
ASK = """
import json, numpy, threadpoolctl
simd = numpy.show_config(mode="dicts").get("SIMD Extensions", {})
blas = [library["architecture"] for library in threadpoolctl.threadpool_info()
        if library["internal_api"] == "openblas"]
print(json.dumps([blas, simd.get("found", [])]))
"""
CALCULATING = [
    "tests", "README.md", "--ignore=tests/sources", "--ignore=tests/examples",
    "--ignore=tests/cli/test_cli.py", "--ignore=tests/test_docs.py",
    "--ignore=tests/reporting/test_charts.py", "--ignore=tests/test_exports.py",
    "--ignore=tests/hostile",
]  # fmt: skip


def told(variables: dict[str, str]) -> tuple[list[str], list[str]]:
    """The kernels of BLAS, and the vector instructions of NumPy beyond the least."""
    environment = {**os.environ, **variables}
    command = [sys.executable, "-W", "ignore", "-c", ASK]
    blas, found = json.loads(subprocess.check_output(command, env=environment, text=True))
    return blas, found


def tested(variables: dict[str, str], arguments: list[str]) -> bool:
    """Whether the tests pass."""
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", *(arguments or CALCULATING)]
    return subprocess.run(command, env={**os.environ, **variables}, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    """Every processor in turn; 1 where a test fails, or OpenBLAS does not do as it is told."""
    blas, wide = told({})
    if not blas:
        print("processors: NumPy has no OpenBLAS here, so there are no other kernels to ask for.")
        return 1
    kinds = [{"OPENBLAS_CORETYPE": core} for core in CORES if core != "SkylakeX" or WIDE & {*wide}]
    kinds.append({"NPY_DISABLE_CPU_FEATURES": " ".join(wide)})
    kinds.append({"OPENBLAS_CORETYPE": "Prescott", **kinds[-1], "OPENBLAS_NUM_THREADS": "3"})
    failed: list[dict[str, str]] = []
    seen: list[object] = [(blas, wide, None)]  # as it is: that is `make test`
    for variables in kinds:
        kernels, vectors = told(variables)
        asked = CORES.get(variables.get("OPENBLAS_CORETYPE", ""), tuple(kernels))
        print(f"{variables}: BLAS {kernels}, vectors {vectors}", flush=True)
        obeyed = {*kernels} <= {*asked} and (not vectors or "NPY_DISABLE" not in str(variables))
        same = (kernels, vectors, variables.get("OPENBLAS_NUM_THREADS"))
        if not obeyed or (same not in seen and not tested(variables, arguments)):
            failed.append(variables)
        seen.append(same)
    print(f"processors: {len(kinds) - len(failed)} of {len(kinds)} pass.", *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
