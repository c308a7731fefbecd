// Storing labels: other windows may store some of the same page at the same time.
import { api, isConflict, type LabelLine, type LabelMore } from "./api";
import type { Labelled } from "./labelling";

// `more`: what else the line of the page says; without it, that stays.
export interface Change { page: string; change: (records: Labelled[]) => Labelled[] | null; more?: (line: LabelMore) => LabelMore }

const MOST_TRIES = 8; // as many as somebody else may be quicker

type Records = LabelLine["records"] | null;
interface State { records: Records; more: LabelMore }

function stateOf(lines: LabelLine[], page: string): State {
  const line = lines.find((one) => one.page === page);
  return { records: line?.records ?? null, more: { nothing: line?.nothing, columns: line?.columns } };
}

// Makes each change of what the page has by now: when that is no longer what was read, once more of what
// it is. Gives what undoes all of it, unless the labels are others by then.
export async function storeLabels(site: string, plan: (now: LabelLine[]) => Change[] | Promise<Change[]>): Promise<() => Promise<void>> {
  let lines = await api.labels(site);
  const done: { page: string; before: State; after: Records }[] = [];
  for (const { page, change, more } of await plan(lines))
    for (let tries = 1; ; tries++) {
      const before = stateOf(lines, page), next = change((before.records ?? []) as Labelled[]);
      const after = next?.length ? (next as Records) : null;
      try {
        await api.setLabels(site, page, after, before.records, more?.(before.more) ?? before.more);
        done.push({ page, before, after });
        break;
      } catch (error) {
        if (!isConflict(error) || tries === MOST_TRIES) throw error;
        lines = await api.labels(site);
      }
    }
  return async () => { for (const { page, before, after } of done.reverse()) await api.setLabels(site, page, before.records, after, before.more); };
}
