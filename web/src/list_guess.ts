// Whether a page has a list of records or is one record: what is preselected where somebody labels.
//
// Pages that are built alike say most: the library learns from a few without labels and tells what they are. A page
// alone is taken for a list when its first list is far better than the others. (Of 40 sites of detail pages 38 are taken
// for one record, of 45 of lists 44 for lists; of 70 detail pages, each alone, one is taken for a list, of 70 lists 54.)
import { api, type Page, type Region } from "./api";

const SURE = 0.9; // confidence of the first list
const LEAST = 3; // records of a list
const ASKED = 6; // pages

const LARGE = 1_000_000; // bytes: such pages take long to compare

export async function isListPage(site: string, page: Page, pages: Page[], regions: Region[]): Promise<boolean> {
  const [first] = regions;
  if (!first || first.records.length < LEAST) return false;
  const others = pages.filter((one) => one.id !== page.id && one.size < LARGE).slice(0, ASKED - 1);
  const alone = (first.confidence ?? 1) >= SURE;
  if (!others.length || page.size >= LARGE) return alone;
  const learnt = await api.learn(site, { pages: [page, ...others].map((one) => one.id), labels: [] }).catch(() => null);
  if (!learnt || !(learnt.pages ?? []).includes(page.id)) return alone; // it is built like none of them
  return (learnt.wrapper.schema as { kind?: string }).kind === "list";
}
