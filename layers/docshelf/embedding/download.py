"""Fetching one pinned file over HTTP: resumed after a break, verified, and put in place in one step."""

from __future__ import annotations

from pathlib import Path

import httpx2
from filelock import FileLock

from docshelf.embedding.pinned_file import Download, HubUnreachableError, Patience, Progress, file_sha256
from docshelf.errors import ModelUnavailableError

CONNECT_SECONDS = 4.0
READ_SECONDS = 30.0
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 8.0


class _BrokenOffError(Exception):
    """This attempt failed in a way that another attempt may mend."""


class _NoConnectionError(_BrokenOffError):
    """This attempt did not reach the server."""


def http_client() -> httpx2.Client:
    """A client with bounded waits that follows redirects and honours the proxy settings of the environment."""
    timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    return httpx2.Client(timeout=timeout, follow_redirects=True, headers={"Accept-Encoding": "identity"})


def fetch(
    download: Download, client: httpx2.Client, progress: Progress | None = None, patience: Patience | None = None
) -> None:
    """Bring the file to `download.destination`, unless it is there and right already.

    Another process that fetches the same file is waited for. What an earlier, broken attempt left is gone on from.

    Raises:
        HubUnreachableError: no connection could be made.
        ModelUnavailableError: the server refuses, keeps failing or sends other bytes, or the disk cannot take them.
    """
    try:
        download.destination.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(download.destination.with_name(download.destination.name + ".lock")):
            _fetch_locked(download, client, progress or _say_nothing, patience or Patience())
    except OSError as error:
        raise ModelUnavailableError(
            f"The model file {download.destination} cannot be written ({error.strerror or error}): free some space or "
            "set DOCSHELF_MODEL_CACHE to a directory that can be written."
        ) from error


def _say_nothing(done: int, total: int) -> None:
    """The progress that nobody watches."""


def _fetch_locked(download: Download, client: httpx2.Client, progress: Progress, patience: Patience) -> None:
    if download.destination.is_file():
        if _is_right(download, download.destination):
            return
        download.destination.unlink()
    fresh = not download.part.exists()
    _complete(download, client, progress, patience)
    if not _is_right(download, download.part) and not fresh:
        # The part was begun by an earlier run and may be what is wrong: once more from the first byte.
        download.part.unlink()
        _complete(download, client, progress, patience)
    if not _is_right(download, download.part):
        download.part.unlink()
        raise ModelUnavailableError(
            f"{download.url} is not the file that docshelf expects (its SHA-256 differs), so it was removed: "
            "try again, or check the mirror named by DOCSHELF_MODEL_HUB."
        )
    download.part.replace(download.destination)


def _is_right(download: Download, path: Path) -> bool:
    return path.stat().st_size == download.size and file_sha256(path) == download.sha256


def _complete(download: Download, client: httpx2.Client, progress: Progress, patience: Patience) -> None:
    """Make attempts until the part has its full size (or is known to be wrong), waiting longer after each."""
    connections = 0
    reason = ""
    for attempt in range(patience.attempts):
        if attempt:
            patience.wait(min(_FIRST_WAIT_SECONDS * 2 ** (attempt - 1), _LONGEST_WAIT_SECONDS))
        try:
            _attempt(download, client, progress)
        except _NoConnectionError as error:
            connections += 1
            reason = str(error)
            if connections >= patience.connections:
                raise HubUnreachableError(
                    f"{download.url} cannot be reached ({reason}): check the network or the proxy."
                ) from error
        except _BrokenOffError as error:
            reason = str(error)
        else:
            return
    raise ModelUnavailableError(
        f"{download.url} could not be fetched in {patience.attempts} attempts ({reason}); what has arrived is kept: "
        "try again later."
    )


def _attempt(download: Download, client: httpx2.Client, progress: Progress) -> None:
    """One request for the bytes that are missing."""
    have = download.part.stat().st_size if download.part.exists() else 0
    if have > download.size:
        download.part.unlink()
        have = 0
    if have == download.size:
        return
    headers = {"Range": f"bytes={have}-"} if have else {}
    try:
        with client.stream("GET", download.url, headers=headers) as response:
            have = _starting_point(download, response, have)
            _receive(download, response, have, progress)
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
        raise _NoConnectionError(type(error).__name__) from error
    except httpx2.RequestError as error:
        raise _BrokenOffError(type(error).__name__) from error
    if download.part.stat().st_size < download.size:
        raise _BrokenOffError("the answer ended early")


def _starting_point(download: Download, response: httpx2.Response, have: int) -> int:
    """From which byte on the answer goes, or an error where there is nothing to receive."""
    if response.status_code == httpx2.codes.OK:
        return 0
    if response.status_code == httpx2.codes.PARTIAL_CONTENT:
        if response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            return have
        download.part.unlink(missing_ok=True)
        raise _BrokenOffError("the server sent another range than the one asked for")
    if response.status_code == httpx2.codes.RANGE_NOT_SATISFIABLE:
        download.part.unlink(missing_ok=True)
        raise _BrokenOffError("the server refused the range")
    if response.status_code in {408, 425, 429} or response.status_code >= httpx2.codes.INTERNAL_SERVER_ERROR:
        raise _BrokenOffError(f"status {response.status_code}")
    raise ModelUnavailableError(
        f"{download.url} answers with status {response.status_code}: check DOCSHELF_MODEL_HUB, or choose another model."
    )


def _receive(download: Download, response: httpx2.Response, have: int, progress: Progress) -> None:
    """Append the answer to the part, never more than one byte beyond the size that is due."""
    with download.part.open("r+b" if have else "wb") as stream:
        stream.seek(have)
        progress(have, download.size)
        for piece in response.iter_raw():
            # A byte too many is kept as the mark of a wrong file; the rest is not worth the disk.
            kept = piece[: download.size + 1 - have]
            stream.write(kept)
            have += len(kept)
            progress(min(have, download.size), download.size)
            if have > download.size:
                return
