"""Encodings: the one that explains the letters of a text is found, or asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import InputError
from tallylearn.sources.files.csv.dialect import sniff
from tallylearn.sources.files.csv.encodings import likely_encodings

TEXTS: dict[str, tuple[str, str]] = {
    "Japanese": ("名前,年齢,都市\n太郎,34,東京\n花子,45,大阪\n次郎,23,京都\n", "cp932"),
    "kana": ("氏名,住所\nやまだ,東京都千代田区\nカタカナ,大阪府\n", "cp932"),
    "Japanese of Unix": ("名前,年齢,都市\nたろう,34,東京\n花子,45,大阪\n", "euc_jp"),
    "Chinese": ("姓名,年龄,城市\n张三,34,北京\n李四,45,上海\n王五,23,广州\n", "gbk"),
    "Chinese of Taiwan": ("姓名,年齡,城市\n張三,34,臺北\n李四,45,高雄\n", "big5"),
    "Korean": ("이름,나이,도시\n철수,34,서울\n영희,45,부산\n", "euc_kr"),
    "Polish": ("imię,wiek,miasto\nŁukasz,34,Łódź\nŻaneta,45,Kraków\n", "cp1250"),
    "Czech": ("jméno,věk,město\nŘehoř,34,Brno\nŠárka,45,Plzeň\n", "cp1250"),
    "Croatian": ("ime\nŽeljko Čačić\nĐorđe\n", "cp1250"),
    "German": ("name,alter,stadt\nJürgen,34,Köln\nÄnne,45,MÜNCHEN\n", "cp1252"),
    "French": ("nom,age,ville\nRené,34,Orléans\nZoé,45,Nîmes\nŒuvre,1,l’été\n", "cp1252"),
    "Spanish": ("niño,año\n¿qué?,1\nEspaña,2\n", "cp1252"),
    "Portuguese": ("nome\nJoão\nconceição\nações\n", "cp1252"),
    "Norwegian": ("navn\nBjørn\nÅse\nTromsø\n", "cp1252"),
    "names from everywhere": ("name\nBjørn\nJosé\nFrançois\nMuñoz\nGünther\nStraße\n", "cp1252"),
    "signs": ("temp °C,preis €\n1,2\nm²,3\n5 µm,4\n5–6,“x”\n", "cp1252"),
    "Russian": ("имя,возраст,город\nИван,34,Москва\nАнна,45,Тверь\n", "cp1251"),
    "Russian of Unix": ("имя,возраст,город\nИван,34,Москва\nАнна,45,Тверь\n", "koi8-r"),
    "Ukrainian": ("місто\nКиїв\nЛьвів\nЄнакієве\n", "cp1251"),
    "Greek": ("όνομα,ηλικία\nΓιάννης,34\nΜαρία,45\n", "cp1253"),
    "Turkish": ("isim\nŞükrü\nİstanbul\nIğdır\n", "cp1254"),
    "Lithuanian": ("vardas\nŽydrė\nŠiauliai\nąžuolas\n", "cp1257"),
    "German of an old Mac": ("name,stadt\nJürgen,Köln\nÄnne,München\n", "mac_roman"),
    "German of DOS": ("name,stadt\nJürgen,Köln\nÄnne,München\n", "cp850"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("times", [1, 2_000])  # beyond the words that are looked at
def test_the_encoding_that_explains_the_letters_is_taken(
    tmp_path: Path, name: str, times: int
) -> None:
    text, encoding = TEXTS[name]
    head, rows = text.split("\n", 1)
    path = tmp_path / "t.csv"
    path.write_bytes((head + "\n" + rows * times).encode(encoding))
    assert sniff(path).encoding == encoding
    table = tl.table(path, dialect={"delimiter": ","} if "," in head else {"delimiter": "\t"})
    assert table.names == tuple(head.split(","))
    first: Any = next(table.raw())  # type: ignore[attr-defined]
    assert first.column(0)[0].as_py() == rows.split("\n")[0].split(",")[0]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [("miasto,n\nGdańsk,1\nKraków,2\n", "Gdańsk", "Gdañsk"), ("név,kor\nGyőző,34\n", "név", "név")],
)
def test_what_two_encodings_explain_is_told_with_the_other(
    tmp_path: Path, text: str, right: str, wrong: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("cp1250"))
    dialect = sniff(path)
    assert dialect.encoding == "cp1252"
    (note,) = dialect.notes
    assert f"letters are read as cp1252 ({wrong!r})" in note
    assert f"if {right!r} is right, say --encoding cp1250" in note
    assert sniff(path, {"encoding": "cp1250"}).notes == ()


def test_letters_that_nothing_explains_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\nx\xfe\x90\xd0y,1\nz\x8d\xf0\x9dw,2\n")
    with pytest.raises(
        InputError, match=r"is ambiguous\. Use dialect=\{\"encoding\": \"cp1251\"\}"
    ):
        tl.table(path)
    raw = tl.table(path, dialect={"encoding": "cp1251"}).raw()  # type: ignore[attr-defined]
    assert pa.concat_tables(raw).to_pydict()["b"] == [1, 2]


def test_chinese_that_may_be_korean_is_asked_about() -> None:
    found = likely_encodings("北京,大\n".encode("gbk"))
    assert found[0] == "gbk"
    assert "euc_kr" in found


def test_one_odd_word_among_many_does_not_matter() -> None:
    assert likely_encodings(("größe," * 100 + "größeÄnderung").encode("cp1252")) == ["cp1252"]


def test_a_stray_byte_in_a_text_of_utf8_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\né,1\nü,2\n".encode() + b"x\xe9,3\n")
    with pytest.raises(InputError, match=r"not UTF-8|is not utf-8"):
        list(tl.table(path).blocks())
