"""Exceptions: one for each status of the library, each also what Python calls such a failure."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """Something that Thresh could not do.

    Its text is complete: what, where and what to do. The attributes are for programs:

    status   "argument", "format", "limit", "io", "memory", "network" or "cancelled"
    page     the name of the page that it is about, or None
    field    the field that it is about, or None
    path     the place in a wrapper or in labels, as rules.records[0].path, or None
    offset, line, column     where in the input, or None
    """

    status = "error"

    def __init__(self, message: str = "", *, page: Optional[str] = None, field: Optional[str] = None,
                 path: Optional[str] = None, offset: Optional[int] = None, line: Optional[int] = None,
                 column: Optional[int] = None) -> None:
        super().__init__(message)
        self.message = message
        self.page = page
        self.field = field
        self.path = path
        self.offset = offset
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.page}: {self.message}" if self.page and self.page not in self.message else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return make_error, (self.status, self.message, self.offset, self.line or 0, self.column or 0, self.path or "",
                            self.field or "", self.page)


class ArgumentError(Error, ValueError):
    """What was asked for makes no sense: an empty page, an unknown engine."""

    status = "argument"


class FormatError(Error, ValueError):
    """Data that cannot be used: a wrapper, labels or an archive that is not one."""

    status = "format"


class LimitError(Error, ValueError):
    """A named limit was passed, such as the size of a page."""

    status = "limit"


class InputError(Error, OSError):
    """Reading or writing failed."""

    status = "io"


class NetworkError(Error, OSError):
    """Fetching a URL failed. The wheel does not fetch: there a URL among inputs is an ArgumentError."""

    status = "network"


class OutOfMemoryError(Error, MemoryError):
    """There was not enough memory."""

    status = "memory"


class CancelledError(Error):
    """The work was ended from outside."""

    status = "cancelled"


def check_number(name: str, value: int, least: int, most: int) -> int:
    """The value, if it is a whole number in these bounds."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not least <= value <= most:
        raise ArgumentError(f"{name}: a number from {least} to {most} is needed, not {value}")
    return value


_BY_STATUS: dict[str, type[Error]] = {kind.status: kind for kind in (
    ArgumentError, FormatError, LimitError, InputError, NetworkError, OutOfMemoryError, CancelledError)}


def make_error(status: str, message: str, offset: Optional[int], line: int, column: int, path: str, field: str,
               page: Optional[str]) -> Error:
    """The exception of a failure of the library; the extension module calls this."""
    return _BY_STATUS.get(status, Error)(message, page=page, field=field or None, path=path or None, offset=offset,
                                         line=line or None, column=column or None)
