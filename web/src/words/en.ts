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
  frameTools: {
    label: "How the page is shown",
    zoom: "Zoom",
    fit: "fit to width",
    percent: (value: string) => `${value}%`,
    plain: "plain",
    plainWhy: "Show the page without its own colours and layout",
  },
  main: {
    undo: "Undo", undoOf: (what: string) => `Undo: ${what}`, loading: (site: string) => `Loading the pages of ${site}…`,
  },
  pageFrame: {
    title: "The page",
    loading: "Loading the page…",
    failed: "The page cannot be shown.",
    here: (text: string, at: string, of: string) => `${text}, text ${at} of ${of}`,
  },
  sourceView: {
    label: "Source of the page",
    loading: "Loading the source…",
    more: "Show more of the source",
  },
  thumbnail: {
    large: "too large to draw",
  },
};

export type Words = typeof en;
