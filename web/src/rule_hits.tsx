// What of a page the rules of a wrapper go by: tokens of landmarks, contexts, captions, tags; each is
// marked on the page and in the source.
import { useMemo, useState } from "preact/hooks";
import type { Hit } from "./api";
import type { Mark } from "./page_frame";
import { number, t } from "./words/words";

const ALL = t.ruleHits.all, RECORDS = t.ruleHits.records, MOST = 60;

const fieldOf = (hit: Hit) => hit.field ?? RECORDS;

// The marks of the hits of one field, or of all.
export function useHits(hits: Hit[]): { marks: Mark[]; chosen: Hit[]; field: string; setField: (field: string) => void; fields: string[] } {
  const fields = useMemo(() => [...new Set(hits.map(fieldOf))], [hits]);
  const [picked, setField] = useState("");
  const field = picked === ALL || fields.includes(picked) ? picked : fields.find((one) => one !== RECORDS) ?? ALL;
  const chosen = useMemo(() => hits.filter((hit) => field === ALL || fieldOf(hit) === field), [hits, field]);
  const marks = useMemo(() => chosen.map((hit): Mark => ({ start: hit.start, end: hit.end, colour: "hsl(48 100% 30%)", words: `${fieldOf(hit)}, ${hit.part}${hit.rule ? `: ${hit.rule}` : ""}`, rule: hit.text })), [chosen]);
  return { marks, chosen, field, setField, fields };
}

export function HitChoice(props: ReturnType<typeof useHits>) {
  return <p><label>{t.ruleHits.choose} <select value={props.field} onChange={(e) => props.setField(e.currentTarget.value)}>
    {[...props.fields, ALL].map((one) => <option>{one}</option>)}</select></label> <span class="quiet" role="status">{t.ruleHits.hit(props.chosen.length)}</span></p>;
}

export function HitTable(props: ReturnType<typeof useHits>) {
  const { chosen } = props;
  const rows = useMemo(() => {
    const groups = new Map<string, { hit: Hit; texts: string[] }>();
    for (const hit of chosen) {
      const key = `${hit.field}\n${hit.part}\n${hit.rule}`, group = groups.get(key) ?? { hit, texts: [] };
      group.texts.push(hit.text);
      groups.set(key, group);
    }
    return [...groups.values()];
  }, [chosen]);
  return <>
    <table class="overview hits" tabIndex={0}><caption>{t.ruleHits.caption}</caption>
      <thead><tr><th scope="col">{t.ruleHits.field}</th><th scope="col">{t.ruleHits.part}</th><th scope="col">{t.ruleHits.rule}</th><th scope="col">{t.ruleHits.hits}</th></tr></thead>
      <tbody>{rows.slice(0, MOST).map(({ hit, texts }) => <tr><td>{fieldOf(hit)}</td><td>{hit.part}</td><td>{hit.rule ? <code>{hit.rule}</code> : ""}</td>
        <td>{texts.slice(0, 8).map((text) => <code>{text}</code>)}{texts.length > 8 ? <small> {t.ruleHits.more(number(texts.length - 8))}</small> : null}</td></tr>)}</tbody></table>
    {rows.length > MOST && <p class="quiet">{t.ruleHits.moreRows(number(rows.length - MOST))}</p>}
  </>;
}
