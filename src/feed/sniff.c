/* sniff.c: what bytes are, told by their beginning. */
#include "feed/sniff.h"

typedef struct magic {
    unsigned at;
    th_str bytes;
    const char *what;
} magic;

#define MAGIC(at, bytes, what)                                                                     \
    {                                                                                              \
        at, {bytes, sizeof(bytes) - 1}, what                                                       \
    }

static const magic MAGICS[] = {
    MAGIC(0, "%PDF-", "a PDF file"),
    MAGIC(0, "\x89PNG\r\n", "a PNG image"),
    MAGIC(0, "\xFF\xD8\xFF", "a JPEG image"),
    MAGIC(0, "GIF8", "a GIF image"),
    MAGIC(0, "II*\0", "a TIFF image"),
    MAGIC(0, "MM\0*", "a TIFF image"),
    MAGIC(0, "\0\0\1\0", "an icon"),
    MAGIC(8, "WEBP", "a WebP image"),
    MAGIC(0, "PK\3\4", "a ZIP file"),
    MAGIC(0, "PK\5\6", "an empty ZIP file"),
    MAGIC(0,
          "\x7F"
          "ELF",
          "an ELF program"),
    MAGIC(0, "MZ\x90\0", "a Windows program"),
    MAGIC(0, "\xFE\xED\xFA", "a Mach-O program"),
    MAGIC(0, "\xCA\xFE\xBA\xBE", "a Java class or Mach-O program"),
    MAGIC(0, "\0asm", "a WebAssembly module"),
    MAGIC(0, "BZh", "a bzip2 file (decompress it first)"),
    MAGIC(0,
          "\xFD"
          "7zXZ\0",
          "an xz file (decompress it first)"),
    MAGIC(0, "\x28\xB5\x2F\xFD", "a zstd file (decompress it first)"),
    MAGIC(1, "\x2A\x4D\x18", "a zstd or lz4 file (decompress it first)"),
    MAGIC(0, "\x04\x22\x4D\x18", "an lz4 file (decompress it first)"),
    MAGIC(0, "7z\xBC\xAF", "a 7-Zip file"),
    MAGIC(0, "Rar!\x1A", "a RAR file"),
    MAGIC(0, "\x1F\x8B", "a gzip file inside a gzip file"),
    MAGIC(257, "ustar", "a tar file"),
    MAGIC(0, "SQLite format 3", "an SQLite database"),
    MAGIC(0, "\xD0\xCF\x11\xE0", "an old Office file"),
    MAGIC(0, "ID3", "an MP3 file"),
    MAGIC(0, "OggS", "an Ogg file"),
    MAGIC(0, "fLaC", "a FLAC file"),
    MAGIC(4, "ftyp", "an MP4 file"),
    MAGIC(0, "RIFF", "a RIFF file"),
    MAGIC(0, "wOFF", "a font"),
    MAGIC(0, "wOF2", "a font"),
    MAGIC(0, "%!PS", "a PostScript file"),
};

/* NUL bytes are no sign of a binary file in UTF-16 and UTF-32. */
static bool is_wide_text(th_str head)
{
    static const magic starts[] = {
        MAGIC(0, "\xFF\xFE", NULL), MAGIC(0, "\xFE\xFF", NULL), MAGIC(0, "\0\0\xFE\xFF", NULL),
        MAGIC(0, "<\0", NULL),      MAGIC(0, "\0<", NULL),
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (th__str_starts(head, starts[i].bytes))
            return true;
    return false;
}

const char *th__sniff_binary(th_str head)
{
    for (const magic *m = MAGICS; m < MAGICS + sizeof MAGICS / sizeof *MAGICS; m++)
        if (head.len >= m->at + m->bytes.len &&
            !memcmp(head.ptr + m->at, m->bytes.ptr, m->bytes.len))
            return m->what;
    if (head.len > TH__SNIFF_LEN)
        head.len = TH__SNIFF_LEN;
    size_t controls = 0;
    uint32_t kinds = 0; /* a bit each */
    for (size_t i = 0; i < head.len; i++) {
        unsigned char c = (unsigned char)head.ptr[i];
        if (c < 0x20 && !th__is_blank(c) && c != 0x1B && c != '\b' && c != '\v') {
            controls++;
            kinds |= UINT32_C(1) << c;
        }
    }
    /* A stray NUL is the daily bread of a page; one byte in ten is not. Compressed data has just
     * below that, of all kinds, and a page has one kind or two. */
    enum { MANY_KINDS = 8 };
    size_t most = __builtin_popcount(kinds) >= MANY_KINDS ? head.len / 20 : head.len / 10;
    return controls > most && !is_wide_text(head) ? "a binary file" : NULL;
}

static bool contains_nocase(th_str text, th_str needle)
{
    for (size_t i = 0; i + needle.len <= text.len; i++)
        if (th__str_starts_nocase((th_str){text.ptr + i, text.len - i}, needle))
            return true;
    return false;
}

/* UTF-16 text with its NUL bytes left out, which is enough to see tags. */
static th_str narrow(th_str head, char *room)
{
    size_t len = 0;
    for (size_t i = 0; i < head.len; i++)
        if (head.ptr[i] != '\0')
            room[len++] = head.ptr[i];
    return (th_str){room, len};
}

bool th__sniff_html(th_str head)
{
    static const th_str always[] = {{"<!doctype html", 14}, {"<html", 5}};
    static const th_str tags[] = {{"<head", 5},  {"<title", 6},  {"<body", 5}, {"<table", 6},
                                  {"<div", 4},   {"<script", 7}, {"<meta", 5}, {"<h1", 3},
                                  {"<style", 6}, {"<p>", 3},     {"<a ", 3},   {"<br", 3},
                                  {"<font", 5},  {"<ul", 3},     {"<link", 5}, {"<center", 7}};
    char room[TH__SNIFF_LEN];
    if (head.len > TH__SNIFF_LEN)
        head.len = TH__SNIFF_LEN;
    if (is_wide_text(head))
        head = narrow(head, room);
    while (head.len &&
           ((unsigned char)head.ptr[0] >= 0x80 || th__is_blank((unsigned char)*head.ptr)))
        head.ptr++, head.len--; /* a byte order mark and white space */
    if (!head.len || head.ptr[0] != '<')
        return false;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (contains_nocase(head, always[i]))
            return true;
    if (th__str_starts(head, TH_STR("<?")))
        return false; /* XML of another kind */
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (contains_nocase(head, tags[i]))
            return true;
    return false;
}
