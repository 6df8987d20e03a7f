"""The figures of the pages on the notes are current, small and shown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.note_figures import FIGURES, FOLDER
from tests.test_note_pages import FOUND, PICTURE, text_of

MAX_BYTES = 30_000
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
TOLERANCE = 1.0  # pixels: other processors round otherwise


def numbers(svg: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(svg)]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_what_its_function_draws(name: str) -> None:
    stored = (FOLDER / f"{name}.svg").read_text("utf-8")
    drawn = FIGURES[name]().svg
    assert NUMBER.sub("0", stored) == NUMBER.sub("0", drawn), "run: python -m tests.note_figures"
    assert np.allclose(numbers(stored), numbers(drawn), rtol=0, atol=TOLERANCE)
    assert len(drawn.encode()) < MAX_BYTES


def test_every_figure_is_shown_and_every_picture_is_a_figure() -> None:
    shown = {name for note in FOUND["sections"] for _, name in PICTURE.findall(text_of(note))}
    assert shown == {*FIGURES} == {path.stem for path in Path(FOLDER).iterdir()}


def test_a_changed_number_is_seen() -> None:
    svg = (FOLDER / "sigmoid.svg").read_text("utf-8")
    moved = re.sub(
        r'points="([\d.]+)', lambda found: f'points="{float(found[1]) + 5}', svg, count=1
    )
    assert NUMBER.sub("0", svg) == NUMBER.sub("0", moved)
    assert not np.allclose(numbers(svg), numbers(moved), rtol=0, atol=TOLERANCE)
