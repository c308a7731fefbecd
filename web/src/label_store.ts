// Storing labels: other windows may store some of the same page at the same time.
import { api, isConflict, type LabelLine } from "./api";
import type { Labelled } from "./labelling";

export interface Change { page: string; change: (records: Labelled[]) => Labelled[] | null }

const MOST_TRIES = 8; // as many as somebody else may be quicker

type Records = LabelLine["records"] | null;
const recordsOf = (lines: LabelLine[], page: string): Records => lines.find((line) => line.page === page)?.records ?? null;

// Makes each change of what the page has by now: when that is no longer what was read, once more of what
// it is. Gives what undoes all of it, unless the labels are others by then.
export async function storeLabels(site: string, plan: (now: LabelLine[]) => Change[] | Promise<Change[]>): Promise<() => Promise<void>> {
  let lines = await api.labels(site);
  const done: { page: string; before: Records; after: Records }[] = [];
  for (const { page, change } of await plan(lines))
    for (let tries = 1; ; tries++) {
      const before = recordsOf(lines, page), next = change((before ?? []) as Labelled[]);
      const after = next?.length ? (next as LabelLine["records"]) : null;
      try {
        await api.setLabels(site, page, after, before);
        done.push({ page, before, after });
        break;
      } catch (error) {
        if (!isConflict(error) || tries === MOST_TRIES) throw error;
        lines = await api.labels(site);
      }
    }
  return async () => { for (const { page, before, after } of done.reverse()) await api.setLabels(site, page, before, after); };
}
