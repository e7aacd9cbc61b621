"""What a person sees of a rebuild."""

from __future__ import annotations

from collections.abc import Iterator

from docshelf.aws.queues import Queue
from docshelf.cloud.places import reindex_command
from docshelf.cloud.readiness import Readiness
from docshelf.cloud.rebuild import READERS_SECONDS, Rebuild, unused_generations
from docshelf.cloud.status import CloudIndex, building_text, state_table
from docshelf.local.report import counted, duration


def begun_line(rebuild: Rebuild) -> str:
    """What is being made, with which model."""
    name, model = rebuild.index.generation, rebuild.index.identity.model
    if not rebuild.beside:
        return f"The index at {rebuild.address} could not be read: {name} with {model} takes its place."
    if rebuild.resumed:
        return f"Going on with {name}, which is being built with {model}."
    return f"Building {name} with {model} beside {rebuild.pointer.generation}, which stays in use meanwhile."


def queued_line(number: int | None) -> str:
    """How many keys were queued."""
    if number is None:
        return "What differs is on its way already: nothing was queued again."
    return f"{counted(number, 'document')} queued for ingest."


def finished_lines(rebuild: Rebuild, found: Readiness) -> Iterator[str]:
    """The states in the new generation, and what to do with the old one."""
    yield from state_table(found.totals)
    yield ""
    if not rebuild.beside:
        yield f"{rebuild.index.generation} is filled."
        return
    kept = rebuild.pointer.generation
    yield f"Switched: {rebuild.index.generation} is in use now. {kept} is kept; {removal_text(rebuild.address)}"


def removal_text(address: str) -> str:
    """The clause that says how to delete what is not in use any more."""
    return f"to delete it, in {duration(READERS_SECONDS)} or later, run: {reindex_command(address)} --remove-old"


def status_lines(shelf: CloudIndex, queue: Queue | None, dead_letters: Queue | None) -> Iterator[str]:
    """Generations, how far the rebuild under way is, and what lies in the queues."""
    yield f"in use    {shelf.index.generation} with {shelf.index.identity.model}"
    if shelf.building:
        found = shelf.compare(shelf.building)
        yield f"building  {building_text(shelf.building, found)}"
    else:
        found = None
        yield "building  nothing"
    kept = unused_generations(shelf.address)
    if kept:
        yield f"kept      {', '.join(kept)} (to remove: {reindex_command(shelf.address)} --remove-old)"
    for name, each in (("queue", queue), ("dead", dead_letters)):
        if each:
            waiting, under_way = each.waiting()
            yield f"{name:<9} {counted(waiting, 'message')} waiting and {under_way:,} under way in {each.name}"
    if found:
        yield ""
        yield from state_table(found)
