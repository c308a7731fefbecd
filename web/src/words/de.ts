import { counted } from "./counted";
import type { Translation } from "./words";

const count = (one: string, other: string) => counted("de", { one, other });

export const de: Translation = {
  views: {
    pages: "Seiten", lists: "Listen", labels: "Beispiele", template: "Seiten vergleichen", wrappers: "Extraktoren", life: "Überwachung", records: "Ergebnisse",
    all: "Ansichten",
  },
  count: {
    pages: count("# Seite", "# Seiten"), records: count("# Datensatz", "# Datensätze"), lists: count("# Liste", "# Listen"), values: count("# Wert", "# Werte"),
    runs: count("# Lauf", "# Läufe"), notes: count("# Hinweis", "# Hinweise"),
  },
  answerValues: {
    none: "keine", sameMore: count("und # weiterer, der gleich ist", "und # weitere, die gleich sind"),
  },
  commandLine: {
    copied: "Kopiert",
    copy: "Als Befehl kopieren",
  },
  downloads: {
    csv: "CSV herunterladen",
    allPages: "Alle Seiten der Website",
    sqliteHelp: "Alle Seiten der Website, als Datenbankdatei (wie von `thresh extract -f sqlite`)",
    excelHelp: "Alle Seiten der Website, als Arbeitsmappe",
    other: "andere Formate",
    otherFormats: "Andere Formate",
    table: "eine Tabelle als Text",
    lines: "eine Zeile pro Seite",
    html: "eine Seite mit einer Tabelle",
    markdown: "eine Tabelle in Markdown",
  },
  main: {
    title: (site) => `${site} · Thresh-Werkbank`,
    undo: "Rückgängig",
    undoKey: "Strg+Z",
    undoOf: (what) => `Rückgängig: ${what}`,
    loading: (site) => `Die Seiten von ${site} werden geladen…`,
    language: "Sprache",
  },
  nextStep: {
    next: "Als Nächstes:",
    addPage: "eine Seite, einen Ordner oder eine Adresse hinzufügen oder das Beispiel ausprobieren",
    seeLists: "die Listen auf einer Seite ansehen",
    saveList: "die Liste herunterladen, oder ihr einen Namen geben und sie als Extraktor für alle solchen Seiten speichern",
    nameField: "ein Feld benennen, dann auf der Seite seinen Wert anklicken",
    saveLabels: "wenn die Werte stimmen: einen Namen geben und als Extraktor speichern",
    saveTemplate: "der Tabelle einen Namen geben und sie als Extraktor speichern",
    makeExtractor: "aus einer Liste einen Extraktor machen",
    runExtractor: "den Extraktor auf alle Seiten anwenden",
    runThis: "ihn auf alle Seiten anwenden",
    seeResults: "die Ergebnisse des letzten Laufs ansehen",
    checkNow: "prüfen, ob die Seiten noch so aussehen wie zuvor",
    monitor: "die Seiten im Auge behalten: die Überwachung meldet, wenn sie sich ändern",
  },
  sample: {
    added: "Beispiel-Buchladen",
    adding: "Das Beispiel wird hinzugefügt…",
    ready: "Der Beispiel-Buchladen ist da. Seine Liste der Bücher ist schon gefunden.",
  },
  saveWrapper: {
    name: "Name des Extraktors",
    placeholder: "Name",
    save: "Als Extraktor speichern",
    saved: (name, version) => `Gespeichert als ${name}, Version ${version}`,
    undo: (name, version) => `Speichern von ${name}, Version ${version}`,
  },
  startView: {
    title: "Beginnen Sie mit einer Seite",
    what: "Thresh macht aus Webseiten Tabellen: Zeigen Sie ihm eine Seite, und es findet die Listen und Werte darauf und holt sie von jeder Seite, die genauso gebaut ist.",
    sample: "Mit einem Beispiel ausprobieren",
    sampleHelp: "Ein kleiner Buchladen mit zehn Seiten, der mit Thresh kommt. Er braucht kein Netz und lässt sich rückgängig machen.",
    steps: "So geht es weiter",
    step1: "Fügen Sie eine Seite hinzu. Thresh zeigt sie, wie sie aussieht, mit den Listen, die es gefunden hat.",
    step2: "Ist es die richtige Liste? Laden Sie sie als Tabelle herunter. Fehlt etwas? Klicken Sie auf der Seite einen Wert an, um Thresh zu zeigen, was Sie möchten.",
    step3: "Speichern Sie das Ergebnis als Extraktor. Er liest alle Seiten der Website und meldet, wenn sich die Website ändert.",
    docs: (file) => `Mehr steht in ${file}, das mit Thresh kommt (auf Englisch).`,
    needsPage: "Diese Ansicht braucht eine Seite, und diese Website hat noch keine.",
    toPages: "Eine Seite hinzufügen",
  },
  thumbnail: {
    tooLarge: "zu groß zum Zeichnen",
  },
  values: {
    bytes: (from, to) => `Bytes ${from} bis ${to}`,
  },
};
