import { counted } from "./counted";
import type { Translation } from "./words";

const count = (one: string, other: string) => counted("de", { one, other });

export const de: Translation = {
  views: {
    pages: "Seiten", lists: "Listen", labels: "Beispiele", template: "Seiten vergleichen", wrappers: "Extraktoren", life: "Überwachung", records: "Ergebnisse",
    all: "Ansichten",
  },
  count: { pages: count("# Seite", "# Seiten") },
};
