// The command that gives what is on the screen.
import { useWorkbench, type Workbench } from "./state";
import { shell } from "./values";
import { t } from "./words/words";

// What tells a command of the project and the site at hand.
export const where = (bench: Workbench) =>
  `--project ${shell(bench.project)}${bench.site === "default" ? "" : ` --site ${shell(bench.site)}`}`;

// A page of the project on the standard input of a command.
export const pageInto = (bench: Workbench, page: string, command: string) =>
  `thresh project page ${shell(bench.project)} ${shell(page)}${bench.site === "default" ? "" : ` --site ${shell(bench.site)}`} | ${command} -`;

// A wrapper of the project as a file, and a command with it on one page.
const fileOf = (name: string) => shell(`${name}.json`);
export const wrapperText = (bench: Workbench, name: string) =>
  `thresh project wrapper ${shell(bench.project)} ${shell(name)}${bench.site === "default" ? "" : ` --site ${shell(bench.site)}`}`;
export const wrapperOn = (bench: Workbench, name: string, page: string) =>
  `${wrapperText(bench, name)} > ${fileOf(name)} && ${pageInto(bench, page, `thresh extract -w ${fileOf(name)}`)}`;

export function CommandLine(props: { command: string }) {
  const bench = useWorkbench();
  const copy = () => navigator.clipboard.writeText(props.command).then(() => bench.say(t.commandLine.copied), bench.fail);
  return <p class="command"><code tabIndex={0} dir="ltr" translate={false}>{props.command}</code> <button onClick={() => void copy()}>{t.commandLine.copy}</button></p>;
}
