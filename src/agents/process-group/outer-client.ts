import { basename } from "node:path";
import { environmentsAbove, lineOf } from "./outer-attempt.ts";
import { HAS_PROCESS_TABLE, readCommandLine } from "./process-table.ts";

/** A coding agent's own program that a process runs below. */
interface OuterClient {
  readonly name: string;
  readonly shownBy: "its environment" | "a process that started it";
  /** Whether the process is the client, or a server that the client has started itself: no command of its agent. */
  readonly isDirect: boolean;
}

/** What clients set for the commands that their agents run. */
const VARIABLES: Readonly<Record<string, string>> = {
  CLAUDECODE: "Claude Code",
  CODEX_THREAD_ID: "Codex",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  GEMINI_CLI: "Gemini CLI",
  OPENCODE: "OpenCode",
  CURSOR_AGENT: "Cursor",
};

/** Their programs, as they are called. */
const PROGRAMS: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "OpenCode",
  copilot: "Copilot CLI",
  "cursor-agent": "Cursor",
};

/**
 * The client that a process runs below; null when nothing shows one. A program can get out of it by leaving its
 * processes and clearing its environment: what this shows is believed, and what it does not show is not excluded.
 */
export function findOuterClient(pid = process.pid): OuterClient | null {
  const [own, ...above] = environmentsAbove(pid).map(clientIn);
  const commands = HAS_PROCESS_TABLE ? lineOf(pid).map((row) => readCommandLine(row.pid)) : [];
  const isDirect = isStartedBy(commands, pid === process.pid);
  if (own !== undefined && own !== null) return { name: own, shownBy: "its environment", isDirect };
  const name = [...above, ...commands.map(programOf)].find((found) => found !== null) ?? null;
  return name === null ? null : { name, shownBy: "a process that started it", isDirect };
}

/** Between the client and its server there is nothing but what starts programs. Where no process is shown, none is in between. */
function isStartedBy(commands: readonly (readonly string[])[], isOurs: boolean): boolean {
  const others = commands.slice(isOurs ? 1 : 0);
  const first = others.find((command) => !isLauncher(command));
  return first === undefined || programOf(first) !== null;
}

/** `npx baton mcp`, and the shell that it starts. */
function isLauncher([program = "", option = "", command = ""]: readonly string[]): boolean {
  if (/^npm exec\b/.test(program) || /^np[mx]$/.test(scriptName(program, option))) return true;
  return basename(program) === "sh" && option === "-c" && /^"?[\w./-]*\bbaton(?:\.cjs)?"? "?mcp"?$/.test(command);
}

function clientIn(environment: ReadonlyMap<string, string>): string | null {
  const found = Object.keys(VARIABLES).find((variable) => !["", "0"].includes(environment.get(variable) ?? ""));
  return found === undefined ? null : (VARIABLES[found] ?? null);
}

const INTERPRETERS = ["node", "bun", "deno"];

function programOf([program = "", script = ""]: readonly string[]): string | null {
  const called = scriptName(program, script);
  return Object.hasOwn(PROGRAMS, called) ? (PROGRAMS[called] ?? null) : null;
}

/** The name of the program, or of the script that an interpreter runs. */
function scriptName(program: string, script: string): string {
  const name = basename(program);
  return INTERPRETERS.includes(name) ? basename(script).replace(/\.[cm]?js$|-cli\.js$/, "") : name;
}
