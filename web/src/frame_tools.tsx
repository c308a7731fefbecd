// How a page is shown: with its own styles or plain, and how large. It is the same for all pages, and remembered.
import { useEffect, useState } from "preact/hooks";
import { number, t } from "./words/words";

export interface Showing { plain: boolean; zoom: number | "fit" }

const KEPT = "thresh-showing", ZOOMS = [50, 67, 75, 90, 100, 110, 125, 150, 200], NEWS = "thresh-showing";

function read(): Showing {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Showing>;
    return { plain: kept.plain === true, zoom: typeof kept.zoom === "number" && ZOOMS.includes(kept.zoom) ? kept.zoom : "fit" };
  } catch { return { plain: false, zoom: "fit" }; }
}

export function useShowing(): [Showing, (showing: Showing) => void] {
  const [showing, setShowing] = useState(read);
  useEffect(() => {
    const heard = () => setShowing(read());
    window.addEventListener(NEWS, heard);
    return () => window.removeEventListener(NEWS, heard);
  }, []);
  return [showing, (next) => { localStorage.setItem(KEPT, JSON.stringify(next)); window.dispatchEvent(new Event(NEWS)); }];
}

export function FrameTools(props: { showing: Showing; onChange: (showing: Showing) => void }) {
  const { plain, zoom } = props.showing;
  return <div class="frame-tools" role="group" aria-label={t.frameTools.label}>
    <label>{t.frameTools.zoom} <select value={String(zoom)} onChange={(e) => props.onChange({ plain, zoom: e.currentTarget.value === "fit" ? "fit" : Number(e.currentTarget.value) })}>
      <option value="fit">{t.frameTools.fit}</option>
      {ZOOMS.map((one) => <option value={String(one)}>{t.frameTools.percent(number(one))}</option>)}
    </select></label>
    <label title={t.frameTools.plainWhy}><input type="checkbox" checked={plain} onChange={(e) => props.onChange({ plain: e.currentTarget.checked, zoom })} /> {t.frameTools.plain}</label>
  </div>;
}
