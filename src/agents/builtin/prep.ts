import { existsSync } from "node:fs";
import { join } from "node:path";
import { numberOr, recordOr, textOr } from "../../workflow/file/loose-values.ts";
import {
  BuiltinFailure,
  type BuiltinJob,
  type BuiltinTools,
  type BuiltinHandoff,
  commandLine,
  lastWords,
  references,
  commandOption,
  knownIssue,
  timeOption,
  isDirty,
  trackBase,
} from "./builtin-job.ts";
import { PortLeases } from "./port-leases.ts";
import type { Issue } from "../../ports/forge.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Branch, port, dependencies, build and development server: the implementer finds all of it ready. */
export async function prepare(job: BuiltinJob, tools: BuiltinTools): Promise<BuiltinHandoff> {
  const { agentInput, workspace } = job;
  const issue = await knownIssue(job, tools);
  if (issue.state === "closed")
    throw new BuiltinFailure("IssueClosed", `issue ${issue.number} is closed`, "Open it again, or name another one");
  const branch = agentInput.known["branch"] ?? branchNameOf(issue, agentInput.known["issue.type"]);
  if (!isBranchOf(branch, issue.number))
    throw new BuiltinFailure(
      "WrongBranch",
      `${JSON.stringify(branch)} is no branch of issue ${issue.number}`,
      `Name it type/issue-${issue.number}-words, or let prep choose`,
    );
  const port = await leasePort(job, tools);
  await checkOut(job, tools, branch);
  const dependencies = await install(job, tools);
  const build = await runIfGiven(job, tools, "build");
  const server = await checkServer(job, tools, port);
  tools.tell(`${branch} is ready, port ${port}`);
  return {
    to: agentInput.next["done"] ?? "implementer-agent",
    outcome: "done",
    status: "ready",
    summary: `The branch ${branch} is ready for issue ${issue.number}`,
    ...references(issue, null),
    work: { branch, workspace: { path: workspace, type: agentInput.workspace, port: String(port) } },
    checks: { environment: { dependencies, build: build === null ? "skipped" : "passing", dev_server: server } },
  };
}

async function leasePort({ options, stateFolder, agentInput }: BuiltinJob, tools: BuiltinTools): Promise<number> {
  const ports = recordOr(options["ports"]);
  return new PortLeases(stateFolder).lease(agentInput.run, {
    first: numberOr(ports["first"], FIRST_PORT),
    step: numberOr(ports["step"], PORT_STEP),
    isRunOver: (run) => tools.isRunOver(run),
  });
}

const FIRST_PORT = 3000;
const PORT_STEP = 100;

/** A branch that is there already is gone on with: an earlier attempt made it, or somebody pushed it. */
async function checkOut({ workspace }: BuiltinJob, tools: BuiltinTools, branch: string): Promise<void> {
  const { forge, git } = tools;
  // Says at once what is wrong with a name that an agent chose.
  const pushed = await forge.fetchBranch(workspace, branch);
  const base = await trackBase(tools, workspace);
  const present = (await git(workspace, ["symbolic-ref", "--quiet", "HEAD"], [0, 1])).output.trim();
  if (present === `refs/heads/${branch}`) return;
  if (await isDirty({ git }, workspace))
    throw new BuiltinFailure(
      "DirtyWorkspace",
      `${workspace} has changes that are not committed`,
      "Commit or stash them, or use `workspace: worktree`",
    );
  const exists = await git(workspace, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`], [0, 1]);
  if (exists.code === 0) {
    await git(workspace, ["switch", "--quiet", "--no-guess", branch]);
    return;
  }
  const start = pushed ?? base;
  if (start === null)
    throw new BuiltinFailure("MissingBase", `the forge has no branch ${await forge.base()}`, "Push it");
  await git(workspace, ["switch", "--quiet", "--no-track", "--create", branch, start]);
}

/** By which file a project says how its dependencies are installed exactly. */
const LOCK_FILES: Readonly<Record<string, readonly string[]>> = {
  "package-lock.json": ["npm", "ci", "--no-audit", "--no-fund"],
  "pnpm-lock.yaml": ["pnpm", "install", "--frozen-lockfile"],
  "yarn.lock": ["yarn", "install", "--immutable"],
};

async function install(job: BuiltinJob, tools: BuiltinTools): Promise<"installed" | "not needed"> {
  const found = Object.entries(LOCK_FILES).find(([file]) => existsSync(join(job.workspace, file)));
  const done = await runIfGiven(job, tools, "install", found?.[1]);
  return done === null ? "not needed" : "installed";
}

/** Null when there is nothing to run. */
async function runIfGiven(
  { options, workspace }: BuiltinJob,
  tools: BuiltinTools,
  name: "install" | "build",
  otherwise: readonly string[] | null = null,
): Promise<true | null> {
  const command = commandOption(options, name) ?? otherwise;
  if (command === null) return null;
  tools.tell(`${name}: ${commandLine(command)}`);
  const timeout = timeOption(options["timeout"], DEFAULT_TIMEOUT);
  const { passed, message, output } = await tools.run({ name, command, directory: workspace, timeout });
  if (passed) return true;
  throw new BuiltinFailure(
    name === "build" ? "BuildError" : "InstallError",
    `${commandLine(command)} failed before anything was changed (${message}): ${lastWords(output, 500)}`,
    "Mend it on the base branch, then retry the run",
  );
}

const DEFAULT_TIMEOUT = 600_000;

/** Words that an issue's type or labels may be, and the prefix of its branch. */
const PREFIXES: Readonly<Record<string, string>> = {
  feature: "feature",
  enhancement: "feature",
  bug: "fix",
  fix: "fix",
  refactor: "refactor",
  chore: "chore",
  docs: "docs",
  documentation: "docs",
};

const MAX_LENGTH = 50;

/** `fix/issue-71-cents-have-two-digits`: lower case and hyphens, at most 50 characters, whatever the title says. */
export function branchNameOf(
  { number, title, labels }: Pick<Issue, "number" | "title" | "labels">,
  type: string | undefined,
): string {
  const named = [type ?? "", ...labels].map((word) => word.toLowerCase());
  const word = named.find((name) => Object.hasOwn(PREFIXES, name)) ?? "feature";
  const start = `${PREFIXES[word] ?? "feature"}/issue-${number}-`;
  const [first = "work", ...others] = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "");
  let name = (start + first).slice(0, MAX_LENGTH);
  for (const part of others) {
    if (name.length + 1 + part.length > MAX_LENGTH) break;
    name += `-${part}`;
  }
  return name;
}

/** An agent may have chosen it: the base branch and other runs' branches are none of its. */
export function isBranchOf(branch: string, issue: number): boolean {
  return /^[a-z]+\/issue-(\d+)-[a-z0-9-]+$/.exec(branch)?.[1] === String(issue) && branch.length <= 100;
}

const WAIT = 30_000;
const PAUSE = 200;
const MAX_ANSWER = 5_000;

/** Starts the development server on the leased port, asks it until it answers, and ends it. */
async function checkServer(job: BuiltinJob, tools: BuiltinTools, port: number): Promise<"verified" | "skipped"> {
  const server = recordOr(job.options["server"]);
  const command = commandOption(server, "command");
  if (command === null) return "skipped";
  const wait = timeOption(server["wait"], WAIT);
  const address = `http://127.0.0.1:${port}${textOr(server["path"], "/")}`;
  const ending = new AbortController();
  tools.tell(`server: ${commandLine(command)} on port ${port}`);
  let isRunning = true;
  const ended = tools
    .run({
      name: "server",
      command,
      directory: job.workspace,
      timeout: wait + MAX_ANSWER,
      environment: { PORT: String(port) },
      signal: ending.signal,
    })
    .finally(() => {
      isRunning = false;
    });
  const answered = await untilAnswered(address, wait, () => isRunning);
  const why = isRunning ? "did not answer" : "ended before it answered";
  ending.abort();
  const { message, output } = await ended;
  if (answered) return "verified";
  throw new BuiltinFailure(
    "ServerError",
    `the development server ${why} at ${address} (${message}): ${lastWords(output, 500)}`,
    "See why it does not start, or leave `server` out of the options",
  );
}

/** A server that answers with an error of its own does not work. */
async function untilAnswered(address: string, wait: number, isRunning: () => boolean): Promise<boolean> {
  for (const giveUpAt = Date.now() + wait; isRunning() && Date.now() < giveUpAt; await sleep(PAUSE)) {
    try {
      const signal = AbortSignal.timeout(MAX_ANSWER);
      const { status, body } = await fetch(address, { redirect: "manual", signal });
      await body?.cancel();
      if (status < 500) return true;
    } catch {
      continue;
    }
  }
  return false;
}
