"""The command ``tally describe``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import tallylearn as tl
from tallylearn.cli import main
from tallylearn.sources.example_tables import text_of

rng = np.random.default_rng(0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("tennis.csv").write_text(text_of("tennis-day"))
    frame = pd.DataFrame({"x": rng.normal(size=300), "c": rng.choice(["u", "v"], 300)})
    frame.to_parquet("rows.parquet")
    frame.assign(x=frame.x + 1).to_parquet("later.parquet")
    return tmp_path


def tally(*args: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["describe", *args])
    assert result.exit_code == code, result.output
    return result


def test_a_file_is_described_with_every_column(folder: Path) -> None:
    said = tally("tennis.csv", "--target", "PlayTennis").stdout
    assert "tennis.csv: 14 rows, 6 columns" in said
    assert "What columns say of PlayTennis" in said
    assert "Day" in said  # no column is left out, identifiers neither
    assert "0.247" in said  # the gain of Outlook
    assert said == f"{tl.describe('tennis.csv', 'PlayTennis')}\n"


def test_json_is_what_the_library_gives(folder: Path) -> None:
    data = json.loads(tally("rows.parquet", "--json", "--threads", "1").stdout)
    assert data == tl.describe("rows.parquet").to_dict()


@pytest.mark.parametrize("option", ["-o", "--output", "--html"])
def test_a_report_is_written_and_nothing_is_replaced_without_force(
    folder: Path, option: str
) -> None:
    said = tally("rows.parquet", option, "found.html")
    assert "tally: wrote found.html." in said.stderr
    page = Path("found.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 2
    Path("found.html").write_text("mine")
    assert "already exists" in tally("rows.parquet", option, "found.html", code=1).stderr
    assert Path("found.html").read_text() == "mine"
    tally("rows.parquet", option, "found.html", "--force")
    assert Path("found.html").read_text() == page
    assert "is an input" in tally("rows.parquet", option, "rows.parquet", "--force", code=1).stderr
    assert (
        "'found.pdf' has no known ending"
        in tally("rows.parquet", option, "found.pdf", code=1).stderr
    )


def test_two_tables_are_compared(folder: Path) -> None:
    said = tally("rows.parquet", "--against", "later.parquet").stdout
    assert "rows.parquet → later.parquet: 300 → 300 rows" in said
    data = json.loads(tally("rows.parquet", "--against", "later.parquet", "--json").stdout)
    first = data["changes"][0]
    assert (first["column"], first["test"]) == ("x", "Kolmogorov-Smirnov")
    assert first["holm"] < 1e-9
    both = tally("rows.parquet", "--against", "later.parquet", "--target", "c", code=2)
    assert "--target and --against exclude each other" in both.stderr


def test_the_options_of_reading_hold(folder: Path) -> None:
    Path("odd.csv").write_text("a;w\n1,5;2\n-9;1\n")
    data = json.loads(tally("odd.csv", "--json", "--decimal", ",", "--missing", "-9").stdout)
    assert data["columns"][0]["mean"] == 1.5
    assert data["columns"][0]["missing"] == 1
    data = json.loads(tally("odd.csv", "--json", "--decimal", ",", "--weight", "w").stdout)
    assert data["weight"] == 3
    assert data["columns"][0]["mean"] == -2


def test_what_is_wrong_is_said_in_one_sentence(folder: Path) -> None:
    assert tally("rows.parquet", "--target", "q", code=1).stderr == (
        "tally: describe: --target: the table has no column 'q'. It has 'x', 'c'.\n"
    )
    assert "nothing.csv" in tally("nothing.csv", code=1).stderr
