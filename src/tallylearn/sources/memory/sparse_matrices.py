"""Sparse matrices: counts whose columns are terms are one column of text, others are filled up."""

from __future__ import annotations

from collections import Counter
from operator import lt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import InputError, OptionError, quoted_list
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.memory.table import Table
from tallylearn.tables import TEXT, Block, Column, DocumentTerms, Schema

Array = NDArray[Any]
NAME = "text"
COUNTS_PER_CHECK = 1 << 17  # counts that are looked at together
MAX_WORD_COUNT = 2**31 - 1  # of one word in one document
MAX_FILLED_CELLS = 2**28  # 2 GB of doubles


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix or array of scipy, or of its kind."""
    return hasattr(X, "tocsr") or (hasattr(X, "nnz") and hasattr(X, "todense"))


def dense(X: Any) -> Any:
    """A sparse matrix with its zeros written out; anything else as it is."""
    if not is_sparse(X):
        return X
    n, p = X.shape
    if n * p > MAX_FILLED_CELLS:
        raise InputError(
            f"the sparse matrix has {n:,} x {p:,} cells, {n * p / 2**27:,.1f} GB with its "
            f"zeros, and at most {MAX_FILLED_CELLS / 2**27:g} GB are filled in. Pass "
            "fewer rows, or only the most frequent columns."
        )
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else np.asarray(X.todense()))


def fill_zeros(X: Any) -> Any:
    """A sparse matrix of numbers with its zeros written out, where the budget has room for it."""
    n, p = X.shape
    check_memory(
        8.0 * n * p,
        f"the sparse matrix of {n:,} x {p:,} cells with its zeros",
        "Take fewer rows, "
        "or the columns that occur most; counts of words as tl.table(X, text=terms).",
    )
    return np.ascontiguousarray(
        X.toarray() if hasattr(X, "toarray") else np.asarray(X.todense()), dtype=np.float64
    )


def table_of_counts(matrix: Any, declared: Declaration) -> Table:
    """A table of one column of text from a sparse matrix of whole counts and its terms."""
    terms = declared.text
    if declared != Declaration(text=terms):
        raise OptionError(
            "a sparse matrix of counts takes only text=, the terms. Leave the other options out."
        )
    _check_terms(terms, matrix.shape[1])
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    times, zeros = _to_whole_counts(rows, terms)
    if zeros:
        rows = rows.copy()
        rows.eliminate_zeros()
        times = rows.data.astype(np.int64)
    n = rows.shape[0]
    ends, ids = rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False)
    ordered = all(map(lt, terms, terms[1:]))
    bags = DocumentTerms(
        terms=terms,
        ends=ends,
        ids=ids,
        times=times,
        present=np.ones(n, dtype=bool),
        ordered=ordered,
    )
    schema = Schema((Column(NAME, TEXT, origin="declared"),), named=False)
    block = Block(schema, np.empty((n, 0)), text={NAME: bags})
    return Table(block, None, None, Declaration())


def _check_terms(terms: tuple[Any, ...], p: int) -> None:
    if len(terms) != p:
        raise InputError(
            f"the matrix has {p} columns, and text= names {len(terms)} terms. Name one term "
            "for each column: tl.table(matrix, text=terms)."
        )
    if {*map(type, terms)} - {str}:
        odd = next(term for term in terms if type(term) is not str)
        raise InputError(f"text= has the term {odd!r}, which is not text. Pass strings.")
    if len(set(terms)) < p:
        twice = [term for term, times in Counter(terms).items() if times > 1]
        raise InputError(
            f"text= names {quoted_list(twice)} more than once. Add their columns into one."
        )


def _to_whole_counts(rows: Any, terms: tuple[str, ...]) -> tuple[Array, bool]:
    """The counts as whole numbers, and whether one is zero; or an error for the first that is none.

    Piece by piece, so that a piece is read from memory once and not for every question.
    """
    data: Array = rows.data
    zeros = False
    for start in range(0, len(data), COUNTS_PER_CHECK):
        piece = data[start : start + COUNTS_PER_CHECK]
        least, whole = piece.min(), piece.dtype.kind != "f" or (piece == np.floor(piece)).all()
        if not (least >= 0 and piece.max() <= MAX_WORD_COUNT and whole):
            raise _odd_count_error(rows, start, terms)
        zeros = zeros or bool(least == 0)
    return np.asarray(data, dtype=np.int64), zeros


def _odd_count_error(rows: Any, start: int, terms: tuple[str, ...]) -> InputError:
    piece = rows.data[start : start + COUNTS_PER_CHECK]
    good = (piece >= 0) & (piece <= MAX_WORD_COUNT) & (piece == np.floor(piece))
    at = start + int(np.argmax(~good))
    row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
    return InputError(
        f"the matrix has {rows.data[at].item()!r} for the term "
        f"{terms[rows.indices[at]]!r} in row {row}, which is not a count. Pass counts, "
        "not weights such as tf-idf."
    )
