"""Walking a folder: which files are documents, which directories to watch, what was passed over."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docshelf.sources.naming import IGNORED_NAMES, is_ignored, key_of, path_of

NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
"""Error numbers that say that a path leads to no file."""


@dataclass(slots=True)
class Walk:
    """What a walk met besides documents; complete when the walk is.

    `directories` are the real directories by prefix (`""` is the folder itself). `links` are the keys of symbolic
    links and of what they lead to inside the folder, whether or not something is there now; `outside` are those of
    links that lead out of it.
    """

    directories: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    prefix: str
    through_link: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder without the directories in `excluded`; all of these paths are resolved ones."""

    root: Path
    excluded: frozenset[Path] = frozenset()

    def files(self, walk: Walk, prefix: str = "") -> Iterator[tuple[str, os.stat_result]]:
        """Key and status of every document below `prefix` (empty, or a folder ending with `/`), noting the rest.

        Links to files and directories inside the folder are followed, but no second directory link behind a first:
        what lies there is found where it really is.

        Raises:
            OSError: the folder itself cannot be listed.
        """
        start = self._start(prefix)
        pending = [] if start is None else [start]
        while pending:
            folder = pending.pop()
            deeper: list[_Folder] = []
            for entry in self._scan(folder, walk):
                found = self._look(entry, folder, walk)
                if isinstance(found, _Folder):
                    deeper.append(found)
                elif found is not None:
                    yield folder.prefix + key_of(entry.name), found
            pending.extend(reversed(deeper))

    def inside(self, path: str) -> str | None:
        """The key of the place that `path` really leads to; None where that is no place for documents."""
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.root) or any(real.is_relative_to(place) for place in self.excluded):
            return None
        relative = real.relative_to(self.root)
        if not IGNORED_NAMES.isdisjoint(relative.parts):
            return None
        if any(_is_installed(self.root / place) for place in (relative, *relative.parents)):
            return None
        return "" if real == self.root else key_of(str(relative))

    def _leads_inside(self, path: str) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self.root)

    def _start(self, prefix: str) -> _Folder | None:
        if not prefix:
            return _Folder(str(self.root), "", through_link=False)
        relative = path_of(prefix.removesuffix("/"))
        if relative is None or is_ignored(prefix):
            return None
        path = str(self.root / relative)
        if self.inside(path) is None:
            return None
        return _Folder(path, prefix, through_link=os.path.realpath(path) != path)

    def _scan(self, folder: _Folder, walk: Walk) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder.path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not folder.prefix:
                raise
            if error.errno in NOTHING_THERE:
                return []
            walk.unreadable.append((folder.prefix, f"The folder {folder.prefix} cannot be read: {error.strerror}."))
            return []
        if not folder.through_link:
            walk.directories[folder.prefix] = folder.path
        return found

    def _look(self, entry: os.DirEntry[str], folder: _Folder, walk: Walk) -> _Folder | os.stat_result | None:
        """The folder to go into, or the document's status, or None for what is neither."""
        key = folder.prefix + key_of(entry.name)
        target = None
        if entry.is_symlink():
            target = self.inside(entry.path)
            if target is None:
                if not self._leads_inside(entry.path):
                    walk.outside.append(key)
                return None
            walk.links.append((target, key))
        try:
            status = entry.stat()
        except OSError as error:
            if error.errno not in NOTHING_THERE:
                walk.unreadable.append((key, f"The file {key} cannot be looked at: {error.strerror}."))
            return None
        if stat.S_ISREG(status.st_mode):
            return None if is_ignored(entry.name) else status
        if not stat.S_ISDIR(status.st_mode) or Path(entry.path) in self.excluded:
            return None
        if entry.name in IGNORED_NAMES or _is_installed(Path(entry.path)):
            walk.ignored.append(f"{key}/")
            return None
        if target is None:
            return _Folder(entry.path, f"{key}/", folder.through_link)
        around = target == "" or folder.prefix.startswith(f"{target}/")
        return None if around or folder.through_link else _Folder(entry.path, f"{key}/", through_link=True)


def _is_installed(directory: Path) -> bool:
    """Whether a package manager filled `directory`; without `package.json` beside it, a person put it there."""
    return directory.name == "node_modules" and (directory.parent / "package.json").exists()
