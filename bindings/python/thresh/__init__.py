"""Thresh separates the data on a web page from the template around it.

>>> page = '<ul><li><b>Tea</b> 2.50<li><b>Rice</b> 1.20<li><b>Salt</b> 0.80</ul>'
>>> thresh.records(page)
[{'title': 'Tea', 'number': '2.50'}, {'title': 'Rice', 'number': '1.20'}, {'title': 'Salt', 'number': '0.80'}]

`learn` makes a Wrapper of pages of one kind, and Wrapper.extract turns other such pages into records. What is found has
`__arrow_c_stream__`: pyarrow.table(found), polars.from_arrow(found), duckdb and pandas take it as it is.
"""
from __future__ import annotations

import os
from typing import Optional, Union

from . import _thresh
from ._errors import (ArgumentError, CancelledError, Error, FormatError, InputError, LimitError, NetworkError,
                      OutOfMemoryError, check_number)
from ._results import ArrowTable, Records, Region, Results
from ._source import Pages, Source, as_page
from ._thresh import Node, Page
from ._types import Answer, Doubt, Evidence, FieldRepair, Link, Record, Remark, Suggestion, Value
from ._wrapper import Repair, Verdict, Wrapper, learn

__version__ = _thresh.version


def pages(*inputs: Union[str, "os.PathLike[str]"], errors: str = "raise") -> Pages:
    """The pages of files, folders and archives (WARC or ARC, plain or compressed), one after the other.

    An input that cannot be read raises its exception; with errors="skip" it is passed over, and the exception is in
    Pages.errors. URLs are not fetched. Wrapper.extract_many reads and parses such pages in its threads.

    >>> for page in thresh.pages("examples/pages"):
    ...     print(page.name, len(thresh.records(page)))
    examples/pages/bike-4107.html 5
    examples/pages/bikes.html 20
    examples/pages/books.html 4
    examples/pages/concerts.html 6
    """
    return Pages(inputs, errors)


def regions(source: Source, *, most: int = 10, engine: Optional[str] = None) -> list[Region]:
    """The lists of a page, the best first, without anything learnt.

    >>> page = '<ul><li><b>Tea</b> 2.50<li><b>Rice</b> 1.20<li><b>Salt</b> 0.80</ul>'
    >>> [(region.engine, len(region.records)) for region in thresh.regions(page)]
    [('lists', 3)]
    """
    check_number("most", most, 1, 1000)
    return [Region(name, score, confidence, Records(found))
            for name, score, confidence, found in _thresh.find_regions(as_page(source), most, engine)]


def records(source: Source, *, engine: Optional[str] = None) -> Records:
    """The records of the main list of a page; none if it has no list.

    `source` is bytes, a str with HTML, a path, any buffer, an open file or a Page.

    >>> thresh.records(b'<p>No list here.')
    []
    """
    found = regions(source, most=1, engine=engine)
    return found[0].records if found else Records()


__all__ = [
    "Answer", "ArgumentError", "ArrowTable", "CancelledError", "Doubt", "Error", "Evidence", "FieldRepair",
    "FormatError", "InputError", "LimitError", "Link", "NetworkError", "Node", "OutOfMemoryError", "Page", "Pages", "Record",
    "Records", "Region", "Remark", "Repair", "Results", "Source", "Suggestion", "Value", "Verdict", "Wrapper", "__version__",
    "learn", "pages", "records", "regions",
]
