// The source of a page with its marks.
import { useMemo, useState } from "preact/hooks";
import { api } from "./api";
import type { Mark } from "./marks";
import { useLoaded } from "./state";
import { t } from "./words/words";

const PORTION = 200_000; // bytes that are shown at a time

export function SourceView(props: { page: number; marks: Mark[] }) {
  const { value } = useLoaded([props.page], () => api.source(props.page));
  const [more, setMore] = useState(1);
  // Places are bytes; the text here counts UTF-16 units.
  const bytes = useMemo(() => (value === null ? null : new TextEncoder().encode(value)), [value]);
  if (bytes === null) return <p class="quiet">{t.sourceView.loading}</p>;
  const decoder = new TextDecoder(), limit = more * PORTION;
  const parts: preact.ComponentChildren[] = [];
  let at = 0;
  for (const mark of props.marks.filter((one) => !one.record).sort((a, b) => a.start - b.start)) {
    if (mark.start < at || mark.start > limit) continue;
    parts.push(decoder.decode(bytes.subarray(at, mark.start)));
    parts.push(<mark class={mark.rule !== undefined ? "rule" : ""} style={{ "--c": mark.colour }} title={mark.words}>{decoder.decode(bytes.subarray(mark.start, mark.end))}</mark>);
    at = mark.end;
  }
  parts.push(decoder.decode(bytes.subarray(at, Math.max(at, Math.min(limit, bytes.length)))));
  return <div class="source" tabIndex={0} role="region" aria-label={t.sourceView.label}>
    <pre>{parts}</pre>
    {limit < bytes.length && <button onClick={() => setMore(more + 1)}>{t.sourceView.more}</button>}
  </div>;
}
