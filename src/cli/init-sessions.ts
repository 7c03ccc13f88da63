import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefinedAgent, findAgents, owesAny, proposeSessions } from "../runtime/operations/find-agents.ts";
import { formatFolder } from "../runtime/operations/format-folder.ts";
import { openFormats } from "../runtime/operations/load-formats.ts";
import { WORKFLOW_FILE, understandWorkflow } from "../runtime/operations/load-workflow.ts";
import { writeWorkflowFile } from "../runtime/operations/plan-init.ts";
import { AppError } from "../shared/app-error.ts";
import { printJsonLines, printable } from "../shared/printable.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import type { Terminal } from "./terminal.ts";

/** Writes the section `sessions` that the definitions of agents suggest, after it was shown. */
export async function initSessions(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { root } = await terminal.repositoryInfo();
  const agents = agentsIn(root, terminal.directory);
  const section = proposeSessions(agents);
  const path = join(root, WORKFLOW_FILE);
  const text = withSection(path, section);
  if (!owesAny(agents)) throw nothingShown(agents);
  say(terminal, `This would be written to ${WORKFLOW_FILE}:\n\n`);
  terminal.note(`${section.split("\n").map(printable).join("\n")}\n`);
  const isAgreed = await agrees(invocation, terminal);
  if (isAgreed) writeWorkflowFile(path, text, true);
  const told = isAgreed
    ? `Wrote ${WORKFLOW_FILE}. Look at it with \`baton check\`, then let it count with \`baton trust\`.`
    : "Nothing was written.";
  say(terminal, `${told}\n`);
  if (invocation.has("json")) terminal.out(printJsonLines({ file: path, written: isAgreed, agents, section }));
  return EXIT.fine;
}

function agentsIn(root: string, directory: string): DefinedAgent[] {
  const folder = formatFolder(root);
  return findAgents(root, folder === null ? [] : openFormats(folder, directory));
}

async function agrees(invocation: Invocation, terminal: Terminal): Promise<boolean> {
  if (invocation.has("yes")) return true;
  if (!terminal.isInteractive()) return false;
  return (await terminal.askKey("Write it? [y/n] ")).toLowerCase() === "y";
}

/** The section is added at the end of a file that has none. What would not be right is not written. */
function withSection(path: string, section: string): string {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "baton: 1\n";
  if (/^sessions[ \t]*:/m.test(before))
    throw new AppError("wrong-usage", `${WORKFLOW_FILE} has a section sessions already.`, "Change it by hand.");
  const text = `${before.replace(/\n*$/, "\n")}${before === "baton: 1\n" ? "" : "\n"}${section}`;
  const { diagnostics } = understandWorkflow(text, path);
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (error === undefined) return text;
  const hint = "`baton check` shows what is wrong.";
  throw new AppError("cannot-write", `The section cannot be added to ${WORKFLOW_FILE}: ${error.message}`, hint);
}

function nothingShown(agents: readonly DefinedAgent[]): AppError {
  const found = agents.map(({ path }) => path).join(", ");
  const message =
    agents.length === 0
      ? "No definition of an agent was found."
      : `No definition of an agent shows a handoff in a format that is known: ${found}.`;
  const hint = "Name the agents that owe one under `sessions` in baton.yaml: docs/spec/workflow.md has an example.";
  return new AppError("no-match", message, hint);
}
