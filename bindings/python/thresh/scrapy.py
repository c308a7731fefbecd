"""Thresh in Scrapy: records from a response, and a pipeline that also watches for changes of the site.

In a spider:

    from thresh.scrapy import Extractor

    class Books(scrapy.Spider):
        name = "books"
        start_urls = ["https://books.example/"]
        extract = Extractor("books.json")      # a wrapper; Extractor() finds the main list of each page

        def parse(self, response):
            yield from self.extract(response)

Or leave it to the pipeline: a spider yields {"url": ..., "body": ...}, or any item that has a "response", and

    ITEM_PIPELINES = {"thresh.scrapy.ThreshPipeline": 300}
    THRESH_WRAPPER = "books.json"              # without it: the main list of each page

puts the records into item["records"]. At the end it verifies what the wrapper has read and warns if the site has changed.
The module does not import Scrapy.
"""
from __future__ import annotations

import codecs
import logging
from collections.abc import MutableMapping
from email.message import Message
from typing import Any, Optional, Protocol, Union

from . import records as find_records
from ._errors import ArgumentError, Error
from ._source import as_page
from ._thresh import Check, Page
from ._types import Record
from ._wrapper import PathName, Verdict, Wrapper

logger = logging.getLogger(__name__)


class Response(Protocol):
    """What is used of a scrapy.http.Response."""

    @property
    def url(self) -> str: ...

    @property
    def body(self) -> bytes: ...


def page(response: Response) -> Page:
    """The page of a response: its bytes, address and the charset of its header."""
    if not response.body:
        raise ArgumentError("source: the response has no body", page=response.url)
    return Page(response.body, name=response.url, url=response.url, encoding=_charset(response))


def _charset(response: Response) -> Optional[str]:
    header = getattr(response, "headers", {}).get("Content-Type")
    if header is None:
        return None
    message = Message()
    message["Content-Type"] = header.decode("latin-1") if isinstance(header, bytes) else str(header)
    charset = message.get_content_charset()
    try:
        return codecs.lookup(charset).name if charset else None
    except LookupError:  # the page's own bytes decide
        return None


class Extractor:
    """Turns responses into records: with a wrapper, or the main list of each page without one."""

    def __init__(self, wrapper: Union[None, Wrapper, PathName] = None) -> None:
        self.wrapper = wrapper if wrapper is None or isinstance(wrapper, Wrapper) else Wrapper.load(wrapper)

    def __call__(self, response: Response) -> list[Record]:
        found = page(response)
        return list(find_records(found) if self.wrapper is None else self.wrapper.extract(found))


class ThreshPipeline:
    """Fills item["records"], and verifies at the end; see the module."""

    def __init__(self, wrapper: Optional[PathName] = None, alpha: float = 0.01) -> None:
        self.wrapper = None if wrapper is None else Wrapper.load(wrapper)
        self.alpha = alpha
        self.verdict: Optional[Verdict] = None
        self._check = Check(self.wrapper._native, False) if self.wrapper and self.wrapper._native.has_profile else None
        self._pages = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> ThreshPipeline:
        return cls(crawler.settings.get("THRESH_WRAPPER"), crawler.settings.getfloat("THRESH_ALPHA", 0.01))

    def process_item(self, item: MutableMapping[str, Any], spider: object = None) -> MutableMapping[str, Any]:
        if "response" in item:
            found = page(item["response"])
        elif "body" in item:
            found = as_page(Page(item["body"], name=item.get("url"), url=item.get("url")))
        else:
            return item  # an item of another kind
        if self.wrapper is None:
            item["records"] = list(find_records(found))
        else:
            item["records"] = list(self.wrapper.extract(found))
            if self._check is not None:
                self._check.add(found)
                self._pages += 1
        return item

    def close_spider(self, spider: object = None) -> None:
        if self._check is None or not self._pages:
            return
        try:
            self.verdict = Verdict(*self._check.verdict(self.alpha))
        except Error as error:
            logger.warning("the pages were not verified: %s", error)
            return
        if self.verdict.drift:
            logger.warning("the site has changed, so the records may be wrong:\n%s", self.verdict.explain())
