import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { basename, join, resolve, sep } from "node:path";
import type { BuiltinJob, BuiltinTools } from "../agents/builtin/builtin-job.ts";
import { workBuiltin, runHeld, runPlainly } from "../agents/builtin/work-builtin.ts";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { gateRunner } from "../agents/run-command.ts";
import { forgeGit, type ForgeGit } from "../forges/git.ts";
import { openSqliteLog } from "../stores/sqlite/open-sqlite-log.ts";
import { openGithubForge } from "../forges/github/github-forge.ts";
import { openLocalForge } from "../forges/local/local-forge.ts";
import type { EventLog } from "../ports/event-log.ts";
import { type Forge, ForgeError } from "../ports/forge.ts";
import type { ForgeDefinition } from "../workflow/definition.ts";

/**
 * The program behind agents that come along (`run: { builtin: prep }`): told on its input, answers on file
 * descriptor 3. Who watches it decides how long it may take, and ends it with all that it started.
 */
async function main(): Promise<void> {
  try {
    const { job, token, store } = JSON.parse(await text(process.stdin)) as Given;
    answer({ message: await workBuiltin(job, () => toolsOf(job, token, store)) });
  } catch (error) {
    console.error(error);
    answer({ problem: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  }
}

interface Given {
  readonly job: BuiltinJob;
  readonly token: string | null;
  readonly store?: { readonly url: string; readonly schema: string };
}

async function toolsOf(job: BuiltinJob, token: string | null, store: Given["store"]): Promise<BuiltinTools> {
  const { stateFolder, root, toolchainFile } = job;
  const list = toolchainFile === undefined ? {} : { toolchainFile };
  const gates = gateRunner({ hidden: [stateFolder, join(root, ".baton")], ...list });
  const git = forgeGit({ environment: cleanEnvironment(), isOurs: (path) => isOurs(path, job) });
  return {
    forge: await openForge(job.agentInput.forge, { job, token, git }),
    git: (directory, args, accepts = [0]) => git({ directory, args, accepts }),
    run: (command) => runPlainly(command, job.attempt),
    runHeld: (command) => runHeld(command, job.attempt, gates),
    async isRunOver(run) {
      const log = await openLog(job, store);
      try {
        return (await log.run(run))?.finished ?? true;
      } finally {
        await log.close();
      }
    },
    now: () => Date.now(),
    tell: (line) => process.stdout.write(`${line}\n`),
  };
}

/** What needs a database is loaded only where the log is in one. */
async function openLog({ stateFolder }: BuiltinJob, store: Given["store"]): Promise<EventLog> {
  if (store === undefined) return openSqliteLog(join(stateFolder, "baton.db"));
  const { openPostgresLog } = await import("../stores/postgres/open-postgres-log.ts");
  return openPostgresLog({ ...store, connections: 1 });
}

/** The forge's folder, the worktree of the run, and the branch of its issue; not the repository of the user. */
function isOurs(path: string, job: BuiltinJob): boolean {
  const { agentInput, workspace } = job;
  const { forge, known } = agentInput;
  if (forge?.kind === "local" && path.startsWith(forgeFolder(forge.folder, job) + sep)) return true;
  if (agentInput.workspace !== "worktree") return false;
  return path.includes(`/worktrees/${basename(workspace)}/`) || path.includes(`/issue-${known["issue.number"]}-`);
}

function answer(value: Readonly<Record<string, string>>): void {
  const bytes = Buffer.from(JSON.stringify(value));
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(3, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

void main();

/** A folder of `.baton` is one of the state folder, which no command of git in the work tree deletes. */
function forgeFolder(folder: string, { root, stateFolder }: Pick<BuiltinJob, "root" | "stateFolder">): string {
  const [, below] = /^(?:\.\/)?\.baton\/(.+)$/.exec(folder) ?? [];
  return below === undefined ? resolve(root, folder) : resolve(stateFolder, below);
}

interface ForgeContext {
  readonly job: BuiltinJob;
  readonly token: string | null;
  readonly git: ForgeGit;
}

async function openForge(definition: ForgeDefinition | null, { job, token, git }: ForgeContext): Promise<Forge> {
  if (definition === null) throw new ForgeError("the workflow names no forge");
  if (definition.kind === "local")
    return openLocalForge({
      folder: forgeFolder(definition.folder, job),
      source: job.root,
      base: definition.base,
      git,
    });
  if (token === null || token === "")
    throw new ForgeError(`the environment variable ${definition.token} holds no token for GitHub`);
  return openGithubForge({ ...definition, token, git });
}
