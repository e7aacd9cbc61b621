"""Documents made of sentences, for measuring; every language has its own."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from docshelf.documents.model import Block, Document, Kind

PARAGRAPHS = {
    "de": (
        "Die Stadt liegt an der Mündung des Flusses und ist für ihren Hafen bekannt. Der Rat der Stadt hat die Brücke "
        "erneuert, weil die alte Brücke den Verkehr nicht mehr tragen konnte. Das Wasser des Hafens wird von der "
        "Behörde geprüft. Die Schiffe fahren mit der Flut, und der Kapitän kennt die Zeiten der Flut genau."
    ),
    "en": (
        "The harbour lies at the mouth of the river and is known for its lighthouse. The council of the town has "
        "renewed the bridge, because the old bridge was not able to carry the traffic that came with the harbour. "
        "The keeper of the lighthouse writes the time of the tide and the name of the ship into the book."
    ),
    "es": (
        "El puerto está en la boca del río y es conocido por su faro. El consejo de la ciudad ha renovado el puente, "
        "porque el puente viejo no podía con el tráfico que llegaba con los barcos. El guarda del faro escribe la "
        "hora de la marea y el nombre de los barcos en un libro que está en la torre."
    ),
    "fi": (
        "Satama on joen suulla ja se on tunnettu majakasta, joka näkyy kauas merelle. Kaupunki on uusinut sillan, "
        "koska vanha silta ei ollut enää turvallinen. Majakan vartija kirjoittaa laivan nimen kirjaan, ja hän on "
        "tehnyt niin jo vuosia, mutta nyt se on myös osa työtä."
    ),
    "fr": (
        "Le port est à l'embouchure de la rivière et il est connu pour son phare. Le conseil de la ville a refait le "
        "pont, parce que le vieux pont ne pouvait pas porter le trafic qui venait avec les bateaux. Le gardien du "
        "phare écrit l'heure de la marée et le nom des bateaux dans un livre qui est dans la tour."
    ),
    "it": (
        "Il porto è alla foce del fiume ed è noto per il faro. Il consiglio della città ha rifatto il ponte, perché "
        "il vecchio ponte non era più in grado di portare il traffico che arrivava con le navi. Il guardiano del faro "
        "scrive l'ora della marea e il nome delle navi in un libro che è nella torre."
    ),
    "nl": (
        "De haven ligt aan de monding van de rivier en is bekend om de vuurtoren. De raad van de stad heeft de brug "
        "vernieuwd, omdat de oude brug het verkeer niet meer kon dragen. De wachter van de vuurtoren schrijft de tijd "
        "van het tij en de naam van het schip in een boek dat in de toren ligt."
    ),
    "pl": (
        "Port leży u ujścia rzeki i jest znany z latarni, która stoi na skale. Rada miasta odnowiła most, ponieważ "
        "stary most nie był już w stanie unieść ruchu. Latarnik zapisuje do książki nazwę statku oraz godzinę, o "
        "której statek wpłynął do portu, i robi to od lat, ale nie w niedzielę."
    ),
    "pt": (
        "O porto fica na foz do rio e é conhecido pelo farol. O conselho da cidade refez a ponte, porque a ponte velha "
        "não podia com o tráfego que vinha com os navios. O guarda do farol escreve a hora da maré e o nome dos "
        "navios em um livro que está na torre, e também o nome do capitão."
    ),
    "ru": (
        "Порт стоит в устье реки и известен своим маяком. Совет города обновил мост, так как старый мост не мог "
        "больше нести движение, которое шло из порта. Смотритель маяка пишет в книгу время прилива и имя корабля, и "
        "это он делает уже много лет, но не по воскресеньям."
    ),
    "sv": (
        "Hamnen ligger vid flodens mynning och är känd för sin fyr. Rådet i staden har förnyat bron, för att den gamla "
        "bron inte kunde bära den trafik som kom med hamnen. Fyrens vaktare skriver tiden för tidvattnet och namnet "
        "på skeppet i en bok, och det har han gjort i många år."
    ),
    "tr": (
        "Liman nehrin ağzında yer alır ve feneri ile bilinir. Şehir meclisi köprüyü yeniledi, çünkü eski köprü bu "
        "yükü taşımak için yeterli değildi. Fener bekçisi geminin adını ve saatini bir deftere yazar, daha sonra da "
        "bu defter bir kuleye konur ve orada çok uzun bir süre kalır."
    ),
    "uk": (
        "Порт стоїть у гирлі річки і відомий своїм маяком. Рада міста оновила міст, бо старий міст не міг більше "
        "нести рух, який ішов до порту. Доглядач маяка пише у книгу час припливу та ім'я корабля, і це він робить "
        "уже багато років, але не в неділю, що є для нього святом."
    ),
    "el": "Το λιμάνι βρίσκεται στις εκβολές του ποταμού και είναι γνωστό για τον φάρο του.",
    "he": "הנמל שוכן בשפך הנהר וידוע במגדלור שלו, והמועצה חידשה את הגשר.",
    "ar": "يقع الميناء عند مصب النهر وهو معروف بمنارته، وقد جدد المجلس الجسر القديم.",
    "fa": "بندر در دهانه رودخانه است و برای فانوس دریایی خود شناخته می‌شود، و شورای شهر پل را نو کرد.",
    "hi": "बंदरगाह नदी के मुहाने पर है और अपने प्रकाशस्तंभ के लिए जाना जाता है।",
    "ja": "港は川の河口にあり、灯台で知られています。町の議会は橋を新しくしました。古い橋は重すぎました。",
    "ko": "항구는 강 하구에 있으며 등대로 알려져 있습니다. 시의회는 오래된 다리를 새로 고쳤습니다.",
    "th": "ท่าเรือตั้งอยู่ที่ปากแม่น้ำและเป็นที่รู้จักจากประภาคารของเมือง",
    "zh": "港口位于河口,以灯塔闻名。市议会翻修了桥梁,因为旧桥已无法承受交通。守塔人把潮汐的时间和船名写进书里。",
}
SPACED = sorted(language for language in PARAGRAPHS if len(PARAGRAPHS[language]) > 200)


def document(text: str, pages: Sequence[int] = (), *, of: int | None = None) -> Document:
    """A document of `text`; with pages, it has `of` of them and text on `pages`."""
    blocks = tuple(Block(Kind.PARAGRAPH, 0, len(text), page=page) for page in pages or (None,))
    return Document("A title", text, blocks, "text/plain", pages=of)


def glued(text: str, share: float) -> str:
    """`text` with this share of the spaces between its letters left out."""
    source = random.Random(1)
    return re.sub(r"(?<=[^\W\d_]) (?=[^\W\d_])", lambda _: "" if source.random() < share else " ", text)


def shuffled(language: str, words: int) -> str:
    """So many words of a language in lines of twelve, each drawn by chance, with which no two texts are alike."""
    source = random.Random(1)
    drawn = source.choices(re.findall(r"[^\W\d_]+", PARAGRAPHS[language]), k=words)
    return "\n".join(" ".join(drawn[place : place + 12]) for place in range(0, words, 12))


def split(text: str, share: float) -> str:
    """`text` with a space at this share of the places within its words."""
    source = random.Random(1)
    return re.sub(r"(?<=[^\W\d_])(?=[^\W\d_])", lambda _: " " if source.random() < share else "", text)
