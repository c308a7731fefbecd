// A text that is taken when it is finished: with Enter, Tab or a click elsewhere, or when the input goes.
//
// An input whose value is set by what is known loses what was typed so far each time that something is drawn anew, as
// when an answer comes late: what is typed is kept here until it is taken.
import { useEffect, useRef, useState } from "preact/hooks";

type Rest = Omit<preact.JSX.IntrinsicElements["input"], "value" | "onInput" | "onChange" | "onBlur">;

export function DraftInput({ value, onDone, ...rest }: Rest & { value: string; onDone: (text: string) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  const last = useRef({ draft, onDone });
  last.current = { draft, onDone };
  const take = () => {
    const { draft: text, onDone: done } = last.current;
    last.current.draft = null;
    setDraft(null);
    if (text !== null && text !== value) done(text);
  };
  useEffect(() => () => { if (last.current.draft !== null) last.current.onDone(last.current.draft); }, []);
  return <input {...rest} value={draft ?? value} onInput={(e) => setDraft(last.current.draft = e.currentTarget.value)} onChange={take} onBlur={take} />;
}
