"""Exercises on evaluation: confusion, ROC, intervals, tests, sample complexity."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

from tallylearn.calculations.calculation import formula
from tallylearn.calculations.estimates import error_interval
from tallylearn.calculations.scoring import classification_report, confusion_matrix, roc_curve
from tallylearn.exercises.exercise import Data, ExerciseKind, ExerciseStep
from tallylearn.workings import Derivation, Grid, Sentence

Z_95 = 1.96
CHI2_95 = 3.84  # of one degree of freedom


def _draw_confusion(random: Random) -> dict[str, Any]:
    return {name: random.randint(1, 20) for name in ("TP", "FP", "FN", "TN")}


def _confusion_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = (
        ("true +", str(data["TP"]), str(data["FN"])),
        ("true -", str(data["FP"]), str(data["TN"])),
    )
    text = "What are accuracy, precision, recall and F1 of class +?"
    return (Sentence(text), Grid("", ("", "predicted +", "predicted -"), cells))


def _confusion_steps(data: Data) -> tuple[ExerciseStep, ...]:
    tp, fp, fn, tn = (data[name] for name in ("TP", "FP", "FN", "TN"))
    rows = tp + fp + fn + tn
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)

    def f1(v: Data) -> float:
        p, r = float(v["precision"]), float(v["recall"])
        return 2 * p * r / (p + r) if p + r else 0.0

    return (
        ExerciseStep(
            "accuracy",
            "accuracy",
            lambda v: Fraction(tp + tn, rows),
            {
                "error in place of the accuracy": lambda v: Fraction(fp + fn, rows),
                "true negatives not counted": lambda v: Fraction(tp, rows),
            },
        ),
        ExerciseStep(
            "precision",
            "precision of +",
            lambda v: precision,
            {
                "recall in place of the precision": lambda v: recall,
                "divided by all rows": lambda v: Fraction(tp, rows),
            },
        ),
        ExerciseStep(
            "recall",
            "recall of +",
            lambda v: recall,
            {"precision in place of the recall": lambda v: precision},
        ),
        ExerciseStep(
            "f1",
            "F1 of +",
            f1,
            {
                "arithmetic mean in place of the harmonic mean": lambda v: (
                    (float(v["precision"]) + float(v["recall"])) / 2
                ),
                "factor 2 left out": lambda v: f1(v) / 2,
            },
        ),
    )


def _confusion_work(data: Data) -> Any:
    pairs = (
        [("+", "+")] * data["TP"] + [("-", "+")] * data["FP"]
        + [("+", "-")] * data["FN"] + [("-", "-")] * data["TN"]
    )  # fmt: skip
    truth, predicted = [t for t, _ in pairs], [p for _, p in pairs]
    return (confusion_matrix(truth, predicted), classification_report(truth, predicted))


CONFUSION = ExerciseKind(
    name="confusion-scores",
    title="Scores of a confusion matrix",
    draw=_draw_confusion,
    question=_confusion_question,
    steps=_confusion_steps,
    work=_confusion_work,
)


def _draw_roc(random: Random) -> dict[str, Any]:
    return {
        "positive": [random.randint(2, 9) for _ in range(random.randint(3, 4))],
        "negative": [random.randint(1, 8) for _ in range(random.randint(3, 4))],
    }


def _wins(data: Data, tie: float = 0.5, reverse: bool = False) -> float:
    sign = -1 if reverse else 1
    return sum(
        1 if sign * p > sign * n else tie if p == n else 0
        for p in data["positive"]
        for n in data["negative"]
    )


def _roc_question(data: Data) -> tuple[Grid | Sentence, ...]:
    rows = tuple(
        (label, ", ".join(f"{s / 10:g}" for s in sorted(data[name], reverse=True)))
        for label, name in (("+", "positive"), ("-", "negative"))
    )
    text = (
        "The area under the ROC curve is the share of pairs of a positive and a negative row in "
        "which the positive row has the higher score; a tie counts half. How large is it?"
    )
    return (Sentence(text), Grid("scores of the rows", ("class", "scores"), rows))


def _roc_steps(data: Data) -> tuple[ExerciseStep, ...]:
    n = len(data["positive"]) + len(data["negative"])
    pairs = len(data["positive"]) * len(data["negative"])
    return (
        ExerciseStep(
            "pairs",
            "number of pairs",
            lambda v: pairs,
            {
                "all pairs of rows": lambda v: n * (n - 1) // 2,
                "rows added in place of multiplied": lambda v: n,
            },
            0,
        ),
        ExerciseStep(
            "wins",
            "pairs that the positive row wins, ties as halves",
            lambda v: _wins(data),
            {
                "ties not counted": lambda v: _wins(data, 0),
                "ties counted as wins": lambda v: _wins(data, 1),
                "pairs that the negative row wins": lambda v: _wins(data, 0.5, True),
            },
        ),
        ExerciseStep("area", "area", lambda v: float(v["wins"]) / (float(v["pairs"]) or 1.0)),
    )


def _roc_work(data: Data) -> Any:
    truth = [1] * len(data["positive"]) + [0] * len(data["negative"])
    return roc_curve(truth, [s / 10 for s in (*data["positive"], *data["negative"])])


ROC = ExerciseKind(
    name="roc-area",
    title="Area under the ROC curve",
    draw=_draw_roc,
    question=_roc_question,
    steps=_roc_steps,
    work=_roc_work,
)


def _draw_interval(random: Random) -> dict[str, Any]:
    n = random.choice((20, 25, 30, 40, 50, 100))
    return {"n": n, "errors": random.randint(n // 5, n // 2)}


def _interval_question(data: Data) -> tuple[Sentence, ...]:
    text = (
        f"A hypothesis makes {data['errors']} errors on {data['n']} test rows. What is the 95 % "
        "confidence interval of its true error (normal approximation, z = 1.96)?"
    )
    return (Sentence(text),)


def _interval_steps(data: Data) -> tuple[ExerciseStep, ...]:
    e, n = Fraction(data["errors"], data["n"]), data["n"]

    def spread(v: Data) -> float:
        return float(v["error"]) * (1 - float(v["error"]))

    return (
        ExerciseStep(
            "error",
            "sample error",
            lambda v: e,
            {"accuracy in place of the error": lambda v: 1 - e},
        ),
        ExerciseStep(
            "standard_error",
            "standard error",
            lambda v: math.sqrt(abs(spread(v)) / n),
            {
                "square root left out": lambda v: spread(v) / n,
                "not divided by n": lambda v: math.sqrt(abs(spread(v))),
            },
        ),
        ExerciseStep(
            "lower",
            "lower end",
            lambda v: float(v["error"]) - Z_95 * float(v["standard_error"]),
            {
                "z left out": lambda v: float(v["error"]) - float(v["standard_error"]),
                "z of 90 % in place of 95 %": lambda v: (
                    float(v["error"]) - 1.645 * float(v["standard_error"])
                ),
            },
        ),
        ExerciseStep(
            "upper",
            "upper end",
            lambda v: float(v["error"]) + Z_95 * float(v["standard_error"]),
            {"z left out": lambda v: float(v["error"]) + float(v["standard_error"])},
        ),
    )


INTERVAL = ExerciseKind(
    name="error-interval",
    title="Confidence interval of an error",
    draw=_draw_interval,
    question=_interval_question,
    steps=_interval_steps,
    work=lambda data: error_interval(data["errors"], data["n"]),
)


def _draw_mcnemar(random: Random) -> dict[str, Any]:
    return {"b": random.randint(2, 20), "c": random.randint(2, 20), "both": random.randint(20, 60)}


def _mcnemar_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = (
        ("only A is right", str(data["b"])),
        ("only B is right", str(data["c"])),
        ("both are right or both wrong", str(data["both"])),
    )
    text = (
        "Do the classifiers A and B differ at the 5 % level (yes or no)? Use McNemar's test with "
        "the "
        "continuity correction; the critical value of chi-square with one degree of freedom is "
        "3.84."
    )
    return (Sentence(text), Grid("", ("test rows", "number"), cells))


def _mcnemar_steps(data: Data) -> tuple[ExerciseStep, ...]:
    b, c, both = data["b"], data["c"], data["both"]
    gap = abs(b - c)
    return (
        ExerciseStep(
            "statistic",
            "(|b - c| - 1)² / (b + c)",
            lambda v: Fraction(max(gap - 1, 0) ** 2, b + c),
            {
                "continuity correction left out": lambda v: Fraction(gap**2, b + c),
                "divided by all rows": lambda v: Fraction(max(gap - 1, 0) ** 2, b + c + both),
                "difference not squared": lambda v: Fraction(max(gap - 1, 0), b + c),
            },
        ),
        ExerciseStep(
            "differ",
            "do they differ?",
            lambda v: "yes" if v["statistic"] > CHI2_95 else "no",
            {
                "decision reversed: a large statistic speaks for a difference": lambda v: (
                    "no" if v["statistic"] > CHI2_95 else "yes"
                )
            },
        ),
    )


def _mcnemar_work(data: Data) -> Derivation:
    b, c = data["b"], data["c"]
    value = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    word = "above" if value > CHI2_95 else "not above"
    return Derivation(
        "McNemar",
        (
            formula(f"statistic = (|{b} - {c}| - 1)² / ({b} + {c}) = {value:.4g}"),
            Sentence(
                f"{value:.4g} is {word} 3.84: at the 5 % level the classifiers "
                f"{'differ' if value > CHI2_95 else 'do not differ'}."
            ),
        ),
    )


MCNEMAR = ExerciseKind(
    name="mcnemar",
    title="McNemar's test of two classifiers",
    draw=_draw_mcnemar,
    question=_mcnemar_question,
    steps=_mcnemar_steps,
    work=_mcnemar_work,
)


def _draw_folds(random: Random) -> dict[str, Any]:
    return {"differences": [random.randint(-3, 8) for _ in range(random.choice((4, 5)))]}


def _spread(values: list[int], divisor: int) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((d - mean) ** 2 for d in values) / (len(values) - divisor)) or 1e-9


def _folds_question(data: Data) -> tuple[Sentence, ...]:
    text = (
        "Two learners are compared on the same folds. Their accuracies differ by "
        f"{', '.join(map(str, data['differences']))} points. What is Student's t of the mean "
        "difference?"
    )
    return (Sentence(text),)


def _folds_steps(data: Data) -> tuple[ExerciseStep, ...]:
    values = data["differences"]
    k = len(values)
    return (
        ExerciseStep("mean", "mean difference", lambda v: Fraction(sum(values), k)),
        ExerciseStep(
            "sd",
            "standard deviation (divisor k - 1)",
            lambda v: _spread(values, 1),
            {
                "divisor k in place of k - 1": lambda v: _spread(values, 0),
                "variance in place of the standard deviation": lambda v: _spread(values, 1) ** 2,
            },
        ),
        ExerciseStep(
            "t",
            "t",
            lambda v: float(v["mean"]) / (float(v["sd"]) / math.sqrt(k)),
            {
                "standard deviation not divided by the root of k": lambda v: (
                    float(v["mean"]) / float(v["sd"])
                ),
                "divided by k in place of its root": lambda v: (
                    float(v["mean"]) / (float(v["sd"]) / k)
                ),
            },
        ),
    )


def _folds_work(data: Data) -> Derivation:
    values = data["differences"]
    k, mean, sd = len(values), sum(values) / len(values), _spread(values, 1)
    return Derivation(
        "t-test over folds",
        (
            formula(f"mean = {sum(values)}/{k} = {mean:.4g}"),
            formula(f"sd = sqrt(Σ (d - {mean:.4g})² / {k - 1}) = {sd:.4g}"),
            formula(f"t = mean / (sd / sqrt({k})) = {mean / (sd / math.sqrt(k)):.4g}"),
            Sentence(f"It has {k - 1} degrees of freedom."),
        ),
    )


T_TEST = ExerciseKind(
    name="t-test-folds",
    title="A t-test over folds",
    draw=_draw_folds,
    question=_folds_question,
    steps=_folds_steps,
    work=_folds_work,
)


def _draw_complexity(random: Random) -> dict[str, Any]:
    return {
        "size": random.choice((10, 50, 100, 729, 973, 1000, 5000)),
        "epsilon": Fraction(random.choice((1, 2, 5, 10)), 100),
        "delta": Fraction(random.choice((1, 5, 10)), 100),
    }


def _complexity_question(data: Data) -> tuple[Sentence, ...]:
    text = (
        f"A hypothesis space has {data['size']:,} hypotheses. How many training rows suffice so "
        "that "
        "every consistent hypothesis has a true error of at most "
        f"{float(data['epsilon']):g} with probability {1 - float(data['delta']):g}? Use "
        "m ≥ (ln |H| + ln(1/delta)) / epsilon."
    )
    return (Sentence(text),)


def _complexity_steps(data: Data) -> tuple[ExerciseStep, ...]:
    size, epsilon, delta = data["size"], float(data["epsilon"]), float(data["delta"])
    return (
        ExerciseStep(
            "logarithms",
            "ln |H| + ln(1/delta)",
            lambda v: math.log(size) + math.log(1 / delta),
            {
                "logarithm to base 2 in place of the natural logarithm": lambda v: (
                    math.log2(size) + math.log2(1 / delta)
                ),
                "ln(delta) in place of ln(1/delta)": lambda v: math.log(size) + math.log(delta),
                "delta left out": lambda v: math.log(size),
            },
        ),
        ExerciseStep(
            "m",
            "training rows, rounded up",
            lambda v: math.ceil(float(v["logarithms"]) / epsilon - 1e-9),
            {
                "multiplied by epsilon": lambda v: math.ceil(float(v["logarithms"]) * epsilon),
                "divided by the square of epsilon": lambda v: math.ceil(
                    float(v["logarithms"]) / epsilon**2
                ),
            },
            0,
        ),
    )


def _complexity_work(data: Data) -> Derivation:
    size, epsilon, delta = data["size"], float(data["epsilon"]), float(data["delta"])
    total = math.log(size) + math.log(1 / delta)
    m = math.ceil(total / epsilon - 1e-9)
    return Derivation(
        "Sample complexity",
        (
            formula(
                f"m ≥ (ln {size} + ln(1/{delta:g})) / {epsilon:g} = ({math.log(size):.4g} + "
                f"{math.log(1 / delta):.4g}) / {epsilon:g} = {total / epsilon:.6g}"
            ),
            Sentence(f"{m:,} training rows suffice."),
        ),
    )


COMPLEXITY = ExerciseKind(
    name="sample-complexity",
    title="Sample complexity of a finite hypothesis space",
    draw=_draw_complexity,
    question=_complexity_question,
    steps=_complexity_steps,
    work=_complexity_work,
)

KINDS = (CONFUSION, ROC, INTERVAL, MCNEMAR, T_TEST, COMPLEXITY)
