"""Forests from the command line, and what Ctrl-C leaves behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn.cli import main


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 120), "town": rng.choice([*"abc"], 120)})
    frame["bought"] = np.where(frame["age"] + 9 * (frame["town"] == "a") > 50, "yes", "no")
    frame["spent"] = frame["age"] * 1.5 + rng.normal(size=120)
    frame.to_csv(tmp_path / "shop.csv", index=False)
    return tmp_path / "shop.csv"


@pytest.mark.parametrize(
    ("target", "more", "learner"),
    [
        ("bought", [], "RandomForestClassifier"),
        ("spent", [], "RandomForestRegressor"),
        ("age", ["--set", "task=regression"], "RandomForestRegressor"),
    ],
)
def test_the_command_grows_the_forest_of_the_library(
    table: Path, target: str, more: list[str], learner: str
) -> None:
    out = table.with_name("shop.tally")
    asked = ["learn", str(table), "--target", target, "--model", "forest", "-o", str(out)]
    ran = CliRunner().invoke(main, [*asked, "--set", "n_estimators=9", *more])
    assert ran.exit_code == 0, ran.output
    found = tl.load(out)
    assert type(found).__name__ == learner
    assert len(found.model_) == 9
    frame = pd.read_csv(table)
    again = getattr(tl, learner)(9).fit(frame, target)
    assert found.predict(frame).tolist() == again.predict(frame).tolist()


def interrupted(code: str) -> tuple[int, str, str]:
    """A child that says "ready" when a tree grows, and is sent SIGINT then."""
    spied = (
        "from tallylearn.models.forests import forest_grower\n"
        "grow = forest_grower.ForestGrower.grow\n"
        "def grown(self, numbers):\n"
        "    if 2000 in numbers: print('ready', flush=True)\n"
        "    return grow(self, numbers)\n"
        "forest_grower.ForestGrower.grow = grown\n"
    )
    run: Any = subprocess.Popen(
        [sys.executable, "-c", spied + code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with run:
        assert run.stdout.readline() == "ready\n", run.stderr.read()
        run.send_signal(signal.SIGINT)
        told, said = run.communicate(timeout=120)
    return run.returncode, told, said


def test_control_c_ends_the_command_with_130_and_writes_no_file(table: Path) -> None:
    out = table.with_name("shop.tally")
    asked = ["learn", str(table), "--target", "bought", "--model", "forest", "-o", str(out),
             "--set", "n_estimators=1000000"]  # fmt: skip
    ended, _, said = interrupted(f"from tallylearn.cli import main\nmain({asked})\n")
    assert ended == 130
    assert "Traceback" not in said
    assert sorted(path.name for path in table.parent.iterdir()) == ["shop.csv"]


def test_control_c_leaves_the_forest_that_was_there(table: Path) -> None:
    ended, told, said = interrupted(
        f"import tallylearn as tl, pandas as pd\n"
        f"frame = pd.read_csv({str(table)!r})\n"
        "forest = tl.RandomForestClassifier(3).fit(frame, 'bought')\n"
        "before, params = forest.predict_proba(frame), forest.get_params()\n"
        "try:\n"
        "    forest.set_params(n_estimators=1000000).fit(frame[:99], 'bought')\n"
        "except KeyboardInterrupt:\n"
        "    same = (forest.predict_proba(frame) == before).all()\n"
        "    print('interrupted', len(forest.model_), forest.model_.rows, same, flush=True)\n"
    )
    assert (ended, said) == (0, "")
    assert told.split() == ["interrupted", "3", "120", "True"]


def test_what_a_model_stands_for_is_told_with_its_article(table: Path) -> None:
    asked = ["learn", str(table), "--target", "spent", "--model", "extra-trees", "--no-save"]
    ran = CliRunner().invoke(main, [*asked, "--set", "n_estimators=2"])
    assert "--model extra-trees is ExtraTreesRegressor: spent has" in ran.output
