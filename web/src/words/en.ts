// All texts of the workbench, in English: what the other languages translate. A part for each file that shows them.
import { counted } from "./counted";

const count = (one: string, other: string) => counted("en", { one, other });

export const en = {
  views: {
    pages: "Pages", lists: "Lists", labels: "Labels", template: "Compare pages", wrappers: "Extractors", life: "Monitor", records: "Results",
    all: "Views",
  },
  count: {
    pages: count("# page", "# pages"), records: count("# record", "# records"), lists: count("# list", "# lists"), values: count("# value", "# values"),
    runs: count("# run", "# runs"), notes: count("# note", "# notes"),
  },
  columnsPanel: {
    title: "What the columns look like",
    about: "Which pages have each column, of what type its values are, how they spread, and what is worth a look.",
    silent: count("# page gave no record.", "# pages gave no record."),
    column: "Column", type: "Type", filled: "Filled", coverage: "On which pages", values: "Values", check: "Worth a look",
    coverageOf: (field: string) => `Pages that have ${field}`, page: (page: string, filled: string, records: string) => `${page}: ${filled} of ${records} records`,
    group: (page: string, others: string) => `${page} and ${others} more`,
    empty: "always empty", numbers: (least: string, median: string, most: string) => `${least} to ${most}, half below ${median}`,
    dates: (first: string, last: string) => `${first} to ${last}`, lengths: (least: string, most: string) => `${least} to ${most} characters`,
    histogram: (range: string, counts: string) => `Histogram: ${range}. Values per bar: ${counts}`,
    frequent: "Most frequent values", different: count("# different value", "# different values"),
    types: {
      text: "text", number: "number", price: "price", date: "date", time: "time", url: "link", image: "image", email: "e-mail", phone: "phone number",
    } as { [type: string]: string },
    why: {
      far: count("# far from the others", "# far from the others"), long: count("# very long", "# very long"), "no number": count("# not a number", "# not numbers"),
      "no date": count("# not a date", "# not dates"), twice: count("# used twice", "# used twice"), missing: count("# missing", "# missing"),
    },
    list: (field: string) => `Records to look at: ${field}`, record: (record: string, page: string) => `Record ${record}, ${page}`, more: (count: string) => `and ${count} more`,
  },
  docsLink: { more: "How this works" },
  knobs: {
    auto: "auto: what fits best", mdr: "MDR: alike neighbours", iepad: "IEPAD: repeated patterns",
    legend: "What the paper leaves to its users", reset: "The paper's values",
    paper: "as published", paperAbout: "without our improvements",
    sizeThreshold: "SIZETHRES", sizeThresholdAbout: "tokens that an equivalence class has at least",
    supportThreshold: "SUPTHRES", supportThresholdAbout: "the share of the pages that has what is of the template",
    combination: "K", combinationAbout: "a generalized node has at most K nodes",
    threshold: "T", thresholdAbout: "tag strings that differ by up to T of their length are similar",
    tableTags: "table tags alone", tableTagsAbout: "records of table and form tags alone",
    encoding: "Encoding", encodingAbout: "which tags are kept",
    levels: "Levels", levelsAbout: "of alignment: each divides the texts of the one before",
    lowerEncoding: "Lower encoding", lowerEncodingAbout: "which tags the second level keeps",
    minLength: "Length", minLengthAbout: "a repeat has at least so many tokens",
    minCount: "Count", minCountAbout: "and occurs at least so often",
    maxVariance: "Variance", maxVarianceAbout: "how much distances of occurrences vary at most",
    minDensity: "Density", minDensityAbout: "how much of where it occurs a repeat covers at least",
  },
  main: {
    undo: "Undo", undoOf: (what: string) => `Undo: ${what}`, loading: (site: string) => `Loading the pages of ${site}…`,
  },
  recordPage: {
    label: "The record on its page", page: (page: string) => `Page ${page}`, record: (record: string, page: string) => `Record ${record} on ${page}`,
    extractors: "Open in Extractors", close: "Close", gone: "This page is no longer in the project.",
  },
  records: {
    title: "Results", run: "Run",
    option: (id: number, what: string, when: string, records: string) => `${id}: ${what}, ${when}, ${records}`,
    running: (extractor: string) => `${extractor} is being run on all pages…`,
    runningOf: (extractor: string, done: string, total: string) => `${extractor} is being run on all pages: ${done} of ${total}`,
    earlier: (run: number, when: string) => `These are records of a run before: run ${run}, ${when}.`,
    gaveNone: (run: number, what: string) => `Run ${run} (${what}) gave no record.`,
    noneFound: (runs: string) => `${runs}, and none found a record: the pages may be of another kind, or have changed.`,
    none: "No records yet: run an extractor on the pages of the site.",
    label: "Records of the run", labelEarlier: "Records of a run before",
  },
  ruleGraph: {
    title: "The transducer", picture: (states: number, transitions: number) => `A transducer of ${states} states and ${transitions} transitions`,
    states: "b begins a record and e ends it; states with a bar skip what follows their attribute", any: "; * is any of b and these",
    transitions: (transitions: number) => `${transitions} transitions`,
    number: "No.", from: "From", to: "To", where: "Where (left | right context / output)",
  },
  ruleHits: {
    all: "all fields", records: "the records", choose: "Marked on the page: what finds", hit: count("# token hit", "# tokens hit"),
    caption: "Rules at work on this page", field: "Field", part: "Part", rule: "Rule", hits: "Hits",
    more: (count: string) => `and ${count} more`, moreRows: (count: string) => `and ${count} more: choose a field`,
  },
  rules: {
    fields: "Fields of a page", list: "a list of records", record: "one record", optional: "not always there", several: "several", each: "a list, each",
    tuple: "with", listOf: "list of", perhaps: "perhaps", choice: "one of",
  },
  templateTree: {
    title: "The template as a tree", several: "several", repeated: "repeated", perhaps: "perhaps",
    on: (pages: number, of: number) => `on ${pages} of ${of}`, slot: (number: number) => `slot ${number}`,
  },
  templateView: {
    title: (pages: string) => `The template of ${pages}`, addFirst: "Add a page first.",
    alone: (page: string) => `No other page of the site is built like ${page}: a template needs two pages at least.`,
    first: (all: string) => `the first of ${all}`, source: "source", learning: "Learning…", page: (name: string) => `The page ${name}`,
    paper: "As the paper writes it", template: "The template", gives: "What the pages give",
  },
  wrappersView: {
    title: (site: string) => `Extractors of ${site}`, none: "No extractors yet: save one from a list or from labels.",
    versions: count("# version", "# versions"), extractor: "Extractor", version: "Version", engine: "Engine", saved: "Saved",
    one: "The extractor", heading: (name: string, version: number) => `${name}, version ${version}`,
    run: "Run on all pages", remove: "Remove this version", removal: (name: string, version: number) => `removal of ${name}, version ${version}`, download: "Download",
    template: "The template", rules: "The rules", reads: (page: string) => `What it reads on ${page}`, source: "source",
    page: (name: string) => `The page ${name}, as the extractor reads it`,
  },
};

export type Words = typeof en;
