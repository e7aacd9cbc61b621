"""The formats that are read, and the names and extensions by which a text file says which one it is."""

from __future__ import annotations

import posixpath
from enum import StrEnum


class MediaType(StrEnum):
    """A format that docshelf reads."""

    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    XLS = "xls"
    XLSB = "xlsb"
    CSV = "csv"
    ODT = "odt"
    ODS = "ods"
    ODP = "odp"
    RTF = "rtf"
    EPUB = "epub"
    MAIL = "mail"
    MBOX = "mbox"
    MSG = "msg"
    ZIP = "zip"
    TAR = "tar"
    NOTEBOOK = "notebook"
    JSON = "json"
    RESTRUCTUREDTEXT = "restructuredtext"
    ASCIIDOC = "asciidoc"
    CODE = "code"
    PLAIN = "plain text"


_MARKUP = {
    "md mdx markdown mdown mkd mkdn mdwn qmd rmd": MediaType.MARKDOWN,
    "html htm xhtml xht": MediaType.HTML,
    "rst rest": MediaType.RESTRUCTUREDTEXT,
    "adoc asciidoc asc": MediaType.ASCIIDOC,
    "txt text log": MediaType.PLAIN,
    "csv tsv tab psv": MediaType.CSV,
    "ipynb": MediaType.NOTEBOOK,
    # Many programs export a table of text under the name of a workbook.
    "xls xlsx": MediaType.CSV,
}

_CODE = """
    ada adb ads asm astro awk bash bat bazel bicep bzl c cc cfg cfn cjs clj cljc cljs cls cmake cmd cob coffee conf
    config cpp cr cs cshtml css csx cts cue cxx d dart diff dockerfile dockerignore dtd ecl editorconfig edn ejs el elm
    env erb erl ex exs f f03 f90 f95 fish for fs fsi fsx gd gemspec go gql gradle graphql groovy gsh h haml handlebars
    hbs hcl hh hpp hrl hs htaccess hxx idl inc ini ipp j2 java jinja jinja2 jl js json json5 jsonc jsonl jsonnet jsp
    jsx just kt kts latex less lhs libsonnet liquid lisp lock lua m mak mako mk ml mli mm mod mts mustache ndjson nim
    nix njk nomad nu ocaml pas patch php pl plist pm po pot prisma pro properties proto ps1 psd1 psm1 pug puml purs py
    pyi pyx qml r rake rb rbi re reg rego resx robot rs sass sbt sc scala scm scss service sh sln sol sql star
    styl sum sv svelte swift tcl templ tex tf tfvars thrift timer toml tpl ts tsx twig v vb vert vhd vhdl vim vue wat
    webmanifest xaml xml xsd xsl xslt yaml yml zig zsh
"""

_CODE_NAMES = """
    .bashrc .dockerignore .editorconfig .env .gitattributes .gitconfig .gitignore .gitmodules .npmrc .profile .zshrc
    brewfile build caddyfile cmakelists.txt codeowners containerfile dockerfile gemfile go.mod go.sum gnumakefile
    jenkinsfile justfile makefile pipfile procfile rakefile requirements.txt tiltfile vagrantfile workspace
"""

_BY_EXTENSION = {
    **dict.fromkeys(_CODE.split(), MediaType.CODE),
    **{extension: media_type for extensions, media_type in _MARKUP.items() for extension in extensions.split()},
}
_BY_NAME = frozenset(_CODE_NAMES.split())


def extension_of(key: str) -> str:
    """The lower-case extension of `key` without its dot, "" when it has none."""
    return posixpath.splitext(posixpath.basename(key))[1].removeprefix(".").lower()


def media_type_of_name(key: str) -> MediaType | None:
    """What the file's name or extension says it is, in any case of letters; None when it says nothing known."""
    name = posixpath.basename(key).lower()
    if name in _BY_NAME or name.startswith(("dockerfile.", "makefile.")):
        return MediaType.CODE
    return _BY_EXTENSION.get(extension_of(key))
