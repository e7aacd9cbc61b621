"""Mail as it was sent: headers, the best body, forwarded mails, what came with it."""

from __future__ import annotations

import base64

import pytest

from docshelf.documents import Document, Kind, MediaType, detect, parse
from docshelf.documents.mail.message import mail_attachments
from docshelf.errors import EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits

HEAD = "From: Ada <ada@example.org>\nTo: Ben <ben@example.org>\nDate: Fri, 1 Mar 2024 10:15:00 +0100\n"
MIME = "MIME-Version: 1.0\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n\n"
PAGE = "Content-Type: text/html; charset=utf-8\n\n"


def mail(body: str, *, subject: str = "Rollout", kind: str = "text/plain; charset=utf-8", more: str = "") -> bytes:
    return f"{HEAD}Subject: {subject}\n{MIME}Content-Type: {kind}\n{more}\n{body}".encode()


def parts(*contents: str, kind: str = "mixed", more: str = "") -> bytes:
    body = "".join(f"--XX\n{content}\n" for content in contents) + "--XX--\n"
    return mail(body, kind=f'multipart/{kind}; boundary="XX"{more}')


def read(data: bytes, key: str = "a.eml") -> Document:
    return parse(data, key, Limits())


def test_a_mail_begins_with_its_subject_and_who_wrote_when() -> None:
    document = read(mail("The drain starts at nine.\n\n-- \nAda\n", more="Cc: ops@example.org\n"))
    assert (document.title, document.media_type) == ("Rollout", "mail")
    assert document.text == (
        "# Rollout\n\nFrom: Ada <ada@example.org>\nTo: Ben <ben@example.org>\nCc: ops@example.org\n"
        "Date: 2024-03-01 10:15 +0100\n\nThe drain starts at nine.\n\n--\nAda\n"
    )
    assert document.blocks[-1].headings == ("Rollout",)


def test_quoted_replies_are_kept() -> None:
    assert (
        "Yes.\n\n> Is the bridge open?\n>> Ask Ben.\n"
        in read(mail("Yes.\n\n> Is the bridge open?\n>> Ask Ben.\n")).text
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("=?utf-8?B?UmVsZWFzZSBwbGFuIOKAkyBRMw==?=", "Release plan – Q3"),
        ("=?iso-8859-1?Q?Caf=E9_f=FCr_alle?= today", "Café für alle today"),
        ("=?utf-8?q?caf=C3?=\n =?utf-8?q?=A9?=", "café"),
        ("=?UTF-8*en?Q?a?= =?windows-1252?Q?=80?=", "a€"),
        ("=?x-nonsense?B?Y2Fmw6k=?=", "café"),
        ("=?utf-8?B?Y2Fmw6k?=", "café"),
        ("=?utf-8?Q?two words?=", "two words"),
        ("=?gb2312?B?suLK1A==?=", "测试"),
        ("=?utf-7?Q?+AOQ-h?=", "äh"),
        ("50% =? no word", "50% =? no word"),
    ],
)
def test_encoded_words_of_a_subject_are_decoded(written: str, meant: str) -> None:
    assert read(mail("Words.", subject=written)).title == meant


def test_bytes_that_should_not_be_in_a_header_are_read() -> None:
    data = mail("Words.", subject="café @")
    assert read(data).title == "café @"
    assert read(data.replace("é".encode(), b"\xe9")).title == "café @"


ENCODED = "Content-Transfer-Encoding: "


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            b"charset=iso-8859-1\n" + f"{ENCODED}quoted-printable\n\ncaf=E9 opens=\n early.\n".encode(),
            "café opens early.",
        ),
        (b"charset=nonsense\n\nThe caf\xc3\xa9 opens.\n", "The café opens."),
        (b"charset=us-ascii\n\nThe caf\xc3\xa9 opens.\n", "The café opens."),
        (b"charset=utf-8\n\nThe caf\xe9 opens.\n", "The café opens."),
        (b"charset=iso-2022-jp\n\n" + "証明書を更新".encode("iso-2022-jp") + b"\n", "証明書を更新"),
        (f"charset=utf-8\n{ENCODED}base64\n\nVGhlIGNhZsOp\n\n____\na list of ours\n".encode(), "The café"),
        (f"charset=utf-8\n{ENCODED}base64\n\nWords, not encoded at all.\n".encode(), "Words, not encoded at all."),
        (b"charset=utf-8; format=flowed\n\nOne line \ngoes on.\n> so does \n> this\n", "line goes on.\n> so does this"),
    ],
)
def test_a_body_is_read_in_the_encoding_that_it_is_in(content: bytes, words: str) -> None:
    assert words in read(f"{HEAD}{MIME}Content-Type: text/plain; ".encode() + content).text


def test_plain_text_is_preferred_to_html() -> None:
    text = read(parts(PLAIN + "The plain words.\n", PAGE + "<p>The <b>rich</b> words.</p>\n", kind="alternative")).text
    assert "The plain words." in text
    assert "rich" not in text


@pytest.mark.parametrize("note", ["", "Your program cannot show this mail."])
def test_html_is_read_where_the_plain_text_only_stands_in_for_it(note: str) -> None:
    page = "<html><head><title>T</title><style>p {}</style></head><body><h2>Prices</h2><table><tr><th>Plan</th><th>Fee"
    page += "</th></tr><tr><td>Small</td><td>4</td></tr></table>" + "<p>The fee is due in March.</p>" * 8
    document = read(parts(PLAIN + note + "\n", PAGE + page, kind="alternative"))
    assert "| Small | 4 |" in document.text
    assert "cannot show" not in document.text
    assert any(block.headings == ("Rollout", "Prices") for block in document.blocks)


def test_html_that_repeats_the_plain_text_beside_it_is_left_out() -> None:
    assert read(parts(PLAIN + "The same words.\n", PAGE + "<p>The same words.</p>\n")).text.count("same words") == 1


def test_attachments_are_named_and_can_be_had() -> None:
    table = base64.b64encode(b"step,owner\ndrain,ops\n").decode()
    data = parts(
        PLAIN + "See the plan.\n",
        f"Content-Type: text/csv; name=plan.csv\nContent-Transfer-Encoding: base64\n\n{table}\n",
        "Content-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''caf%C3%A9.pdf\n\n%PDF-1.7\n",
        'Content-Type: text/plain\nContent-Disposition: attachment; filename="../../etc/passwd"\n\nx\n',
        "Content-Type: image/png\nContent-ID: <logo>\n\nnot shown\n",
    )
    document = read(data)
    assert (
        "Attachments:\n\n- plan.csv (text/csv, 21 bytes)\n- café.pdf (application/pdf, 9 bytes)\n- passwd"
        in document.text
    )
    assert "not shown" not in document.text
    first = mail_attachments(data)[0]
    assert (first.name, first.media_type, first.read()) == ("plan.csv", "text/csv", b"step,owner\ndrain,ops\n")


def test_forwarded_mails_are_sections() -> None:
    inner = mail("It was the cable.", subject="Cause").decode()
    document = read(parts(PLAIN + "See below.\n", f"Content-Type: message/rfc822\n\n{inner}"))
    assert "## Cause\n\nFrom: Ada" in document.text
    assert document.blocks[-1].headings == ("Rollout", "Cause")


def test_mails_forwarded_within_mails_end_somewhere() -> None:
    data = mail("The innermost.", subject="Level 30")
    for level in range(29, -1, -1):
        data = f"{HEAD}{MIME}Subject: Level {level}\nContent-Type: message/rfc822\n\n".encode() + data
    document = read(data)
    assert "###### Level 5" in document.text
    assert "Level 6" not in document.text
    assert "attachment-1 (message/rfc822" in document.text


def test_a_report_shows_what_could_not_be_delivered() -> None:
    data = parts(
        PLAIN + "Not delivered.\n",
        "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1\n",
        kind="report",
    )
    assert "Action: failed\nStatus: 5.1.1" in read(data).text


@pytest.mark.parametrize("boundary", ["", "; boundary=other", '; boundary="'])
def test_parts_are_found_where_the_line_that_parts_them_is_not_the_declared_one(boundary: str) -> None:
    body = f"--YY\n{PLAIN}First.\n--YY\n{PAGE}<p>Second.</p>\n--YY--\n"
    text = read(mail(body, kind=f"multipart/mixed{boundary}")).text
    assert "First.\n\nSecond.\n" in text
    assert "YY" not in text


def test_a_mail_that_is_cut_off_keeps_what_it_has() -> None:
    data = parts(PLAIN + "First words.\n", PLAIN + "Second words.\n")
    assert "Second wo" in read(data[: data.index(b"rds.\n\n--XX--")]).text


@pytest.mark.parametrize(
    "data",
    [
        parts("Content-Type: application/pgp-encrypted\n\nVersion: 1\n", kind="encrypted"),
        mail("MIAGCSqGSIb3DQEHA6CA", kind="application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m"),
        mail("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"),
    ],
)
def test_an_encrypted_mail_is_encrypted(data: bytes) -> None:
    with pytest.raises(EncryptedDocumentError):
        read(data)


def test_an_encrypted_mail_within_another_is_told() -> None:
    inner = mail("MIAGCSqGSIb3DQEHA6CA", kind="application/pkcs7-mime; smime-type=enveloped-data").decode()
    document = read(parts(PLAIN + "See below.\n", f"Content-Type: message/rfc822\n\n{inner}"))
    assert document.warnings == ("A part of the mail is encrypted and was left out.",)


def test_a_signed_mail_is_read_without_its_signature() -> None:
    data = parts(PLAIN + "Signed words.\n", "Content-Type: application/pgp-signature\n\nxyz\n", kind="signed")
    assert read(data).text.endswith("Signed words.\n")


def test_text_inside_a_signature_is_missed_and_told_of() -> None:
    document = read(mail("MIAGCSqGSIb3DQEHAqCA", kind="application/pkcs7-mime; smime-type=signed-data"))
    assert document.warnings == ("The text of the mail is inside its signature, which is not read.",)
    assert document.text.startswith("# Rollout\n\nFrom: Ada")


def test_a_mail_of_very_many_parts_is_bounded() -> None:
    document = read(parts(*[PLAIN + "x\n"] * 2_000))
    assert "too many parts" in document.warnings[0]


@pytest.mark.parametrize("levels", [60, 400])
def test_parts_nested_beyond_reason_are_no_crash(levels: int) -> None:
    data = mail("Words.")
    for level in range(levels):
        data = f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n".encode() + data
    assert "nests them too deeply" in read(f"{HEAD}{MIME}".encode() + data).warnings[0]


@pytest.mark.parametrize(
    ("text", "key", "media_type"),
    [
        (HEAD + "Message-ID: <1@x>\n\nWords.", "saved.txt", MediaType.MAIL),
        (HEAD + "\nWords.", "a.eml", MediaType.MAIL),
        ("\n" + HEAD + MIME + "\nWords.", "noname", MediaType.MAIL),
        ("From: Ada\nTo: Ben\n\nA memo.", "memo.txt", MediaType.PLAIN),
        (HEAD + "Subject: x\n\nNo machine wrote this.", "memo.txt", MediaType.PLAIN),
        ("From: here on\nthe text goes on.\n", "a.eml", MediaType.PLAIN),
        ("From me at 10:30\nTo: you\nFrom: me\n", "a.txt", MediaType.PLAIN),
        ("Title: x\nDate: y\nReceived: z\n\n# A", "a.md", MediaType.MARKDOWN),
        ("---\nfrom: a\nto: b\n---\n", "a.md", MediaType.MARKDOWN),
        ("From 0123abc Mon Sep 17 00:00:00 2001\n" + HEAD + "Subject: x\n\n---\n", "0001-x.patch", MediaType.CODE),
        ("From 0123abc Mon Sep 17 00:00:00 2001\n" + HEAD + "Subject: x\n\n---\n", "patches", MediaType.MBOX),
    ],
)
def test_a_text_is_a_mail_only_with_evidence(text: str, key: str, media_type: MediaType) -> None:
    assert detect(text.encode(), key) is media_type


def folder(*mails: bytes) -> bytes:
    return b"\n".join(b"From ada@example.org Fri Mar  1 10:15:00 2024\n" + one + b"\n" for one in mails)


def test_the_mails_of_a_folder_are_sections() -> None:
    data = folder(mail("One.\n\nFrom here on, 10:15 is late.\n", subject="First"), mail("Two.", subject="Second"))
    document = read(data, "archive.mbox")
    assert (document.title, document.media_type) == ("archive", "mbox")
    assert [block.headings for block in document.blocks if block.kind is Kind.HEADING] == [("First",), ("Second",)]
    assert "One.\n\nFrom here on, 10:15 is late.\n" in document.text


def test_a_folder_of_one_mail_is_that_mail() -> None:
    document = read(folder(mail("One.", subject="First")), "archive.mbox")
    assert (document.title, document.media_type) == ("First", "mail")


def test_a_folder_tells_which_of_its_mails_are_encrypted() -> None:
    sealed = mail("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n")
    assert read(folder(mail("One."), sealed), "a.mbox").warnings == (
        "A part of the mail is encrypted and was left out.",
    )
    with pytest.raises(EncryptedDocumentError):
        read(folder(sealed, sealed), "a.mbox")


def test_a_folder_of_more_mails_than_are_read_says_so() -> None:
    document = read(folder(*[b"From: a@x\nTo: b@x\n\nWords.\n"] * 10_002), "a.mbox")
    assert document.warnings == ("The file has more than 10,000 mails; the rest was left out.",)


def test_a_page_saved_with_its_parts_is_read_as_its_html() -> None:
    data = parts(PAGE + "<h1>Offer</h1><p>Words.</p>\n", "Content-Type: text/css\n\np {}\n", kind="related")
    assert "# Offer\n\nWords." in read(data, "a.mht").text


def test_a_damaged_outlook_message_has_a_state() -> None:
    with pytest.raises(ParseFailedError, match="Outlook"):
        read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 504 + "__substg1.0_".encode("utf-16-le") * 100, "a.msg")
