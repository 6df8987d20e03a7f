"""Start-up: importing, and from a new process to the first prediction on a file."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import heading

import tallylearn as tl
from tallylearn.sources.example_tables import text_of

ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def seconds(code: str, repeat: int = 7) -> float:
    """The best time of a new process that runs some code."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    tl.example("tennis")  # bytecode is compiled from here on
    path = Path(tempfile.mkdtemp()) / "tennis.csv"
    path.write_text(text_of("tennis"))
    bare = seconds("pass")
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    learn = f"tl.NaiveBayes().fit({str(path)!r}, 'PlayTennis').predict({row!r})"
    heading("start-up, beyond an empty Python process")
    for title, code, bar in (
        ("import tallylearn", "import tallylearn", "bar 30 ms"),
        ("import to first prediction, a file", f"import tallylearn as tl; {learn}", "bar 500 ms"),
        ("import sklearn.naive_bayes", "import sklearn.naive_bayes", ""),
    ):
        print(f"{title:<40}{(seconds(code) - bare) * 1e3:7.1f} ms   {bar}")
