"""Exercises on decision and regression trees: impurities, gains and pruning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

from tallylearn.calculations.calculation import formula
from tallylearn.calculations.impurity import (
    entropy,
    gain_ratio,
    gini,
    information_gain,
    standard_deviation_reduction,
)
from tallylearn.exercises.exercise import Data, ExerciseKind, ExerciseStep
from tallylearn.workings import Derivation, Grid, Sentence

NATURAL = "natural logarithm used in place of log2"
DECIMAL = "logarithm to base 10 used in place of log2"
UNWEIGHTED = "parts not weighted by their number of rows"
REMAINDER = "the remainder is not subtracted from the entropy of all rows"
ATTRIBUTES = {
    "Wind": ("Weak", "Strong"),
    "Outlook": ("Sunny", "Overcast", "Rain"),
    "Humidity": ("High", "Normal"),
    "Price": ("low", "middle", "high"),
    "Alternate": ("Yes", "No"),
}


def bits(counts: Sequence[float]) -> float:
    """Entropy of counts."""
    total = sum(counts)
    return 0.0 - sum(n / total * math.log2(n / total) for n in counts if n)


def gini_of(counts: Sequence[float]) -> float:
    """Gini impurity of counts."""
    return 1 - sum((n / sum(counts)) ** 2 for n in counts)


def _draw_counts(random: Random) -> dict[str, Any]:
    return {"positive": random.randint(1, 9), "negative": random.randint(1, 9)}


def _entropy_question(data: Data) -> tuple[Sentence, ...]:
    rows = f"{data['positive']} positive and {data['negative']} negative rows"
    return (Sentence(f"S has {rows}. What is its entropy?"),)


def _entropy_steps(data: Data) -> tuple[ExerciseStep, ...]:
    counts = (data["positive"], data["negative"])
    share = Fraction(counts[0], sum(counts))
    return (
        ExerciseStep(
            "p",
            "share of the positive rows",
            lambda v: share,
            {
                "positive rows divided by negative rows": lambda v: Fraction(*counts),
                "share of the negative rows": lambda v: 1 - share,
            },
        ),
        ExerciseStep(
            "entropy",
            "Entropy(S) in bits",
            lambda v: bits((float(v["p"]), 1 - float(v["p"]))) if 0 <= v["p"] <= 1 else 0.0,
            {
                NATURAL: lambda v: math.log(2) * bits(counts),
                DECIMAL: lambda v: math.log10(2) * bits(counts),
                "only the term of the positive rows": lambda v: -float(share) * math.log2(share),
                "minus sign left out": lambda v: -bits(counts),
            },
        ),
    )


ENTROPY = ExerciseKind(
    name="entropy",
    title="Entropy of a set of rows",
    draw=_draw_counts,
    question=_entropy_question,
    steps=_entropy_steps,
    work=lambda data: entropy([data["positive"], data["negative"]]),
)


def _draw_parts(random: Random) -> dict[str, Any]:
    """An attribute with two or three values, and 8 to 14 rows of two classes."""
    name = random.choice(sorted(ATTRIBUTES))
    counts = {value: [random.randint(0, 4), random.randint(0, 4)] for value in ATTRIBUTES[name]}
    rows = [
        (value, label)
        for value, pair in counts.items()
        for label, n in zip(("yes", "no"), pair, strict=True)
        for _ in range(n)
    ]
    random.shuffle(rows)
    return {"attribute": name, "counts": counts, "rows": rows}


def _usable(data: Data) -> bool:
    sizes = [sum(pair) for pair in data["counts"].values()]
    return 8 <= sum(sizes) <= 14 and all(sizes) and len({*sizes}) > 1


def _drawn_parts(random: Random) -> dict[str, Any]:
    while not _usable(data := _draw_parts(random)):
        pass
    return data


def _rows_question(what: str) -> Any:
    def question(data: Data) -> tuple[Grid | Sentence, ...]:
        cells = tuple((str(i + 1), *row) for i, row in enumerate(data["rows"]))
        grid = Grid("S", ("row", data["attribute"], "class"), cells)
        return (Sentence(what.format(name=data["attribute"])), grid)

    return question


def _table(data: Data) -> dict[str, list[str]]:
    values, labels = zip(*data["rows"], strict=True)
    return {data["attribute"]: [*values], "class": [*labels]}


def _total(data: Data) -> list[int]:
    return [sum(pair[at] for pair in data["counts"].values()) for at in (0, 1)]


def _remainder(v: Data, data: Data, prefix: str) -> float:
    rows = sum(_total(data))
    parts = data["counts"].items()
    return math.fsum(sum(pair) / rows * float(v[f"{prefix}_{x}"]) for x, pair in parts)


def _mean_part(v: Data, data: Data, prefix: str) -> float:
    found = [float(v[f"{prefix}_{value}"]) for value in data["counts"]]
    return sum(found) / len(found)


def _impurity_steps(
    data: Data, prefix: str, name: str, measure: Any, mistakes: dict[str, Any]
) -> list[ExerciseStep]:
    """The impurity of all rows and of every part."""
    steps = []
    for label, counts in (("S", _total(data)), *data["counts"].items()):
        if label == "S" or all(counts):
            wrong = {text: (lambda v, c=counts, f=made: f(c)) for text, made in mistakes.items()}
        else:  # the mistakes give 0 too
            wrong = {}
        steps.append(
            ExerciseStep(
                f"{prefix}_{label}", f"{name}({label})", lambda v, c=counts: measure(c), wrong
            )
        )
    return steps


def _gain_steps(data: Data) -> tuple[ExerciseStep, ...]:
    name = data["attribute"]
    logs = {
        NATURAL: lambda c: math.log(2) * bits(c),
        DECIMAL: lambda c: math.log10(2) * bits(c),
    }
    return (
        *_impurity_steps(data, "entropy", "Entropy", bits, logs),
        ExerciseStep(
            "gain",
            f"Gain(S, {name})",
            lambda v: float(v["entropy_S"]) - _remainder(v, data, "entropy"),
            {
                UNWEIGHTED: lambda v: float(v["entropy_S"]) - _mean_part(v, data, "entropy"),
                REMAINDER: lambda v: _remainder(v, data, "entropy"),
            },
        ),
    )


INFORMATION_GAIN = ExerciseKind(
    name="information-gain",
    title="Information gain of an attribute",
    draw=_drawn_parts,
    question=_rows_question("What is the information gain of {name}? Logarithms are to base 2."),
    steps=_gain_steps,
    work=lambda data: information_gain(_table(data), data["attribute"], "class"),
)


def _ratio_steps(data: Data) -> tuple[ExerciseStep, ...]:
    name = data["attribute"]
    sizes = [sum(pair) for pair in data["counts"].values()]
    total = _total(data)
    parts = [bits(pair) for pair in data["counts"].values()]
    rows = sum(sizes)
    gain = bits(total) - sum(n / rows * h for n, h in zip(sizes, parts, strict=True))
    return (
        ExerciseStep(
            "gain",
            f"Gain(S, {name})",
            lambda v: gain,
            {
                UNWEIGHTED: lambda v: bits(total) - sum(parts) / len(parts),
                REMAINDER: lambda v: bits(total) - gain,
            },
        ),
        ExerciseStep(
            "split_information",
            f"SplitInformation(S, {name})",
            lambda v: bits(sizes),
            {
                "split information of the classes in place of the parts": lambda v: bits(total),
                "split information with the natural logarithm": lambda v: math.log(2) * bits(sizes),
            },
        ),
        ExerciseStep(
            "gain_ratio",
            f"GainRatio(S, {name})",
            lambda v: float(v["gain"]) / float(v["split_information"]),
            {
                "gain multiplied by the split information": lambda v: (
                    float(v["gain"]) * float(v["split_information"])
                ),
                "ratio inverted": lambda v: (
                    float(v["split_information"]) / (float(v["gain"]) or math.inf)
                ),
            },
        ),
    )


GAIN_RATIO = ExerciseKind(
    name="gain-ratio",
    title="Gain ratio of an attribute",
    draw=_drawn_parts,
    question=_rows_question(
        "What is the gain ratio of {name}, as in C4.5? Logarithms are to base 2."
    ),
    steps=_ratio_steps,
    work=lambda data: gain_ratio(_table(data), data["attribute"], "class"),
)


def _gini_steps(data: Data) -> tuple[ExerciseStep, ...]:
    squares = {
        "squares summed and not subtracted from 1": lambda c: 1 - gini_of(c),
        "entropy used in place of the Gini impurity": bits,
    }
    return (
        *_impurity_steps(data, "gini", "Gini", gini_of, squares),
        ExerciseStep(
            "gain",
            f"decrease of the Gini impurity by {data['attribute']}",
            lambda v: float(v["gini_S"]) - _remainder(v, data, "gini"),
            {
                UNWEIGHTED: lambda v: float(v["gini_S"]) - _mean_part(v, data, "gini"),
                "the remainder is not subtracted from the impurity of all rows": lambda v: (
                    _remainder(v, data, "gini")
                ),
            },
        ),
    )


def _gini_work(data: Data) -> Derivation:
    whole, rows = _total(data), sum(_total(data))
    parts = [*data["counts"].items()]
    after = sum(sum(pair) / rows * gini_of(pair) for _, pair in parts)
    terms = " - ".join(f"{sum(pair)}/{rows} · {gini_of(pair):.4g}" for _, pair in parts)
    shown = [gini(whole), *(gini(pair) for _, pair in parts)]
    text = f"decrease = {gini_of(whole):.4g} - {terms} = {gini_of(whole) - after:.4g}"
    return Derivation("Gini", (*(s for one in shown for s in one.show_work().steps), formula(text)))


GINI = ExerciseKind(
    name="gini",
    title="Decrease of the Gini impurity",
    draw=_drawn_parts,
    question=_rows_question("By how much does a split by {name} decrease the Gini impurity?"),
    steps=_gini_steps,
    work=_gini_work,
)


def _draw_sdr(random: Random) -> dict[str, Any]:
    name = random.choice(sorted(ATTRIBUTES))
    parts = {
        value: [random.randint(1, 12) for _ in range(random.randint(2, 4))]
        for value in ATTRIBUTES[name][:2]
    }
    return {"attribute": name, "parts": parts}


def _sd(values: Sequence[float], divisor: int = 0) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((y - mean) ** 2 for y in values) / (len(values) - divisor))


def _sdr_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple((value, str(y)) for value, ys in data["parts"].items() for y in ys)
    name = data["attribute"]
    text = f"What is the standard deviation reduction of {name}? Divide by the number of rows."
    return (Sentence(text), Grid("T", (name, "y"), cells))


def _sdr_steps(data: Data) -> tuple[ExerciseStep, ...]:
    every = [y for ys in data["parts"].values() for y in ys]
    steps = [
        ExerciseStep(
            f"sd_{label}",
            f"standard deviation of {label}",
            lambda v, ys=ys: _sd(ys),
            {
                "divisor n - 1 in place of n": lambda v, ys=ys: _sd(ys, 1),
                "variance in place of the standard deviation": lambda v, ys=ys: _sd(ys) ** 2,
            }
            if label == "T"
            else {},
        )
        for label, ys in (("T", every), *data["parts"].items())
    ]
    sizes = {value: len(ys) / len(every) for value, ys in data["parts"].items()}
    last = ExerciseStep(
        "sdr",
        f"SDR(T, {data['attribute']})",
        lambda v: float(v["sd_T"]) - sum(w * float(v[f"sd_{x}"]) for x, w in sizes.items()),
        {
            UNWEIGHTED: lambda v: (
                float(v["sd_T"]) - sum(float(v[f"sd_{x}"]) for x in sizes) / len(sizes)
            ),
            "the remainder is not subtracted from the deviation of all rows": lambda v: sum(
                w * float(v[f"sd_{x}"]) for x, w in sizes.items()
            ),
        },
    )
    return (*steps, last)


def _sdr_work(data: Data) -> Any:
    pairs = [(value, float(y)) for value, ys in data["parts"].items() for y in ys]
    table = {data["attribute"]: [value for value, _ in pairs], "y": [y for _, y in pairs]}
    return standard_deviation_reduction(table, data["attribute"], "y")


SDR = ExerciseKind(
    name="sdr",
    title="Standard deviation reduction of an attribute",
    draw=_draw_sdr,
    question=_sdr_question,
    steps=_sdr_steps,
    work=_sdr_work,
)


def _draw_pruning(random: Random) -> dict[str, Any]:
    """A node with two leaves: counts of + and - in each, in training and validation rows."""
    while True:
        pairs = [(random.randint(0, 6), random.randint(0, 6)) for _ in range(4)]
        train, valid = pairs[:2], pairs[2:]
        whole = [train[0][at] + train[1][at] for at in (0, 1)]
        tied = any(a == b for a, b in train) or whole[0] == whole[1]
        if not tied and all(sum(pair) > 1 for pair in pairs):
            return {"train": train, "valid": valid}


def _wrong(counts: Sequence[int], decided: Sequence[int]) -> int:
    """Rows of the class that the leaf does not predict."""
    return counts[1] if decided[0] > decided[1] else counts[0]


def _pruning_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple(
        (f"leaf {at + 1}", str(t[0]), str(t[1]), str(v[0]), str(v[1]))
        for at, (t, v) in enumerate(zip(data["train"], data["valid"], strict=True))
    )
    header = ("", "training +", "training -", "validation +", "validation -")
    text = (
        "A node splits its rows into two leaves. Reduced-error pruning replaces the node by a leaf "
        "if that makes no more errors on the validation rows. Is the node pruned (yes or no)?"
    )
    return (Sentence(text), Grid("rows of the node", header, cells))


def _pruning_steps(data: Data) -> tuple[ExerciseStep, ...]:
    train, valid = data["train"], data["valid"]
    whole = [train[0][at] + train[1][at] for at in (0, 1)]
    tested = [valid[0][at] + valid[1][at] for at in (0, 1)]
    return (
        ExerciseStep(
            "errors_subtree",
            "validation errors of the two leaves",
            lambda v: sum(_wrong(c, t) for c, t in zip(valid, train, strict=True)),
            {
                "training rows counted in place of validation rows": lambda v: sum(
                    _wrong(c, c) for c in train
                ),
                "leaves predict the majority of the validation rows": lambda v: sum(
                    min(c) for c in valid
                ),
            },
            0,
        ),
        ExerciseStep(
            "errors_leaf",
            "validation errors if the node is a leaf",
            lambda v: _wrong(tested, whole),
            {
                "majority class taken from the validation rows": lambda v: min(tested),
                "training errors of the leaf": lambda v: min(whole),
            },
            0,
        ),
        ExerciseStep(
            "pruned",
            "is the node pruned?",
            lambda v: "yes" if v["errors_leaf"] <= v["errors_subtree"] else "no",
            {
                "decision reversed: prune if the leaf makes no more errors": lambda v: (
                    "no" if v["errors_leaf"] <= v["errors_subtree"] else "yes"
                )
            },
        ),
    )


def _pruning_work(data: Data) -> Derivation:
    train, valid = data["train"], data["valid"]
    whole = [train[0][at] + train[1][at] for at in (0, 1)]
    tested = [valid[0][at] + valid[1][at] for at in (0, 1)]
    lines = [
        Sentence(
            f"Leaf {at + 1} predicts {'+' if t[0] > t[1] else '-'} ({t[0]} + and {t[1]} - in "
            f"training): {_wrong(c, t)} of its {sum(c)} validation rows are wrong."
        )
        for at, (t, c) in enumerate(zip(train, valid, strict=True))
    ]
    before, after = sum(map(_wrong, valid, train)), _wrong(tested, whole)
    sign = "+" if whole[0] > whole[1] else "-"
    lines.append(
        Sentence(
            f"As a leaf the node predicts {sign} ({whole[0]} + and {whole[1]} -): {after} of "
            f"{sum(tested)} validation rows are wrong."
        )
    )
    word = "no more than" if after <= before else "more than"
    done = "pruned" if after <= before else "kept"
    lines.append(Sentence(f"{after} errors are {word} {before}, so the node is {done}."))
    return Derivation("Reduced-error pruning", tuple(lines))


PRUNING = ExerciseKind(
    name="reduced-error-pruning",
    title="Pruning a node by its validation errors",
    draw=_draw_pruning,
    question=_pruning_question,
    steps=_pruning_steps,
    work=_pruning_work,
)

KINDS = (ENTROPY, INFORMATION_GAIN, GAIN_RATIO, GINI, SDR, PRUNING)
