"""Words: those that stand for nothing, those for true and false, and all others."""

from __future__ import annotations

from typing import Any

from tallylearn.sources.arrow.buffers import set_null, strings_of

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")  # stand for nothing anywhere
# In a column of words these are words: None is an answer to "how many patrons?".
GAPS = (
    "-", "--", "---", "–", "—", ".", "..", "...", "n/a", "n.a.", "na", "nan", "none", "nil",
    "null", "missing", "unknown", "not available", "#n/a", "#null!", "#div/0!", "#value!",
    "#ref!", "#name?", "#num!",
)  # fmt: skip
TRUTH = {"false": False, "true": True}
ANSWERS = (("No", "Yes"), ("N", "Y"), ("Off", "On"), ("F", "T"))


def trim_strings(texts: Any, missing: tuple[str, ...]) -> Any:
    """Strings without the blanks around them; null where a marker is left."""
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(texts)
    return set_null(bare, pc.is_in(bare, value_set=strings_of(missing).cast(bare.type)))


def trim_dictionary(column: Any, missing: tuple[str, ...]) -> Any:
    """The same for dictionary-encoded strings."""
    values = trim_strings(column.dictionary, missing)
    return column if values.equals(column.dictionary) else replace_dictionary(column, values)


def replace_dictionary(column: Any, values: Any) -> Any:
    """The column with other strings in its dictionary, some of which may now be equal or null."""
    import pyarrow as pa

    again = values.dictionary_encode()
    return pa.DictionaryArray.from_arrays(again.indices.take(column.indices), again.dictionary)


def is_one_of(texts: Any, words: tuple[str, ...]) -> Any:
    """Where a string is one of some words, in small letters or large."""
    import pyarrow.compute as pc

    return pc.is_in(pc.utf8_lower(texts), value_set=strings_of(words))


def read_truths(texts: Any) -> Any:
    """Truth values; null where a word is for none."""
    import pyarrow.compute as pc

    true, false = is_one_of(texts, ("true", "1")), is_one_of(texts, ("false", "0"))
    return set_null(true, pc.invert(pc.or_(true, false)))


def unify_answers(texts: Any, words: tuple[str, ...]) -> Any:
    """Answers by one name each, in whatever letters they are written; other words as they are."""
    import pyarrow.compute as pc

    for word in words:
        texts = pc.if_else(is_one_of(texts, (word.lower(),)), strings_of((word,))[0], texts)
    return texts
