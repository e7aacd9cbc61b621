"""Which language a text is in, by its script and by its function words; no model and no word list beyond these.

It is enough to tell what a search must do differently, not to name every language: a text without function words
(code, a list of names) is of none. The language of a whole document, as people are told it, is `quality.language`'s: it
knows thirty and says none rather than a wrong one, for which a query has too few words.
"""

from __future__ import annotations

import re
from collections import Counter

ENGLISH = "en"

_LOOKED_AT = 20_000
"""Characters: the language of a text is plain from its beginning."""

_LETTERS = re.compile(r"[^\W\d_]+")
_BY_SCRIPT = {
    "ru": re.compile(r"[\u0400-\u052f]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7a3]"),
}
_LETTERS_A_WORD = {"zh": 2, "ja": 2, "ko": 3}
"""Letters that say as much as a word of an alphabet; five elsewhere."""

WORDLESS_SCRIPTS = ("zh", "ja", "th")
"""Languages that are written without spaces between words."""

_LEAST_SHARE = 0.1
"""Of the words of a text; prose of any of these languages has 0.3 and more, code and lists of names nearly none."""

_WORDS = {
    ENGLISH: """
a about all am an and any are as at be been being both but by can could did do does each few for from had has have he
her his how i if in into is it its just me more most my no not of on only or other our own same she should so some such
than that the their them then there these they this to too us very was we were what when where which who why will with
would you your
""",
    "de": """
aber als am an auch auf aus bei beim bin bis da dann das dass dein dem den denn der deren des dessen die dies diese
diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es für gegen hab habe haben hat hatte
hatten ich ihm ihn ihr ihre im in ist ja kann kein keine mehr mein mit nach nicht noch nur ob oder ohne sehr sein seine
sich sie sind so um und uns unter vom von vor war waren warum was welche welchem welchen welcher welches wenn wer
werden wie wieder wieviel viele wir wird wo wofür woher wohin worin worüber wurde wurden zu zum zur über zwischen
""",
    "fr": """
au aux avec ce ces cette comment dans de des du elle elles en est et eu il ils je la le les leur leurs lui mais me même
mes moi mon ne nos notre nous on où ont ou par pas pour pourquoi qu quand que quel quelle quelles quels qui sa sans se
ses son sont sur ta te tes toi ton tu un une vos votre vous était été être
""",
    "es": """
al algo como cómo con cuál cuáles cuando cuándo cuánto cuántos de del desde donde dónde el ella ellos en entre era es
esa ese eso esta este esto está están fue fueron ha han hasta la las le les lo los más me mi muy ni no nos para pero
por porque qué que quien quién se ser si sin sobre son su sus también te tiene un una uno unos ya
""",
    "it": """
ad agli ai al alla alle anche che chi ci come con cosa cui da dagli dal dalla dalle degli dei del della delle dello di
dove ed era erano gli ha hanno il in la le lo loro ma mi negli nei nel nella nelle non perché più quale quali
quando quanti quanto quella quello questa questo se si sono sua sue sui sul sulla suo tra un una uno
""",
    "pt": """
ao aos as como da das de dela dele do dos ela ele eles em entre era essa esse esta este eu foi foram há isso já lhe
mais mas me mesmo muito na nas não no nos onde os ou para pela pelo por porque qual quais quando quantos que quem se
sem ser seu seus sua são só também te tem um uma
""",
    "nl": """
aan als bij dat de der deze die dit door een en er geen had heb heeft hem het hij hoe hoeveel hun ik in is je kan
kunnen maar me meer met mij naar niet nog of om onder ook op over te tot uit van veel voor waar waarom wanneer waren
was wat welke werd wie wordt worden zal ze zich zij zijn zo zou
""",
    "ru": """
а без бы был была были было в вам вас весь во вот все всего всех вы где да для до его ее её если есть еще ещё же за
здесь и из или им их к как каким каких какова каково какого какой какая какие каком какую когда которая которого
которое которой котором которые который кто куда ли либо мне может мы на над наш не него нее неё нет ни них но о об
однако он она они оно от очень по под почему при с сколько со так также такой там те тем то того тоже той только том
ты у уже хотя чего чей чем что чтобы эта эти этих это этого этой этом
""",
}
FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
"""Words that say nothing in a question, by language (ISO 639-1)."""


def language_of(text: str) -> str | None:
    """The language (ISO 639-1) that most of `text` is in; None where it has no function words of one that is known.

    Scripts that several languages are written in stand for the one that most is written in: Cyrillic is `ru`, Arabic
    `ar`, Devanagari `hi`.
    """
    shown = text[:_LOOKED_AT]
    words = _LETTERS.findall(shown.casefold())
    script = None if shown.isascii() else _script_of(shown, words)
    if script is not None:
        return script
    found = Counter(language for word in words for language, known in FUNCTION_WORDS.items() if word in known)
    language, most = max(found.items(), key=lambda pair: pair[1], default=(None, 0))
    return language if most >= _LEAST_SHARE * len(words) else None


def _script_of(text: str, words: list[str]) -> str | None:
    """The language of a script other than the Latin one, where at least half of the words are written in it."""
    letters = {language: len(pattern.findall(text)) for language, pattern in _BY_SCRIPT.items()}
    if letters["ja"] * 5 > letters["zh"]:  # kana stand among ideographs in Japanese and nowhere else
        letters["ja"] += letters.pop("zh")
    language, most = max(letters.items(), key=lambda pair: pair[1])
    latin = sum(word.isascii() for word in words)
    return language if most and most / _LETTERS_A_WORD.get(language, 5) >= latin / 2 else None
