"""Wrappers: what was learnt of a kind of page."""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Optional, Union

from . import _thresh
from ._errors import ArgumentError, check_number
from ._results import Results
from ._source import Source, as_page, each_page, each_source, number_of
from ._thresh import Found
from ._types import Answer, Doubt, Evidence, FieldRepair, Record, Remark, Suggestion, Value

PathName = Union[str, "os.PathLike[str]"]
Labels = Union[PathName, Mapping[Any, Any], Sequence[Any]]
BATCH = 128  # pages that are taken at once
THREADS_MOST = 256
COUNT_MOST = 1000  # lists of a page and clusters, as on the command line
_FILE, _EXPLAIN, _SCHEMA, _PROFILE = range(4)


class Verdict:
    """What `Wrapper.verify` says: `word` is "fine", "changed" or "drift", and `evidence` has the fields."""

    def __init__(self, text: str, words: str) -> None:
        said = json.loads(text)
        self.word: str = said["verdict"]
        self.drift: bool = said["drift"]
        self.pages: int = said["pages"]
        self.records: int = said["records"]
        self.evidence = [Evidence(**item) for item in said["evidence"]]
        self._words = words

    def explain(self) -> str:
        """The verdict for people to read."""
        return self._words

    def __repr__(self) -> str:
        return f"<thresh.Verdict {self.word!r}, {self.pages} pages, {self.records} records>"


class Repair:
    """What `Wrapper.repair` did: `outcome` is "fine", "repaired" or "broken", and `wrapper` the new one or None."""

    def __init__(self, wrapper: Optional[Wrapper], text: str, words: str) -> None:
        said = json.loads(text)
        self.wrapper = wrapper
        self.outcome: str = said["outcome"]
        self.fields = [FieldRepair(item["field"], item["outcome"], item["likeness"], item.get("example"))
                       for item in said["fields"]]
        self._words = words

    def explain(self) -> str:
        """What was done, for people to read."""
        return self._words

    def __repr__(self) -> str:
        return f"<thresh.Repair {self.outcome!r}>"


class Wrapper:
    """The rules that turn pages of one kind into records. It does not change, and threads may share it.

    `thresh.learn` makes one, `Wrapper.load` reads one from a file.

    >>> shop = '<ul><li><b>Tea</b> <i>2.50</i><li><b>Rice</b> <i>1.20</i><li><b>Salt</b> <i>0.80</i></ul>'
    >>> wrapper = thresh.learn([shop], examples={'name': 'Tea', 'price': '2.50'})
    >>> wrapper.extract(shop)[2]
    {'name': 'Salt', 'price': '0.80', 'other': None}
    >>> wrapper.fields
    ['name', 'price', 'other']
    """

    def __init__(self, text: str, name: str = "wrapper") -> None:
        if not isinstance(text, str):
            raise TypeError(f"a wrapper is read from its text, a str, not from {type(text).__name__}")
        self._native = _thresh.Wrapper(text, name)
        self.remarks: list[Remark] = []

    @classmethod
    def _of(cls, native: _thresh.Wrapper) -> Wrapper:
        self = cls.__new__(cls)
        self._native = native
        self.remarks = []
        return self

    # ---- files

    @classmethod
    def load(cls, path: PathName) -> Wrapper:
        """Reads a wrapper file, as `save` or `thresh learn` wrote it."""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        return cls(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), os.fspath(path))

    def save(self, path: PathName) -> None:
        """Writes the wrapper file; it is there whole or not at all."""
        path = os.fspath(path)
        new = f"{path}.{os.getpid()}.tmp"
        try:
            with open(new, "w", encoding="utf-8") as file:
                file.write(self.text)
            os.replace(new, path)
        except BaseException:
            if os.path.exists(new):
                os.unlink(new)
            raise

    @property
    def text(self) -> str:
        """The wrapper file as text: `Wrapper(wrapper.text)` is the same wrapper."""
        return self._native.text(_FILE)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.text,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrapper) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    # ---- what it is

    @property
    def engine(self) -> str:
        """The engine that learnt it: "lists", "template", "paths", ..."""
        return self._native.engine

    @property
    def version(self) -> int:
        """Counted from 1; one more for each repair."""
        return self._native.version

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of its records, as docs/WRAPPER-FORMAT.md describes it."""
        schema: dict[str, Any] = json.loads(self._native.text(_SCHEMA))
        return schema

    @property
    def fields(self) -> list[str]:
        """The names of the fields of a record."""
        kind = self.schema
        while kind.get("kind", kind.get("type")) in ("list", "optional"):
            kind = kind["item"]
        return [_name_of(member) for member in kind.get("members", ())]

    def explain(self) -> str:
        """Schema, rules and provenance, for people to read."""
        return self._native.text(_EXPLAIN)

    def __repr__(self) -> str:
        return f"<thresh.Wrapper {self.engine}, version {self.version}, fields {', '.join(self.fields)}>"

    # ---- extraction

    def extract(self, page: Source) -> Results:
        """The records of a page; a page of another kind has none."""
        return Results(self._native, [self._native.extract(as_page(page))], None)

    def extract_many(self, pages: Iterable[Source], *, threads: Optional[int] = None,
                     errors: str = "raise") -> Results:
        """The records of many pages, read in `threads` threads (by default one for each processor).

        A page that cannot be read raises its exception; with errors="keep" it has no records, and the exception is
        in Results.errors.
        """
        if errors not in ("raise", "keep"):
            raise ArgumentError(f"errors: 'raise' or 'keep' is needed, not {errors!r}")
        count = _thread_count(threads)
        results: list[Union[Found, Exception]] = []
        sources = each_source(pages)
        while batch := list(islice(sources, BATCH)):
            found = self._native.extract_batch([source for source, _ in batch], [name for _, name in batch], count)
            if errors == "raise":
                for result in found:
                    if isinstance(result, Exception):
                        raise result
            results += found
        return Results(self._native, results, "page")

    # ---- checking

    def verify(self, pages: Iterable[Source], *, alpha: float = 0.01) -> Verdict:
        """Says whether the pages still look as those that the wrapper was learnt from."""
        check = _thresh.Check(self._native, False)
        for page in each_page(pages):
            check.add(page)
        return Verdict(*check.verdict(alpha))

    def repair(self, pages: Iterable[Source], *, alpha: float = 0.01, new_fields: bool = False,
               allow_lost: bool = False) -> Repair:
        """Learns the wrapper again from pages of a site that has changed. This wrapper stays as it is."""
        work = _thresh.Repair(self._native, alpha, _today(), new_fields, allow_lost)
        for page in each_page(pages):
            work.add(page)
        native, text, words = work.finish()
        return Repair(None if native is None else Wrapper._of(native), text, words)

    def suggest(self, pages: Iterable[Source], *, most: int = 10) -> list[Suggestion]:
        """The pages whose labels would help most, with what is in doubt there. For wrappers learnt from labels."""
        asked: list[tuple[str, _thresh.Doubts]] = []
        for index, page in enumerate(each_page(pages)):
            doubts = self._native.doubts(page)
            if len(doubts):
                asked.append((page.name or number_of(index), doubts))
        order = _thresh.rank_doubts([doubts for _, doubts in asked], most)[:most]
        return [Suggestion(name, doubts.contention, [_doubt(item) for item in doubts.items()])
                for name, doubts in (asked[index] for index in order)]


def _name_of(member: Mapping[str, Any]) -> str:
    while "name" not in member and "item" in member:
        member = member["item"]
    return str(member.get("name", ""))


def _doubt(item: tuple[Any, ...]) -> Doubt:
    field, spot, contention, why, place, chosen, answers = item
    return Doubt(field, spot, contention, why, place, chosen,
                 [Answer(view, text, [Value(*value) for value in values]) for view, text, values in answers])


def _today() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _thread_count(threads: Optional[int]) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_number("threads", threads, 1, THREADS_MOST)


# ---- labels

def _label_line(page: str, labels: Any) -> str:
    if isinstance(labels, Mapping):
        return json.dumps({"page": page, "record": labels}, ensure_ascii=False)
    if isinstance(labels, Sequence) and not isinstance(labels, (str, bytes)):
        return json.dumps({"page": page, "records": list(labels)}, ensure_ascii=False)
    raise TypeError(f"labels of {page}: a dict (one record) or a list of dicts is needed, not {type(labels).__name__}")


def _label_lines(labels: Optional[Labels], names: Sequence[str]) -> tuple[Optional[str], str]:
    """Label lines as a file has them, and what messages call them."""
    if labels is None:
        return None, "labels"
    if isinstance(labels, (str, os.PathLike)):
        with open(labels, encoding="utf-8") as file:
            return file.read(), os.fspath(labels)
    if isinstance(labels, Mapping):
        pairs = [(_page_name(key, names), value) for key, value in labels.items()]
    elif isinstance(labels, Sequence) and not isinstance(labels, (bytes, bytearray)):
        if len(labels) != len(names):
            raise ArgumentError(f"labels: a list must have an item for each page: {len(names)}, not {len(labels)}; "
                                "None for a page without labels")
        pairs = list(zip(names, labels))
    else:
        raise TypeError("labels must be a dict by page, a list with an item for each page, or the path of a label "
                        f"file, not {type(labels).__name__}")
    return "".join(_label_line(name, value) + "\n" for name, value in pairs if value is not None), "labels"


def _page_name(key: Any, names: Sequence[str]) -> str:
    """The page that a key of labels means: its name, or its position."""
    if isinstance(key, int) and not isinstance(key, bool):
        if not 0 <= key < len(names):
            raise ArgumentError(f"labels: there is no page {key}; pages are counted from 0 to {len(names) - 1}")
        return names[key]
    name = os.fspath(key) if isinstance(key, os.PathLike) else key
    if not isinstance(name, str):
        raise TypeError(f"labels: a page is named by a str, a path or its position, not by {type(key).__name__}")
    return name


def _example_texts(examples: Any) -> list[str]:
    """Examples as the command line writes them: FIELD=VALUE, FIELD[]=VALUE, LIST.FIELD=VALUE."""
    if isinstance(examples, str):
        return [examples]
    if not isinstance(examples, Mapping):
        return [text for example in examples for text in _example_texts(example)]
    texts = []
    for field, value in examples.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, Mapping):
                texts += [f"{field}.{name}={text}" for name, text in item.items()]
            elif isinstance(value, (list, tuple)):
                texts.append(f"{field}[]={item}")
            elif item is not None:
                texts.append(f"{field}={item}")
    return texts


def learn(pages: Iterable[Source], *, labels: Optional[Labels] = None,
          examples: Union[None, str, Record, Sequence[Union[str, Record]]] = None, at: Sequence[str] = (),
          engine: Optional[str] = None, pick: int = 0, cluster: int = 0, paper: bool = False) -> Wrapper:
    """Learns a wrapper from the pages of a site.

    Without labels the pages are put into clusters, and the largest is learnt from: its lists, or one record per page.

    `labels` says what is on some of the pages: a dict by page (its name or its position) or a list with an item for
    each page, where an item is one record (a dict) or a list of records; or the path of a label file. `examples` are
    values of the records of one page, wherever they are: {"title": "Snow Country", "author": ["Kawabata"]}, or texts
    as "title=Snow Country". `at` says which place of a value is meant, `engine` which engine learns, `pick` which list
    of a page and `cluster` which cluster (from 1; 0 is not given); `paper` asks for the engine as published.

    >>> pages = [f'<h1>{name}</h1><p>Price: <b>{price}</b>' for name, price in
    ...          (('Tea', '2.50'), ('Rice', '1.20'), ('Salt', '0.80'))]
    >>> wrapper = thresh.learn(pages, labels={0: {'name': 'Tea', 'price': '2.50'}})
    >>> wrapper.extract(pages[2])
    [{'name': 'Salt', 'price': '0.80'}]
    """
    check_number("pick", pick, 0, COUNT_MOST)
    check_number("cluster", cluster, 0, COUNT_MOST)
    corpus = _thresh.Corpus()
    names: list[str] = []
    for index, page in enumerate(each_page(pages)):
        names.append(page.name or number_of(index))
        corpus.add(page, names[-1])
    if not names:
        raise ArgumentError("pages: there is no page to learn from")
    lines, called = _label_lines(labels, names)
    result = corpus.learn(lines, called, _example_texts(examples) if examples is not None else [], list(at), engine,
                          pick, cluster, _today(), paper)
    remarks = [Remark(*remark) for remark in result[1]]
    if isinstance(result[2], Exception):
        error = result[2]
        for remark in remarks:
            error.add_note(f"{remark.page}: {remark.text}" if remark.page else remark.text)
        raise error
    assert result[0] is not None
    wrapper = Wrapper._of(result[0])
    wrapper.remarks = remarks
    return wrapper
