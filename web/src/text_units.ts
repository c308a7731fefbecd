// Parts of a text: places count bytes of the source, a browser counts UTF-16 units of what the source stands for. They
// differ where there are other letters than ASCII's, character references, or ends of lines of two characters.

// For each unit of a text, and behind the last, the byte of the source where it begins.
export type Units = Uint32Array;

const sizeOf = (code: number) => (code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3); // half of a pair has two of four bytes

export function bytesIn(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) bytes += sizeOf(text.charCodeAt(i));
  return bytes;
}

// A text whose source is what it shows.
export function unitsAsShown(text: string): Units {
  const units = new Uint32Array(text.length + 1);
  for (let i = 0; i < text.length; i++) units[i + 1] = units[i]! + sizeOf(text.charCodeAt(i));
  return units;
}

const REFERENCE = /&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);?|\r\n?/gi;

// A text by its source. Whatever a reference stands for belongs to all of its bytes.
export function unitsOfSource(source: string): Units {
  const starts: number[] = [], decoder = document.createElement("textarea"), known = new Map<string, number>();
  let bytes = 0, at = 0;
  const plain = (to: number) => { for (; at < to; at++) { starts.push(bytes); bytes += sizeOf(source.charCodeAt(at)); } };
  for (const match of source.matchAll(REFERENCE)) {
    const said = match[0];
    plain(match.index);
    let count = known.get(said);
    if (count === undefined) {
      if (said[0] === "&") { decoder.innerHTML = said; count = decoder.textContent!.length; } else count = 1;
      known.set(said, count);
    }
    for (let i = 0; i < count; i++) starts.push(bytes);
    bytes += bytesIn(said);
    at += said.length;
  }
  plain(source.length);
  starts.push(bytes);
  return Uint32Array.from(starts);
}

// The unit that a byte of the source is in.
export function unitAt(units: Units, byte: number): number {
  let low = 0, high = units.length - 1;
  while (low < high) { const middle = (low + high) >> 1; if (units[middle]! < byte) low = middle + 1; else high = middle; }
  return low;
}
