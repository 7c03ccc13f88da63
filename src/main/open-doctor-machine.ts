import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, isAbsolute, join, sep } from "node:path";
import { cleanEnvironment, trustedFolders } from "../agents/process-group/clean-environment.ts";
import { isSafeSqlite } from "../ports/sqlite.ts";
import type { DoctorMachine } from "../runtime/doctor/doctor-machine.ts";
import { isRecord } from "../shared/json-value.ts";
import { openGateMachine } from "./open-gate-machine.ts";
import { findRoot, repositoryMark } from "./state-folder.ts";
import { whereState } from "./where-state.ts";

/** What `baton doctor` looks at, from this directory. */
export function openDoctorMachine(directory: string, configFolder: string, version: string): DoctorMachine {
  const root = findRoot(directory);
  const { env } = process;
  const home = env["HOME"] ?? "";
  const sqlite = process.versions.sqlite ?? "";
  return {
    root,
    isRepository: existsSync(join(root, ".git")),
    mark: () => repositoryMark(root),
    configFolder,
    packageFolder: dirname(dirname(import.meta.dirname)),
    node: { version: process.versions.node, sqlite: sqlite || "none", keepsState: isSafeSqlite(sqlite || "0") },
    homeFolder(name, variable = "") {
      const given = env[variable] ?? "";
      return isAbsolute(given) ? given : isAbsolute(home) ? join(home, name) : null;
    },
    findProgram: (name) =>
      findOwnProgram(name, root, [...trustedFolders(), ...(home === "" ? [] : [join(home, ".local/bin")])]),
    ask: async (program, args) => firstLine(await run(program, args, directory)),
    readSettings,
    exists: existsSync,
    namesIn(folder) {
      try {
        return readdirSync(folder);
      } catch {
        return [];
      }
    },
    async state() {
      const { stateFolder, hasLog, notes } = await whereState(directory, configFolder);
      return { stateFolder, hasLog, notes, canBeWritten: canBeWritten(stateFolder) };
    },
    sandboxNotices: () => openGateMachine(directory, configFolder).notices(),
    isPortFree,
    greetMcp: async () => greetMcp(directory, version),
  };
}

/** A program in the repository could be anybody's. */
function findOwnProgram(name: string, root: string, folders: readonly string[]): string | null {
  const isOutside = (path: string): boolean => !`${realpathSync(path)}${sep}`.startsWith(`${realpathSync(root)}${sep}`);
  const found = folders.map((folder) => join(folder, name)).find((path) => isExecutableFile(path) && isOutside(path));
  return found ?? null;
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const MAX_TIME = 10_000;

/** Its output; null when it fails or hangs. */
async function run(program: string, args: readonly string[], cwd: string, input?: string): Promise<string | null> {
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: cleanEnvironment(),
      timeout: MAX_TIME,
      killSignal: "SIGKILL",
      maxBuffer: 1 << 20,
    } as const;
    const child = execFile(program, args, options, (error, output) => resolve(error === null ? output : null));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input ?? "");
  });
}

function firstLine(output: string | null): string | null {
  return (
    output
      ?.split("\n")
      .find((line) => line.trim() !== "")
      ?.trim()
      .slice(0, 200) ?? null
  );
}

const MAX_SETTINGS = 1 << 20;

function readSettings(path: string): string | null {
  try {
    const about = statSync(path);
    return about.isFile() && about.size <= MAX_SETTINGS ? readFileSync(path, "utf8") : null;
  } catch {
    return null;
  }
}

/** The folder, or the nearest one above it that is there. */
function canBeWritten(folder: string): boolean {
  for (let place = folder; ; place = dirname(place)) {
    if (!existsSync(place) && place !== dirname(place)) continue;
    try {
      accessSync(place, constants.W_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }
}

async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** As clients do that speak the protocol of before 2026: every server that we start has to answer it. */
async function greetMcp(cwd: string, version: string): Promise<string | null> {
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "baton-doctor", version } };
  const greeting = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: client });
  const output = await run(process.execPath, [process.argv[1] ?? "", "mcp"], cwd, `${greeting}\n`);
  for (const line of output?.split("\n") ?? []) {
    const name = serverName(line);
    if (name !== null) return name;
  }
  return null;
}

function serverName(line: string): string | null {
  try {
    const answer: unknown = JSON.parse(line);
    const result = isRecord(answer) && answer["id"] === 1 ? answer["result"] : null;
    const server = isRecord(result) ? result["serverInfo"] : null;
    return isRecord(server) && typeof server["name"] === "string" ? server["name"] : null;
  } catch {
    return null;
  }
}
