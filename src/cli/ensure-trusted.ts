import type { LoadedWorkflow } from "../runtime/operations/load-workflow.ts";
import { listCommands } from "../runtime/operations/list-commands.ts";
import { isTrusted, trustWorkflow } from "../runtime/operations/trust-workflow.ts";
import { AppError } from "../shared/app-error.ts";
import { defuseLogCommands, printable } from "../shared/printable.ts";
import type { Terminal } from "./terminal.ts";

/** Commands of a workflow file run only when the operator has trusted exactly this content. */
export async function ensureTrusted(
  loaded: LoadedWorkflow,
  given: string | undefined,
  terminal: Terminal,
): Promise<void> {
  if (isTrusted(loaded, terminal.configFolder) || given === loaded.hash) return;
  const commands = loaded.workflow === null ? [] : listCommands(loaded.workflow);
  if (commands.length === 0) return;
  const { path, hash } = loaded;
  if (!terminal.isInteractive() || given !== undefined) {
    const why = given === undefined ? "is not trusted yet" : "has another hash than --trust says";
    throw new AppError(
      "not-trusted",
      `${path} ${why}: its commands may not run.`,
      `Look at them (baton check ${path} lists them), then: baton trust ${path}, or --trust ${hash}`,
    );
  }
  await askForTrust(path, "this file", commands, terminal);
  trustWorkflow(loaded, terminal.configFolder, Date.now());
}

/** Shows the commands and asks the operator for a whole word: a finger that slips trusts nothing. */
export async function askForTrust(
  title: string,
  what: string,
  commands: readonly string[],
  terminal: Pick<Terminal, "ask" | "note">,
): Promise<void> {
  terminal.note(`${printable(title)} wants to run these commands on your machine:\n${printCommands(commands)}`);
  if (!(await saysYes(`Do you trust ${what}? [yes/no] `, terminal)))
    throw new AppError("not-trusted", `${title} is not trusted.`, "Nothing was run.");
}

/** Asked again after any other word; nothing at all, as at the end of the input, is a no. */
async function saysYes(question: string, terminal: Pick<Terminal, "ask" | "note">): Promise<boolean> {
  for (;;) {
    const answer = (await terminal.ask(question)).trim().toLowerCase();
    if (answer === "yes") return true;
    if (["no", "n", ""].includes(answer)) return false;
    terminal.note("Write yes in full to trust it, or no.\n");
  }
}

/** What stands in a workflow file may try to hide on a terminal. */
export function printCommands(commands: readonly string[]): string {
  return commands.map((line) => `${defuseLogCommands(`  ${printable(line)}`)}\n`).join("");
}
