import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { answerOf, gitWith } from "../git/run-git.ts";
import type { Engine } from "../runtime/engine.ts";
import { loadTasks } from "../runtime/operations/load-tasks.ts";
import { loadWorkflow } from "../runtime/operations/load-workflow.ts";
import { codec } from "../workflow/stored/codec.ts";
import { pinOf, startRun } from "../runtime/operations/start-run.ts";
import { advanceRun, openSession } from "../runtime/run-session.ts";
import { AppError } from "../shared/app-error.ts";
import type { Workflow } from "../workflow/definition.ts";
import { openEngine } from "./open-engine.ts";

/** Beside the sources as in the package. */
const EXAMPLES = join(import.meta.dirname, "../../examples");

/** Its agents are put together in one repository; what they build upon comes from the first. */
const SHOWN = ["pipeline", "feature", "collective", "tasks", "issue"] as const;

const DAY = 86_400_000;
const NEXT_RUN = 30_000;
/** A page that was forgotten in a tab must not fill the disk. */
const MAX_RUNS = 40;

const BRIEFS = [
  ["pipeline", "A discount in percent can be taken off a cart."],
  ["collective", "Titles of articles become part of their addresses."],
  ["feature", "A user who forgot the password gets a token."],
] as const;

/** Example runs in a folder of their own: at work, waiting for a person, failed, stalled; and now and then a new one. */
export async function openDemo(): Promise<Engine> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-demo-")));
  try {
    const root = join(folder, "shop");
    await makeRepository(root);
    // The demo has nothing to do with the operator's own state and keys.
    delete process.env["BATON_STATE"];
    const engine = openEngine(root, demoConfig(root));
    await startAll(engine);
    let runs = 0;
    const timer = setInterval(() => {
      const [name, brief] = BRIEFS[runs % 2] ?? BRIEFS[0];
      if (runs++ < MAX_RUNS) start(engine, shownWorkflow(name), brief).catch(() => undefined);
    }, NEXT_RUN);
    return { ...engine, close: () => closeDemo(engine, folder, timer) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (error instanceof AppError) throw error;
    const hint = "It needs git, and the examples that come with the package.";
    throw new AppError("cannot-read", `The demo cannot be prepared: ${String(error)}.`, hint);
  }
}

/** Beside the repository: what proves its log may not lie in it. */
export function demoConfig(root: string): string {
  return join(root, "../config");
}

async function closeDemo(engine: Engine, folder: string, timer: NodeJS.Timeout): Promise<void> {
  clearInterval(timer);
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Each example brings a kit for its agents under the same name: it gets another one here. */
async function makeRepository(folder: string): Promise<void> {
  mkdirSync(join(folder, "agents"), { recursive: true });
  for (const name of SHOWN.toReversed())
    cpSync(join(EXAMPLES, name), folder, {
      recursive: true,
      filter: (path) => !/[\\/](?:agents|README\.md)$/.test(path),
    });
  for (const name of SHOWN)
    for (const file of readdirSync(join(EXAMPLES, name, "agents"))) {
      const text = readFileSync(join(EXAMPLES, name, "agents", file), "utf8");
      const target = file === "kit.mjs" ? `kit-${name}.mjs` : file;
      writeFileSync(join(folder, "agents", target), text.replaceAll('"./kit.mjs"', `"./kit-${name}.mjs"`));
    }
  writeFileSync(join(folder, "agents/deployer.mjs"), DEPLOYER);
  addIssueScripts(join(folder, "package.json"));
  // That of the example does not travel in a package.
  writeFileSync(join(folder, ".gitignore"), "handoff-*.json\n");
  const git = gitWith({ environment: cleanEnvironment() });
  const run = (...args: readonly string[]): Promise<string> => answerOf(git, { args, directory: folder });
  await run("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of [
    ["user.name", "Example"],
    ["user.email", "example@localhost"],
    ["commit.gpgsign", "false"],
  ] as const)
    await run("config", key, value);
  await run("add", "--all");
  await run("commit", "--quiet", "--message", "Start");
}

/** What the issue workflow runs has names of its own, and looks at the tests of its own example only. */
function addIssueScripts(path: string): void {
  const tests = readdirSync(join(EXAMPLES, "issue/test")).map((name) => `test/${name}`);
  const scripts = scriptsOf(path);
  for (const [name, command] of Object.entries(scriptsOf(join(EXAMPLES, "issue/package.json"))))
    scripts[`issue-${name}`] = command.replace("test/*.test.mjs", tests.join(" "));
  writeFileSync(path, JSON.stringify({ name: "shop", private: true, type: "module", scripts }, null, 2));
}

function scriptsOf(path: string): Record<string, string> {
  const { scripts } = JSON.parse(readFileSync(path, "utf8")) as { readonly scripts: Readonly<Record<string, string>> };
  return { ...scripts };
}

/** That of the example, with the names that its commands have here. */
function issueText(): string {
  return readFileSync(join(EXAMPLES, "issue/issue.yaml"), "utf8").replaceAll(
    /\[npm, (?:run, )?(\w+)\]/g,
    "[npm, run, issue-$1]",
  );
}

/** Fails as programs do. */
const DEPLOYER = `console.error("deploy: no route to staging.internal (tried 3 times)");\nprocess.exitCode = 1;\n`;

const DEPLOY = `baton: 1
name: deploy
description: Bring the last build to the staging machine
mode: autonomous
start: deployer
agents:
  deployer:
    run: { process: [node, agents/deployer.mjs] }
    dialect: phase-yaml
    retry: { most: 1, delay: 1s }
    routes: { done: end, failed: fail }
`;

/** In a worktree of its own: the runs of the demo work at once, and none is to see the files of another. */
function shownWorkflow(name: string): Workflow {
  const { workflow } = loadWorkflow(name);
  if (workflow === null) throw new Error(`the workflow ${name} cannot be read`);
  return { ...workflow, workspace: "worktree" };
}

async function startAll(engine: Engine): Promise<void> {
  const [deploy, issue] = [join(engine.stateFolder, "deploy.yaml"), join(engine.stateFolder, "issue.yaml")];
  writeFileSync(deploy, DEPLOY);
  writeFileSync(issue, issueText());
  const { tasks } = loadTasks({
    pattern: "tasks/*.md",
    directory: engine.root,
    root: engine.root,
    tag: undefined,
    others: [],
  });
  await stall(engine, shownWorkflow("pipeline"), "Carts are kept for guests, too.");
  await start(engine, shownWorkflow(deploy), "Bring the shop to staging.");
  for (const [name, brief] of BRIEFS) await start(engine, shownWorkflow(name), brief);
  await start(engine, shownWorkflow("tasks"), "Bookings can be moved to another day.", tasks);
  await start(engine, shownWorkflow(issue), "5 cents are shown as 0.5");
}

/** The server's driver finds it. */
async function start(
  engine: Engine,
  workflow: Workflow,
  brief: string,
  tasks: Parameters<typeof startRun>[1]["tasks"] = [],
): Promise<void> {
  const lease = await startRun(engine.ports, { workflow, brief, tasks, known: {} });
  await engine.ports.log.release(lease);
}

/** Begun two days ago by a process of another machine, which holds it and says nothing. */
async function stall({ ports }: Engine, workflow: Workflow, brief: string): Promise<void> {
  const at = ports.clock.now() - 2 * DAY;
  const run = ports.clock.id().slice(0, 10);
  const pin = pinOf(workflow);
  await ports.log.putWorkflow(pin, codec.encodeWorkflow(workflow));
  const lease = await ports.log.create(
    { run, name: workflow.name, workflow: pin, at, brief },
    "another machine",
    at + 9 * DAY,
  );
  const started = {
    kind: "start-run",
    run,
    workflow: pin,
    name: workflow.name,
    brief,
    tasks: [],
    known: {},
    at,
  } as const;
  await advanceRun(ports, await openSession(ports, lease), started);
}
