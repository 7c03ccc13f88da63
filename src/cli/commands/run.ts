import { join } from "node:path";
import type { Engine } from "../../runtime/engine.ts";
import { checkPrograms } from "../../runtime/operations/check-programs.ts";
import { listCommands } from "../../runtime/operations/list-commands.ts";
import {
  type LoadedWorkflow,
  WORKFLOW_FILE,
  loadWorkflow,
  withMode,
  withWorktree,
  describePlan,
} from "../../runtime/operations/load-workflow.ts";
import { loadTasks } from "../../runtime/operations/load-tasks.ts";
import { trustHash } from "../../runtime/covered-files.ts";
import { ensureFree } from "../../runtime/workspace-turn.ts";
import { fileInRoot } from "../../runtime/operations/workflow-changed.ts";
import { trustSubject } from "../../runtime/operations/trust-workflow.ts";
import { continueRun } from "../../runtime/operations/continue-run.ts";
import { newRunId, pinOf, startRun } from "../../runtime/operations/start-run.ts";
import { printJsonLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { driveToEnd } from "../drive-to-end.ts";
import { ensureTrusted, nameFiles, printCommands, rememberTrust, warnOfMissing } from "../ensure-trusted.ts";
import { FAIL_ON_OPTION, failOn } from "../end-code.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, NO_WAIT_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { followToEnd } from "../follow-to-end.ts";
import { printWorkflowGraph, refuseWorkflow } from "./check.ts";

export const command: Command = {
  name: "run",
  summary: "Run a workflow: drive its agents, handoff by handoff",
  usage: "[WORKFLOW]",
  details: [
    `WORKFLOW is a file (default ${WORKFLOW_FILE}) or one of pipeline, issue, collective, tasks, feature.`,
    "A run survives crashes: `baton resume` continues it. `baton status` shows all runs.",
    "While another run works in the same folder, this one waits for it and says so.",
    "With --json, one document: the run as `baton status RUN --json` has it; with --dry-run `{path, hash, workflow, mode,",
    "start, agents, tasks, commands, files}`; with --detach `{run, pid, log}`, and `baton status RUN --json` tells how it goes.",
    "Exit code: 0 completed, 1 failed, waiting for a person, or completed with open blocking issues (--fail-on), 2 wrong",
    "usage, 3 nothing was started: the workflow cannot be run or is not trusted, the state cannot be written, or",
    "--no-wait and the folder is taken; 130 interrupted.",
  ],
  options: {
    brief: { value: "TEXT", about: "What the run is about; part of every prompt." },
    tasks: {
      value: "GLOB",
      about: "Tasks to work through: task files, a Task Master tasks.json, a Spec Kit tasks.md, a beads issues.jsonl.",
    },
    tag: { value: "TAG", about: "Which list of a Task Master file; otherwise its current one." },
    set: { value: "NAME=VALUE", about: "A value that is known from the start, such as issue.number=71,branch=fix/71." },
    mode: {
      value: "MODE",
      choices: ["autonomous", "semi", "supervised"],
      about: "How much a person is asked, instead of what the file says: autonomous, semi or supervised.",
    },
    worktree: { about: "Give the run a worktree of its own, whatever the file says: it waits for no other run." },
    ...NO_WAIT_OPTION,
    from: { value: "RUN", about: "Begin with the last handoff of this run, such as a session that was watched." },
    trust: { value: "HASH", about: "Trust the workflow and the files it names if they have exactly this hash." },
    "dry-run": { about: "Show what would be run, and run nothing." },
    detach: { about: "Run in the background; `baton watch` follows it." },
    json: { about: "Print the end of the run as JSON; with --dry-run the plan, with --detach where to look." },
    quiet: { about: "Show no progress." },
    ...FAIL_ON_OPTION,
    ...HELP_OPTION,
  },
  run,
};

function workflowOperand({ operands, has }: Invocation): string {
  const task = has("tasks") ? operands.find((operand) => /\.(?:md|jsonl)$/i.test(operand)) : undefined;
  if (task !== undefined)
    throw usage(
      command,
      `${task} is no workflow.`,
      "Quote the pattern, for the shell has found the files of it: --tasks 'tasks/*.md'.",
    );
  if (operands.length > 1) throw usage(command, "Name one workflow only.");
  return operands[0] ?? WORKFLOW_FILE;
}

async function run(invocation: Invocation, terminal: Terminal): Promise<number> {
  const loaded = withWorktree(
    withMode(loadWorkflow(workflowOperand(invocation)), invocation.text("mode")),
    invocation.has("worktree"),
  );
  const { workflow } = loaded;
  if (workflow === null) return refuseWorkflow(loaded, invocation, terminal);
  const known = parseKnown(invocation.text("set"));
  const waits = !invocation.has("no-wait");
  const { has } = invocation;
  const style = { json: has("json"), quiet: has("quiet"), failOn: failOn(command, invocation), waits };
  const isDry = invocation.has("dry-run");
  const checked = await checkPrograms(loaded, {
    repositoryInfo: await terminal.repositoryInfo(),
    searchPath: terminal.searchPath,
    severity: isDry ? "warning" : "error",
  });
  if (checked.diagnostics.some(({ severity }) => severity === "error"))
    return refuseWorkflow(checked, invocation, terminal);
  warn(checked, ["baton check", ...invocation.operands].join(" "), terminal);
  if (isDry) return dryRun(loaded, workflow, invocation, terminal);
  const request = { given: invocation.text("trust"), consequence: "its commands may not run" };
  const trust = await ensureTrusted(loaded, request, terminal);
  const engine = await terminal.openEngine();
  try {
    const tasks = findTasks(workflow, engine.root, invocation, terminal);
    const pin = pinOf(workflow);
    const id = newRunId(engine.ports.clock.id());
    if (!waits && workflow.workspace === "in-place") await ensureFree(engine.ports, id);
    // Before it starts, so that the run is still trusted after a crash.
    const later = trustHash(pin, trust.files);
    rememberTrust({ run: id, pin, hash: trust.hash }, later, terminal);
    const file = fileInRoot(engine.root, loaded.file);
    const begun = await beginFrom(engine, workflow, tasks, invocation);
    const brief = invocation.text("brief") ?? begun.brief;
    const named = { ...(file !== null && { file }), trusted: trust.files };
    const lease = await startRun(engine.ports, { workflow, known, id, ...begun, brief, ...named });
    if (engine.shared !== undefined) return await leaveToWorkers(engine, lease, style, invocation, terminal);
    if (invocation.has("detach"))
      return await detach(engine, lease, { trust: later, json: invocation.has("json") }, terminal);
    return await driveToEnd(engine, lease, terminal, style);
  } finally {
    await engine.close();
  }
}

type Beginning = Pick<Parameters<typeof startRun>[1], "brief" | "tasks" | "continues">;

/** Where a run begins that continues another one: with its last handoff, at the agent that comes after it. */
async function beginFrom(
  { ports }: Engine,
  workflow: Workflow,
  tasks: Workflow["tasks"],
  invocation: Invocation,
): Promise<Beginning> {
  const name = invocation.text("from");
  if (name === undefined) return { brief: "", tasks };
  if (tasks.length + workflow.tasks.length > 0)
    throw usage(command, "--from begins a run of one task.", "Leave out --tasks, or name a workflow without tasks.");
  return continueRun(ports, workflow, name);
}

type Workflow = NonNullable<LoadedWorkflow["workflow"]>;

function warn({ diagnostics }: LoadedWorkflow, check: string, terminal: Terminal): void {
  const missing = diagnostics.filter(({ code }) => code === "missing-script" || code === "missing-program");
  warnOfMissing(missing, `: ${check} shows them all`, terminal);
}

function findTasks(workflow: Workflow, root: string, invocation: Invocation, terminal: Terminal): Workflow["tasks"] {
  const { tasks, notes } = loadTasks({
    pattern: invocation.text("tasks"),
    directory: terminal.directory,
    root,
    tag: invocation.text("tag"),
    others: workflow.tasks,
  });
  for (const note of notes) say(terminal, `${printable(note)}\n`);
  refuseTooMany(workflow.tasks.length + tasks.length, workflow.budget.steps);
  return tasks;
}

/** Every task takes at least one step: more tasks than steps are refused before anything is spent. */
function refuseTooMany(tasks: number, steps: number): void {
  if (tasks <= steps) return;
  throw usage(
    command,
    `${tasks} tasks take at least as many steps, and the workflow's budget.steps allows ${steps}.`,
    "Raise it in the workflow file (`baton init` writes one), or name fewer tasks.",
  );
}

async function dryRun(
  loaded: LoadedWorkflow,
  workflow: Workflow,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const repository = await terminal.repositoryInfo();
  const { root } = repository;
  const { path, hash, files } = trustSubject(loaded, repository);
  const tasks = [...workflow.tasks, ...findTasks(workflow, root, invocation, terminal)];
  if (invocation.has("json")) {
    const plan = describePlan({ ...workflow, tasks });
    terminal.out(printJsonLines({ path, hash, ...plan, files: files.map((file) => file.path) }));
    return EXIT.fine;
  }
  display(terminal, printWorkflowGraph({ ...workflow, tasks }, "text"));
  terminal.out(
    `\nThese commands would be run, as the routes lead to them:\n${printCommands([...listCommands(workflow), ...nameFiles(files)])}`,
  );
  say(terminal, `Nothing was run. ${printable(path)} has the hash ${hash}.\n`);
  return EXIT.fine;
}

/** The run is stored, with a job: a worker drives it, and this process only follows it. */
async function leaveToWorkers(
  engine: Engine,
  { run: id }: Awaited<ReturnType<typeof startRun>>,
  style: Parameters<typeof followToEnd>[3],
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  if (invocation.has("detach")) {
    terminal.out(style.json ? printJsonLines({ run: id, pid: null, log: null }) : `${id}\n`);
    say(terminal, `A worker drives run ${id} when one is free. \`baton watch ${id}\` follows it.\n`);
    return EXIT.fine;
  }
  if (!style.quiet) say(terminal, `A worker drives run ${id} when one is free. Ctrl-C only stops watching.\n`);
  return followToEnd(engine, id, terminal, style);
}

async function detach(
  engine: Engine,
  lease: Awaited<ReturnType<typeof startRun>>,
  { trust, json }: { readonly trust: string; readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  await engine.ports.log.release(lease);
  const log = join(engine.stateFolder, `run-${lease.run}.log`);
  const pid = terminal.detach(["resume", lease.run, "--trust", trust], log);
  if (json) {
    terminal.out(printJsonLines({ run: lease.run, pid, log }));
    return EXIT.fine;
  }
  terminal.out(`${lease.run}\n`);
  say(
    terminal,
    `Run ${lease.run} continues in the background (process ${pid}, log ${log}).\n\`baton watch ${lease.run}\` follows it.\n`,
  );
  return EXIT.fine;
}

/** `name=value,name=value`. */
function parseKnown(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const pairs = text.split(",").map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw usage(command, `--set takes name=value; found "${pair}".`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}
