"""Where pages come from: files that are open, and whatever else stands for a page."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Optional, Protocol, Union

from ._errors import ArgumentError
from ._thresh import Feed, Input, Page


class Readable(Protocol):
    """An open file."""

    def read(self) -> Union[str, bytes]: ...


Source = Union[Page, bytes, str, "os.PathLike[str]", "os.PathLike[bytes]", bytearray, memoryview, Readable, Any]
"""A page: a Page, bytes, a str with HTML, a path, an object with a buffer, or an open file."""


def read_file(file: Any) -> tuple[Union[str, bytes], Optional[str]]:
    """The content of an open file, and its name if it has one."""
    name = getattr(file, "name", None)
    name = name if isinstance(name, str) else None
    try:
        content = file.read()
    except ValueError as error:  # a closed file, or bytes that are not of its encoding
        raise ArgumentError(f"source: {type(file).__name__} cannot be read: {error}", page=name) from error
    if isinstance(content, (bytearray, memoryview)):
        content = bytes(content)
    if not isinstance(content, (str, bytes)):
        raise TypeError(f"source: read() of {type(file).__name__} gave {type(content).__name__}, not bytes or str")
    return content, name


def rebuild_page(source: bytes, name: Optional[str], url: Optional[str]) -> Page:
    """A page that was pickled."""
    return Page(source, name=name, url=url, encoding="utf-8")


class Pages:
    """Pages from files, folders and archives, one after the other; `thresh.pages` makes it."""

    def __init__(self, inputs: Iterable[Union[str, "os.PathLike[str]"]], errors: str) -> None:
        if errors not in ("raise", "skip"):
            raise ArgumentError(f"errors: 'raise' or 'skip' is needed, not {errors!r}")
        self._inputs = [os.fsencode(name) for name in inputs]
        if not self._inputs:
            raise ArgumentError("inputs: at least one file, folder or archive is needed")
        self._skip = errors == "skip"
        self.errors: list[Exception] = []
        """With errors="skip": what was passed over."""

    def inputs(self) -> Iterator[Input]:
        """The pages, not parsed yet."""
        feed = Feed(self._inputs)
        self.errors = []
        while (found := feed.next()) is not None:
            if isinstance(found, Input):
                yield found
            elif self._skip:
                self.errors.append(found)
            else:
                raise found

    def __iter__(self) -> Iterator[Page]:
        for found in self.inputs():
            yield Page(found)


def as_page(source: Source, name: Optional[str] = None) -> Page:
    return source if isinstance(source, Page) else Page(source, name=name)


def number_of(index: int) -> str:
    """What a page without a name is called among others."""
    return f"page {index + 1}"


def each_source(pages: Iterable[Source]) -> Iterator[tuple[Source, str]]:
    """Sources with names. A single page is a mistake that is easily made, so it is refused."""
    if isinstance(pages, (Page, bytes, bytearray, memoryview, str, os.PathLike)) or not isinstance(pages, Iterable):
        raise TypeError(f"pages must be an iterable of pages, not one {type(pages).__name__}")
    sources: Iterable[Any] = pages.inputs() if isinstance(pages, Pages) else pages
    for index, source in enumerate(sources):
        yield source, number_of(index)


def each_page(pages: Iterable[Source]) -> Iterator[Page]:
    for source, name in each_source(pages):
        if isinstance(source, (Page, Input, os.PathLike)) or hasattr(source, "read"):
            yield as_page(source)
        else:
            yield as_page(source, name)
