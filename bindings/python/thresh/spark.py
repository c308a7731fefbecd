"""Records of web archives on a cluster: Apache Spark 4 through a data source, Spark 3.5 through mapInArrow.

    spark.dataSource.register(thresh.spark.ThreshDataSource)
    records = spark.read.format("thresh").option("wrapper", "books.json").load("crawl/*.warc.gz")

    records = thresh.spark.read(spark, "crawl/*.warc.gz", wrapper)          # the same on Spark 3.5 and 4

An archive is cut into splits of about 64 MiB; a split gives the pages whose records start in it, so each page is read
once. Besides the fields of the wrapper, a row has

    _file, _offset, _index, _wrapper    a key: the archive, the byte of the record (in gzip: of its member), the number of
                                        the record there, and the digest of the wrapper. A rerun gives the same keys.
    _page                               the page's URL, or the name of its file
    _error, _origin                     of a row without a record: what was damaged, and where. Other rows have nulls.

Without a wrapper (None) the main list of each page is found, and a row has `record`, a JSON object: pages differ in their
fields. `extract` is what runs on the workers, and needs no Spark.
"""
from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

from . import _thresh
from ._errors import ArgumentError, Error
from ._results import ArrowTable
from ._source import as_page
from ._thresh import Found, Input, Page
from ._wrapper import Verdict, Wrapper
from ._wrapper import learn as _learn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPLIT_BYTES = 64 << 20
TO_THE_END = (1 << 63) - 1
BATCH_PAGES = 128  # pages that are taken at once,
BATCH_BYTES = 16 << 20  # or fewer large ones
ARCHIVES = (".warc", ".arc", ".warc.gz", ".arc.gz", ".warc.zst", ".arc.zst")

KEY = [("_file", pa.string()), ("_offset", pa.int64()), ("_index", pa.int64()), ("_wrapper", pa.string()), ("_page", pa.string())]
TROUBLE = [("_error", pa.string()), ("_origin", pa.string())]
SPLIT_SCHEMA = "file string, start bigint, end bigint"

Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
AnyWrapper = Union[None, str, Wrapper]


class Split(NamedTuple):
    """A part of a file: the pages that start at byte `start` or later and before `end`."""

    file: str
    start: int = 0
    end: int = TO_THE_END


# ---- files: local paths, and URLs that fsspec knows

def _is_remote(name: str) -> bool:
    return "://" in name and not name.startswith("file://")


def _local(name: str) -> str:
    return name[7:] if name.startswith("file://") else name[5:] if name.startswith("file:/") else name


def _remote(name: str) -> tuple[Any, str]:
    """The file system of a URL, and the name there."""
    try:
        core = import_module("fsspec.core")
    except ImportError as error:
        raise ArgumentError(f"{name}: fsspec is needed to read it: pip install fsspec") from error
    system, inner = core.url_to_fs(name)
    return system, inner


def _sizes(path: str) -> Iterator[tuple[str, int]]:
    """The files that a path means: itself, the archives of a folder, or those that match a pattern."""
    if _is_remote(path):
        system, inner = _remote(path)
        names = system.glob(inner) if any(sign in inner for sign in "*?[") else [inner]
        if len(names) == 1 and system.isdir(names[0]):
            names = [name for name in system.find(names[0]) if name.lower().endswith(ARCHIVES)]
        for name in sorted(names):
            yield system.unstrip_protocol(name), system.size(name)
        return
    path = _local(path)
    names = sorted(glob.glob(path, recursive=True)) if any(sign in path for sign in "*?[") and not os.path.exists(path) else [path]
    for name in names:
        if os.path.isdir(name):
            for folder, folders, files in os.walk(name):
                folders.sort()
                yield from ((os.path.join(folder, file), os.path.getsize(os.path.join(folder, file)))
                            for file in sorted(files) if file.lower().endswith(ARCHIVES + (".html", ".htm")))
        else:
            yield name, os.path.getsize(name)


def splits(paths: Paths, size: int = SPLIT_BYTES) -> list[Split]:
    """The files that paths, folders and patterns mean, cut into splits of about `size` bytes.

    >>> [(split.start, split.end) for split in thresh.spark.splits("examples/pages/books.html")]
    [(0, 9223372036854775807)]
    """
    if size < 1:
        raise ArgumentError(f"size: a number of bytes is needed, not {size}")
    out: list[Split] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        before = len(out)
        for name, length in _sizes(os.fspath(path)):
            count = max(1, round(length / size)) if name.lower().endswith(ARCHIVES) else 1
            cuts = [length * i // count for i in range(count)] + [TO_THE_END]
            out += [Split(name, start, end) for start, end in zip(cuts, cuts[1:]) if start < end]
        if len(out) == before:
            raise ArgumentError(f"{os.fspath(path)}: no archive or page is there")
    return out


def splits_of_cdx(rows: Iterable[tuple[str, int, int]], size: int = SPLIT_BYTES) -> list[list[Split]]:
    """Groups of splits from the rows of a CDX index: (file, offset, length) of each record.

    A group is the work of one task: records of about `size` bytes, those of one file in order.
    """
    groups: list[list[Split]] = []
    total = size
    for file, offset, length in sorted(rows):
        if total + length > size:
            groups.append([])
            total = 0
        groups[-1].append(Split(file, int(offset), int(offset) + 1))
        total += int(length)
    return groups


def cdx_rows(lines: Iterable[str], prefix: str = "") -> Iterator[tuple[str, int, int]]:
    """(file, offset, length) of the HTML records of a CDXJ index, or of a CDX index with 11 fields and a header line."""
    columns: Optional[list[str]] = None
    for line in lines:
        words = line.split()
        if words[:1] == ["CDX"]:
            columns = words[1:]
        elif columns:
            row = dict(zip(columns, words))
            if row.get("m", "text/html") == "text/html" and row.get("V", "").isdigit() and row.get("S", "").isdigit():
                yield prefix + row["g"], int(row["V"]), int(row["S"])
        elif "{" in line:
            said = json.loads(line[line.index("{"):])
            if said.get("mime-detected", said.get("mime", "text/html")) == "text/html":
                yield prefix + said["filename"], int(said["offset"]), int(said["length"])


def _part(split: Split) -> tuple[bytes, int, int, int, Optional[Callable[[int, int], bytes]]]:
    if not _is_remote(split.file):
        return os.fsencode(_local(split.file)), split.start, split.end, 0, None
    system, inner = _remote(split.file)
    size = int(system.size(inner))

    def read(offset: int, count: int) -> bytes:
        return bytes(system.cat_file(inner, start=offset, end=min(offset + count, size)))

    return os.fsencode(split.file), split.start, split.end, size, read


def _inputs(wanted: Iterable[Split]) -> Iterator[tuple[Split, Union[Input, Exception]]]:
    """What a feed gives for each split: pages, and the exceptions of what was damaged."""
    for split in wanted:
        try:
            feed = _thresh.Feed([_part(split)])
        except Exception as error:  # a file that cannot be opened is one row, not a failed task
            yield split, error
            continue
        while (found := feed.next()) is not None:
            yield split, found


# ---- rows

@lru_cache(maxsize=8)
def _wrapper_of(text: str) -> tuple[Wrapper, str]:
    """A worker reads a wrapper once."""
    return Wrapper(text), hashlib.sha256(text.encode()).hexdigest()[:16]


def _text_of(wrapper: AnyWrapper) -> Optional[str]:
    """The text of a wrapper: of a Wrapper, of the text itself, or of the file of that name."""
    if wrapper is None or isinstance(wrapper, Wrapper):
        return None if wrapper is None else wrapper.text
    return wrapper if wrapper.lstrip().startswith("{") else Wrapper.load(_local(wrapper)).text


def digest(wrapper: AnyWrapper) -> Optional[str]:
    """The digest of a wrapper, as the column _wrapper has it."""
    text = _text_of(wrapper)
    return None if text is None else _wrapper_of(text)[1]


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type as Spark wants it: without metadata."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(item.name, _plain(item.type)) for item in kind])
    if pa.types.is_list(kind):
        return pa.list_(_plain(kind.value_type))
    return kind


def arrow_schema(wrapper: AnyWrapper) -> pa.Schema:
    """The columns of the rows that `extract` gives."""
    text = _text_of(wrapper)
    fields = [pa.field("record", pa.string())]
    if text is not None:
        native = _wrapper_of(text)[0]._native
        made = pa.RecordBatchReader.from_stream(ArrowTable([], native, None, False)).schema
        fields = [pa.field(item.name, _plain(item.type)) for item in made]
        taken = {name for name, _ in KEY + TROUBLE}
        for item in fields:
            if item.name in taken:
                raise ArgumentError(f"the wrapper has a field {item.name}, which is a name of a key column: rename it")
    return pa.schema([pa.field(*item) for item in KEY] + fields + [pa.field(*item) for item in TROUBLE])


class _Rows:
    """Numbers rows by their place, so that a rerun gives the same keys."""

    def __init__(self, schema: pa.Schema, mark: Optional[str]) -> None:
        self.schema, self.mark = schema, mark
        self.fields = schema.names[len(KEY):-len(TROUBLE)]
        self.place: tuple[str, int] = ("", -1)
        self.rows = self.troubles = 0

    def numbers(self, file: str, offset: int, count: int) -> range:
        """The numbers of some rows at a place; -1, -2, ... for one that has an error instead (count 0)."""
        if (file, offset) != self.place:
            self.place, self.rows, self.troubles = (file, offset), 0, 0
        if count == 0:
            self.troubles += 1
            return range(-self.troubles, -self.troubles + 1)
        self.rows += count
        return range(self.rows - count, self.rows)

    def trouble(self, file: str, offset: int, page: Optional[str], error: Exception, origin: str) -> pa.RecordBatch:
        row = {"_file": file, "_offset": offset, "_index": self.numbers(file, offset, 0)[0], "_wrapper": self.mark,
               "_page": page, "_error": str(error), "_origin": origin}
        return pa.RecordBatch.from_pylist([row], schema=self.schema)

    def batch(self, columns: dict[str, Any], taken: list[tuple[Input, Any, int]]) -> pa.RecordBatch:
        """A batch of the records of pages: `columns` has their fields, `taken` the pages with their numbers of records."""
        files: list[str] = []
        offsets: list[int] = []
        numbers: list[int] = []
        names: list[str] = []
        for page, _, count in taken:
            file, offset = page.file, page.offset
            files += [file] * count
            offsets += [offset] * count
            numbers += self.numbers(file, offset, count)
            names += [page.name] * count
        total = len(offsets)
        same = not files or files.count(files[0]) == total
        key = [pa.repeat(pa.scalar(files[0]), total) if same and total else pa.array(files, pa.string()),
               pa.array(offsets, pa.int64()), pa.array(numbers, pa.int64()),
               pa.repeat(pa.scalar(self.mark, pa.string()), total), pa.array(names, pa.string())]
        nothing = pa.nulls(total, pa.string())
        return pa.RecordBatch.from_arrays(key + [columns[name] for name in self.fields] + [nothing, nothing],
                                          schema=self.schema)


def _columns(found: list[Found], wrapper: Wrapper, schema: pa.Schema, names: list[str]) -> Iterator[dict[str, Any]]:
    """The fields of records as Arrow arrays."""
    reader = pa.RecordBatchReader.from_stream(ArrowTable(found, wrapper._native, None, False))
    for batch in reader:
        yield {name: batch.column(i).cast(schema.field(name).type) for i, name in enumerate(names)}


def _take(inputs: Iterator[tuple[Split, Union[Input, Exception]]]) -> Iterator[list[tuple[Split, Union[Input, Exception]]]]:
    """Pages in groups that fit into memory."""
    group: list[tuple[Split, Union[Input, Exception]]] = []
    held = 0
    for split, found in inputs:
        group.append((split, found))
        held += found.size if isinstance(found, Input) else 0
        if len(group) == BATCH_PAGES or held >= BATCH_BYTES:
            yield group
            group, held = [], 0
    if group:
        yield group


def _find(pages: list[Any]) -> list[Any]:
    """The main list of each page, or its exception."""
    out: list[Any] = []
    for page in pages:
        try:
            regions = _thresh.find_regions(as_page(page), 1, None)
            out.append([json.dumps(record, ensure_ascii=False) for record in json.loads(regions[0][3].json(False))]
                       if regions else [])
        except Error as error:
            out.append(error)
    return out


def extract(splits: Iterable[Union[Split, tuple[str, int, int]]], wrapper: AnyWrapper = None) -> Iterator[pa.RecordBatch]:
    """The records of the pages of splits, as Arrow batches with the columns of `arrow_schema`.

    `wrapper` is a Wrapper, its text or its file; None finds the main list of each page. What is damaged becomes a row
    with _error and _origin, and reading goes on.

    >>> batches = list(thresh.spark.extract(thresh.spark.splits("examples/pages/books.html")))
    >>> [(row["_index"], row["record"][:10]) for row in batches[0].to_pylist()][:1]
    [(0, '{"title": ')]
    """
    text = _text_of(wrapper)
    made, mark = (None, None) if text is None else _wrapper_of(text)
    schema = arrow_schema(text)
    rows = _Rows(schema, mark)
    for group in _take(_inputs(Split(*split) for split in splits)):
        pages = [found for _, found in group if isinstance(found, Input)]
        results = iter(_find(pages) if made is None else made._native.extract_batch(pages, [page.name for page in pages], 1))
        taken: list[tuple[Input, Any, int]] = []
        for split, found in group:
            result = found if isinstance(found, Exception) else next(results)
            if not isinstance(result, Exception):
                assert isinstance(found, Input)
                taken.append((found, result, len(result)))
                continue
            # Rows come in the order of the file: what was before the trouble first.
            yield from _flush(taken, rows, made)
            taken = []
            if isinstance(found, Input):
                yield rows.trouble(found.file, found.offset, found.name, result, found.origin)
            else:
                offset = getattr(result, "offset", None)
                yield rows.trouble(split.file, split.start if offset is None else offset, None, result,
                                   split.file if offset is None else f"{split.file}@{offset}")
        yield from _flush(taken, rows, made)


def _flush(taken: list[tuple[Input, Any, int]], rows: _Rows, wrapper: Optional[Wrapper]) -> Iterator[pa.RecordBatch]:
    if not any(count for _, _, count in taken):
        return
    if wrapper is None:
        records = [record for _, result, _ in taken for record in result]
        yield rows.batch({"record": pa.array(records, pa.string())}, taken)
        return
    made = list(_columns([result for _, result, _ in taken], wrapper, rows.schema, rows.fields))
    if len(made) == 1:
        yield rows.batch(made[0], taken)
        return
    whole = pa.Table.from_pydict({name: pa.chunked_array([part[name] for part in made]) for name in rows.fields})
    yield rows.batch({name: whole.column(name).combine_chunks() for name in rows.fields}, taken)


# ---- Spark

def spark_schema(wrapper: AnyWrapper) -> Any:
    """The same columns as a StructType of Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema
    return from_arrow_schema(arrow_schema(wrapper))


def mapper(wrapper: AnyWrapper = None) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For DataFrame.mapInArrow on a frame with the columns file, start and end: see `read`."""
    text = _text_of(wrapper)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from extract([Split(row["file"], row["start"], row["end"]) for row in batch.to_pylist()], text)

    return run


def _frame(spark: SparkSession, wanted: Sequence[Split]) -> DataFrame:
    """A frame of splits, of which each is a partition of its own."""
    frame = spark.createDataFrame([tuple(split) for split in wanted], SPLIT_SCHEMA)
    if len(wanted) < 2:
        return frame.coalesce(1)
    return frame.repartitionByRange(len(wanted), "file", "start")


def read(spark: SparkSession, paths: Paths, wrapper: AnyWrapper = None, *, size: int = SPLIT_BYTES) -> DataFrame:
    """The records of archives as a DataFrame, on Spark 3.5 and later."""
    return _frame(spark, splits(paths, size)).mapInArrow(mapper(wrapper), spark_schema(wrapper))


def read_cdx(rows: DataFrame, wrapper: AnyWrapper = None, *, tasks: int = 0) -> DataFrame:
    """The records of single pages: `rows` has the columns file, offset and length, as a CDX index gives them."""
    frame = rows.selectExpr("file", "cast(offset as bigint) start", "cast(offset as bigint) + 1 end")
    frame = frame.repartitionByRange(tasks, "file", "start") if tasks else frame.repartitionByRange("file", "start")
    return frame.sortWithinPartitions("file", "start").mapInArrow(mapper(wrapper), spark_schema(wrapper))


def _page_batches(most: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            wanted = [Split(row["file"], row["start"], row["end"]) for row in batch.to_pylist()]
            pages = (found for _, found in _inputs(wanted) if isinstance(found, Input))
            for page in islice(pages, most):
                yield pa.RecordBatch.from_pydict({"name": [page.name], "content": [page.content]},
                                                 pa.schema([("name", pa.string()), ("content", pa.binary())]))

    return run


def sample(spark: SparkSession, paths: Paths, *, pages: int = 100, size: int = SPLIT_BYTES) -> list[Page]:
    """Some pages of the archives, from splits that are spread over all of them."""
    wanted = splits(paths, size)
    chosen = wanted[::max(1, len(wanted) // 20)]
    frame = _frame(spark, chosen).mapInArrow(_page_batches(-(-pages // len(chosen))), "name string, content binary")
    return [Page(bytes(row.content), name=row.name, url=row.name) for row in frame.collect()][:pages]


def learn(spark: SparkSession, paths: Paths, *, pages: int = 100, size: int = SPLIT_BYTES, **options: Any) -> Wrapper:
    """Learns a wrapper from a sample of the pages; the options are those of `thresh.learn`."""
    return _learn(sample(spark, paths, pages=pages, size=size), **options)


def _checks(text: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check = _thresh.Check(_wrapper_of(text)[0]._native, False)
        for batch in batches:
            for _, found in _inputs(Split(row["file"], row["start"], row["end"]) for row in batch.to_pylist()):
                if not isinstance(found, Input):
                    continue
                try:
                    check.add(Page(found))
                except Error:  # a page that cannot be read is no sign of a change
                    continue
        yield pa.RecordBatch.from_pydict({"check": [check.to_json()]}, pa.schema([("check", pa.string())]))

    return run


def verify(spark: SparkSession, paths: Paths, wrapper: Union[str, Wrapper], *, alpha: float = 0.01,
           size: int = SPLIT_BYTES) -> Verdict:
    """Says whether the pages of the archives still look as those that the wrapper was learnt from.

    Each task counts and samples what its pages give; the driver adds that up and judges once.
    """
    text = _text_of(wrapper)
    assert text is not None
    total = _thresh.Check(_wrapper_of(text)[0]._native, False)
    for row in _frame(spark, splits(paths, size)).mapInArrow(_checks(text), "check string").collect():
        total.merge(row["check"])
    return Verdict(*total.verdict(alpha))


try:
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
except ImportError:  # Spark 3.5, or none
    pass
else:
    class SplitPartition(InputPartition):
        """The work of one task."""

        def __init__(self, wanted: list[Split]) -> None:
            self.wanted = [(split.file, split.start, split.end) for split in wanted]

    class ThreshReader(DataSourceReader):
        """Reads archives on the workers. The wrapper travels as text."""

        def __init__(self, groups: list[list[Split]], text: Optional[str]) -> None:
            self.groups, self.text = groups, text

        def partitions(self) -> Sequence[InputPartition]:
            return [SplitPartition(group) for group in self.groups]

        def read(self, partition: InputPartition) -> Iterator[Any]:
            assert isinstance(partition, SplitPartition)
            return extract([Split(*split) for split in partition.wanted], self.text)

    class ThreshDataSource(DataSource):
        """spark.read.format("thresh"): options are wrapper (a file or its text; without it lists are found), path or
        paths, splitbytes, and cdx: a CDX index whose records are read, from the folder of path."""

        @classmethod
        def name(cls) -> str:
            return "thresh"

        def _text(self) -> Optional[str]:
            return _text_of(self.options.get("wrapper") or None)

        def schema(self) -> Any:
            return spark_schema(self._text())

        def reader(self, schema: Any) -> DataSourceReader:
            paths = json.loads(self.options["paths"]) if "paths" in self.options else [
                path for path in self.options.get("path", "").split(",") if path]
            size = int(self.options.get("splitbytes", SPLIT_BYTES))
            if not paths:
                raise ArgumentError("load: the path of an archive is needed, as in load(\"crawl/*.warc.gz\")")
            if cdx := self.options.get("cdx"):
                with open(_local(cdx), encoding="utf-8") as file:
                    groups = splits_of_cdx(cdx_rows(file, paths[0].rstrip("/") + "/"), size)
            else:
                groups = [[split] for split in splits(paths, size)]
            return ThreshReader(groups, self._text())

    __all__ = ["Split", "SplitPartition", "ThreshDataSource", "ThreshReader", "arrow_schema", "cdx_rows", "digest", "extract", "learn",
               "mapper", "read", "read_cdx", "sample", "spark_schema", "splits", "splits_of_cdx", "verify"]
