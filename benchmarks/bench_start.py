"""Start-up: importing, and from a new process to the first prediction on a file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import heading

import tallylearn as tl
from tallylearn.sources.shipped import text_of


def seconds(code: str, repeat: int = 7) -> float:
    """The best time of a new process that runs some code."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    tl.example("tennis")  # bytecode is compiled from here on
    path = Path(tempfile.mkdtemp()) / "tennis.csv"
    path.write_text(text_of("tennis"))
    bare = seconds("pass")
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    first = f"import tallylearn as tl; tl.NaiveBayes().fit({str(path)!r}, 'PlayTennis').predict({row!r})"
    heading("start-up, beyond an empty Python process")
    print(
        f"import tallylearn                     {(seconds('import tallylearn') - bare) * 1e3:6.1f} ms   bar 30 ms"
    )
    print(
        f"import to first prediction, a file    {(seconds(first) - bare) * 1e3:6.1f} ms   bar 500 ms"
    )
    print(
        f"import sklearn.naive_bayes            {(seconds('import sklearn.naive_bayes') - bare) * 1e3:6.1f} ms"
    )
