"""Encodings: which one explains the letters of a text that is not UTF-8.

A text of one byte a letter can be decoded by any code page, and by most of them to nonsense. A code
page explains a text if all of its letters beyond ASCII are those of one language, none stands in
capitals behind a small letter, and no sign such as ``³`` stands within a word. Of the encodings of
East Asia, two bytes a character, that one is taken in which nearly all characters are frequent ones
(the first level of each standard, and kana). What two encodings explain differently is told.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from tallylearn.errors import InputError

MAX_WORDS = 5_000  # at most, by which an encoding is judged
MAX_SHOWN_WORDS = 5  # words
MAX_ODD_SHARE = 0.02  # of the words may have a letter that does not fit
FREQUENT = 0.9  # of the characters, in the encoding of a text
_WORD = re.compile(rb"[^\x00-\x40\x5b-\x60\x7b-\x7f]*[\x80-\xff][^\x00-\x40\x5b-\x60\x7b-\x7f]*")
_RUN = re.compile(rb"[\x80-\xff][\x40-\x7e\x80-\xff](?:[\x80-\xff][\x40-\x7e\x80-\xff])*")
LATIN = {  # languages that cp1252 is for, and their letters beyond ASCII
    "German": "äöüß", "French": "àâæçéèêëîïôœùûüÿ", "Spanish": "áéíóúüñ",
    "Portuguese": "àáâãçéêíóôõúü", "Italian": "àèéìíîòóùú", "Swedish": "åäöé",
    "Danish": "åæøéöäü", "Icelandic": "áðéíóúýþæö", "Dutch": "áéëïóöüèê",
    "Catalan": "àçèéíïòóúü", "Finnish": "åäöšž",
}  # fmt: skip
ALPHABETS = {  # code pages, and the languages that they are for
    "cp1252": LATIN,
    "cp1250": {"Polish": "ąćęłńóśźż", "Czech": "áčďéěíňóřšťúůýž", "Slovak": "áäčďéíĺľňóôŕšťúýž",
               "Hungarian": "áéíóöőúüű", "Croatian": "čćđšž", "Romanian": "ăâîşţ"},
    "cp1251": {"Russian": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
               "Ukrainian": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
               "Serbian": "абвгдђежзијклљмнњопрстћуфхцчџш"},
    "koi8-r": {"Russian": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"},
    "cp1253": {"Greek": "αάβγδεέζηήθιίϊΐκλμνξοόπρσςτυύϋΰφχψωώ"},
    "cp1254": {"Turkish": "çğıİöşüâîû"},
    "cp1257": {"Lithuanian": "ąčęėįšųūž", "Latvian": "āčēģīķļņšūž", "Estonian": "äöõüšž"},
    "mac_roman": LATIN,
    "cp850": LATIN,
}  # fmt: skip
_SIGNS = frozenset("€°§–—‘’‚“”„«»…±²³¹µ×·£¥©®™†‡•½¼¾ºª¿¡ \u00ad´¨‹›")
_INNER = frozenset("‘’–—…·\u00ad")  # signs that may stand within a word
_OPENING = frozenset("“„«¿¡‹‚°µ½¼¾")  # before one
_OTHER_SCRIPTS = ("cp1251", "koi8-r", "cp1253")
_HANGUL = 10  # characters of which a Chinese text has one beyond the Korean ones, nearly always


def likely_encodings(data: bytes) -> list[str]:
    """The encodings that explain a text that is not UTF-8, the most likely one first."""
    words = _WORD.findall(data)[:MAX_WORDS]
    if found := _east_asian(data, words):
        return found
    if _fits(words, "cp1252", ""):  # signs, and no letters
        return ["cp1252"]
    pages = [page for page in ALPHABETS if _of_one_language(words, page)]
    if not pages and _fits(words, "cp1252", "".join(LATIN.values())):
        pages = ["cp1252"]
    return _find_different_pages(words, pages)


def _of_one_language(words: list[bytes], page: str) -> bool:
    return any(_fits(words, page, alphabet) for alphabet in ALPHABETS[page].values())


def guess_encoding(path: Path, data: bytes) -> tuple[str, str]:
    """The encoding of a text that is not UTF-8, and what to say about it; or an error that asks."""
    found = likely_encodings(data)
    if len(found) == 1:
        return found[0], ""
    if found[:1] == ["cp1252"]:
        mine, other = (_decode_first_word(data, one) for one in found[:2])
        note = (
            f"letters are read as cp1252 ({mine}); if {other} is right, say --encoding {found[1]}"
        )
        return "cp1252", note
    names = found or ["cp1252", "cp1250", "cp1251", "mac_roman", "shift_jis", "gbk"]
    ways = [
        f'{{"encoding": "{one}"}} ({shown})'
        for one in names
        if (shown := _decode_first_word(data, one))
    ]
    raise InputError(
        f"{path}: the file is not UTF-8, and its encoding is ambiguous. Use "
        f"dialect={', or dialect='.join(ways[:MAX_SHOWN_WORDS])}, whichever is right."
    )


def _fits(words: list[bytes], page: str, alphabet: str) -> bool:
    """Whether the letters of nearly all words are those of an alphabet, where letters stand."""
    known = frozenset(alphabet) | frozenset(alphabet.upper())
    misfits = 0
    for word in words:
        try:
            text = word.decode(page)
        except UnicodeDecodeError:
            return False
        misfits += any(_is_odd(text, at, known, page) for at in range(len(text)))
        if misfits > MAX_ODD_SHARE * len(words):
            return False
    return True


def _is_odd(text: str, at: int, known: frozenset[str], page: str) -> bool:
    """Whether a letter or a sign beyond ASCII is not where such stand in a word."""
    letter, after = text[at], text[at + 1 : at + 2]
    before = text[at - 1] if at else ""
    if letter.isascii():
        return False
    if letter in known:  # no letter of ASCII stands in one word with those of other scripts
        latin = any(one.isascii() and one.isalpha() for one in (before, after))
        return (latin and page in _OTHER_SCRIPTS) or (letter.isupper() and before.islower())
    if letter not in _SIGNS or letter in _INNER or not after.isalpha():
        return letter not in _SIGNS
    return before.isalpha() or letter not in _OPENING


def _find_different_pages(words: list[bytes], pages: list[str]) -> list[str]:
    """The code pages that read these words differently, the first of those that agree."""
    found: dict[tuple[str, ...], str] = {}
    for page in pages:
        found.setdefault(tuple(word.decode(page) for word in words), page)
    return list(found.values())


def _east_asian(data: bytes, words: list[bytes]) -> list[str]:
    """The encodings of two bytes a character in which nearly all characters are frequent."""
    runs = _RUN.findall(data)
    long = sum(len(run) for run in runs if len(run) > 2)
    if 2 * long < sum(map(len, runs)) or not runs:  # letters among those of ASCII
        return []
    if any(_of_one_language(words, page) for page in _OTHER_SCRIPTS):
        return []
    shares = {name: _frequent(data, name) for name in _EAST}
    if shares["euc_kr"] == 1 and _count_distinct_characters(data) >= _HANGUL:
        return ["euc_kr"]
    likely = sorted((n for n in shares if shares[n] >= FREQUENT), key=lambda n: -shares[n])
    sure = len(likely) > 1 and shares[likely[0]] - shares[likely[1]] > 0.02
    return likely[:1] if sure else likely


def _count_distinct_characters(data: bytes) -> int:
    """How many different characters of two bytes there are in a text of Korean."""
    text = codecs.getincrementaldecoder("euc_kr")().decode(data)
    return len({letter for letter in text if not letter.isascii()})


def _frequent(data: bytes, name: str) -> float:
    """The share of frequent characters among those of two bytes; 0 where it does not decode."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError:
        return 0.0
    first = _EAST[name]
    wide = [letter for letter in text if not letter.isascii()][:MAX_WORDS]
    if name == "euc_jp" and not any("\u3040" <= letter <= "\u30ff" for letter in wide):
        return 0.0  # without kana it is Chinese
    pairs = [letter.encode(name) for letter in wide]
    if name == "big5" and 10 * sum(pair[-1] < 0x7F for pair in pairs) < len(pairs):
        return 0.0  # half of its characters end with a byte of ASCII, and none of EUC
    frequent = sum(map(first, pairs))
    return frequent / len(wide) if wide else 0.0


def _of_shift_jis(pair: bytes) -> bool:
    if len(pair) < 2:
        return False  # katakana of half width, which any byte may be
    return pair[0] in (0x81, 0x82, 0x83) or b"\x88\x9f" <= pair <= b"\x98\x72"


def _of_gbk(pair: bytes) -> bool:
    """Level 1 of GB 2312, and its signs; Korean has no character behind C8."""
    return (
        len(pair) == 2 and (0xA1 <= pair[0] <= 0xA3 or 0xB0 <= pair[0] <= 0xD7) and pair[1] > 0xA0
    )


def _of_big5(pair: bytes) -> bool:
    return len(pair) == 2 and 0xA1 <= pair[0] <= 0xC6


def _of_euc_kr(pair: bytes) -> bool:
    return len(pair) == 2 and (0xA1 <= pair[0] <= 0xA3 or 0xB0 <= pair[0] <= 0xC8)


def _of_euc_jp(pair: bytes) -> bool:
    return len(pair) == 2 and (0xA1 <= pair[0] <= 0xA5 or 0xB0 <= pair[0] <= 0xCF)


_EAST = {
    "cp932": _of_shift_jis,
    "gbk": _of_gbk,
    "big5": _of_big5,
    "euc_kr": _of_euc_kr,
    "euc_jp": _of_euc_jp,
}


def _decode_first_word(data: bytes, encoding: str) -> str:
    """A word as an encoding has it; empty where the encoding does not decode the text."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(data)
        return next((repr(word.decode(encoding)[:20]) for word in _WORD.findall(data)[:1]), "")
    except UnicodeDecodeError:
        return ""
