"""From bytes to text without silent loss."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.text.text_encoding import decode, looks_binary
from docshelf.errors import UnsupportedDocumentError

GUIDE = "Deployment guide\n\nThe canary – naïve café Ω – must stay below 5 %.\n"


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_not_part_of_the_text(mark: bytes, encoding: str) -> None:
    decoded = decode(mark + GUIDE.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.warnings) == (GUIDE, encoding, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_told_by_its_zeros(encoding: str) -> None:
    assert decode(GUIDE.encode(encoding)).text == GUIDE


def test_a_wide_text_that_is_cut_keeps_the_rest_and_warns() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + GUIDE.encode("utf-16-le")[:-1])
    assert decoded.text.startswith("Deployment guide")
    assert "U+FFFD" in decoded.warnings[0]


def test_a_utf_16_text_that_begins_with_zero_is_not_taken_for_utf_32() -> None:
    assert decode(codecs.BOM_UTF16_LE + b"\0\0a\0").text == "a"


def test_line_ends_of_all_kinds_become_line_feeds_and_nothing_else_does() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"
    assert decode("a\u2028b\u2029c\x85d\x0be\x0cf".encode()).text == "a\u2028b\u2029c\x85d\x0be\x0cf"


def test_a_character_cut_at_the_end_is_shown_and_warned_of() -> None:
    decoded = decode("the end is cut: café".encode()[:-1])
    assert decoded.text == "the end is cut: caf\ufffd"
    assert len(decoded.warnings) == 1


def test_a_windows_line_in_a_utf_8_file_is_read_as_windows_1252() -> None:
    decoded = decode("Price: 5 €\n".encode() + "Copyright © Acme™\n".encode("cp1252"))
    assert decoded.text == "Price: 5 €\nCopyright © Acme™\n"
    assert "windows-1252" in decoded.warnings[0]


def test_a_marked_utf_8_file_with_bad_bytes_stays_utf_8() -> None:
    decoded = decode(codecs.BOM_UTF8 + b"bad \x81 \x93byte\x94")
    assert decoded.text == "bad \ufffd “byte”"
    assert decoded.warnings


def test_a_few_zeros_in_prose_are_removed_with_a_warning() -> None:
    decoded = decode(b"Start of the run book.\nStep two \0 follows.\0\n")
    assert decoded.text == "Start of the run book.\nStep two  follows.\n"
    assert "NUL" in decoded.warnings[0]


@pytest.mark.parametrize("data", [bytes(range(256)) * 40, b"\0" * 5_000, b"text " * 50_000 + bytes(range(32)) * 3_000])
def test_binary_data_is_refused_with_its_name(data: bytes) -> None:
    assert looks_binary(data)
    with pytest.raises(UnsupportedDocumentError, match="binary data"):
        decode(data)


def test_terminal_colours_and_form_feeds_are_text() -> None:
    assert not looks_binary(b"\x1b[31mred\x1b[0m\f\b\n" * 100)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("big5", "部署指南\n\n正式環境必須啟用雙因素認證。\n"),
        ("gb18030", "部署指南\n\n生产环境必须启用双因素认证。重启服务后生效。\n"),
        ("euc_jp", "導入手順\n\n本番環境では証明書を更新してください。再起動は不要です。\n"),
        ("cp932", "証明書を更新した後は再起動してください。設定ファイルを確認する。\n"),
        ("cp949", "인증서를 갱신한 후에는 다시 시작하십시오. 설정 파일을 확인하세요.\n"),
        ("cp1251", "Развёртывание службы. Перед запуском проверьте журнал.\n"),
        ("koi8_r", "Развёртывание службы. Перед запуском проверьте журнал.\n"),
        ("cp1252", "Press “Undo” – naïve café. L’été dernier, «très» grave.\n"),
        ("cp1250", "Zażółć gęślą jaźń. Wdrożenie wymaga ponownego uruchomienia węzła.\n"),
    ],
)
def test_older_encodings_are_told_apart_and_named(encoding: str, text: str) -> None:
    decoded = decode((text * 4).encode(encoding))
    assert decoded.text == text * 4
    assert decoded.warnings == (f"The text is not UTF-8; it was read as {encoding}.",)


def test_bytes_that_fit_no_encoding_are_shown_not_dropped() -> None:
    decoded = decode(b"\x81\x8d\x8f\x90\x9d plain words follow here\n")
    assert "plain words follow here" in decoded.text
    assert decoded.warnings


def test_very_many_bad_bytes_are_shown_as_replacement_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docshelf.documents.text.text_encoding._MAX_REPAIRS", 3)
    decoded = decode("ok é\n".encode() * 5 + b"\x93\x94\x93\x94\x93\n")
    assert decoded.text.endswith("\ufffd" * 5 + "\n")
    assert "Very many" in decoded.warnings[0]


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs", "Cc"]) | st.just("\n")))
def test_any_utf_8_text_comes_back_as_it_was(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded.text == text.removeprefix("\ufeff")
    assert decoded.warnings == ()


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_give_clean_text_or_a_sentence(data: bytes) -> None:
    try:
        text = decode(data).text
    except UnsupportedDocumentError:
        return
    assert "\r" not in text
    assert "\0" not in text
    assert text.encode("utf-8").decode("utf-8") == text
