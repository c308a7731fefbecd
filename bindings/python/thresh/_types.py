"""Small values that the package hands out."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

Record = dict[str, Any]
"""A record: its fields by name. A value is a str, None, a list of values or another record."""


class Link(NamedTuple):
    """A link of a page: where it leads, its text, and its bytes in Page.source."""

    url: str
    text: str
    start: int
    end: int


class Remark(NamedTuple):
    """What learning has to say: which pages were left out, which labelled value was not found."""

    page: Optional[str]
    text: str
    detail: bool


class Evidence(NamedTuple):
    """What verification saw of a field, or of the records as a whole (field is None)."""

    field: Optional[str]
    drift: bool
    changed: bool
    test: str
    p: float
    words: str
    examples: list[str]


class FieldRepair(NamedTuple):
    """What became of a field: "kept", "repaired" or "lost"."""

    field: str
    outcome: str
    likeness: float
    example: Optional[str]


class Value(NamedTuple):
    """A value and its bytes in Page.source."""

    text: str
    start: int
    end: int


class Answer(NamedTuple):
    """What one view of a field finds. `view` is "structure", "forward", "backward" or "other"."""

    view: str
    text: Optional[str]
    values: list[Value]


class Doubt(NamedTuple):
    """A value about which the views of a wrapper disagree.

    `field` is empty for text that may be of a field that no labelled page has; `spot` then says where it is.
    `answers[chosen]` is what extraction takes.
    """

    field: str
    spot: Optional[str]
    contention: float
    why: str
    place: int
    chosen: int
    answers: list[Answer]


class Suggestion(NamedTuple):
    """A page that is worth a label, and what is in doubt there."""

    page: str
    contention: float
    doubts: list[Doubt]
