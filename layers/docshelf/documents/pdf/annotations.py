"""What stands on a PDF page without being drawn by it: the values of form fields, notes, free text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_ushort, cast, create_string_buffer
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pypdfium2
from pypdfium2 import raw

from docshelf.documents.pdf.characters import Box
from docshelf.documents.pdf.marks import unmarked

_MOST_ON_PAGE = 2_000
_MOST_OPTIONS = 1_000
_LONGEST = 20_000
_LONGEST_LABEL = 200
_BYTES_A_CHARACTER = 2
_PASSWORD = 1 << 13
_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_CHECKED = "[x]"
_NOT_CHECKED = "Off"
_CHOICES = (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
_SWITCHES = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_NOTES = (
    raw.FPDF_ANNOT_TEXT,
    raw.FPDF_ANNOT_FREETEXT,
    raw.FPDF_ANNOT_LINE,
    raw.FPDF_ANNOT_SQUARE,
    raw.FPDF_ANNOT_CIRCLE,
    raw.FPDF_ANNOT_POLYGON,
    raw.FPDF_ANNOT_POLYLINE,
    raw.FPDF_ANNOT_HIGHLIGHT,
    raw.FPDF_ANNOT_UNDERLINE,
    raw.FPDF_ANNOT_SQUIGGLY,
    raw.FPDF_ANNOT_STRIKEOUT,
    raw.FPDF_ANNOT_STAMP,
    raw.FPDF_ANNOT_CARET,
    raw.FPDF_ANNOT_INK,
    raw.FPDF_ANNOT_FILEATTACHMENT,
)


@dataclass(frozen=True, slots=True)
class FormField:
    """A filled field: what it says, its box in points, and what it is called for those who cannot see it."""

    text: str
    box: Box
    label: str


@dataclass(slots=True)
class Annotations:
    """The filled fields and the notes of a page, and how many files are pinned to it.

    `cut` says that there were more, or longer ones.
    """

    fields: list[FormField] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    files: int = 0
    cut: bool = False


class AnnotationReader:
    """Reads the annotations of the pages of one document; close it before the document."""

    def __init__(self, document: pypdfium2.PdfDocument) -> None:
        self._document = document
        self._form: Any = None
        self._settings: Any = None

    def close(self) -> None:
        """Let go of the form."""
        if self._form:
            raw.FPDFDOC_ExitFormFillEnvironment(self._form)
            self._form = None

    def read(self, page: Any) -> Annotations:
        """What the fields and notes of an open page say."""
        found = Annotations()
        count = raw.FPDFPage_GetAnnotCount(page)
        found.cut = count > _MOST_ON_PAGE
        for number in range(min(count, _MOST_ON_PAGE)):
            with annotation(page, number) as one:
                if one:
                    self._add(found, one)
        return found

    def _add(self, found: Annotations, one: Any) -> None:
        found.files += _pins_file(one)
        if raw.FPDFAnnot_GetFlags(one) & _UNSEEN:
            return
        kind = raw.FPDFAnnot_GetSubtype(one)
        if kind in _NOTES:
            note = self._cut(found, text_of(partial(raw.FPDFAnnot_GetStringValue, one, b"Contents")))
            if note:
                found.notes.setdefault(note)
        elif kind == raw.FPDF_ANNOT_WIDGET and self._opened_form():
            text = self._cut(found, self._value(one))
            if text:
                found.fields.append(FormField(text, _box(one), self._label(one)))

    def _cut(self, found: Annotations, text: str) -> str:
        found.cut |= len(text) > _LONGEST
        return unmarked(text[:_LONGEST]).replace("\r\n", "\n").replace("\r", "\n").strip()

    def _opened_form(self) -> bool:
        """Whether the document has a form that can be asked; nothing of it is run."""
        if self._form is None:
            self._settings = raw.FPDF_FORMFILLINFO(version=2)
            has_form = self._document.get_formtype() != raw.FORMTYPE_NONE
            self._form = has_form and raw.FPDFDOC_InitFormFillEnvironment(self._document, self._settings)
        return bool(self._form)

    def _value(self, one: Any) -> str:
        form = self._form
        kind = raw.FPDFAnnot_GetFormFieldType(form, one)
        if kind in _SWITCHES:
            return _CHECKED if self._is_checked(one) else ""
        if kind in _CHOICES:
            chosen = ", ".join(self._chosen(one))
            if chosen:
                return chosen
        elif kind != raw.FPDF_FORMFIELD_TEXTFIELD or raw.FPDFAnnot_GetFormFieldFlags(form, one) & _PASSWORD:
            return ""
        return text_of(partial(raw.FPDFAnnot_GetFormFieldValue, form, one))

    def _is_checked(self, one: Any) -> bool:
        """Told by what is drawn, or by the value: the engine's own answer is for pages that somebody fills in."""
        drawn = text_of(partial(raw.FPDFAnnot_GetStringValue, one, b"AS"))
        if drawn:
            return drawn != _NOT_CHECKED
        value = text_of(partial(raw.FPDFAnnot_GetFormFieldValue, self._form, one))
        return value != "" and value == text_of(partial(raw.FPDFAnnot_GetFormFieldExportValue, self._form, one))

    def _chosen(self, one: Any) -> Iterator[str]:
        form = self._form
        for number in range(min(_MOST_OPTIONS, raw.FPDFAnnot_GetOptionCount(form, one))):
            if raw.FPDFAnnot_IsOptionSelected(form, one, number):
                yield text_of(partial(raw.FPDFAnnot_GetOptionLabel, form, one, number))

    def _label(self, one: Any) -> str:
        label = text_of(partial(raw.FPDFAnnot_GetFormFieldAlternateName, self._form, one))
        if not label and raw.FPDFAnnot_GetFormFieldType(self._form, one) in _SWITCHES:
            label = text_of(partial(raw.FPDFAnnot_GetFormFieldName, self._form, one))
        return " ".join(unmarked(label).split())[:_LONGEST_LABEL]


def pinned_files(page: Any) -> list[int]:
    """The numbers of the annotations that pin a file to an open page."""
    found: list[int] = []
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_ON_PAGE)):
        with annotation(page, number) as one:
            if one and _pins_file(one):
                found.append(number)
    return found


def _pins_file(one: Any) -> bool:
    return raw.FPDFAnnot_GetSubtype(one) == raw.FPDF_ANNOT_FILEATTACHMENT and bool(raw.FPDFAnnot_GetFileAttachment(one))


@contextmanager
def annotation(page: Any, number: int) -> Iterator[Any]:
    """An annotation of an open page, counted from 0, while it is looked at."""
    one = raw.FPDFPage_GetAnnot(page, number)
    try:
        yield one
    finally:
        if one:
            raw.FPDFPage_CloseAnnot(one)


def text_of(read: Callable[[Any, int], int]) -> str:
    """A text that the engine writes into a buffer of so many bytes, whose length it tells first."""
    size = read(None, 0)
    if size <= _BYTES_A_CHARACTER:
        return ""
    buffer = create_string_buffer(size)
    read(cast(buffer, POINTER(c_ushort)), size)
    return buffer.raw[: size - _BYTES_A_CHARACTER].decode("utf-16-le", "replace").replace("\0", "")


def _box(one: Any) -> Box:
    found = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(one, byref(found))
    bottom, top = sorted((found.bottom, found.top))
    left, right = sorted((found.left, found.right))
    return left, bottom, right, top
