"""Words: how many documents of every class hold every term, and how often it comes there."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.kernels import tokenizer
from tallylearn.tables import FREQUENCY, IMPORTANCE, SAMPLE_WEIGHT, Array, Codes, DocumentTerms
from tallylearn.tallies.bundles import Bundle
from tallylearn.tallies.counts import Counts, check_room
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.weights import digits

KINDS = ("documents", "tokens")


def words(
    bags: DocumentTerms, by: Codes, weight: Array | None = None, weight_kind: str = SAMPLE_WEIGHT
) -> Bundle:
    """Every term by class, counted in documents and in tokens; and the documents of every class.

    Rows count by their weights. Where these are no frequencies, how many documents hold a term is
    another number, which ``without_weights`` finds: the documents whose weight is not 1, or all if
    weights are importances, are counted apart, by their weights (``weighed``) and once each
    (``once``).

    >>> once = np.zeros(0, dtype=np.int64)
    >>> ids, both = np.array([0, 0, 1, 1], dtype=np.int32), np.array([True, True])
    >>> bags = DocumentTerms(("b", "a"), np.array([0, 3, 4]), ids, once, both)
    >>> tally = words(bags, Codes.of(["yes", "no"]))
    >>> tally["terms"].keys
    (('documents', 'tokens'), ('no', 'yes'), ('a', 'b'))
    >>> tally["terms"].floats()[:, 1].tolist()
    [[1.0, 1.0], [1.0, 2.0]]
    """
    parts = _count_words(bags, by, weight, KINDS).parts
    if weight is None or weight_kind == FREQUENCY:
        return Bundle(parts)
    odd = np.flatnonzero((weight > 0) & ((weight != 1) | (weight_kind == IMPORTANCE)))
    if not odd.size:
        return Bundle(parts)
    apart = bags[odd], by[odd]
    weighed = _count_words(*apart, weight[odd], KINDS[:1])
    return Bundle({**parts, "weighed": weighed, "once": _count_words(*apart, None, KINDS[:1])})


def without_weights(tally: Bundle) -> Bundle:
    """Terms and rows with every document counted once, or by its frequency; their tokens are not.

    >>> once = np.zeros(0, dtype=np.int64)
    >>> ids, both = np.array([0, 0], dtype=np.int32), np.array([True, True])
    >>> bags = DocumentTerms(("a",), np.array([0, 1, 2]), ids, once, both)
    >>> tally = words(bags, Codes.of(["yes", "no"]), np.array([0.25, 3.0]))
    >>> tally["terms"].floats()[0].ravel().tolist()
    [3.0, 0.25]
    >>> without_weights(tally)["terms"].floats()[0].ravel().tolist()
    [1.0, 1.0]
    """
    here = Bundle({name: tally[name] for name in ("terms", "rows") if name in tally})
    if "weighed" not in tally:
        return here
    weighed, once = (Bundle(tally[name].parts) for name in ("weighed", "once"))
    return here - weighed + once


def _count_words(
    bags: DocumentTerms, by: Codes, weight: Array | None, kinds: tuple[str, ...]
) -> Bundle:
    rows = Codes(by.values, np.where(bags.present, by.codes, -1).astype(np.int32))
    terms = _terms(bags, by, weight, kinds)
    return Bundle({"terms": terms, "rows": Counts.of(rows, weight=weight)})


def _terms(bags: DocumentTerms, by: Codes, weight: Array | None, kinds: tuple[str, ...]) -> Counts:
    k, v = len(by.values), len(bags.terms)
    check_room((kinds, by.values, bags.terms))
    classes = np.array(sorted(range(k), key=by.values.__getitem__), dtype=int)
    order = None if bags.ordered else _order(bags.terms)
    rows = np.ascontiguousarray(by.codes, dtype=np.int32)
    total: Any = None
    for digit, power in digits(weight):
        cells = np.zeros((2, v, k), dtype=np.int64)
        seen = np.full(0 if len(bags.times) else v, -1, dtype=np.int32)
        tokenizer.count(bags.ids, bags.ends, bags.times, rows, digit, seen, cells)
        cells[1] += cells[0]
        cells = cells[: len(kinds)]
        cells = cells if order is None else cells[:, order]
        part = Exact.of(np.ascontiguousarray(cells.transpose(0, 2, 1)[:, classes])).shift(power)
        total = part if total is None else total + part
    terms = bags.terms if order is None else tuple([bags.terms[i] for i in order.tolist()])
    keys = kinds, tuple(by.values[i] for i in classes), terms
    return Counts(keys, total, ((), (), ()))._prune()


def _order(terms: tuple[str, ...]) -> Array:
    """The numbers of the terms, sorted as Python sorts them: by code points, and so by bytes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data = [term.encode("utf-8", "surrogatepass") for term in terms]
    offsets = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum([*map(len, data)], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))]
    array = pa.Array.from_buffers(pa.large_binary(), len(data), buffers)
    order = pc.sort_indices(array)
    return np.frombuffer(order.buffers()[1], np.uint64, len(order)).astype(np.int64)
