import { fstatSync, writeSync } from "node:fs";
import packageFile from "../../package.json" with { type: "json" };
import { EXIT } from "../cli/exit-code.ts";
import { readUpTo } from "../cli/read-input.ts";
import { runCli } from "../cli/run-cli.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { Engine } from "../runtime/engine.ts";
import { configFolder } from "./config-folder.ts";

/** Output files without a reader; null while a lost reader ends the command. */
let lost: Set<1 | 2> | null = null;

/** Writes all of it, also into a full pipe. A reader that has gone away ends the command quietly, or is not missed. */
function writeAll(file: 1 | 2, text: string): void {
  if (lost?.has(file) === true) return;
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      else if (lost !== null) return lose(lost, file, code);
      else if (code === "EPIPE") process.exit(0);
      else throw error;
    }
  }
}

/** The command goes on without it. */
function lose(files: Set<1 | 2>, file: 1 | 2, code: string | undefined): void {
  files.add(file);
  if (file === 1 && code !== "EPIPE") writeAll(2, `baton: standard output cannot be written: ${code ?? "?"}\n`);
}

function readStdin(limit: number): Uint8Array {
  try {
    return readUpTo(0, limit + 1, fstatSync(0).size);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EISDIR") return new Uint8Array();
    throw error;
  }
}

/** A pipe or a file is told apart without `node:tty`, which takes longer to load than a file to be read. */
function isTerminal(file: number): boolean {
  try {
    return fstatSync(file).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(file);
  } catch {
    return false;
  }
}

/** By then every agent is killed that can be killed; a signal after it ends the process. */
const MAX_END = 15_000;

const { env } = process;
/** https://no-color.org, and FORCE_COLOR for pipes that can show it. */
function hasColour(file: number): boolean {
  if ((env["FORCE_COLOR"] ?? "0") !== "0") return true;
  return isTerminal(file) && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

const terminal: Terminal = {
  out: (text) => writeAll(1, text),
  note: (text) => writeAll(2, text),
  stdin: readStdin,
  colour: { out: hasColour(1), notes: hasColour(2) },
  // Asked each time: a window can be made smaller while a run is shown in it.
  get columns() {
    const screen = isTerminal(1) ? process.stdout : isTerminal(2) ? process.stderr : null;
    return screen === null ? 100 : Number(env["COLUMNS"] ?? 0) || screen.columns || 100;
  },
  room: {
    get out() {
      return isTerminal(1) ? terminal.columns : Infinity;
    },
    get notes() {
      return isTerminal(2) ? terminal.columns : Infinity;
    },
  },
  version: packageFile.version,
  directory: process.cwd(),
  configFolder: configFolder(env),
  isInteractive: () => isTerminal(0) && isTerminal(2),
  canRedraw: () => terminal.isInteractive() && env["TERM"] !== "dumb",
  hasScreen: () => isTerminal(1) && isTerminal(2) && env["TERM"] !== "dumb",
  async ask(question) {
    const { askLine } = await import("./ask-line.ts");
    return askLine(question);
  },
  async askKey(question) {
    const { askKey } = await import("./ask-line.ts");
    return askKey(question);
  },
  openEngine: () => open("made"),
  openExisting: () => open("existing"),
  async whereState() {
    const { whereState } = await import("./where-state.ts");
    return whereState(process.cwd(), terminal.configFolder);
  },
  async findAdoptable(source) {
    const { findAdoptableLog } = await import("./adopt-log.ts");
    const { findStatePlace } = await import("./state-folder.ts");
    return findAdoptableLog(findStatePlace(process.cwd(), env), process.cwd(), terminal.configFolder, source);
  },
  async moveState(move) {
    const { moveState } = await import("./move-state.ts");
    return moveState({ ...move, directory: process.cwd(), configFolder: terminal.configFolder });
  },
  async knownKeys() {
    const { auditHome, knownKeys } = await import("../stores/signer/file-log-signer.ts");
    return knownKeys(auditHome(terminal.configFolder));
  },
  async prepareStore() {
    const [{ sharedStoreOf }, { prepareSharedStore }] = await Promise.all([
      import("./shared-store.ts"),
      import("./open-shared-engine.ts"),
    ]);
    const store = sharedStoreOf(env);
    if (store === null) return false;
    await prepareSharedStore(store, (message) => terminal.note(`baton: ${message}\n`));
    return true;
  },
  async openWorker(engine, options) {
    const { openWorker } = await import("./open-worker.ts");
    return openWorker(engine, options, terminal);
  },
  async openServer(engine, options) {
    const { openHttp } = await import("./open-http.ts");
    return openHttp(engine, options, terminal);
  },
  async serveMcp() {
    const { serveMcp } = await import("./open-mcp.ts");
    return serveMcp(terminal);
  },
  async openDemo() {
    const { openDemo } = await import("./open-demo.ts");
    return openDemo();
  },
  openBrowser(address) {
    const { spawn } = process.getBuiltinModule("node:child_process");
    const program = process.platform === "darwin" ? "open" : "xdg-open";
    const child = spawn(program, [address], { stdio: "ignore", detached: true });
    // Where there is none, the link is there to be copied.
    child.on("error", () => undefined);
    child.unref();
  },
  async repositoryInfo() {
    const { readRepositoryInfo: lookAround } = await import("./read-repository-info.ts");
    return lookAround(process.cwd());
  },
  async gateMachine() {
    const { openGateMachine } = await import("./open-gate-machine.ts");
    return openGateMachine(process.cwd(), terminal.configFolder);
  },
  async openInspection() {
    const { openVerifyContext: openInspection } = await import("./open-verify-context.ts");
    return openInspection(process.cwd());
  },
  outliveReaders() {
    lost ??= new Set();
  },
  interruption() {
    const controller = new AbortController();
    let firstAt: number | null = null;
    const interrupt = (): void => {
      if (firstAt === null) {
        firstAt = performance.now();
        controller.abort();
      } else if (performance.now() - firstAt > MAX_END) process.exit(EXIT.interrupted);
      else terminal.note("Stopping agents, please wait.\n");
    };
    // They stay: a second signal must not end us while agents are still to be ended.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
    return controller.signal;
  },
  detach: (args, logFile) => startDetached([...process.execArgv, process.argv[1] ?? "", ...args], logFile),
  async requestSource() {
    const { findSource } = await import("./find-source.ts");
    const { findStatePlace } = await import("./state-folder.ts");
    return findSource(findStatePlace(process.cwd(), env).stateFolder);
  },
  async hookMachine() {
    const { openHookMachine } = await import("./open-hook-machine.ts");
    return openHookMachine(process.cwd(), terminal.configFolder);
  },
  async doctorMachine() {
    const { openDoctorMachine } = await import("./open-doctor-machine.ts");
    return openDoctorMachine(process.cwd(), terminal.configFolder, terminal.version);
  },
  searchPath: env["PATH"] ?? "",
  summaryFile: env["GITHUB_STEP_SUMMARY"] || null,
};

async function open(made: "made" | "existing"): Promise<Engine> {
  const { openState } = await import("./open-state.ts");
  return openState(process.cwd(), terminal.configFolder, (message) => terminal.note(`baton: ${message}\n`), made);
}

/** In a session of its own: it outlives the terminal. */
function startDetached(args: readonly string[], logFile: string): number {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { closeSync, openSync } = process.getBuiltinModule("node:fs");
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(process.execPath, [...args], { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  child.unref();
  return child.pid ?? 0;
}

runCli(process.argv.slice(2), terminal).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = 70;
    terminal.note(
      `baton: internal error, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  },
);
