"""The commonest short words of the languages that are told apart, and the scripts that name a language by themselves.

`plain` are articles, conjunctions and the like, which hardly ever begin or end a longer word; a word that begins or
ends with one and goes on with another word of the document has probably lost a space. `others` are as common, but are
also the beginnings of words (*mit*arbeiter, *par*tout).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Profile:
    """Words of one language, in lower case."""

    plain: frozenset[str]
    others: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """All of them."""
        return self.plain | self.others


# The code of a language, its plain words, "|", the others; a line that is set in goes on from the one before.
_WORDS = """
bg които който това като една бъде | и на за от се да не с по е са в при ще има след или което
ca els les dels amb una aquest aquesta també | el la de i que en per un és del al no són com més però
cs který která které jsou jako nebo jeho byla bylo | a se v na je že s z do o i to k ve pro za by si ale od po
  jak
da det ikke eller deres blev | og i at er en den til på som med for de af et der har fra var kan vil han også
  men
de und der die das des dem nicht sich wird eine einer sind oder auch werden dass für von zum zur vom einen einem
  wurde sie | den ist ein mit auf zu im in als an aus bei nach es wie über kann
en of the and that which with was were this from have has are will been their would | to in is for it on as by
  be an or at a not you can we if your when his he
es los las del que una esta este como pero más también son el la con por | de en y a se no un para su al lo es o
et mida kuid selle mille | ja on ei et see ka oli kui ta või oma aga mis nii siis seda
fi että joka jotka mutta sekä myös | ja on ei se oli hän ovat kun tai kuin sen voi niin ole jos mukaan
fr les des une que qui est dans pas avec cette sont aux ces nous vous | de la le et à en du un il au ce pour par
  sur plus ne se ou son
hr koji koja koje kako nije bila | i u je se na da za su od s a o kao ne što će biti ili po iz
hu hogy egy nem vagy volt csak amely mint azt | a az és is meg ez de ha van el már még
id yang dengan adalah untuk tidak dari oleh pada atau juga | dan di ini itu ke dalam akan dapat telah para saya
  anda
it che della delle dei nel una gli alla dal non sono con anche questo | di e il la in un a per è i si le da del
  al come più o
lt kad kaip buvo apie arba yra | ir į iš su tai ne o bet ar už nuo po jo dėl taip pat jau
lv kas bija arī kuru tika | un ir ar no uz par ka tas kā bet vai pēc pie ne šis tā lai
nb det ikke eller deres ble mellom etter hvor | og i er på som til en av for at med de har den fra et var om kan
  han også men
nl het een van niet dat zijn worden deze voor naar | de en in is te met op die er aan om als bij ook door wordt
  uit dan maar kan
pl się jest nie jako oraz przez które który która | w i na z do o że to a po jak od dla za tym ale ma są lub
pt que uma não dos das como mais pelo pela são também | de a o e do da em um para com por os no na se ao as ou
  foi
ro care este din pentru sunt sau fost această | și de în la a cu pe o un nu că ca se mai ce au fi prin al
ru что это как его или для которые который были было | и в не на с по из от к а о у он за при же так бы но до
sk ktorý ktorá ktoré ako alebo bola bolo | a sa v na je že s z do o aj to k vo pre za by sú ale od po
sl kako lahko kateri tudi bila | in je v na se da za so z ne ki pa ali kot po iz bi pri od
sr који која које како није | и у је се на да за су од с а о као не што ће или по из
sv och det inte eller från också blev som | att i en är av för på med den till har de ett om var vid kan han men
  så
tr için olarak olan gibi daha kadar | ve bir bu da de ile en çok o ne ise her sonra var ya
uk що який яка які його було для або | і в не на з у до та це як по від а й за про він але при є
vi không được những trong người với | và của là có một các cho đã này để khi từ ở như về tôi nhưng
"""


def _profile(words: str) -> tuple[str, Profile]:
    language, *plain = words.partition("|")[0].split()
    return language, Profile(frozenset(plain), frozenset(words.partition("|")[2].split()))


PROFILES = dict(_profile(words) for words in _WORDS.replace("\n  ", " ").strip().splitlines())

SCRIPTS = {
    "GREEK": "el",
    "HEBREW": "he",
    "HANGUL": "ko",
    "THAI": "th",
    "DEVANAGARI": "hi",
    "BENGALI": "bn",
    "TAMIL": "ta",
    "TELUGU": "te",
    "GEORGIAN": "ka",
    "ARMENIAN": "hy",
    "KHMER": "km",
    "LAO": "lo",
    "MYANMAR": "my",
}
"""Scripts that are nearly always one language's, by the word with which Unicode's names of their letters begin."""


@cache
def weights() -> dict[str, tuple[tuple[str, float], ...]]:
    """For each word the languages that have it and what it says for each: less, the more languages have it."""
    languages: dict[str, list[str]] = {}
    for language, profile in PROFILES.items():
        for word in profile.words:
            languages.setdefault(word, []).append(language)
    return {word: tuple((one, 1 / len(found)) for one in found) for word, found in languages.items()}
