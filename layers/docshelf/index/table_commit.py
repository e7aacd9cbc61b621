"""Commits to one table: rows that take the place of others, tried again where another writer comes first."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from typing import TypeVar

import pyarrow as pa
from lancedb.table import Table

from docshelf.index.engine import is_conflict, see_latest
from docshelf.index.filters import one_of

T = TypeVar("T")

_ATTEMPTS = 4
_LONGEST_FIRST_PAUSE = 0.5
_MANY_ROWS = 50_000
"""A merge that may delete reads the key of every row; in a larger table a second commit, by the index, costs less."""

_VAST_ROWS = 1_000_000
"""An upsert that finds its rows by the key's index does not see what another writer inserts at the same time, and
stores new rows twice. So it reads the key of every row instead (about 10 bytes each), up to here."""


class TableCommit:
    """Rows that take the place of others in one table, by the column `name`, and nothing else of the keys `surplus`.

    An upsert finds its rows by that column's index; only one that must delete as well reads all of it. `one_commit`
    demands that both happen in one commit, since the same document is concerned. Where another writer was met, what was
    known of the table may be wrong: then all of `keys` lose what is not in `rows`. Where another writer was met, and
    for the `damaged` keys, rows that are stored twice under one name are reduced to one.
    """

    def __init__(
        self,
        table: Table,
        name: str,
        rows: pa.Table,
        surplus: Collection[str],
        keys: Collection[str],
        damaged: Collection[str],
        *,
        one_commit: bool = False,
    ) -> None:
        self._table = table
        self._name = name
        self._rows = rows
        self._surplus = surplus
        self._keys = keys
        self._damaged = damaged
        self._one_commit = one_commit
        self.commits = 0
        self.met_another_writer = False

    def run(self) -> None:
        """Commit what there is to commit; raises what LanceDB raises."""
        if self._rows.num_rows and self._surplus and (self._one_commit or self._table.count_rows() < _MANY_ROWS):
            self._commit(lambda: self._merge(self._surplus))
        else:
            if self._rows.num_rows:
                self._commit(lambda: self._merge(()))
            if self._surplus:
                self._commit(lambda: self._delete(self._surplus))
        if self.met_another_writer:
            self._commit(lambda: self._merge(self._keys))
        doubtful = self._keys if self.met_another_writer else self._damaged
        if doubtful and (extra := _repeated(self._table, self._name, doubtful)):
            self._commit(lambda: self._delete_rows(extra))

    def _merge(self, cleared: Collection[str]) -> tuple[int, int]:
        merge = self._table.merge_insert(self._name).when_matched_update_all().when_not_matched_insert_all()
        merge = merge.use_index(self._table.count_rows() > _VAST_ROWS)
        if cleared:
            merge = merge.when_not_matched_by_source_delete(one_of("key", cleared))
        result = merge.execute(self._rows)
        return result.version, result.num_attempts

    def _delete(self, keys: Collection[str]) -> tuple[int, int]:
        return self._table.delete(one_of("key", keys)).version, 1

    def _delete_rows(self, row_ids: Collection[int]) -> tuple[int, int]:
        return self._table.delete(f"_rowid IN ({', '.join(map(str, row_ids))})").version, 1

    def _commit(self, commit: Callable[[], tuple[int, int]]) -> None:
        before = self._table.version
        version, attempts = committing(commit, look_again=lambda: see_latest(self._table))
        self.commits += 1
        self.met_another_writer |= attempts > 1 or version != before + 1


def _repeated(table: Table, name: str, keys: Collection[str]) -> list[int]:
    """The ids of all rows but the newest under each value of `name`: the same for every writer that asks."""
    newest: dict[str, int] = {}
    extra: list[int] = []
    rows = table.search().where(one_of("key", keys)).select([name]).with_row_id(True).limit(None).to_arrow()
    for row in sorted(rows.to_pylist(), key=lambda row: int(row["_rowid"])):
        if row[name] in newest:
            extra.append(newest[row[name]])
        newest[row[name]] = row["_rowid"]
    return extra


def committing(commit: Callable[[], T], *, look_again: Callable[[], object] = lambda: None) -> T:
    """The result of `commit`; where another writer came first, after a pause and `look_again`, at most four times."""
    attempt = 0
    while True:
        try:
            return commit()
        except RuntimeError as error:
            attempt += 1
            if attempt == _ATTEMPTS or not is_conflict(error):
                raise
        time.sleep(random.uniform(0, _LONGEST_FIRST_PAUSE * 2 ** (attempt - 1)))  # noqa: S311  spreads writers
        look_again()
