// The way of a page through SoftMealy's transducer: from what its separators hit, transition after transition.
import type { Hit } from "./api";

// `from` and `to` are states, "-price" for one that skips; `rule` the contexts of the separator.
export interface Move { from: string; to: string; rule: string; hits: Hit[] }

const RULE = /^s<(.*?),(.*?)>: (.*)$/s;

// Hits are in order of the page. Tokens behind a separator may overlap those before the next one, so a token of a right
// context may come after the next transition has begun. Gives the moves of each record.
export function movesOf(hits: Hit[]): Move[][] {
  const moves: Move[] = [];
  for (const hit of hits) {
    const [, from, to, rule] = RULE.exec(hit.rule ?? "") ?? [];
    if (from === undefined || to === undefined || rule === undefined) continue;
    const isRight = hit.part.endsWith("right"), same = (move: Move | undefined) => !!move && move.from === from && move.to === to && move.rule === rule;
    const last = moves[moves.length - 1], before = moves[moves.length - 2];
    const ended = last?.hits.some((one) => one.part.endsWith("right")) ?? false; // tokens before it are those of the next time
    if (same(last) && (isRight || !ended)) last!.hits.push(hit);
    else if (isRight && same(before)) before!.hits.push(hit);
    else moves.push({ from, to, rule, hits: [hit] });
  }
  const records: Move[][] = [];
  for (const move of moves) if (move.from === "b" || !records.length) records.push([move]); else records[records.length - 1]!.push(move);
  return records;
}
