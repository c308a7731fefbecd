"""MDR: Liu, Grossman, Zhai, "Mining Data Records in Web Pages" (KDD 2003). Slow and plain, to be read beside the paper; children
count from 1 as there. Errata that are mended are marked with "erratum", decisions of ours with "decision".

A page is a tree of Nodes, texts among the children of an element as strings.
"""
import functools

TABLE_TAGS = {"table", "tbody", "thead", "tfoot", "tr", "td", "th", "form"}
BLOCKS = TABLE_TAGS | {"div"}  # of the tags that the inputs have


class Node:
    def __init__(self, tag, content):
        self.tag, self.content = tag, content
        self.children = [part for part in content if isinstance(part, Node)]
        self.string = [tag] + [tag for child in self.children for tag in child.string]
        self.number = self.end = self.parent = None
        self.regions = []  # Node.DRs: Regions

    def tags(self):
        """The tag string of the subtree."""
        return self.string

    def depth(self):
        """TreeDepth: 1 for a leaf."""
        return 1 + max((child.depth() for child in self.children), default=0)


def build(shape):
    """[tag, part, ...] -> Node."""
    return Node(shape[0], [build(part) if isinstance(part, list) else part for part in shape[1:]])


def enumerate_nodes(node, number=1):
    """Numbers a tree in preorder; the page's document is 0."""
    node.number = number
    number += 1
    for child in node.children:
        child.parent = node
        number = enumerate_nodes(child, number)
    node.end = number
    return number


class Region:
    """The triple of figure 9 below a parent, and the records of section 3.3."""

    def __init__(self, parent, combination, start, count):
        self.parent, self.combination, self.start, self.count = parent, combination, start, count

    def generalized_nodes(self):
        nodes = self.parent.children[self.start - 1:self.start - 1 + self.count]
        return [nodes[i:i + self.combination] for i in range(0, self.count, self.combination)]


def normalized_distance(a, b):
    """Section 3.2.2."""
    return edit_distance(tuple(a), tuple(b)) / ((len(a) + len(b)) / 2)


@functools.lru_cache(1 << 14)
def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(above + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


class Mdr:
    def __init__(self, root, k=10, t=0.3, every_tag=False):
        self.k, self.t, self.every_tag = k, t, every_tag
        self.document = Node("#document", [root])
        enumerate_nodes(self.document, 0)

    # ---- section 3.2: data regions ----

    def may_form_records(self, nodes):
        """The introduction: records are formed by table and form tags (decision: as an option)."""
        return self.every_tag or all(node.tag in TABLE_TAGS for node in nodes)

    def similar(self, a, b):
        """Two lists of nodes. Figure 9, line 6 has <=, the definition "less than" (decision: <=)."""
        if not self.may_form_records(a + b):
            return False
        strings = [[tag for node in nodes for tag in node.tags()] for nodes in (a, b)]
        return normalized_distance(*strings) <= self.t + 1e-12

    def distance_within(self, node, i, j):
        """Distance(Node, i, j) <= T: the combination of i children from the j-th on, and the next one. Figure 6, line 5
        (erratum: k <= Size) then compares all pairs that exist."""
        if j + 2 * i - 1 > len(node.children):
            return False
        return self.similar(node.children[j - 1:j - 1 + i], node.children[j - 1 + i:j - 1 + 2 * i])

    def ident_drs(self, start, node):
        """Figure 9."""
        size, max_dr = len(node.children), [0, 0, 0]
        for i in range(1, self.k + 1):
            for f in range(start, start + i + 1):
                cur_dr, flag = [0, 0, 0], True  # erratum: curDR is new for each start
                for j in range(f, size, i):
                    if self.distance_within(node, i, j):
                        if flag:
                            cur_dr, flag = [i, j, 2 * i], False
                        else:
                            cur_dr[2] += i
                    elif not flag:
                        break
                if max_dr[2] < cur_dr[2] and (max_dr[1] == 0 or cur_dr[1] <= max_dr[1]):
                    max_dr = cur_dr
        if max_dr[2] == 0:
            return []
        found = [Region(node, *max_dr)]
        if max_dr[1] + max_dr[2] - 1 != size:  # erratum: at the last child {maxDR} is returned too
            found += self.ident_drs(max_dr[1] + max_dr[2], node)
        return found

    def find_drs(self, node):
        """Figure 8, with figure 10's UnCoveredDRs."""
        if node.depth() < 3:
            return
        node.regions = self.ident_drs(1, node)
        below = []
        for index, child in enumerate(node.children, 1):
            self.find_drs(child)
            if not any(r.start <= index <= r.start + r.count - 1 for r in node.regions):
                below += child.regions
        node.regions = node.regions + below

    # ---- section 3.3: data records ----

    def children_similar(self, node):
        """Decision: two or more children, each within T of the next."""
        return len(node.children) >= 2 and all(self.similar([a], [b]) for a, b in zip(node.children, node.children[1:]))

    @staticmethod
    def is_data_table_row(node):
        """"Each cell has only one piece of text or a number" (decision: at most one text, and no block inside)."""
        return all(len(texts(cell)) <= 1 and not set(cell.tags()[1:]) & BLOCKS for cell in node.children)

    def find_records(self, g):
        """Figures 12 and 15; a record is a list of lists of siblings."""
        if len(g) == 1:
            if self.children_similar(g[0]) and not self.is_data_table_row(g[0]):
                return [[[child]] for child in g[0].children]
        elif all(self.children_similar(node) for node in g) and len({len(node.children) for node in g}) == 1:
            return [[[node.children[i]] for node in g] for i in range(len(g[0].children))]
        return [[g]]

    def adjacent(self, a, b):
        """Section 3.3, the second case: "detecting adjacent data regions and then check whether these are similar. If they are
        not, we can join the corresponding nodes". Decision: only if nothing lies between them and they have as many
        generalized nodes. They are below one parent, or below two rows that are neighbours."""
        rows = a.parent.parent.children if a.parent.parent else []
        together = (a.parent is b.parent and a.start + a.count == b.start)
        together = together or (a.start + a.count - 1 == len(a.parent.children) and b.start == 1 and b.parent in rows
                                and rows.index(b.parent) == rows.index(a.parent) + 1)
        first_a, first_b = a.generalized_nodes()[0], b.generalized_nodes()[0]
        return (together and len(a.generalized_nodes()) == len(b.generalized_nodes())
                and not normalized_distance(*[[tag for node in nodes for tag in node.tags()]
                                              for nodes in (first_a, first_b)]) <= self.t + 1e-12)

    def join(self, regions):
        """Lists of regions that are joined, in the order of the page."""
        joined, left = [], list(regions)
        while left:
            chain = [left.pop(0)]
            while True:
                following = next((r for r in left if self.adjacent(chain[-1], r)), None)
                if not following:
                    break
                left.remove(following)
                chain.append(following)
            joined.append(chain)
        return joined

    # ---- section 3.4: data records not in data regions ----

    def orphans(self, region, records, taken):
        """Siblings of a region's nodes that are in no region, and their children, matched with a record (decision: the
        nearest one of the region)."""
        siblings, size, found = region.parent.children, region.combination, []
        for first, last, record in ((0, region.start - 1, records[0]),
                                    (region.start - 1 + region.count, len(siblings), records[-1])):
            at = first
            while at < last:
                nodes = siblings[at:at + size]
                new = []
                if at + size <= last and not any(node in taken for node in nodes):
                    new = self.match(region, record, nodes)
                if new:
                    taken += nodes
                found += new
                at += size if new else 1
        return found

    def match(self, region, record, nodes):
        """The records in some siblings that are like one of the region's records."""
        whole = record[0][0].parent is region.parent
        if len(record) > 1:  # non-contiguous: the k-th children of the siblings
            wanted = [tag for piece in record for node in piece for tag in node.tags()]
            columns = list(zip(*[node.children for node in nodes]))
            return [[[node] for node in column] for column in columns
                    if normalized_distance(wanted, [tag for node in column for tag in node.tags()]) <= self.t + 1e-12]
        if whole and self.similar(record[0], nodes):
            return [[nodes]]
        if len(nodes) == 1 and len(record[0]) == 1:
            return [[[child]] for child in nodes[0].children if self.similar(record[0], [child])]
        return []

    # ---- all of it ----

    def run(self, join, orphans):
        """[(regions that are joined, records)], in the order of the page."""
        self.find_drs(self.document)
        regions = sorted(self.document.regions, key=lambda r: (r.parent.number, r.start))
        taken = [node for r in regions for g in r.generalized_nodes() for node in g]
        answer = []
        for parts in self.join(regions) if join else [[r] for r in regions]:
            if len(parts) > 1:
                records = [[g for g in nodes] for nodes in zip(*[r.generalized_nodes() for r in parts])]
            else:
                records = [record for g in parts[0].generalized_nodes() for record in self.find_records(g)]
                if orphans:
                    records = records + self.orphans(parts[0], records, taken)
            answer.append((parts, sorted(records, key=lambda record: record[0][0].number)))
        return answer


def texts(node):
    return [text for part in node.content for text in (texts(part) if isinstance(part, Node) else [part])]


def span(nodes):
    """The numbers of siblings with their subtrees."""
    return [nodes[0].number, nodes[-1].end]
