"""The functions that an exported Python program calls; it contains those that it needs."""
# Rows hold values of any type, so exported programs have no annotations.
# mypy: ignore-errors

import math
import re
from datetime import UTC, date, datetime
from math import inf, nan

MISSING = ()


def read(row, name):
    if name not in row:
        raise KeyError(f"the row has no column {name!r}")
    value = row[name]
    value = value.strip() if isinstance(value, str) else value
    if value is None or value != value:
        return None
    listed = MISSING if isinstance(value, str | int | float) else ()
    return None if value in listed else value


def number(row, name):
    value = read(row, name)
    try:
        return nan if value is None else float(value)
    except (TypeError, ValueError):
        raise TypeError(f"column {name!r} has {value!r}: pass a number") from None


def days(row, name):
    value = read(row, name)
    if value is None or isinstance(value, int | float):
        return nan if value is None else float(value)
    moment = instant(name, value)
    away = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    passed = away - datetime(1970, 1, 1)
    return passed.days + (passed.seconds + passed.microseconds / 1e6) / 86400


def instant(name, value):
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        raise TypeError(f"column {name!r} has {value!r}: pass a date") from None


def date_part(row, name, part):
    value = read(row, name)
    if value is None:
        return None
    moment = instant(name, value)
    if part == "weekday":
        return str(moment.weekday())
    found = getattr(moment, part)
    return found if part in ("year", "day") else f"{found:02d}"


def part_number(row, name, part):
    value = date_part(row, name, part)
    return nan if value is None else value


def category(row, name):
    value = read(row, name)
    if value is None or isinstance(value, str | bool):
        return None if value is None else str(value)
    return number_text(value) if isinstance(value, int | float) else str(value)


def numeral(row, name):
    value = category(row, name)
    try:
        return None if value is None else number_text(float(value))
    except ValueError:
        return value


def truth(row, name):
    value = category(row, name)
    words = {"0": "False", "1": "True", "false": "False", "true": "True"}
    return None if value is None else words.get(value.lower(), value)


def number_text(value):
    whole = isinstance(value, int) or value.is_integer()
    return str(int(value)) if whole else repr(float(value))


def fill(value, otherwise):
    return otherwise if value != value else value


def fill_category(value, otherwise):
    return otherwise if value is None else value


def is_missing(value):
    return 1 if value is None or value != value else 0


def has_no_value(value):
    return 1 if value is None else 0


def equals(value, other):
    return 1 if value == other else 0


def lookup(value, table, other, missing):
    return missing if value is None else table.get(value, other)


def bin_label(value, cuts, labels, closed):
    if value != value:
        return None
    if closed == "left":
        return labels[sum(cut <= value for cut in cuts)]
    return labels[sum(cut < value for cut in cuts)]


def clip(value, low, high):
    return low if value < low else high if value > high else value


def divide(numerator, denominator):
    if denominator != 0:
        return numerator / denominator
    if numerator != numerator or numerator == 0:
        return nan
    return math.copysign(inf, numerator) * math.copysign(1, denominator)


def power(base, exponent):
    if base == 0 and exponent < 0:
        return inf
    if base < 0 and exponent != int(exponent):
        return nan
    try:
        return float(base) ** exponent
    except OverflowError:
        return -inf if base < 0 and exponent % 2 == 1 else inf


def function_value(function, value, at_zero):
    if value != value:
        return nan
    try:
        return function(value)
    except OverflowError:
        return inf
    except ValueError:
        return -inf if value == at_zero else nan


def exp(value):
    return function_value(math.exp, value, nan)


def expm1(value):
    return function_value(math.expm1, value, nan)


def log(value):
    return function_value(math.log, value, 0)


def log2(value):
    return function_value(math.log2, value, 0)


def log10(value):
    return function_value(math.log10, value, 0)


def log1p(value):
    return function_value(math.log1p, value, -1)


def sqrt(value):
    return function_value(math.sqrt, value, nan)


def sin(value):
    return function_value(math.sin, value, nan)


def cos(value):
    return function_value(math.cos, value, nan)


def tan(value):
    return function_value(math.tan, value, nan)


def gaussian(value, mean, deviation):
    away = (value - mean) / deviation
    return -0.5 * away * away - math.log(deviation) - 0.5 * math.log(2 * math.pi)


def words(row, name, shortest, longest):
    value = read(row, name)
    if value is None:
        return None
    found = re.findall(r"\w+", str(value).lower())
    counts = {}
    for size in range(shortest, longest + 1):
        for at in range(len(found) - size + 1):
            term = " ".join(found[at : at + size])
            counts[term] = counts.get(term, 0) + 1
    return counts


def word_sum(terms, table, binary):
    listed = [(table[term], count) for term, count in (terms or {}).items() if term in table]
    return sum(amount * (1 if binary else count) for amount, count in listed)


def word_count(terms, listed):
    return 0 if terms is None else sum(word in terms for word in listed)


def child(node, numbers, categories):
    if len(node) == 5:
        value = numbers[node[0]]
        if value != value:
            return node[4]
        return node[2] if value <= node[1] else node[3]
    return lookup(categories[node[0]], node[1], node[2], node[3])


def walk(tree, numbers, categories):
    at = 0
    while tree[at] is not None:
        following = child(tree[at], numbers, categories)
        if following < 0:
            break
        at = following
    return at


def mix(tree, weights, numbers, categories, outcomes):
    total = [0.0 for _ in outcomes[0]]
    waiting = [(0, 1.0)]
    while waiting:
        at, part = waiting.pop()
        node = tree[at]
        if node is not None and is_missing((numbers if len(node) == 5 else categories)[node[0]]):
            kids = children(node)
            whole = sum(weights[kid] for kid in kids)
            waiting.extend((kid, part * (weights[kid] / whole)) for kid in kids)
            continue
        following = -1 if node is None else child(node, numbers, categories)
        if following < 0:
            total = [
                sum_ + part * outcome for sum_, outcome in zip(total, outcomes[at], strict=True)
            ]
        else:
            waiting.append((following, part))
    return total


def children(node):
    every = node[2:] if len(node) == 5 else (*node[1].values(), node[2], node[3])
    return sorted({kid for kid in every if kid >= 0})


def distances(metric, p, numbers, examples):
    if metric == "cosine":
        return cosine(numbers, examples)
    found = []
    for example in examples:
        apart = [abs(value - other) for value, other in zip(numbers, example, strict=True)]
        if metric == "chebyshev":
            found.append(nan if any(d != d for d in apart) else max(apart, default=0.0))
        elif metric == "manhattan":
            found.append(sum(apart))
        elif metric == "euclidean":
            found.append(math.sqrt(sum(d * d for d in apart)))
        else:
            found.append(power(sum(power(d, p) for d in apart), 1 / p))
    return found


def cosine(numbers, examples):
    u = unit(numbers)
    found = []
    for example in examples:
        apart = sum((value - other) ** 2 for value, other in zip(u, unit(example), strict=True)) / 2
        small = apart < 1e-31 * len(u)
        found.append(0.0 if small else 1.0 if apart != apart else apart)
    return found


def unit(row):
    length = math.sqrt(sum(value * value for value in row))
    return [divide(value, length) for value in row]


def gower(scale, numbers, categories, known, example_numbers, example_categories):
    found = []
    for example, others in zip(example_numbers, example_categories, strict=True):
        total, shared = 0.0, 0
        for value, other, width in zip(numbers, example, scale, strict=True):
            apart = divide(abs(value - other), width)
            if apart == apart:
                total, shared = total + apart, shared + 1
        for j, (value, other) in enumerate(zip(categories, others, strict=True)):
            if value is None or other is None or (known and value not in known[j]):
                continue
            total, shared = total + (value != other), shared + 1
        found.append(total / shared if shared else inf)
    return found


def nearest(distances):
    return min(distances, default=inf)


def neighbours(distances, k, weights, ties):
    reach = sorted(distances)[k - 1] * (1 + 1e-12)
    near = sorted((d, i) for i, d in enumerate(distances) if d <= reach)
    group, before, ordered = 0, inf, []
    for d, i in near:
        group += d > before * (1 + 1e-12)
        ordered.append((group, i))
        before = d
    chosen = [i for _, i in sorted(ordered)]
    chosen = chosen[:k] if ties == "first" else chosen
    closest = min(distances[i] for i in chosen)
    if weights == "uniform":
        return [(i, 1.0) for i in chosen]
    if closest == 0:
        return [(i, 1.0 if distances[i] == 0 else 0.0) for i in chosen]
    exponent = 1 if weights == "distance" else 2
    return [(i, (closest / distances[i]) ** exponent) for i in chosen]


def votes(distances, labels, classes, k, weights, ties):
    total = [0.0] * classes
    for i, weight in neighbours(distances, k, weights, ties):
        total[labels[i]] += weight
    whole = sum(total)
    return [value / whole for value in total]


def neighbour_mean(distances, targets, k, weights, ties):
    near = neighbours(distances, k, weights, ties)
    return sum(w * targets[i] for i, w in near) / sum(w for _, w in near)


def softmax(scores):
    best = max(scores)
    slack = 1e-9 + 1e-14 * abs(best)
    shares = [
        1.0 if abs(best) > 1e5 and score >= best - slack else exp(score - best) for score in scores
    ]
    whole = sum(shares)
    return [share / whole for share in shares]


def fallback(vector, otherwise):
    return otherwise if all(value == -inf for value in vector) else vector


def matrix_product(vector, matrix):
    return [
        sum(v * row[j] for v, row in zip(vector, matrix, strict=True))
        for j in range(len(matrix[0]))
    ]


def select(vector, places):
    return [0.0 if at < 0 else vector[at] for at in places]


def one_hot(choice, classes):
    return [1.0 if i == choice else 0.0 for i in range(classes)]


def scaled(vector, weight):
    return [weight * value for value in vector]


def added(vector, other, weight):
    return [value + weight * more for value, more in zip(vector, other, strict=True)]


def argmax(scores, absolute, relative, largest, choose):
    if any(score != score for score in scores):
        return -1
    best = max(scores)
    slack = absolute + relative * abs(best)
    slack += largest * max(map(abs, scores)) if largest else 0.0
    tied = [i for i, score in enumerate(scores) if score == best or score >= best - slack]
    if choose == "undefined" and len(tied) > 1:
        return -1
    return tied[-1] if choose == "last" else tied[0]
