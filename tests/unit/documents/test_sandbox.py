"""The parser's process: it is ended when it misbehaves, and the next document gets a fresh one."""

from __future__ import annotations

import io
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docshelf
from docshelf.documents import parse
from docshelf.documents.archives.members import Members
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.sandbox.frames import ClosedError, parse_header, read_message, write_message
from docshelf.documents.sandbox.limits import mapped_bytes, should_retire
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.documents.sandbox.wire import (
    decode_document,
    decode_error,
    decode_request,
    encode_document,
    encode_error,
    encode_request,
)
from docshelf.documents.sandbox.worker import serve
from docshelf.errors import (
    DocshelfError,
    DocumentError,
    DocumentTooLargeError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ParseFailedError,
    ParseTimeoutError,
    UnsupportedDocumentError,
)
from docshelf.settings import Limits

WORKER = str(Path(__file__).with_name("misbehaving_worker.py"))
LIMITS = Limits(parse_seconds=1, parse_memory_mb=256)
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces this limit")


@pytest.fixture(scope="module")
def shared_child() -> Iterator[ParserProcess]:
    with ParserProcess(LIMITS, [WORKER]) as child:
        yield child


def text_of(child: ParserProcess, order: str) -> str:
    return child.parse(order.encode(), "key.txt").text.strip()


def test_docshelfs_own_parsers_give_the_same_documents_in_the_child() -> None:
    files = {
        "a.md": b"# One\n\ntext\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n",
        "b.html": "<title>T</title><h1>Ü</h1><ul><li>a<ul><li>b</ul></ul><pre>x</pre>".encode(),
        "c.py": b"def f():\n    return 1\n",
    }
    with ParserProcess(Limits()) as child:
        for key, data in files.items():
            assert child.parse(data, key) == parse(data, key, Limits())
        with pytest.raises(UnsupportedDocumentError, match="docshelf reads"):
            child.parse(b"\x89PNG\r\n\x1a\n" + bytes(64), "d.png")
        with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_BYTES"):
            ParserProcess.parse(child, bytes(Limits().max_bytes + 1), "e.txt")


def test_one_child_serves_many_documents(shared_child: ParserProcess) -> None:
    assert text_of(shared_child, "hello") == "key.txt 5"
    first = shared_child.pid
    assert text_of(shared_child, "hello again") == "key.txt 11"
    assert shared_child.pid == first


def test_a_large_document_passes_through_the_pipes(shared_child: ParserProcess) -> None:
    assert text_of(shared_child, "big " + "x" * 5_000_000) == "key.txt 5000004"


def test_an_error_of_the_parser_arrives_as_the_same_error_and_the_child_lives_on(shared_child: ParserProcess) -> None:
    text_of(shared_child, "hello")
    child = shared_child.pid
    with pytest.raises(EncryptedDocumentError) as caught:
        text_of(shared_child, "refuse")
    assert caught.value.sentence == "A password is needed; take it off."
    assert shared_child.pid == child


@pytest.mark.parametrize(
    ("order", "kind", "words"),
    [
        ("spin", ParseTimeoutError, "(1 s of CPU that |more than 2 s, .*)DOCSHELF_PARSE_SECONDS"),
        ("sleep", ParseTimeoutError, "more than 2 s, .*DOCSHELF_PARSE_SECONDS"),
        pytest.param("grow", ParseTimeoutError, "256 MiB of memory that DOCSHELF_PARSE_MEMORY_MB", marks=linux_only),
        ("crash", ParseFailedError, r"ended unexpectedly \(signal 11\)"),
        ("exit", ParseFailedError, r"ended unexpectedly \(exit code 7\)"),
        ("recurse", ParseFailedError, "nests its parts too deeply"),
    ],
)
def test_a_misbehaving_parser_is_ended_with_a_sentence_and_the_next_document_is_read(
    shared_child: ParserProcess, order: str, kind: type[DocumentError], words: str
) -> None:
    start = time.monotonic()
    with pytest.raises(kind, match=words):
        text_of(shared_child, order)
    assert time.monotonic() - start < 30
    assert text_of(shared_child, "hello") == "key.txt 5"


def no_members(data: bytes, key: str, limits: Limits, start: int) -> Members:
    raise AssertionError("no members were asked for")


def test_cpu_time_is_counted_for_each_document_anew() -> None:
    def busy(seconds: float) -> Callable[[bytes, str, Limits], Document]:
        def work(data: bytes, key: str, limits: Limits) -> Document:
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass
            return parse(data, key, limits)

        return work

    source, sink = _conversation([(b"a", "a.txt"), (b"b", "b.txt")])
    before = resource.getrlimit(resource.RLIMIT_CPU)
    try:
        serve(source, sink, (busy(0.7), no_members), None, apply_limits=True)
        soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
        used = resource.getrusage(resource.RUSAGE_SELF)
        assert soft >= used.ru_utime + used.ru_stime
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def test_what_a_library_prints_does_not_disturb_the_answers(shared_child: ParserProcess) -> None:
    assert text_of(shared_child, "print") == "key.txt 5"
    assert text_of(shared_child, "hello") == "key.txt 5"


@pytest.mark.parametrize("order", ["write", "make", "empty", "remove", "move", "folder", "database", "read"])
def test_the_child_neither_changes_nor_reads_a_file(shared_child: ParserProcess, tmp_path: Path, order: str) -> None:
    target = tmp_path / "secret"
    target.write_text("kept")
    assert text_of(shared_child, f"{order} {target}") == "PermissionError"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("secret", "kept")]


@pytest.mark.parametrize("order", ["write", "make", "folder", "database"])
def test_the_child_makes_no_file(shared_child: ParserProcess, tmp_path: Path, order: str) -> None:
    assert text_of(shared_child, f"{order} {tmp_path / 'made'}") == "PermissionError"
    assert [*tmp_path.iterdir()] == []


@linux_only
@pytest.mark.parametrize("path", ["", "/proc/self/environ", "/proc/self/../self/mem", "/etc/passwd"])
def test_no_parser_reads_the_environment_of_its_parent_or_files_of_the_machine(
    shared_child: ParserProcess, path: str
) -> None:
    assert text_of(shared_child, f"read {path}") == "PermissionError"


def test_the_parsers_load_every_library_of_other_people_before_the_child_gives_up_its_rights() -> None:
    program = """
import importlib, pkgutil, sys, sysconfig
import docshelf.documents
docshelf.documents.load_parsers()
loaded = set(sys.modules)
for module in pkgutil.walk_packages(docshelf.documents.__path__, "docshelf.documents."):
    importlib.import_module(module.name)
standard = sysconfig.get_path("stdlib") + "/lib-dynload"
for name in set(sys.modules) - loaded:
    file = getattr(sys.modules[name], "__file__", None) or ""
    if file.endswith((".so", ".dylib")) and not file.startswith(standard):
        print(name)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(docshelf.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == []


def test_modules_that_are_loaded_late_are_found_all_the_same(shared_child: ParserProcess) -> None:
    for module in ("encodings.shift_jis", "tarfile", "lzma", "pdfminer.high_level", "mammoth"):
        assert text_of(shared_child, f"import {module}") == "allowed"


def test_no_parser_reaches_the_network(shared_child: ParserProcess) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(type=socket.SOCK_DGRAM) as receiver:
        port = server.getsockname()[1]
        receiver.bind(("127.0.0.1", 0))
        tried = [f"connect {port}", f"send {receiver.getsockname()[1]}", f"fetch http://127.0.0.1:{port}/"]
        assert [text_of(shared_child, order) for order in tried] == ["PermissionError"] * 3
        for waiting in (server.accept, lambda: receiver.recv(1)):
            server.setblocking(False)
            receiver.setblocking(False)
            with pytest.raises(BlockingIOError):
                waiting()
    assert text_of(shared_child, "resolve localhost") == "PermissionError"


@pytest.mark.parametrize(
    "order",
    ["fork", "run /bin/true", "shell true", "become /bin/true", "spawn /bin/true", "load", "symbol", "signal"],
)
def test_no_parser_starts_or_ends_a_program_or_calls_a_library(shared_child: ParserProcess, order: str) -> None:
    assert text_of(shared_child, order) == "PermissionError"
    assert text_of(shared_child, "hello") == "key.txt 5"


@linux_only
def test_the_child_inherits_no_connection(shared_child: ParserProcess) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        os.set_inheritable(server.fileno(), True)
        with ParserProcess(LIMITS, [WORKER]) as child:
            assert "socket" not in text_of(child, "descriptors").split()


def test_the_child_gets_none_of_the_parents_secrets_and_a_session_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    with ParserProcess(LIMITS, [WORKER]) as child:
        seen = text_of(child, "look")
        assert "AWS" not in seen
        assert "PROXY" not in seen
        assert "LD_LIBRARY_PATH" in seen
        assert f"session={child.pid} pid={child.pid}" in seen


@linux_only
def test_a_child_that_keeps_much_memory_is_replaced_after_its_answer() -> None:
    with ParserProcess(LIMITS, [WORKER]) as child:
        text_of(child, "keep 1000")
        first = child.pid
        assert first is not None
        text_of(child, "keep 100000000")
        assert child.pid is None
        text_of(child, "hello")
        assert child.pid != first


def test_a_child_that_died_between_documents_is_replaced() -> None:
    with ParserProcess(LIMITS, [WORKER]) as child:
        text_of(child, "hello")
        first = child.pid
        assert first is not None
        os.kill(first, 9)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert text_of(child, "hello") == "key.txt 5"
        assert child.pid != first


def test_closing_ends_the_child_and_can_be_done_twice() -> None:
    child = ParserProcess(LIMITS, [WORKER])
    child.close()
    text_of(child, "hello")
    pid = child.pid
    assert pid is not None
    child.close()
    child.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_several_children_work_side_by_side() -> None:
    results: list[str] = []

    def work() -> None:
        with ParserProcess(LIMITS, [WORKER]) as child:
            results.append(text_of(child, "hello"))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["key.txt 5"] * 3


@pytest.mark.parametrize("command", [["-c", "pass"], ["-c", "print('x' * 5, flush=True); input()"]])
def test_a_child_that_does_not_start_is_no_fault_of_the_document(command: list[str]) -> None:
    with ParserProcess(LIMITS, command) as child, pytest.raises(DocshelfError, match="does not start") as caught:
        child.parse(b"x", "x.txt")
    assert not isinstance(caught.value, DocumentError)


@pytest.mark.parametrize(
    "answer",
    [
        b"struct.pack('>QQ', 1 << 40, 0)",
        b"struct.pack('>QQ', 2, 1 << 40) + b'{}'",
        b"struct.pack('>QQ', 2, 0) + b'[]'",
        b"struct.pack('>QQ', 2, 0) + b'{}'",
        b"struct.pack('>QQ', 2, 0) + b'{x'",
    ],
)
def test_an_answer_that_is_no_document_fails_the_document_only(answer: bytes) -> None:
    code = (
        "import sys, struct; out = sys.stdout.buffer; out.write(b'+'); out.flush(); "
        f"sys.stdin.buffer.read(16); out.write({answer.decode()}); out.flush(); sys.stdin.buffer.read()"
    )
    with ParserProcess(LIMITS, ["-c", code]) as child, pytest.raises(ParseFailedError, match="cannot be used"):
        child.parse(b"x", "x.txt")


def test_blocks_that_do_not_tile_the_text_are_not_accepted(shared_child: ParserProcess) -> None:
    with pytest.raises(ParseFailedError, match="cannot be used"):
        text_of(shared_child, "lie")
    assert shared_child.pid is None


def test_members_come_through_the_same_child(shared_child: ParserProcess) -> None:
    (member,) = shared_child.unpack(b"hello", "key.txt", 3).members
    assert (member.name, member.data, member.size) == ("from 3", b"hello", 5)


@pytest.mark.parametrize("order", ["exit", "crash", "members ../up 1", "members a\x01b 1", "members x 100001"])
def test_members_that_cannot_be_trusted_are_not_taken(order: str) -> None:
    limits = replace(LIMITS, max_bytes=100_000)
    with ParserProcess(limits, [WORKER]) as child:
        with pytest.raises(ParseFailedError):
            child.unpack(order.encode(), "key.txt", 0)
        assert child.unpack(b"hello", "key.txt", 0).members


def _conversation(requests: list[tuple[bytes, str]]) -> tuple[io.BytesIO, io.BytesIO]:
    source = io.BytesIO()
    for data, key in requests:
        write_message(source, encode_request(key, Limits()), data)
    source.seek(0)
    return source, io.BytesIO()


def _answers(sink: io.BytesIO) -> Iterator[tuple[dict[str, object], bytes]]:
    sink.seek(0)
    while sink.tell() < len(sink.getvalue()):
        yield read_message(sink)


def test_the_worker_answers_each_request_and_ends_with_the_input() -> None:
    def exhausted(data: bytes, key: str, limits: Limits) -> Document:
        match data:
            case b"memory":
                raise MemoryError
            case b"deep":
                raise RecursionError
        return parse(data, key, limits)

    source, sink = _conversation([(b"# A\n", "a.md"), (b"", "b.md"), (b"memory", "c.md"), (b"deep", "d.md")])
    serve(source, sink, (exhausted, no_members), mapped_bytes(), apply_limits=False)
    good, *failed = _answers(sink)
    assert decode_document(*good, Limits()) == parse(b"# A\n", "a.md", Limits())
    assert [header["error"] for header, _ in failed] == ["empty", "parse_timeout", "parse_failed"]
    assert [header["retire"] for header, _ in failed] == [False, True, False]


def test_a_message_cut_short_is_reported_as_closed() -> None:
    source, _ = _conversation([(b"data", "key")])
    with pytest.raises(ClosedError):
        read_message(io.BytesIO(source.getvalue()[:-1]))


def test_requests_carry_key_and_limits() -> None:
    limits = Limits(max_pages=7)
    header = parse_header(json.dumps(encode_request("ä/b.md", limits)).encode())
    assert decode_request(header) == ("ä/b.md", limits, None)


def test_a_child_retires_by_what_it_has_mapped_since_its_start_where_the_system_tells() -> None:
    assert not should_retire(Limits(), None, 0)
    mapped = mapped_bytes()
    if mapped is not None:
        assert should_retire(Limits(parse_memory_mb=1), 0, 0)
        assert not should_retire(Limits(), mapped, 0)


def test_a_child_retires_after_the_time_of_a_few_documents() -> None:
    limits = Limits(parse_seconds=10)
    assert not should_retire(limits, None, 50)
    assert should_retire(limits, None, 51)


def _walk(kind: type[DocumentError]) -> Iterator[type[DocumentError]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _walk(subclass)


@pytest.mark.parametrize("kind", list(_walk(DocumentError)))
def test_every_document_error_survives_the_way(kind: type[DocumentError]) -> None:
    error = decode_error(encode_error(kind("Say so.")))
    assert type(error) is kind
    assert error.sentence == "Say so."


def test_the_pages_of_a_scan_survive_the_way() -> None:
    error = decode_error(encode_error(EmptyDocumentError("No text.", 7)))
    assert error is not None
    assert error.pages == 7


def test_an_unknown_error_becomes_a_failed_parse() -> None:
    error = decode_error({"error": "settings", "sentence": "odd"})
    assert type(error) is ParseFailedError
    assert error.sentence == "odd"


HEADINGS = st.lists(st.sampled_from(["A", "Ünder", "c d"]), max_size=3).map(tuple)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    def blocks(start: int, depth: int) -> tuple[Block, ...]:
        made: list[Block] = []
        for _ in range(draw(st.integers(1, 3))):
            children = blocks(start, depth - 1) if depth and draw(st.booleans()) else ()
            end = children[-1].end if children else start + draw(st.integers(1, 5))
            page = draw(st.none() | st.integers(1, 9))
            label = draw(st.none() | st.just("iv"))
            opening = draw(st.sampled_from(["", "```\n"]))
            made.append(
                Block(draw(st.sampled_from(Kind)), start, end, draw(HEADINGS), page, label, children, opening, opening)
            )
            start = end
        return tuple(made)

    tiled = blocks(0, 3)
    letters = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=1)
    text = draw(letters) * tiled[-1].end
    pages = draw(st.none() | st.integers(1, 9))
    return Document("T", text, tiled, "pdf", draw(st.booleans()), draw(st.integers(1, 5)), pages, "d", ("w",))


@given(documents())
@settings(max_examples=60, deadline=None)
def test_documents_survive_the_way_unchanged(document: Document) -> None:
    header, body = encode_document(document)
    assert decode_document(parse_header(json.dumps(header).encode()), body, Limits()) == document


def _sound_header() -> dict[str, object]:
    header, _ = encode_document(Document("T", "text\n", (Block(Kind.PARAGRAPH, 0, 5),), "pdf"))
    changed = json.loads(json.dumps(header))
    assert isinstance(changed, dict)
    return changed


@pytest.mark.parametrize(
    "change",
    [
        {"title": 1},
        {"title": None},
        {"warnings": "w"},
        {"first_line": -1},
        {"pages": True},
        {"headings": [["a"], 3]},
        {"blocks": []},
        {"blocks": None},
        {"blocks": [["paragraph", 0, 5, 0, None, None, "", ""]]},
        {"blocks": [["system", 0, 5, 0, None, None, "", "", 0]]},
        {"blocks": [["paragraph", 0, 5, 9, None, None, "", "", 0]]},
        {"blocks": [["paragraph", 0, 5, 0, None, None, "", "", 4]]},
        {"blocks": [["paragraph", 0, 4, 0, None, None, "", "", 0]]},
        {"blocks": [["paragraph", 0.0, 5, 0, None, None, "", "", 0]]},
        {"blocks": [["paragraph", 0, 5, 0, None, None, 7, "", 0]]},
        {"blocks": [[["paragraph"], 0, 5, 0, None, None, "", "", 0]]},
    ],
)
def test_an_unsound_answer_is_refused(change: dict[str, object]) -> None:
    assert decode_document(_sound_header(), b"text\n", Limits()).text == "text\n"
    with pytest.raises(ParseFailedError, match="cannot be used"):
        decode_document({**_sound_header(), **change}, b"text\n", Limits())


@pytest.mark.parametrize("body", [b"tex\0\n", b"tex\r\n", b"tex\xff\n", b"text", b"text\n\n"])
def test_an_unsound_text_is_refused(body: bytes) -> None:
    with pytest.raises(ParseFailedError, match="cannot be used"):
        decode_document(_sound_header(), body, Limits())


def test_a_text_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ParseFailedError, match="cannot be used"):
        decode_document(_sound_header(), b"text\n", Limits(max_characters=4))
