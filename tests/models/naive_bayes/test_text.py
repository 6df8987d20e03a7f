"""Text: words, vocabularies, documents beside other columns, and counts in sparse matrices."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.tables import Codes
from tallylearn.tallies import counts
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.words import without_weights, words

DOCS = ["a a b", "a c", "b b c"]
Y = ["+", "+", "-"]
SKLEARN = r"(?u)\w+"


def terms(model: Any) -> tuple[str, ...]:
    found: tuple[str, ...] = model.model_.texts[0].terms
    return found


def tokens(texts: list[str | None], reader: Reader | None = None) -> list[list[str]]:
    bags = (reader or Reader()).bags(pa.array(texts, pa.large_string()))
    words = [bags.terms[at] for at in bags.ids]
    return [words[a:b] for a, b in zip(bags.ends, bags.ends[1:], strict=False)]


@given(st.lists(st.text(), max_size=6))
def test_the_words_of_any_text_are_those_of_lower_and_re(texts: list[str]) -> None:
    assert tokens([*texts]) == [re.findall(r"\w+", text.lower()) for text in texts]


@given(st.lists(st.text(alphabet="aAbZ_9 .\0\n\x7fÉİſßʼn"), max_size=6))
def test_ascii_and_other_documents_give_the_same_words_side_by_side(texts: list[str]) -> None:
    assert tokens([*texts]) == [re.findall(r"\w+", text.lower()) for text in texts]


def test_many_words_make_the_table_of_words_grow() -> None:
    texts = [" ".join(f"w{i}" for i in range(start, start + 5000)) for start in (0, 2500, 9000)]
    assert tokens([*texts, *texts]) == [text.split() for text in texts + texts]


@pytest.mark.parametrize("ngrams", [(1, 2), (2, 2), (2, 3)])
def test_runs_of_words_are_those_of_scikit_learn(ngrams: tuple[int, int]) -> None:
    texts = ["the cat sat on the cat", "Sat", "", "on the cat on the mat"]
    theirs = CountVectorizer(token_pattern=SKLEARN, ngram_range=ngrams)
    matrix = theirs.fit_transform(texts)
    ours = tl.NaiveBayes(ngram_range=ngrams).fit(texts, [0, 1, 0, 1])
    same = tl.NaiveBayes().fit(tl.table(matrix, text=theirs.get_feature_names_out()), [0, 1, 0, 1])
    assert ours.tally_ == same.tally_
    assert np.allclose(
        ours.predict_log_proba(texts), MultinomialNB().fit(matrix, [0, 1, 0, 1])
        .predict_log_proba(matrix),
    )  # fmt: skip


@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
@pytest.mark.parametrize(
    ("model", "peer"), [("multinomial", MultinomialNB), ("bernoulli", BernoulliNB)]
)
def test_probabilities_are_scikit_learns(model: str, peer: Any, alpha: float) -> None:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(60)] + ["Ünder", "co_2"])
    texts = [" ".join(rng.choice(words, rng.integers(0, 20))) for _ in range(200)]
    y, weight = rng.integers(0, 3, 200), rng.integers(1, 4, 200).astype(float)
    vectorizer = CountVectorizer(token_pattern=SKLEARN)
    matrix = vectorizer.fit_transform(texts)
    ours = tl.NaiveBayes(alpha=alpha, text_model=model).fit(texts, y, sample_weight=weight)
    theirs = peer(alpha=alpha).fit(matrix, y, sample_weight=weight)
    assert np.allclose(ours.predict_log_proba(texts), theirs.predict_log_proba(matrix))
    shown = tl.table(matrix, text=vectorizer.get_feature_names_out())
    assert np.allclose(ours.predict_proba(shown), theirs.predict_proba(matrix))


def test_the_vocabulary_is_chosen_after_counting() -> None:
    texts = ["the cat", "the dog", "the cat the", "a bird"]

    def kept(**options: Any) -> tuple[str, ...]:
        terms: tuple[str, ...] = (
            tl.NaiveBayes(**options).fit(texts, [0, 1, 0, 1]).model_.texts[0].terms
        )
        return terms  # fmt: skip

    assert kept() == ("a", "bird", "cat", "dog", "the")
    assert kept(min_df=2) == kept(min_df=0.5) == ("cat", "the")
    assert kept(max_df=2) == kept(max_df=0.5) == ("a", "bird", "cat", "dog")
    assert kept(stop_words=["the", "a"]) == ("bird", "cat", "dog")
    assert kept(max_features=3) == ("a", "cat", "the")
    assert kept(stop_words=["the"], ngram_range=(2, 2)) == ("a bird",)
    with pytest.raises(errors.OptionError, match=r"min_df=9.* exclude all 5 words"):
        kept(min_df=9)
    texts = ["owl owl owl", "cat", "cat", "dog"]  # one word comes most, another is most widespread
    assert kept(max_features=1) == kept(max_features=1, text_model="set") == ("owl",)
    assert kept(max_features=1, text_model="bernoulli") == ("cat",)


def test_a_vocabulary_is_chosen_from_all_parts_as_at_once() -> None:
    texts = ["the cat", "the dog", "the cat the", "a bird"]
    model = tl.NaiveBayes(min_df=2).fit(texts[:2], [0, 1]).partial_fit(texts[2:], [0, 1])
    at_once = tl.NaiveBayes(min_df=2).fit(texts, [0, 1, 0, 1])
    assert modelfile.digests(model) == modelfile.digests(at_once)


def test_forgotten_documents_take_their_words_with_them() -> None:
    model = tl.NaiveBayes().fit([*DOCS, "d d"], [*Y, "-"]).forget(["d d"], ["-"])
    assert model.model_.texts[0].terms == ("a", "b", "c")
    assert modelfile.digests(model) == modelfile.digests(tl.NaiveBayes().fit(DOCS, Y))


def test_documents_without_known_words_are_left_to_the_prior_and_said_so() -> None:
    queries = ["", None, "never seen"]
    for option in ("multinomial", "set"):
        model = tl.NaiveBayes(text_model=option).fit(DOCS, Y)
        assert np.allclose(model.predict_proba(queries), [[2 / 3, 1 / 3]] * 3)
        said = [str(row) for row in model.explain(queries)]
        assert "text has no known word: the prior answers." in said[0]
        assert "text is missing: the prior answers." in said[1]
        assert "not in the vocabulary, and passed over: 'never', 'seen'" in said[2]
    bernoulli = tl.NaiveBayes(text_model="bernoulli").fit(DOCS, Y)
    assert np.allclose(bernoulli.predict_proba(["", None])[1], [2 / 3, 1 / 3])
    certain = tl.NaiveBayes(text_model="bernoulli", alpha=0).fit(
        ["a", "a b", "b", "c"], list("++--")
    )
    assert np.allclose(certain.predict_proba(["b", None]), [[0, 1], [1 / 2, 1 / 2]])  # no + lacks a
    assert "only the absent ones count" in str(bernoulli.explain([""]))


def test_empty_documents_alone_are_answered_by_the_prior() -> None:
    model = tl.NaiveBayes().fit(["", "...", ""], ["a", "a", "b"])
    assert model.predict(["x", ""]).tolist() == ["a", "a"]
    assert "'text' has no values and says nothing" in str(model.show_work())


def test_several_texts_stand_beside_categories_numbers_and_dates() -> None:
    frame = pd.DataFrame(
        {
            "title": ["red fox runs very far", "red dog", "blue sea is wide and deep"] * 2,
            "body": ["one two three four", None, "five six seven eight"] * 2,
            "colour": ["r", "r", "b"] * 2,
            "size": [1.0, 2.0, 5.0, 1.5, 2.5, 6.0],
            "day": pd.date_range("2024-01-01", periods=6),
        }
    )
    table = tl.table(frame, text=["title", "body"])
    model = tl.NaiveBayes().fit(table, ["a", "a", "b"] * 2)
    assert [text.name for text in model.model_.texts] == ["body", "title"]
    evidence = model.explain(frame[1:2])[0]
    columns = [term.column for term in evidence.lines[0].terms]
    assert columns == ["", "title", "title", "colour", "size", "day"]
    assert "body is missing: the prior and the other columns answer." in evidence.notes
    assert evidence.chosen == "a"
    assert model.top_words(1, column="title")["b"][0][0] == "and"
    with pytest.raises(errors.OptionError, match=r"'body', 'title'.*column="):
        model.top_words()
    with pytest.raises(errors.OptionError, match="column=, not 'colour'"):
        model.document_log_likelihood(frame, column="colour")


def test_a_text_column_that_is_empty_takes_the_other_tables_kind() -> None:
    empty = [{"t": None, "x": 1.0}, {"t": None, "x": 2.0}]
    full = [{"t": "a b c d", "x": 3.0}, {"t": "a b c e", "x": 5.0}]
    merged = tl.merge(*(tl.NaiveBayes().fit(part, ["+", "-"]) for part in (empty, full)))
    assert merged.tally_ == tl.NaiveBayes().fit(full + empty, ["+", "-"] * 2).tally_
    assert merged.predict(tl.table(empty)).tolist() == ["+", "+"]


def test_files_of_text_stream_and_markers_of_nothing_are_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"t": ["a b c d", "none", "a a a e"], "y": ["+", "+", "-"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = tl.NaiveBayes().fit(tl.table(tmp_path / "t.csv", target="y", missing="none"))
    assert "none" not in model.model_.texts[0].terms
    declared = tl.table(frame, target="y", missing="none")
    assert modelfile.digests(model) == modelfile.digests(tl.NaiveBayes().fit(declared))
    assert model.tally_["text"]["t"]["rows"].floats().tolist() == [1.0, 1.0]


def test_a_tokenizer_of_ones_own_is_used_and_not_saved(tmp_path: Path) -> None:
    model = tl.NaiveBayes(tokenizer=str.split).fit(["A-b A-b c", "c D.", ""], Y)
    assert model.model_.texts[0].terms == ("A-b", "D.", "c")
    assert tl.NaiveBayes(tokenizer=list).fit(["ab a", "c"], ["x", "y"]).model_.texts[0].terms == (
        " ",
        "a",
        "b",
        "c",
    )
    with pytest.raises(errors.OptionError, match=r"tokenizer is .*, which cannot be saved"):
        model.save(tmp_path / "m.tally")
    with pytest.raises(errors.OptionError, match="tokenizer returned 3 for row 0"):
        tl.NaiveBayes(tokenizer=lambda text: [3]).fit(DOCS, Y)
    spaced = tl.NaiveBayes(tokenizer=lambda text: text.split(","), ngram_range=(1, 2))
    assert spaced.fit(["a b", "a,b"], ["x", "y"]).model_.texts[0].terms == ("a", "a b", "b")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"text_model": "poisson"}, "'multinomial', 'set', 'bernoulli'"),
        ({"ngram_range": (2, 1)}, r"'ngram_range'.*\(2, 1\)"),
        ({"ngram_range": 2}, "'ngram_range'"),
        ({"min_df": -1}, "'min_df'.*-1"),
        ({"max_df": "all"}, "'max_df'.*'all'"),
        ({"max_features": 0}, "'max_features'.*0"),
        ({"max_features": 2.5}, "'max_features'.*2.5"),
        ({"stop_words": "english"}, "'stop_words'.*no list of a language.*'english'"),
        ({"stop_words": [1]}, r"'stop_words'.* a list of words.*\[1\]"),
        ({"tokenizer": "words"}, "'tokenizer'.* a function.*'words'"),
        ({"m": 1, "p": {"text": {}}}, "text column 'text'.*out of p"),
    ],
)
def test_an_option_of_text_that_cannot_be_is_named(options: dict[str, Any], match: str) -> None:
    with pytest.raises(errors.OptionError, match=match):
        tl.NaiveBayes(**options).fit(DOCS, Y)


def test_bytes_that_are_not_utf8_name_their_row(tmp_path: Path) -> None:
    good, bad = b"plain text of words", b"caf\xe9 au lait noir"
    buffers = [
        None,
        pa.py_buffer(np.array([0, 19, 19 + 16], dtype=np.int32)),
        pa.py_buffer(good + bad),
    ]
    column = pa.Array.from_buffers(pa.string(), 2, buffers)
    with pytest.raises(errors.ColumnError, match=r"'t' has bytes that are not UTF-8 in row 1"):
        tl.NaiveBayes().fit(tl.table(pa.table({"t": column}), text=["t"]), ["+", "-"])
    with pytest.raises(errors.ColumnError, match=r"'text' has text in row 1.*surrogate"):
        tl.NaiveBayes().fit(["fine", "lone \ud800"], ["+", "-"])


def test_a_document_of_ten_megabytes_is_learned_and_explained() -> None:
    long = "spam " * 2_000_000
    model = tl.NaiveBayes().fit([long, "ham eggs"], ["bad", "good"])
    assert model.predict([long, "eggs"]).tolist() == ["bad", "good"]
    assert "bad, text = spam: (2000001/2000003)^2000000" in str(model.explain([long]))
    assert model.tally_["text"]["text"]["terms"].floats()[1].max() == 2_000_000


def test_more_words_than_there_is_room_for_are_an_error_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [" ".join(f"w{i}" for i in range(at, at + 500)) for at in (0, 500, 1000)]
    model = tl.NaiveBayes().fit(texts[:2], ["a", "b"])
    monkeypatch.setattr(counts, "ROOM", 120_000)
    match = r"column 'text': a table of 2 × 3 × 1,500 counts .*ignore=.*ngram_range"
    with pytest.raises(errors.InputError, match=match):
        tl.NaiveBayes().fit(texts, ["a", "b", "c"])
    with pytest.raises(errors.InputError, match="2 × 2 × 1,500 counts"):
        model.partial_fit(texts[2:], ["b"])
    assert len(model.model_.texts[0].terms) == 1000


def test_sparse_counts_are_one_column_of_text() -> None:
    vectorizer = CountVectorizer(token_pattern=SKLEARN)
    matrix = vectorizer.fit_transform(DOCS)
    terms = vectorizer.get_feature_names_out()
    words = tl.NaiveBayes().fit(DOCS, Y)
    other = matrix.astype(float).tocoo()
    twice = scipy.sparse.coo_array(
        (np.append(other.data, [0.0, 1.0, -1.0]), (np.append(other.row, [1, 0, 0]),
         np.append(other.col, [1, 2, 2]))), shape=other.shape)  # fmt: skip
    for form in (matrix, matrix.tocsc(), other, twice):
        table = tl.table(form, text=terms)
        assert repr(table) == "Table(3 rows: text (text))"
        assert tl.NaiveBayes().fit(table, Y).tally_ == words.tally_
    shuffled = tl.table(matrix[:, [2, 0, 1]], text=[terms[i] for i in (2, 0, 1)])
    model = tl.NaiveBayes().fit(shuffled[[2, 0]], ["-", "+"]).partial_fit(shuffled[1:2], ["+"])
    assert model.tally_ == words.tally_
    assert model.predict(DOCS).tolist() == model.predict(shuffled).tolist()
    for option in ("multinomial", "set", "bernoulli"):
        pair = [tl.NaiveBayes(text_model=option).fit(table, Y).explain(x) for x in (table, DOCS)]
        assert sorted(map(str, pair[0][0].lines[0].terms)) == sorted(
            map(str, pair[1][0].lines[0].terms)
        )


def test_sparse_counts_that_cannot_be_name_row_and_term() -> None:
    for value, shown in ((0.5, "0.5"), (-1.0, "-1.0"), (np.nan, "nan"), (2.0**40, "1099511627776")):
        matrix = scipy.sparse.csr_matrix([[1.0, 0.0], [0.0, value]])
        with pytest.raises(errors.InputError, match=rf"has {shown}.* for the term 'b' in row 1"):
            tl.table(matrix, text=["a", "b"])
    matrix = scipy.sparse.csr_matrix(np.eye(2))
    with pytest.raises(errors.InputError, match="2 columns, and text= names 1 terms"):
        tl.table(matrix, text=["a"])
    with pytest.raises(errors.InputError, match="names 'a' more than once"):
        tl.table(matrix, text=["a", "a"])
    with pytest.raises(errors.OptionError, match="3 is not the name of a column"):
        tl.table(matrix, text=["a", 3])
    with pytest.raises(errors.OptionError, match="takes only text="):
        tl.table(matrix, text=["a", "b"], target="y")
    with pytest.raises(errors.KindError, match=r"tl\.table\(X, text=terms\)"):
        tl.NaiveBayes().fit(matrix, [0, 1])


def test_large_tables_of_counts_are_cut_and_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from tallylearn import tables

    rng = np.random.default_rng(0)
    counted = rng.integers(1, 4, (300, 40)) * (rng.random((300, 40)) < 0.1)
    matrix = scipy.sparse.coo_array(counted)
    shown, y = tl.table(matrix, text=[f"t{i:02d}" for i in range(40)]), rng.integers(0, 3, 300)
    whole = tl.NaiveBayes().fit(shown, y)
    monkeypatch.setattr(tables, "BLOCK", 16)
    assert tl.NaiveBayes().fit(shown, y).tally_ == whole.tally_
    assert np.array_equal(whole.predict(shown), MultinomialNB().fit(matrix, y).predict(matrix))


def test_the_top_words_have_log_odds() -> None:
    model = tl.NaiveBayes().fit(DOCS, Y)
    (word, odds), *_ = model.top_words(1)["+"]
    assert (word, odds) == ("a", pytest.approx(np.log((4 / 8) / (1 / 6))))
    assert "Top words of text" in str(model.show_work())
    many = tl.NaiveBayes(text_model="bernoulli").fit([f"{i} w{i}" for i in range(30)], [0, 1] * 15)
    assert "no other of 58 words" in str(many.explain(["1 w1"]))
    assert tl.NaiveBayes(alpha=0).fit(DOCS, ["x"] * 3).top_words(1)["x"][0][0] == "a"


def test_log_odds_are_against_all_other_classes_together() -> None:
    model = tl.NaiveBayes(alpha=1).fit(["a a b", "b", "b c"], ["x", "y", "z"])
    (word, odds), *_ = model.top_words()["x"]
    assert word == "a"
    assert odds == pytest.approx(np.log((2 + 1) / (3 + 3)) - np.log((0 + 1) / (3 + 3)))


def test_the_log_likelihood_of_a_document_is_that_of_the_multinomial() -> None:
    model = tl.NaiveBayes(alpha=1).fit(["a a b", "b", "b c"], ["x", "x", "y"])
    shares = np.array([[3, 3, 1], [1, 2, 2]]) / [[7], [5]]
    for text, times in (("a b b b c", [1, 3, 1]), ("c c unheard", [0, 0, 2]), ("", [0, 0, 0])):
        expected = scipy.stats.multinomial.logpmf(times, sum(times), shares)
        assert np.allclose(model.document_log_likelihood([text])[0], expected)


def test_what_a_model_of_text_does_not_do_is_said() -> None:
    model = tl.NaiveBayes(text_model="set").fit(DOCS, Y)
    with pytest.raises(
        errors.OptionError, match=r"text_model='set'. Fit with text_model='multinomial'"
    ):
        model.document_log_likelihood(DOCS)
    with pytest.raises(errors.OptionError, match="'text' cannot be sampled"):
        model.sample(1)
    with pytest.raises(errors.OptionError, match="text columns are none"):
        tl.NaiveBayes().fit(tl.example("tennis")).top_words()


def test_text_that_is_not_utf_8_is_our_error_wherever_it_is_read() -> None:
    data, ends = pa.py_buffer(b"caf\xe9 a b cx y z w vv"), np.array([0, 9, 18], np.int32)
    bad = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(ends), data])
    for model in (tl.NaiveBayes(), tl.NaiveBayes(tokenizer=str.split)):
        with pytest.raises(errors.InputError, match="not UTF-8"):
            model.fit(pa.table({"t": bad}), ["p", "n"])


def test_a_stray_byte_does_not_turn_a_utf_8_file_into_another(tmp_path: Path) -> None:
    rows = "text,y\n" + "plain öne two three,p\n" * 30
    path = tmp_path / "t.csv"
    path.write_bytes(rows.encode() + "café öne two three,n\n".encode("latin-1"))
    with pytest.raises(errors.TallyError, match=r"encoding|UTF-8|utf-8"):
        tl.NaiveBayes().fit(path, "y")


def test_a_pruned_model_keeps_its_bits_when_it_is_saved(tmp_path: Path) -> None:
    documents = [f"w{i} w{i + 1} w{i + 2} w{i + 3}" for i in range(300)]
    model = tl.NaiveBayes(text_model="bernoulli", min_df=2).fit(documents, [0, 1] * 150)
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    before, after = (m.predict_joint_log_proba(documents) for m in (model, again))
    assert np.array_equal(before, after)


def test_words_that_were_left_out_are_not_called_unseen() -> None:
    model = tl.NaiveBayes(stop_words=["b"]).fit(["a b c d", "b c d e", "b c d f"], list("pnp"))
    assert "not in the vocabulary" in str(model.explain(["b"]))
    with pytest.raises(errors.OptionError, match=r"'stop_words'.* a list"):
        tl.NaiveBayes(stop_words=(word for word in ["b"])).fit(["a b", "c d"], list("pn"))
    with pytest.raises(errors.OptionError, match="tokenizer returned None"):
        tl.NaiveBayes(tokenizer=lambda text: None).fit(["a b", "c d"], list("pn"))


def test_options_of_text_may_be_numpys_numbers() -> None:
    documents, y = ["a b", "a c", "b c"], list("pnp")
    options = {"min_df": np.int64(2), "max_df": np.float32(1.0), "ngram_range": (np.int64(1), 1)}
    assert tl.NaiveBayes(**options).fit(documents, y).predict(documents).shape == (3,)


# Documents are counted, and weights are not


WEIGHED = ["red red green", "green blue", "blue blue", "red yellow", "", "yellow"]
SIDES = list("ababab")


@pytest.mark.parametrize("weight", [1 / 6, 3.0, [0.1, 2, 0.3, 1, 1, 7]])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_df": 2},
        {"min_df": 0.3},
        {"max_df": 0.4},
        {"max_df": 2},
        {"min_df": 2, "max_df": 2},
    ],
)
@pytest.mark.parametrize("model", ["multinomial", "set", "bernoulli"])
def test_weights_do_not_change_which_words_are_in_enough_documents(
    weight: Any, options: dict[str, Any], model: str
) -> None:
    weights = np.broadcast_to(weight, 6).astype(float)
    plain = tl.NaiveBayes(text_model=model, **options).fit(WEIGHED, SIDES)
    weighed = tl.NaiveBayes(text_model=model, **options).fit(WEIGHED, SIDES, weights)
    assert weighed.model_.texts[0].terms == plain.model_.texts[0].terms


def test_weights_below_one_delete_no_word() -> None:
    """Class-balanced weights of a rare class: every word is in one document at least."""
    model = tl.NaiveBayes().fit(WEIGHED, SIDES, np.full(6, 1 / 6))
    assert model.model_.texts[0].terms == ("blue", "green", "red", "yellow")


@given(st.lists(st.tuples(st.sampled_from(WEIGHED), st.sampled_from("ab"),
                          st.sampled_from([0.0, 0.25, 1.0, 1 / 3, 5.0])), min_size=2, max_size=12),
       st.integers(0, 12))  # fmt: skip
def test_counts_of_documents_merge_and_are_forgotten_to_the_bit(
    rows: list[tuple[str, str, float]], cut: int
) -> None:
    def learned(part: list[tuple[str, str, float]]) -> Any:
        bags = Reader().bags(pa.array([text for text, _, _ in part], pa.large_string()))
        return words(bags, Codes.of([y for _, y, _ in part]), np.array([w for *_, w in part]))

    a, b = rows[:cut], rows[cut:]
    whole = learned(rows)
    assert learned(a) + learned(b) == whole
    assert whole - learned(b) == learned(a)
    kept = [row for row in rows if row[2] > 0]
    once = learned([(text, y, 1.0) for text, y, _ in kept])
    plain = without_weights(whole)
    assert ("rows" in plain) == bool(kept)
    if kept:
        assert plain["rows"] == once["rows"]
    if "terms" in once:
        assert plain["terms"].floats()[0].tolist() == once["terms"].floats()[0].tolist()
