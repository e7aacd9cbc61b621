"""Somebody at a browser, for clients that start a program to open an address.

As a command, `python -m tests.support.person LOG NAME PASSWORD URL` opens the address, allows the client, signs in and
goes where it is sent; with an empty PASSWORD the person cancels. What happened is added to LOG.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
import traceback
from pathlib import Path

from tests.support.browser import Browser, Page
from tests.support.cognito_pool import Person
from tests.support.commands import ROOT
from tests.support.oauth_client import ALLOW, DENY, log_in

PROGRAM = "xdg-open"


def browser_program(directory: Path, person: Person) -> Path:
    """A program in `directory` that has `person` open the address that it is given, and does not wait for them.

    Its name is that of the program that opens addresses on Linux; what happened is in `directory / "person.log"`. A
    person without a password cancels.
    """
    program, log = directory / PROGRAM, directory / "person.log"
    # A client starts it in whatever directory and environment it has.
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers")])
    command = ["env", f"PYTHONPATH={paths}", sys.executable, "-m", "tests.support.person"]
    start = shlex.join([*command, str(log), person.name, person.password])
    lines = ["#!/bin/sh", f'{start} "$1" </dev/null >/dev/null 2>&1 &', ""]
    program.write_text("\n".join(lines), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def allow_and_sign_in(url: str, person: Person) -> list[Page]:
    """The pages that `person` sees: what asks for consent, and where signing in leads to."""
    browser = Browser()
    try:
        asked = browser.open(url)
        return [asked, log_in(browser, browser.press(asked, ALLOW), person)]
    finally:
        browser.close()


def cancel(url: str) -> list[Page]:
    """The page that asks for consent, and where the person ends who does not give it."""
    browser = Browser()
    try:
        asked = browser.open(url)
        return [asked, browser.press(asked, DENY)]
    finally:
        browser.close()


def main(log: str, name: str, password: str, url: str) -> None:
    """Do what the command does."""
    said = f"opened {url}\n"
    try:
        for page in allow_and_sign_in(url, Person(name, password)) if password else cancel(url):
            said += f"{page.status} {page.url}\n    {page.words}\n"
    except BaseException:
        said += traceback.format_exc()
        raise
    finally:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(said)


if __name__ == "__main__":
    main(*sys.argv[1:])
