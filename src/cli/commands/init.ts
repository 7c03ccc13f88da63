import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type LoadedWorkflow,
  WORKFLOW_FILE,
  loadWorkflow,
  readyNames,
} from "../../runtime/operations/load-workflow.ts";
import {
  AGENT_CHOICES,
  type AgentChoice,
  type Findings,
  lookAround,
  writeScripts,
  writeWorkflow,
} from "../../runtime/operations/plan-init.ts";
import { trustWorkflow } from "../../runtime/operations/trust-workflow.ts";
import { AppError } from "../../shared/app-error.ts";
import { printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "init",
  summary: "Write a workflow for this repository that can be run",
  usage: "",
  details: [
    "Looks at the repository's tools and at the agent clients on your PATH, and asks little.",
    `Writes ${WORKFLOW_FILE} and trusts what it wrote. Nothing is overwritten without --force.`,
    "Without a client, each agent is a script in agents/, written as a placeholder that only hands over; one that is",
    "there already stays as it is.",
  ],
  options: {
    workflow: { value: "NAME", choices: readyNames(), about: "Start from this one of the five workflows." },
    agent: {
      value: "CLIENT",
      choices: AGENT_CHOICES,
      about: "What runs the agents; script is one file each in agents/.",
    },
    yes: { about: "Take what was found, ask nothing." },
    force: { about: `Overwrite ${WORKFLOW_FILE}.` },
    ...HELP_OPTION,
  },
  run: init,
};

async function init(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "It takes no operands.");
  const path = join(terminal.directory, WORKFLOW_FILE);
  if (existsSync(path) && !invocation.has("force"))
    throw new AppError(
      "wrong-usage",
      `${WORKFLOW_FILE} exists already.`,
      "--force overwrites it; baton check looks at it.",
    );
  const found = lookAround(terminal.directory, terminal.searchPath);
  for (const note of found.notes) terminal.note(`${note}\n`);
  const asks = terminal.isInteractive() && !invocation.has("yes");
  const names = readyNames();
  const workflow = invocation.text("workflow") ?? (await choose("Workflow", names, found.workflow, asks, terminal));
  const agent = (invocation.text("agent") ??
    (await choose("Agents run by", AGENT_CHOICES, firstClient(found), asks, terminal))) as AgentChoice;
  const text = writeWorkflow(workflow as (typeof names)[number], agent, found.gates);
  writeFileSync(path, text);
  const loaded = loadWorkflow(path);
  trustWorkflow(loaded, terminal.configFolder, Date.now());
  terminal.note(`\nWrote ${WORKFLOW_FILE}: the ${workflow} workflow, run by ${agent}.\n`);
  if (agent === "script") await beginScripts(loaded, terminal);
  terminal.note(`baton check shows its graph; baton run --brief "what is to be done" starts it.\n`);
  return EXIT.fine;
}

async function beginScripts({ workflow }: LoadedWorkflow, terminal: Terminal): Promise<void> {
  if (workflow === null) return;
  const { root } = await terminal.surroundings();
  const { written, kept } = writeScripts(workflow, root);
  const shown = (paths: readonly string[]): string =>
    paths.map((name) => printable(relative(terminal.directory, join(root, name)))).join(", ");
  if (written.length > 0)
    terminal.note(
      `Placeholders: ${shown(written)}. They hand over and do no work: put yours in, or bind agents to a client.\n`,
    );
  if (kept.length > 0) terminal.note(`Left as they are: ${shown(kept)}.\n`);
  if (workflow.workspace === "worktree")
    terminal.note("Commit them before a run: its agents work in a worktree of the last commit.\n");
}

function firstClient({ clients }: Findings): AgentChoice {
  return clients[0] ?? "script";
}

async function choose(
  what: string,
  choices: readonly string[],
  preset: string,
  asks: boolean,
  terminal: Terminal,
): Promise<string> {
  if (!asks) return preset;
  for (;;) {
    const answer = (await terminal.ask(`${what} (${choices.join(", ")}) [${preset}]: `)).trim();
    if (answer === "") return preset;
    if (choices.includes(answer)) return answer;
    terminal.note(`It is one of ${choices.join(", ")}.\n`);
  }
}
