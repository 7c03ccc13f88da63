import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { knownLogs } from "../../src/main/known-logs.ts";
import { createLog } from "../../src/stores/sqlite/create-log.ts";
import { hashToTrust } from "../hash-to-trust.ts";

const command = join(import.meta.dirname, "../../dist/cli/baton.cjs");

/** A place with one database and any number of repositories whose runs are all stored in it. */
export interface Room {
  readonly folder: string;
  readonly database: string;
  /** A repository with a workflow file and its agents. */
  addRepository(name: string, files: Readonly<Record<string, string>>): Repository;
  remove(): void;
}

export interface Repository {
  readonly name: string;
  readonly folder: string;
  readonly hash: string;
  /** The built command as a user starts it. */
  baton(args: readonly string[]): RunningBaton;
  journal(): string[];
}

export interface RunningBaton {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const LONGEST = 120_000;

export function makeRoom(): Room {
  if (!existsSync(command)) throw new Error("dist/cli is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "baton-crash-"));
  const database = join(folder, "state/baton.db");
  // Tests open it before the command does; the command reads only logs that its operator has made.
  createLog(database, (id) => knownLogs(join(folder, "config/baton")).add(id, dirname(database), "made"));
  return {
    folder,
    database,
    addRepository: (name, files) => addRepository(folder, name, files),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function addRepository(room: string, name: string, files: Readonly<Record<string, string>>): Repository {
  const folder = join(room, name);
  mkdirSync(join(folder, ".git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const hash = files["baton.yaml"] === undefined ? "" : hashToTrust(folder);
  return {
    name,
    folder,
    hash,
    baton: (args) => start(room, folder, args),
    journal: () => readFileSync(join(folder, "journal"), "utf8").trimEnd().split("\n"),
  };
}

function start(room: string, cwd: string, args: readonly string[]): RunningBaton {
  const { FORCE_COLOR: _force, ...outer } = process.env;
  const env = { ...outer, BATON_STATE: join(room, "state"), XDG_CONFIG_HOME: join(room, "config") };
  const child = spawn(process.execPath, [command, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  const tooLong = setTimeout(() => child.kill("SIGKILL"), LONGEST);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(tooLong);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { process: child, ended };
}
