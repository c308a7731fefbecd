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
  answerValues: {
    none: "none", sameMore: count("and # more that is the same", "and # more that are the same"),
  },
  commandLine: {
    copied: "Copied",
    copy: "Copy as command",
  },
  downloads: {
    csv: "Download CSV",
    allPages: "All pages of the site",
    sqliteHelp: "All pages of the site, as a database file (as `thresh extract -f sqlite` writes it)",
    excelHelp: "All pages of the site, as a workbook",
    other: "other formats",
    otherFormats: "Other formats",
    table: "a table, as text",
    lines: "one line per page",
    html: "a page with a table",
    markdown: "a table in Markdown",
  },
  main: {
    title: (site: string) => `${site} · Thresh workbench`,
    undo: "Undo",
    undoKey: "Ctrl+Z",
    undoOf: (what: string) => `Undo: ${what}`,
    loading: (site: string) => `Loading the pages of ${site}…`,
    language: "Language",
  },
  nextStep: {
    next: "Next:",
    addPage: "add a page, a folder or a URL, or try the sample",
    seeLists: "see the lists on a page",
    saveList: "download the list, or save it as an extractor for pages like this one",
    nameField: "name a field, then click its value on the page",
    saveLabels: "when the values are right, give them a name and save them as an extractor",
    saveTemplate: "give the table a name and save it as an extractor",
    makeExtractor: "save an extractor from a list",
    runExtractor: "run the extractor on all pages",
    runThis: "run it on all pages",
    seeResults: "see the results of the last run",
    checkNow: "check whether the pages still look as they did",
    monitor: "keep an eye on the pages: Monitor tells you when they change",
  },
  sample: {
    added: "the sample book shop",
    adding: "Adding the sample…",
    ready: "The sample book shop is here. Its list of books has been found for you.",
  },
  saveWrapper: {
    name: "Name of the extractor",
    placeholder: "Name",
    save: "Save as extractor",
    saved: (name: string, version: number) => `Saved as ${name}, version ${version}`,
    undo: (name: string, version: number) => `saving of ${name}, version ${version}`,
  },
  startView: {
    title: "Start with a page",
    what: "Thresh turns web pages into tables: show it a page, and it finds the lists and values on it and fetches them from every page that is built the same way.",
    sample: "Try it with a sample",
    sampleHelp: "A small book shop of ten pages that comes with Thresh. It needs no network, and you can undo it.",
    steps: "How it goes on",
    step1: "Add a page. Thresh shows it as it looks, with the lists it has found.",
    step2: "Is it the right list? Download it as a table. Is something missing? Click a value on the page to show Thresh what you want.",
    step3: "Save what you have as an extractor. It reads all pages of the site, and tells you when the site changes.",
    docs: (file: string) => `More in ${file}, which comes with Thresh.`,
    needsPage: "This view needs a page, and this site has none yet.",
    toPages: "Add a page",
  },
  thumbnail: {
    tooLarge: "too large to draw",
  },
  values: {
    bytes: (from: number, to: number) => `bytes ${from} to ${to}`,
  },
};

export type Words = typeof en;
