// Where the server shows pages as they look: an address that holds for as long as the server runs, without the token, since
// what is shown there must not get at it.
import { api } from "./api";

let base: Promise<string | null> | null = null;

// The address of a page; null where the server has none. `anew`: the one that is known does not work any more.
export async function lookOf(page: number, anew = false): Promise<string | null> {
  if (anew) base = null;
  base ??= api.status().then((status) => status.see ?? null);
  try {
    const at = await base;
    return at && `${at}/${page}`;
  } catch (error) {
    base = null;
    throw error;
  }
}
