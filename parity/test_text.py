"""Text beside Weka and scikit-learn, on short messages and on newsgroups."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import tallylearn as tl

SHARED = Path(__file__).parent.parent.parent / "shared"
TABLES = {"sms_spam.csv": "label", "mini_newsgroups.csv.gz": "newsgroup"}


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(SHARED / "data" / name, keep_default_na=False)


def letters(text: str) -> list[str]:
    """Weka's AlphabeticTokenizer, with -L."""
    return [word.lower() for word in re.findall("[A-Za-z]+", text)]


def test_every_clear_message_is_classified_as_by_weka() -> None:
    """Weka's NaiveBayesMultinomial smooths the prior by 1 too."""
    weka = json.loads((SHARED / "reference" / "weka39_sms_spam.json").read_text())
    result = next(r for r in weka["results"] if "-W 1000000" in r["classifier"])
    frame = table("sms_spam.csv")
    theirs = np.array(weka["labels"])[result["cv_pred"]]
    compared = right = 0
    for fold in weka["folds"]:
        train, test = frame.drop(index=fold), frame.loc[fold]
        count = train["label"].value_counts() + 1
        prior = (count / count.sum()).to_dict()
        model = tl.NaiveBayes(tokenizer=letters, class_prior=prior)
        model.fit(train["text"].tolist(), train["label"])
        joint = model.predict_joint_log_proba(test["text"].tolist())
        clear = np.abs(joint[:, 0] - joint[:, 1]) > 1e-9
        answers = model.predict(test["text"].tolist())
        assert (answers[clear] == theirs[fold][clear]).all()
        compared += int(clear.sum())
        right += int((answers == test["label"]).sum())
    assert compared >= len(frame) - 5
    assert right / len(frame) == pytest.approx(result["cv_accuracy"], abs=1e-3)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("model", "peer"), [("multinomial", MultinomialNB), ("bernoulli", BernoulliNB)]
)
def test_predictions_are_scikit_learns(name: str, model: str, peer: Any) -> None:
    frame, target = table(name), TABLES[name]
    train, test = frame[frame.index % 3 > 0], frame[frame.index % 3 == 0]
    vectorizer = CountVectorizer(token_pattern=r"(?u)\w+")
    theirs = peer().fit(vectorizer.fit_transform(train["text"]), train[target])
    ours = tl.NaiveBayes(text_model=model).fit(train[["text", target]], target)
    assert ours.model_.texts[0].terms == tuple(vectorizer.get_feature_names_out())
    matrix, rows = vectorizer.transform(test["text"]), test[["text"]]
    assert np.array_equal(ours.predict(rows), theirs.predict(matrix))
    log = theirs.predict_joint_log_proba(matrix)
    assert np.allclose(ours.predict_joint_log_proba(rows), log, rtol=1e-9)


def test_a_file_of_messages_gives_the_bits_of_the_frame() -> None:
    path = SHARED / "data" / "sms_spam.csv"
    ours = tl.NaiveBayes().fit(path, "label")
    assert ours.tally_ == tl.NaiveBayes().fit(table("sms_spam.csv"), "label").tally_
    assert [word for word, _ in ours.top_words(3)["spam"]] == ["claim", "prize", "150p"]
