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
  main: {
    undo: "Undo", undoOf: (what: string) => `Undo: ${what}`, loading: (site: string) => `Loading the pages of ${site}…`,
  },
};

export type Words = typeof en;
