// Learning again after every change of the labels: what is found on this page and on the others, and what is in doubt.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError, type Doubtful, type Found, type LabelLine, type Learnt, type Page, type Row, type Wrapper } from "./api";
import { doubtsOf } from "./asking";
import { shownRecords, type Difference } from "./label_differences";
import { rowsOf } from "./labelling";
import { useLoaded, useWorkbench } from "./state";

export const MOST_PAGES = 25; // that are learnt from while somebody waits

// `of`: the labels, pages and engine that it is of. Of others it is out of date, and so are its questions.
// Doubts come later; null: nobody can tell.
export interface Result { of: string; learnt: Learnt; found: { id: number; found: Found }[]; doubts?: Doubtful[] | null }
export interface Failure { of: string; words: string; notes: string[] }

// SoftMealy alone: rules that are mended rather than learnt anew, and the part of a page with the records.
export interface Body { page: string; start: number; end: number }
export interface How { engine: string; mend: Wrapper | null; body: Body | null; list: boolean }

export interface Learning {
  of: string; // the labels, pages and engine of now
  result: Result | null; why: Failure | null; learning: boolean;
  foundOn: (page: number | undefined) => Row[]; // as it is shown: labels win
  differences: Difference[]; // labels that do not come out as labelled
  all: () => Promise<Wrapper>; // learnt from all pages, for keeping
}

function optionsOf(how: How, lines: LabelLine[] | null, pages: number[] | undefined) {
  const { engine, mend, body } = how;
  if (engine !== "softmealy") return { pages, engine: engine || undefined };
  const withBody = (line: LabelLine) => (line.page === body?.page ? { ...line, body: { start: body.start, end: body.end } } : line);
  return { pages, engine, correct: mend ?? undefined, labels: body && lines ? lines.map(withBody) : undefined };
}

// Where no engine can leave out what was said not to belong, what they learn without that is better than nothing: it is
// wrong, and what is shown are the labels.
async function learnFrom(site: string, lines: LabelLine[], options: Parameters<typeof api.learn>[1]): Promise<Learnt> {
  try { return await api.learn(site, options); } catch (error) {
    if (!lines.some((line) => line.nothing?.length)) throw error;
    const learnt = await api.learn(site, { ...options, labels: (options.labels ?? lines).map(({ nothing: _, ...line }) => line) }).catch(() => { throw error; });
    return { ...learnt, wrong: learnt.wrong || 1 };
  }
}

// The pages that are learnt from: those with labels first, then the one at hand; in the order of the site.
function pagesOf(pages: Page[], at: Page, lines: LabelLine[]): number[] {
  const labelled = new Set(lines.map((line) => line.page));
  const wanted = [...pages.filter((one) => labelled.has(one.name)), at, ...pages].map((one) => one.id);
  const most = new Set([...new Set(wanted)].slice(0, MOST_PAGES));
  return pages.filter((one) => most.has(one.id)).map((one) => one.id);
}

export function useLearning(lines: LabelLine[] | null, how: How): Learning {
  const bench = useWorkbench(), page = bench.page;
  const [result, setResult] = useState<Result | null>(null);
  const [why, setWhy] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const learntFrom = useRef<number[]>([]);
  const part = how.body ? `${how.body.page} ${how.body.start}-${how.body.end}` : "";
  const labels = JSON.stringify(lines), wanted = `${how.engine} ${bench.which} ${!!how.mend} ${part} ${labels}`;

  useEffect(() => {
    if (!lines?.length || !page) { setResult(null); setWhy(null); setBusy(false); return; }
    let stale = false;
    setBusy(true);
    const ids = (learntFrom.current = pagesOf(bench.pages, page, lines));
    (async () => {
      try {
        const learnt = await learnFrom(bench.site, lines, optionsOf(how, lines, ids));
        const found = await api.extract(bench.site, learnt.wrapper, ids);
        if (!stale) { setResult({ of: wanted, learnt, found }); setWhy(null); setBusy(false); }
        // questions come after the answers: they may take longer, and some engines have none
        const many = lines.some((line) => line.records.length > 1) || how.list;
        const doubts = await doubtsOf(bench.site, learnt.wrapper, found, bench.pages, lines, many, () => stale);
        if (!stale) setResult({ of: wanted, learnt, found, doubts });
      } catch (error) {
        if (stale) return;
        setResult(null);
        setWhy({ of: wanted, words: error instanceof Error ? error.message : String(error), notes: error instanceof ApiError ? error.notes : [] });
      }
      if (!stale) setBusy(false);
    })();
    return () => { stale = true; };
  }, [wanted]);

  // A page that was not learnt from is read when somebody opens it.
  const isRead = result?.found.some((one) => one.id === page?.id);
  const { value: more } = useLoaded([result, page?.id],
    () => (result && page && !isRead ? api.extract(bench.site, result.learnt.wrapper, [page.id]) : Promise.resolve([])));
  const shown = useMemo(() => shownRecords(result?.found ?? [], bench.pages, result?.of === wanted ? lines ?? [] : [], how.list, !!result?.learnt.wrong), [result, wanted, how.list]);
  return {
    of: wanted, differences: shown.differences,
    result, why: why?.of === wanted ? why : null,
    learning: busy || bench.storing || (!!result && result.of !== wanted),
    foundOn: (id) => shown.rows.get(id ?? -1) ?? rowsOf(more?.find((one) => one.id === id)?.found),
    all: async () => {
      const few = bench.pages.length <= MOST_PAGES;
      if (few && result && !busy && !bench.storing && result.of === wanted) return result.learnt.wrapper;
      await bench.settled(); // what is kept is of all that was clicked before, also when that is not learnt from yet
      return (await api.learn(bench.site, optionsOf(how, lines, few ? learntFrom.current : undefined))).wrapper;
    },
  };
}
