"""Fuzzes the package with atheris: bytes become pages, wrapper files, labels and options.

    pip install atheris; python tests/python/fuzz_package.py -max_total_time=600

Only the exceptions that docs/PYTHON.md names may come out.
"""
import array
import json
import pickle
import sys

import atheris

with atheris.instrument_imports(include=["thresh"]):
    import thresh

SHOP = "<ul><li><b>Tea</b> <i>2.50</i><li><b>Rice</b> <i>1.20</i><li><b>Salt</b> <i>0.80</i></ul>"
WRAPPERS = [thresh.learn([SHOP]), thresh.learn([SHOP], examples={"name": "Tea", "price": "2.50"}),
            thresh.learn([SHOP] * 2, labels={0: [{"name": "Tea"}, {"name": "Rice"}, {"name": "Salt"}]}, engine="stalker")]
TEXTS = [wrapper.text for wrapper in WRAPPERS]


def visit(node, depth=0):
    """Looks at a node and what is below it."""
    node.tag, node.text, node.attributes, node.start, node.end, node.parent, hash(node), repr(node)
    for child in node.children[:8] if depth < 5 else ():
        visit(child, depth + 1)


def page_of(data):
    kind = data.ConsumeIntInRange(0, 4)
    content = data.ConsumeBytes(data.ConsumeIntInRange(0, 2000))
    source = (content, bytearray(content), memoryview(content), array.array("B", content), "<p>" + content.decode("utf-8", "replace"))[kind]
    return thresh.Page(source, url=data.ConsumeUnicodeNoSurrogates(20) if data.ConsumeBool() else None,
                       encoding=data.PickValueInList([None, "utf-8", "windows-1252", "utf-16", "shift_jis", "x"]))


def fuzz_page(data):
    page = page_of(data)
    page.text, page.links, page.source, page.encoding, page.origin
    visit(page.tree)
    list(page.tree.iter(data.ConsumeUnicodeNoSurrogates(8)))
    pickle.loads(pickle.dumps(page))
    for region in thresh.regions(page, most=data.ConsumeIntInRange(-1, 5), engine=data.PickValueInList([None, "mdr", "iepad", "x"])):
        region.records.with_spans()
        region.records.arrow(spans=data.ConsumeBool(), page=data.PickValueInList([None, "page", ""])).__arrow_c_stream__()


def fuzz_wrapper(data):
    text = data.PickValueInList(TEXTS)
    at, size = data.ConsumeIntInRange(0, len(text)), data.ConsumeIntInRange(0, 40)
    wrapper = thresh.Wrapper(text[:at] + data.ConsumeUnicodeNoSurrogates(40) + text[at + size:])
    wrapper.fields, wrapper.explain(), wrapper.text
    wrapper.extract_many([SHOP, page_of(data)], threads=data.ConsumeIntInRange(1, 3)).__arrow_c_stream__()


def fuzz_run(data):
    wrapper, page = data.PickValueInList(WRAPPERS), page_of(data)
    results = wrapper.extract_many([page, data.ConsumeBytes(300), SHOP], threads=2, errors="keep")
    list(results), results.with_spans(), results.errors
    wrapper.verify([page, SHOP]).explain()
    wrapper.suggest([page, SHOP])


def fuzz_learn(data):
    labels = {data.ConsumeIntInRange(-1, 2): {data.ConsumeUnicodeNoSurrogates(5): data.ConsumeUnicodeNoSurrogates(8) for _ in range(2)}}
    if data.ConsumeBool():
        labels = json.loads(data.ConsumeUnicodeNoSurrogates(60))
    thresh.learn([SHOP, page_of(data)], labels=labels, engine=data.PickValueInList([None, "paths", "lists", "softmealy", "seams"]),
                 examples=data.ConsumeUnicodeNoSurrogates(12) if data.ConsumeBool() else None)


def one(content):
    data = atheris.FuzzedDataProvider(content)
    try:
        data.PickValueInList([fuzz_page, fuzz_wrapper, fuzz_run, fuzz_learn])(data)
    except (thresh.Error, TypeError, ValueError, OSError):
        pass  # said what is wrong


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
