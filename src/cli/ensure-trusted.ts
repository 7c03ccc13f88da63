import type { LoadedWorkflow } from "../runtime/operations/load-workflow.ts";
import { listCommands } from "../runtime/operations/list-commands.ts";
import { isTrusted, trustWorkflow } from "../runtime/operations/trust-workflow.ts";
import { AppError } from "../shared/app-error.ts";
import { printable } from "../shared/printable.ts";
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
  if (!terminal.isInteractive() || given !== undefined)
    throw new AppError(
      "not-trusted",
      `${path} is not trusted yet: its commands may not run.`,
      `Look at them (baton check ${path}), then: baton trust ${path}, or --trust ${hash}`,
    );
  terminal.note(
    `${path} wants to run these commands on your machine:\n${commands.map((line) => `  ${printable(line)}\n`).join("")}`,
  );
  const answer = await terminal.ask("Do you trust this file? [yes/no] ");
  if (answer.trim().toLowerCase() !== "yes")
    throw new AppError("not-trusted", `${path} is not trusted.`, "Nothing was run.");
  trustWorkflow(loaded, terminal.configFolder, Date.now());
}
