import { existsSync } from "node:fs";
import { join } from "node:path";
import { numberOr, recordOr } from "../../workflow/file/loose-values.ts";
import { branchNameOf, isBranchOf } from "./branch-name.ts";
import { BuiltinFailure, type BuiltinJob, type BuiltinTools } from "./builtin-job.ts";
import { checkServer } from "./dev-server.ts";
import { PortLeases } from "./port-leases.ts";
import { type Report, commandLine, lastWords, references } from "./report.ts";
import { commandOption, knownIssue, timeOption } from "./what-is-known.ts";
import { isDirty, trackBase } from "./working-copy.ts";

/** Branch, port, dependencies, build and development server: the implementer finds all of it ready. */
export async function prepare(job: BuiltinJob, tools: BuiltinTools): Promise<Report> {
  const { situation, workspace } = job;
  const issue = await knownIssue(job, tools);
  if (issue.state === "closed")
    throw new BuiltinFailure("IssueClosed", `issue ${issue.number} is closed`, "Open it again, or name another one");
  const branch = situation.known["branch"] ?? branchNameOf(issue, situation.known["issue.type"]);
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
    to: situation.next["done"] ?? "implementer-agent",
    outcome: "done",
    status: "ready",
    summary: `The branch ${branch} is ready for issue ${issue.number}`,
    ...references(issue, null),
    work: { branch, workspace: { path: workspace, type: situation.workspace, port: String(port) } },
    checks: { environment: { dependencies, build: build === null ? "skipped" : "passing", dev_server: server } },
  };
}

async function leasePort({ options, stateFolder, situation }: BuiltinJob, tools: BuiltinTools): Promise<number> {
  const ports = recordOr(options["ports"]);
  return new PortLeases(stateFolder).lease(situation.run, {
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
  const timeout = timeOption(options["timeout"], LONGEST);
  const { passed, message, output } = await tools.run({ name, command, directory: workspace, timeout });
  if (passed) return true;
  throw new BuiltinFailure(
    name === "build" ? "BuildError" : "InstallError",
    `${commandLine(command)} failed before anything was changed (${message}): ${lastWords(output, 500)}`,
    "Mend it on the base branch, then retry the run",
  );
}

const LONGEST = 600_000;
