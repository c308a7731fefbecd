"""Extracts the records of web archives with a wrapper, and writes them as Parquet.

    spark-submit examples/spark/extract_job.py --wrapper books.json --out records/ crawl/*.warc.gz

A row is a record with the columns of its key (_file, _offset, _index and _wrapper), or something that was damaged (_error and
_origin). A rerun writes the same keys, and overwrites what was there. The package thresh must be installed where the
workers run: docs/SCALE.md says how.
"""
import argparse

from pyspark.sql import SparkSession

import thresh.spark


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--wrapper", help="the wrapper file; without it the main list of each page is found")
    parser.add_argument("--out", required=True)
    parser.add_argument("--split-bytes", type=int, default=thresh.spark.SPLIT_BYTES)
    args = parser.parse_args()

    spark = SparkSession.builder.appName("thresh").getOrCreate()
    rows = thresh.spark.read(spark, args.archives, args.wrapper, size=args.split_bytes)
    rows.write.mode("overwrite").parquet(args.out)
    written = spark.read.parquet(args.out)
    errors = written.where("_error is not null")
    print(f"{written.count() - errors.count()} records in {args.out}")
    for row in errors.select("_origin", "_error").limit(20).collect():
        print(f"{row._origin}: {row._error}")
    spark.stop()


if __name__ == "__main__":
    main()
