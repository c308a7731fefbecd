"""What was found on pages, as dicts and as Arrow streams."""
from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Optional, Union, overload

from ._errors import ArgumentError
from ._thresh import Found, arrow_stream
from ._types import Record

if TYPE_CHECKING:
    from ._thresh import Wrapper as _Wrapper

SHOWN = 20  # records that repr shows


def read_records(found: Found, spans: bool = False) -> list[Record]:
    """The records as dicts. A record that is a single value becomes {"value": ...}, as in Arrow's columns."""
    return [record if isinstance(record, dict) and not (spans and _is_span(record)) else {"value": record}
            for record in json.loads(found.json(spans))]


def _is_span(value: dict[str, Any]) -> bool:
    return list(value) == ["value", "start", "end"] and isinstance(value["start"], int)


class ArrowTable:
    """Records as Arrow columns: pyarrow.table, polars.DataFrame, pandas.DataFrame.from_arrow and duckdb accept it."""

    def __init__(self, found: list[Found], wrapper: Optional[_Wrapper], page: Optional[str], spans: bool) -> None:
        self._found = found
        self._wrapper = wrapper
        self._page = page
        self._spans = spans

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return arrow_stream(self._found, self._wrapper, self._page, self._spans)


class Records(list[Record]):
    """The records of a list on a page: a list of dicts.

    It is an Arrow stream too. pyarrow and DuckDB have their own idea of lists, so give them `arrow()`.

    >>> found = thresh.records('<ul><li><b>Tea</b> 2.50<li><b>Rice</b> 1.20<li><b>Salt</b> 0.80</ul>')
    >>> found[0]
    {'title': 'Tea', 'number': '2.50'}
    >>> pyarrow.table(found.arrow()).column_names
    ['title', 'number']
    """

    def __init__(self, found: Optional[Found] = None) -> None:
        super().__init__(read_records(found) if found is not None else ())
        self._found = found

    def with_spans(self) -> list[Record]:
        """The records with places: each text becomes {"value", "start", "end"}, bytes of Page.source."""
        return read_records(self._found, True) if self._found is not None else []

    def arrow(self, *, page: Optional[str] = None, spans: bool = False) -> ArrowTable:
        """The records as Arrow columns; `page` names a column for the page, `spans` adds places."""
        if self != (read_records(self._found) if self._found is not None else []):
            raise ArgumentError("these records were changed after they were found; make the table from the list itself, "
                                "as with pyarrow.Table.from_pylist")
        return ArrowTable([] if self._found is None else [self._found], None, page, spans)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)


class Region(NamedTuple):
    """A list on a page: which engine found it, how likely it is the main one, and its records."""

    engine: str
    score: float
    confidence: float
    records: Records


class Results:
    """The records that a wrapper found on a page or on many: a sequence of dicts, and an Arrow stream.

    The dicts are made when they are asked for; pyarrow.table(results), polars.DataFrame(results),
    pandas.DataFrame.from_arrow(results) and "FROM results" in duckdb.sql take the columns as they are.

    >>> shop = '<ul><li><b>Tea</b> <i>2.50</i><li><b>Rice</b> <i>1.20</i><li><b>Salt</b> <i>0.80</i></ul>'
    >>> wrapper = thresh.learn([shop], examples={'name': 'Tea', 'price': '2.50'})
    >>> results = wrapper.extract(shop)
    >>> len(results), results[0]
    (3, {'name': 'Tea', 'price': '2.50', 'other': None})
    >>> pyarrow.table(results).column_names
    ['name', 'price', 'other']
    """

    def __init__(self, wrapper: _Wrapper, found: list[Union[Found, Exception]], page: Optional[str]) -> None:
        self._wrapper = wrapper
        self._pages = [item if isinstance(item, Found) else None for item in found]
        self._page = page
        self._made: Optional[list[Record]] = None
        self.errors: dict[int, Exception] = {
            index: item for index, item in enumerate(found) if not isinstance(item, Found)}
        """The exceptions of pages that failed, by the position of the page; see Wrapper.extract_many."""

    def __len__(self) -> int:
        return sum(len(found) for found in self._pages if found is not None)

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Record, list[Record]]:
        if self._made is None:
            self._made = list(self)
        return self._made[index]

    def __iter__(self) -> Iterator[Record]:
        if self._made is not None:
            yield from self._made
            return
        for found in self._pages:
            if found is not None:
                yield from read_records(found)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (list, Results)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return repr(list(self))
        return f"<thresh.Results: {len(self)} records of {self.page_count} pages>"

    @property
    def page_count(self) -> int:
        """How many pages were read, those without records and those that failed included."""
        return len(self._pages)

    def by_page(self) -> Iterator[tuple[Optional[str], list[Record]]]:
        """The name of each page with its records, in the order of the pages."""
        for found in self._pages:
            yield (None, []) if found is None else (found.page, read_records(found))

    @property
    def explained(self) -> list[Optional[float]]:
        """How much of each page the wrapper explains, 0 to 1; None where that is not known."""
        return [None if found is None else found.explained for found in self._pages]

    def with_spans(self) -> list[Record]:
        """The records with places: each text becomes {"value", "start", "end"}, bytes of Page.source."""
        return [record for found in self._pages if found is not None for record in read_records(found, True)]

    def arrow(self, *, page: Union[None, str, Literal[False]] = None, spans: bool = False) -> ArrowTable:
        """The records as Arrow columns; `page` names a column for the page, `spans` adds places.

        By default the results of many pages have such a column, called "page"; page=False leaves it out.
        """
        key = self._page if page is None else page or None
        return ArrowTable([found for found in self._pages if found is not None], self._wrapper, key, spans)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)

    def head(self, count: int = 5) -> list[Record]:
        """The first records."""
        return list(islice(self, count))
