// Keeping a wrapper, which people call an extractor, in the project, as the next version of its name; can be undone.
import { useState } from "preact/hooks";
import { api, type Wrapper } from "./api";
import { useWorkbench } from "./state";
import { t } from "./words/words";

export function SaveWrapper(props: { wrapper: () => Promise<Wrapper>; main?: boolean; onNamed?: (name: string) => void; onSaved?: (name: string) => void }) {
  const bench = useWorkbench();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false); // a second click would save it twice
  const save = async () => {
    const named = name.trim(), site = bench.site;
    if (busy || !named) return;
    setBusy(true);
    try {
      const { version } = await api.saveWrapper(site, named, await props.wrapper());
      bench.didChange({ words: t.saveWrapper.undo(named, version), undo: async () => { await api.removeWrapper(site, named, version); } });
      props.onSaved?.(named);
      bench.say(t.saveWrapper.saved(named, version));
    } catch (error) { bench.fail(error); }
    setBusy(false);
  };
  return <form class="save" onSubmit={(e) => { e.preventDefault(); void save(); }}>
    <input aria-label={t.saveWrapper.name} placeholder={t.saveWrapper.placeholder} size={10} value={name}
      onInput={(e) => { setName(e.currentTarget.value); props.onNamed?.(e.currentTarget.value.trim()); }} />
    <button class={props.main ? "main" : ""} type="submit" disabled={busy || !name.trim()}>{t.saveWrapper.save}</button>
  </form>;
}
