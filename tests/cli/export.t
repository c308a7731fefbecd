Wrappers as selectors and programs: `thresh show --as`.

    $ cat > page.html <<'END'
    > <body><ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a></ul>
    > <div class=hit><h3><a href=/1>Blue heron</a></h3><p class=price>Price: 12 EUR</p><p class=tags><a>big</a><a>wet</a></p></div>
    > <div class=hit><h3><a href=/2>Grey plover</a></h3><p class=price>Price: 9 EUR</p><p class=tags><a>small</a><a>dry</a></p></div>
    > <div class=hit><h3><a href=/3>White stork</a></h3><p class=price>Price: 31 EUR</p><p class=tags><a>tall</a></p></div>
    > END
    $ thresh learn -q --date 2026-01-02 -o birds.json page.html
    $ thresh show --as css birds.json
    {
      "selectors": "css",
      "records": "div.hit",
      "fields": [
        {"name": "title", "rules": [{"select": "h3 > a", "take": "text"}]},
        {"name": "price", "rules": [{"select": "p.price", "take": "text"}]},
        {"name": "tags", "list": "union", "rules": [{"select": "p.tags > a", "take": "text"}]},
        {"name": "other", "list": "union", "rules": []},
        {"name": "title_url", "rules": [{"select": "h3 > a::attr(href)", "take": "link"}]}
      ]
    }
    $ thresh show --as xpath birds.json
    {
      "selectors": "xpath",
      "records": "//div[contains(concat(' ', normalize-space(@class), ' '), ' hit ')]",
      "fields": [
        {"name": "title", "rules": [{"select": ".//h3/a", "take": "text"}]},
        {
          "name": "price",
          "rules": [
            {
              "select": ".//p[contains(concat(' ', normalize-space(@class), ' '), ' price ')]",
              "take": "text"
            }
          ]
        },
        {
          "name": "tags",
          "list": "union",
          "rules": [
            {
              "select": ".//p[contains(concat(' ', normalize-space(@class), ' '), ' tags ')]/a",
              "take": "text"
            }
          ]
        },
        {"name": "other", "list": "union", "rules": []},
        {"name": "title_url", "rules": [{"select": ".//h3/a/@href", "take": "link"}]}
      ]
    }
    $ thresh show --as parsel birds.json | sed -n '/^def records/,$p'
    def records(html, url=""):
        """The records of a page, given as a string; url makes its links absolute."""
        page = Selector(text=html)
        base = urljoin(url, page.css("base::attr(href)").get("").strip())
        for record in page.css("div.hit"):
            yield {
                "title": text(record.css("h3 > a")),
                "price": text(record.css("p.price")),
                "tags": texts(record.css("p.tags > a")),
                "other": None,
                "title_url": link(record.css("h3 > a::attr(href)"), base),
            }
    $ thresh show --as scrapy --url https://example.org/birds birds.json | sed -n '/^class/,$p'
    class RecordsSpider(scrapy.Spider):
        name = "records"
        start_urls = [
            "https://example.org/birds",
        ]

        def __init__(self, url=None, *args, **kwargs):
            super().__init__(*args, **kwargs)
            if url:
                self.start_urls = [url]

        def parse(self, response):
            page = response.selector
            base = urljoin(response.url, page.css("base::attr(href)").get("").strip())
            for record in page.css("div.hit"):
                yield {
                    "title": text(record.css("h3 > a")),
                    "price": text(record.css("p.price")),
                    "tags": texts(record.css("p.tags > a")),
                    "other": None,
                    "title_url": link(record.css("h3 > a::attr(href)"), base),
                }
    $ thresh show --as python birds.json | sed -n '1,/^BLANKS/p'
    """Prints the records of birds.json. Written by thresh 0.2.0.

        python3 FILE PAGE...

    Pages are files. One record per line, as JSON. Needs lxml.
    """
    import json
    import re
    import sys
    from urllib.parse import urljoin

    import lxml.html
    from lxml import etree

    ENCODING = "utf-8"  # of the pages
    BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
    $ thresh show --as python birds.json | sed -n '/^def records/,$p'
    def records(html, url=""):
        """The records of a page, given as a string; url makes its links absolute."""
        source = html.strip().replace("\0", "").encode("utf-8") or b"<html/>"
        page = lxml.html.document_fromstring(
            source, parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))
        base = urljoin(url, (page.xpath("//base/@href") or [""])[0].strip())
        for record in page.xpath("//div[contains(concat(' ', normalize-space(@class), ' '), ' hit ')]"):
            yield {
                # text of h3 > a
                "title": text(record.xpath(".//h3/a")),
                # text of p.price
                "price": text(record.xpath(".//p[contains(concat(' ', normalize-space(@class), ' '), ' price ')]")),
                # text of p.tags > a
                "tags": texts(record.xpath(".//p[contains(concat(' ', normalize-space(@class), ' '), ' tags ')]/a")),
                "other": None,
                # link of h3 > a
                "title_url": link(record.xpath(".//h3/a/@href"), base),
            }


    if __name__ == "__main__":
        for name in sys.argv[1:]:
            with open(name, encoding=ENCODING, errors="replace", newline="") as file:
                for one in records(file.read()):
                    print(json.dumps(one, ensure_ascii=False))

Labelled pages of one record: texts after labels, parts of texts, lists.

    $ for i in 1 2 3; do cat > bird$i.html <<END
    > <body><div id=main><h1>Bird $i</h1><p><b>Weight:</b> $i kg<br><b>Length:</b> $i$i cm</p>
    > <ul><li>wet $i</li><li>cold $i</li></ul></div>
    > END
    > done
    $ cat > labels.jsonl <<'END'
    > {"page": "bird1.html", "records": [{"name": "Bird 1", "length": "11", "traits": ["wet 1", "cold 1"]}]}
    > {"page": "bird2.html", "records": [{"name": "Bird 2", "length": "22", "traits": ["wet 2", "cold 2"]}]}
    > END
    $ thresh learn -q --labels labels.jsonl --engine paths -o bird.json bird1.html bird2.html bird3.html
    $ thresh show --as xpath bird.json
    {
      "selectors": "xpath",
      "records": null,
      "fields": [
        {"name": "name", "rules": [{"select": "//div[@id='main']/h1", "take": "text"}]},
        {
          "name": "length",
          "rules": [{"select": "//div[@id='main']/p", "take": "text", "after": "Length: ", "before": " cm"}]
        },
        {"name": "traits", "list": "union", "rules": [{"select": "//div[@id='main']//li", "take": "text"}]}
      ]
    }
    $ thresh show --as css bird.json
    {
      "selectors": "css",
      "records": null,
      "fields": [
        {"name": "name", "rules": [{"select": "div#main > h1", "take": "text"}]},
        {
          "name": "length",
          "rules": [{"select": "div#main > p", "take": "text", "after": "Length: ", "before": " cm"}]
        },
        {"name": "traits", "list": "union", "rules": [{"select": "div#main li", "take": "text"}]}
      ]
    }

What is refused: records that are not one element; with --partial, fields. Other pages may be named; those it was learnt from must
not have changed.

    $ cat > people.html <<'END'
    > <dl><dt>Ann Lee<dd>Chemistry, room 12<dt>Bo Olsen<dd>Physics, room 31<dt>Cy Tan<dd>Botany, room 7</dl>
    > END
    $ thresh learn -q -o people.json people.html
    $ thresh show --as css people.json
    ! thresh: people.json: the records cannot be exported: a record is not one element: it consists of several neighbouring ones, or shares its element with another
    [1]
    $ thresh show --as css --partial people.json
    ! thresh: people.json: the records cannot be exported: a record is not one element: it consists of several neighbouring ones, or shares its element with another
    [1]
    $ cp page.html other.html
    $ thresh show --as css birds.json other.html | head -3
    {
      "selectors": "css",
      "records": "div.hit",
    $ echo '<p>changed' >> page.html
    $ thresh show --as css birds.json
    ! thresh: page.html: has changed since the wrapper was learnt from it: name the pages that the export is to be checked on
    [1]
    $ rm page.html
    $ thresh show --as css birds.json
    ! thresh: page.html: is not here: an export is checked on the pages that the wrapper was learnt from, or on others that are named after it
    [1]
    $ echo '<p>nothing' > empty.html
    $ thresh show --as css birds.json empty.html
    ! thresh: birds.json: an export is checked on pages, and the wrapper finds no records on those that are given
    [1]

Wrong usage.

    $ thresh show --as css other.html
    ! thresh: other.html: is not a wrapper: `thresh learn` makes one
    [1]
    $ thresh show --as excel birds.json
    ! thresh: --as cannot be 'excel'; it is one of css, xpath, scrapy, parsel, python
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --as css --tree birds.json
    ! thresh: --as cannot be combined with another view or a format
    ! Try `thresh show --help` for usage.
    [2]
    $ thresh show --partial birds.json
    ! thresh: --partial needs --as
    ! Try `thresh show --help` for usage.
    [2]
