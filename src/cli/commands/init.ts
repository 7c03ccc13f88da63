import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type LoadedWorkflow,
  WORKFLOW_FILE,
  readyNames,
  understandWorkflow,
} from "../../runtime/operations/load-workflow.ts";
import {
  AGENT_CHOICES,
  type AgentChoice,
  type RepositoryFindings,
  type WrittenScripts,
  calledHere,
  inspectRepository,
  startLine,
  writeScripts,
  writeWorkflow,
  writeWorkflowFile,
} from "../../runtime/operations/plan-init.ts";
import { personOf } from "../../runtime/request-source.ts";
import { trustSubject, trustWorkflow } from "../../runtime/operations/trust-workflow.ts";
import type { RepositoryInfo } from "../../runtime/engine.ts";
import { AppError } from "../../shared/app-error.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_DONE_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "init",
  summary: "Write a workflow for this repository",
  usage: "",
  details: [
    "Looks at the tools of the repository and at the agent clients on your PATH, and asks a few questions.",
    `Writes ${WORKFLOW_FILE}. Nothing is overwritten without --force. It is trusted only when it runs no file that was`,
    "there before, such as scripts of package.json; else `baton trust` does that.",
    "Without a client, each agent is a script in agents/, written as a placeholder that only hands over; one that is",
    "there already stays as it is.",
    "With --sessions it reads .claude/agents, .codex/agents, .github/agents and AGENTS.md instead, and proposes the",
    "section `sessions`; without a terminal it is only shown, unless --yes is given.",
  ],
  options: {
    workflow: { value: "NAME", choices: readyNames(), about: `Start from this one: ${readyNames().join(", ")}.` },
    agent: {
      value: "CLIENT",
      choices: AGENT_CHOICES,
      about: `What runs the agents: ${AGENT_CHOICES.join(", ")}; script is one file each in agents/.`,
    },
    sessions: {
      about:
        "Write only which agents owe a handoff inside their own clients, as their definitions show; it is shown first.",
    },
    yes: { about: "Use what was found and ask no questions." },
    force: { about: `Overwrite ${WORKFLOW_FILE}.` },
    ...JSON_DONE_OPTION,
    ...HELP_OPTION,
  },
  run: init,
};

async function init(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 0) throw usage(command, "This command takes no arguments.");
  // It trusts what it writes.
  personOf(await terminal.requestSource(), "`baton init`");
  if (invocation.has("sessions")) {
    const { initSessions } = await import("../init-sessions.ts");
    return initSessions(invocation, terminal);
  }
  const path = join(terminal.directory, WORKFLOW_FILE);
  if (existsSync(path) && !invocation.has("force"))
    throw new AppError(
      "wrong-usage",
      `${WORKFLOW_FILE} exists already.`,
      "--force overwrites it; `baton check` checks it.",
    );
  const repository = await terminal.repositoryInfo();
  const { root } = repository;
  const found = inspectRepository(terminal.directory, root, terminal.searchPath);
  const named = invocation.text("workflow");
  for (const note of named === undefined ? [...found.notes, found.why] : found.notes) say(terminal, `${note}\n`);
  const asks = terminal.isInteractive() && !invocation.has("yes");
  const names = readyNames();
  const workflow = (named ?? (await choose("Workflow", names, found.workflow, asks, terminal))) as ReadyName;
  const agent = (invocation.text("agent") ??
    (await choose("Agents run by", AGENT_CHOICES, firstClient(found), asks, terminal))) as AgentChoice;
  const loaded = { ...understandWorkflow(writeWorkflow(workflow, agent, found.gates), path), file: path };
  const { scripts, foreign } = writeAll(loaded, agent === "script", repository, invocation.has("force"), terminal);
  say(terminal, `\nWrote ${WORKFLOW_FILE}: the ${workflow} workflow, run by ${agent}.\n${tellOf(scripts, loaded)}`);
  say(terminal, tellTrust(foreign));
  if (invocation.has("json"))
    terminal.out(printJsonLines({ file: path, workflow, agent, scripts, trusted: foreign.length === 0 }));
  const { directory, searchPath } = terminal;
  const check = `${calledHere(directory, searchPath)} check`;
  say(terminal, `${check} shows its graph; ${startLine(workflow, directory, searchPath)} starts it.\n`);
  return EXIT.fine;
}

type ReadyName = ReturnType<typeof readyNames>[number];

type Scripts = Omit<WrittenScripts, "undo">;

interface Written {
  /** As they are called here; null when agents have none. */
  readonly scripts: Scripts | null;
  /** Files that the workflow names and that were there before. */
  readonly foreign: readonly string[];
}

/**
 * All of it or nothing, the workflow last; scripts below the root, if it has any. It is trusted when it names only files
 * that were written here.
 */
function writeAll(
  loaded: LoadedWorkflow,
  hasScripts: boolean,
  repository: RepositoryInfo,
  overwrites: boolean,
  terminal: Terminal,
): Written {
  const { path, text, workflow } = loaded;
  const { root } = repository;
  const scripts = hasScripts && workflow !== null ? writeScripts(workflow, root) : null;
  let foreign: string[];
  try {
    const subject = trustSubject(loaded, repository);
    const own = new Set([...(scripts?.placeholders ?? []), ...(scripts?.helpers ?? [])]);
    foreign = subject.files.flatMap((file) => (own.has(file.path) ? [] : [file.path]));
    if (foreign.length === 0) trustWorkflow(subject, terminal.configFolder);
    writeWorkflowFile(path, text, overwrites);
  } catch (error) {
    scripts?.undo();
    throw error;
  }
  if (scripts === null) return { scripts, foreign };
  const here = (names: readonly string[]): string[] =>
    names.map((name) => relative(terminal.directory, join(root, name)));
  const { placeholders, helpers, kept } = scripts;
  return { scripts: { placeholders: here(placeholders), helpers: here(helpers), kept: here(kept) }, foreign };
}

function tellTrust(foreign: readonly string[]): string {
  if (foreign.length === 0) return "";
  const named = foreign.map(printable).join(", ");
  return `Not trusted yet, for it runs what was there before: ${named}. Look at it, then: baton trust\n`;
}

function tellOf(scripts: Scripts | null, { workflow }: LoadedWorkflow): string {
  if (scripts === null) return "";
  const { placeholders, helpers, kept } = scripts;
  const shown = (paths: readonly string[]): string => paths.map(printable).join(", ");
  const shared = helpers.length === 0 ? "" : `Beside them, what they share: ${shown(helpers)}.\n`;
  const written =
    placeholders.length === 0
      ? ""
      : `${placeholders.length === 1 ? "Placeholder" : "Placeholders"}: ${shown(placeholders)}. ${placeholders.length === 1 ? "It hands over and does" : "They hand over and do"} no work: put yours in, or bind agents to a client.\n`;
  const left = kept.length === 0 ? "" : `Left as they are: ${shown(kept)}.\n`;
  const commit = "Commit them before a run: its agents work in a worktree of the last commit.\n";
  return `${written}${shared}${left}${workflow?.workspace === "worktree" ? commit : ""}`;
}

function firstClient({ clients }: RepositoryFindings): AgentChoice {
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
    say(terminal, `It is one of ${choices.join(", ")}.\n`);
  }
}
