// The engines for lists, and what each of their papers leaves to its users.
import type { Knobs } from "./api";
import { t } from "./words/words";

interface Knob {
  name: string; option: string; words: string; about: string; usual: number | boolean | string;
  least?: number; most?: number; step?: number; words_of?: string[];
  published?: boolean; // is of the paper alone
}

const PAPER: Knob = { name: "paper", option: "paper", words: t.knobs.paper, about: t.knobs.paperAbout, usual: false };

// Templates are learnt from several pages: these knobs are in the view of templates.
const TEMPLATES: Knob[] = [
  PAPER,
  { name: "size_threshold", option: "size-threshold", words: t.knobs.sizeThreshold, about: t.knobs.sizeThresholdAbout, usual: 3, least: 1, most: 1000, step: 1, published: true },
  { name: "support_threshold", option: "support-threshold", words: t.knobs.supportThreshold, about: t.knobs.supportThresholdAbout, usual: 0.25, least: 0, most: 1, step: 0.05 },
];

export const ENGINES: { name: string; words: string; knobs: Knob[] }[] = [
  { name: "auto", words: t.knobs.auto, knobs: [] },
  { name: "mdr", words: t.knobs.mdr, knobs: [
    { name: "combination", option: "combination", words: t.knobs.combination, about: t.knobs.combinationAbout, usual: 10, least: 1, most: 32, step: 1 },
    { name: "threshold", option: "threshold", words: t.knobs.threshold, about: t.knobs.thresholdAbout, usual: 0.3, least: 0, most: 1, step: 0.05 },
    { name: "table_tags", option: "table-tags", words: t.knobs.tableTags, about: t.knobs.tableTagsAbout, usual: false },
    PAPER,
  ] },
  { name: "iepad", words: t.knobs.iepad, knobs: [
    { name: "encoding", option: "encoding", words: t.knobs.encoding, about: t.knobs.encodingAbout, usual: "block-level", words_of: ["block-level", "all-tag", "no-physical", "no-special", "no-logical"] },
    { name: "levels", option: "levels", words: t.knobs.levels, about: t.knobs.levelsAbout, usual: 2, least: 1, most: 3, step: 1 },
    { name: "lower_encoding", option: "lower-encoding", words: t.knobs.lowerEncoding, about: t.knobs.lowerEncodingAbout, usual: "all-tag", words_of: ["all-tag", "no-physical", "no-special", "no-logical", "block-level"] },
    { name: "min_length", option: "min-length", words: t.knobs.minLength, about: t.knobs.minLengthAbout, usual: 3, least: 1, most: 64, step: 1 },
    { name: "min_count", option: "min-count", words: t.knobs.minCount, about: t.knobs.minCountAbout, usual: 5, least: 2, most: 100, step: 1 },
    { name: "max_variance", option: "max-variance", words: t.knobs.maxVariance, about: t.knobs.maxVarianceAbout, usual: 0.36, least: 0, most: 2, step: 0.02 },
    { name: "min_density", option: "min-density", words: t.knobs.minDensity, about: t.knobs.minDensityAbout, usual: 0.2, least: 0, most: 1, step: 0.05 },
    PAPER,
  ] },
];

const knobsOf = (engine: string) => (engine === "template" || engine === "exalg" ? TEMPLATES : ENGINES.find((one) => one.name === engine)?.knobs ?? []);

// The knobs that are turned, for the server and for the command line.
export const turned = (engine: string, knobs: Knobs): Knobs =>
  Object.fromEntries(knobsOf(engine).filter((knob) => (!knob.published || knobs.paper) && knobs[knob.name] !== undefined && knobs[knob.name] !== knob.usual).map((knob) => [knob.name, knobs[knob.name]!]));

export const asOptions = (engine: string, knobs: Knobs): string =>
  (engine === "auto" ? "" : ` --engine ${engine}`) + knobsOf(engine).filter((knob) => turned(engine, knobs)[knob.name] !== undefined)
    .map((knob) => ` --${knob.option}${typeof knob.usual === "boolean" ? "" : ` ${knobs[knob.name]}`}`).join("");

export function KnobBar(props: { engine: string; knobs: Knobs; onChange: (knobs: Knobs) => void }) {
  const set = (name: string, value: number | boolean | string) => props.onChange({ ...props.knobs, [name]: value });
  const knobs = knobsOf(props.engine);
  if (!knobs.length) return null;
  const shown = knobs.filter((knob) => !knob.published || props.knobs.paper);
  return <><fieldset class="knobs"><legend class="hidden">{t.knobs.legend}</legend>
    {shown.map((knob) => {
      const value = props.knobs[knob.name] ?? knob.usual;
      if (typeof knob.usual === "boolean")
        return <label title={knob.about}><input type="checkbox" checked={!!value} onChange={(e) => set(knob.name, e.currentTarget.checked)} /> {knob.words}</label>;
      if (knob.words_of)
        return <label title={knob.about}>{knob.words} <select value={String(value)} onChange={(e) => set(knob.name, e.currentTarget.value)}>
          {knob.words_of.map((word) => <option value={word}>{word}</option>)}</select></label>;
      return <label title={knob.about}>{knob.words} <input type="number" min={knob.least} max={knob.most} step={knob.step} value={Number(value)}
        onInput={(e) => { const number = e.currentTarget.valueAsNumber; if (!Number.isNaN(number) && e.currentTarget.validity.valid) set(knob.name, number); }} /></label>;
    })}
    <button disabled={!Object.keys(turned(props.engine, props.knobs)).length} onClick={() => props.onChange({})}>{t.knobs.reset}</button>
  </fieldset>
  <details class="knob-words"><summary>{t.knobs.meaning}</summary>
    <dl>{shown.map((knob) => <><dt>{knob.words}</dt><dd>{knob.about}{typeof knob.usual === "boolean" ? "" : ` ${t.knobs.usual(String(knob.usual))}`}</dd></>)}</dl></details></>;
}
