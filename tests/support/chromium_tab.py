"""A tab of a headless Chromium: what a person does with it, and what the browser complains about."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.chromium import BrowserError, Chromium, Message

_KEYS: dict[str, Message] = {
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Space": {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "},
}
_SHIFT = 8
_MOST_STEPS = 20
_DOMAINS = ("Page", "Runtime", "Log", "Network", "Audits")
_BAD = ("error", "warning", "assert")
# A page that opens an app by itself is one that the browser takes for a possible tracker.
_NO_ISSUES = ("BounceTrackingIssue",)


class Tab:
    """One page, in a window with cookies and settings of its own."""

    def __init__(self, browser: Chromium, session: str, context: str) -> None:
        self._browser, self._session, self._context = browser, session, context
        for domain in _DOMAINS:
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: object) -> Message:
        """The result of a command of the DevTools protocol."""
        return self._browser.call(method, self._session, **parameters)

    def look(self, width: int, height: int, *, dark: bool = False, scripts: bool = True) -> None:
        """Set the size of the window in CSS pixels, the colours that the person prefers, and whether scripts run."""
        phone = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded.

        Raises:
            BrowserError: there is none.
        """
        with self.loading():
            failed = self.call("Page.navigate", url=url).get("errorText")
            if failed:
                raise BrowserError(f"The browser cannot open {url}: {failed}")

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Wait at the end until the page is loaded to which what is done inside leads."""
        before = len(self.events("Page.loadEventFired"))
        yield
        self.events("Page.loadEventFired", before + 1)

    def events(self, method: str, least: int = 0) -> list[Message]:
        """What came with each event of that name so far, after waiting until there are at least so many.

        Raises:
            BrowserError: there are fewer for too long.
        """
        self._browser.wait(method, lambda: len(self._events(method)) >= least)
        return self._events(method)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press and release a key: Tab, Enter or Space."""
        modifiers = _SHIFT if shift else 0
        self.call("Input.dispatchKeyEvent", type="keyDown", modifiers=modifiers, **_KEYS[key])
        released = {name: value for name, value in _KEYS[key].items() if name != "text"}
        self.call("Input.dispatchKeyEvent", type="keyUp", modifiers=modifiers, **released)

    def move_to(self, label: str) -> None:
        """Move the focus with the Tab key to what begins with this text.

        Raises:
            BrowserError: the keyboard does not lead there.
        """
        for _ in range(_MOST_STEPS):
            self.press("Tab")
            if " ".join(str(self.evaluate("document.activeElement.textContent")).split()).startswith(label):
                return
        raise BrowserError(f"The Tab key does not lead to this: {label}")

    def type(self, text: str) -> None:
        """Write into the field that has the focus."""
        self.call("Input.insertText", text=text)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, or of the promise that it is; runs where the page's scripts do not.

        Raises:
            BrowserError: it throws.
        """
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise BrowserError(f"A script of the test throws: {done['exceptionDetails']}")
        return done["result"].get("value")

    def picture(self, path: Path) -> None:
        """Write the whole page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def allow_clipboard(self, origin: str) -> None:
        """Let the pages of an origin use the clipboard, as in a window that a person works in."""
        permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        self._browser.call(
            "Browser.grantPermissions", origin=origin, permissions=permissions, browserContextId=self._context
        )
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    @contextmanager
    def another(self) -> Iterator[Tab]:
        """A second tab beside this one, with the same cookies."""
        target, session = _opened(self._browser, self._context)
        try:
            yield Tab(self._browser, session, self._context)
        finally:
            self._browser.call("Target.closeTarget", targetId=target)

    def complaints(self) -> list[str]:
        """Everything that a developer would see in the console or among the issues, in words."""
        said = [f"exception: {one['exceptionDetails']}" for one in self.events("Runtime.exceptionThrown")]
        said += [f"console: {one['args']}" for one in self.events("Runtime.consoleAPICalled") if one["type"] in _BAD]
        entries = [one["entry"] for one in self.events("Log.entryAdded")]
        said += [f"{one['source']}: {one['text']}" for one in entries if one["level"] in _BAD]
        issues = [one["issue"] for one in self.events("Audits.issueAdded")]
        return said + [f"issue: {issue}" for issue in issues if issue["code"] not in _NO_ISSUES]

    def _events(self, method: str) -> list[Message]:
        ours = [one for one in self._browser.events if one.get("sessionId") == self._session]
        return [one["params"] for one in ours if one["method"] == method]


@contextmanager
def new_tab(browser: Chromium) -> Iterator[Tab]:
    """A tab in a window of its own, as in private browsing."""
    context = browser.call("Target.createBrowserContext")["browserContextId"]
    try:
        yield Tab(browser, _opened(browser, context)[1], context)
    finally:
        browser.call("Target.disposeBrowserContext", browserContextId=context)
        browser.events.clear()


def _opened(browser: Chromium, context: str) -> tuple[str, str]:
    """The target and the session of a new tab in a window."""
    target = browser.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
    return target, browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
