# The program in a small image: docs/INSTALL.md shows how it is used.
ARG DEBIAN=debian:12-slim

FROM ${DEBIAN} AS build
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends make
# The packages that building needs change less often than the sources.
COPY scripts/setup scripts/setup
RUN scripts/setup build && scripts/setup web
COPY . .
RUN scripts/web --must && make install PREFIX=/usr DESTDIR=/out && strip /out/usr/bin/thresh

FROM ${DEBIAN}
# The libraries that the program is linked with or loads: tests/test_packages.py knows them.
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates \
        libbrotli1 \
        libcurl4 \
        libdeflate0 \
        libjansson4 \
        libmicrohttpd12 \
        libnettle8 \
        libsqlite3-0 \
        libuchardet0 \
        libutf8proc2 \
        libxlsxwriter4 \
        libxml2 \
        libzstd1 \
        zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 thresh
COPY --from=build /out/usr/bin/thresh /usr/bin/thresh
COPY --from=build /src/LICENSE /usr/share/doc/thresh/LICENSE
USER thresh
WORKDIR /data
ENTRYPOINT ["thresh"]
CMD ["--help"]
