// A picture of a window with at most 256 colours: a third of the bytes, and nobody sees the difference.
//
// Colours that are most common stay as they are (the background, the texts); the others go to the nearest of these.
import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

function chunksOf(png) {
  const chunks = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

// The colours of a PNG of 8 bits per channel, RGB or RGBA, row by row, as numbers 0xRRGGBB.
function readPixels(png) {
  const chunks = chunksOf(png), head = chunks[0].data;
  const width = head.readUInt32BE(0), height = head.readUInt32BE(4), bytes = head[9] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(chunks.filter((one) => one.type === "IDAT").map((one) => one.data)));
  const row = width * bytes, lines = Buffer.alloc(height * row), pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)], from = y * (row + 1) + 1, to = y * row;
    for (let x = 0; x < row; x++) {
      const left = x >= bytes ? lines[to + x - bytes] : 0, up = y ? lines[to - row + x] : 0, corner = y && x >= bytes ? lines[to - row + x - bytes] : 0;
      const p = left + up - corner, a = Math.abs(p - left), b = Math.abs(p - up), c = Math.abs(p - corner);
      const guess = [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][filter];
      lines[to + x] = raw[from + x] + guess;
    }
  }
  for (let i = 0; i < pixels.length; i++) pixels[i] = (lines[i * bytes] << 16) | (lines[i * bytes + 1] << 8) | lines[i * bytes + 2];
  return { width, height, pixels };
}

const distance = (a, b) => {
  const red = (a >> 16) - (b >> 16), green = ((a >> 8) & 255) - ((b >> 8) & 255), blue = (a & 255) - (b & 255);
  return 2 * red * red + 4 * green * green + 3 * blue * blue;
};

// The most common colours, but for those next to one that is taken already.
function choose(counts) {
  const near = 60, taken = [];
  for (const [colour] of [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (taken.length === 256) break;
    if (taken.every((one) => distance(one, colour) > near)) taken.push(colour);
  }
  return taken;
}

let table;
function checksum(bytes) {
  table ??= Array.from({ length: 256 }, (_, n) => { let c = n; for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1; return c >>> 0; });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]), out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(checksum(body), body.length + 4);
  return out;
}

export function withPalette(png) {
  const { width, height, pixels } = readPixels(png), counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = choose(counts), index = new Map(palette.map((colour, i) => [colour, i]));
  for (const colour of counts.keys())
    if (!index.has(colour)) index.set(colour, palette.reduce((best, one, i) => (distance(one, colour) < distance(palette[best], colour) ? i : best), 0));
  const rows = Buffer.alloc(height * (width + 1)), head = Buffer.alloc(13);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(pixels[y * width + x]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
