// The command that gives what is on the screen.
import { useWorkbench } from "./state";

export function CommandLine(props: { command: string }) {
  const bench = useWorkbench();
  const copy = () => navigator.clipboard.writeText(props.command).then(() => bench.say("Copied"), bench.fail);
  return <p class="command"><code>{props.command}</code> <button onClick={() => void copy()}>Copy as command</button></p>;
}
