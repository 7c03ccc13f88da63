import { type JsonPath, isRecord } from "../../shared/json-value.ts";
import type { AgentDefinition, Runner, Workflow } from "../definition.ts";

/** A file or program that an agent needs to start. */
export interface NamedProgram {
  /**
   * `script`: a file that another program reads. `shell-script`: the same for a shell, which also searches the PATH.
   * `executable`: a file that is started itself. `command`: a name that is looked up on the PATH.
   */
  readonly kind: "script" | "shell-script" | "executable" | "command";
  /** As written in the file. */
  readonly name: string;
  /** Agents that run it, in the order of the file. */
  readonly agents: readonly string[];
  /** Whether the first agent of the run needs it: no earlier agent could create the file. */
  readonly isFirst: boolean;
  /** Place of its first mention. */
  readonly path: JsonPath;
  readonly atKey: boolean;
}

type Named = Omit<NamedProgram, "agents" | "isFirst">;

/**
 * Lists only programs that are certainly needed: the files that a program reads are not known, except for the script
 * that it is started with. `first` is the agent that starts first; null when that is not known.
 */
export function namedPrograms(workflow: Workflow, first: string | null = firstAgent(workflow)): NamedProgram[] {
  const found = new Map<string, NamedProgram>();
  for (const agent of Object.values(workflow.agents))
    for (const named of programsOf(agent)) {
      const key = `${named.kind} ${named.name}`;
      const before = found.get(key);
      found.set(key, {
        ...(before ?? named),
        agents: [...(before?.agents ?? []), agent.name],
        isFirst: before?.isFirst === true || agent.name === first,
      });
    }
  return [...found.values()];
}

/** Null when tasks start with different agents: it is not known which of them starts first. */
function firstAgent({ start, tasks }: Workflow): string | null {
  const [first = start, ...others] = new Set(
    tasks.filter(({ dependsOn }) => dependsOn.length === 0).map((task) => task.start ?? start),
  );
  return others.length === 0 ? first : null;
}

function programsOf({ name, runner }: AgentDefinition): Named[] {
  const run: JsonPath = ["agents", name, "run"];
  switch (runner.kind) {
    case "human":
    case "builtin":
      return [];
    case "function":
      return [{ kind: "script", name: runner.module, path: [...run, "function"], atKey: false }];
    case "process":
      return ofCommand(runner, [...run, "process"], setsPath(runner.environment));
    case "acp":
      return ofCommand(runner, [...run, "acp"], setsPath(runner.options["env"]));
    case "claude":
    case "codex":
      return ofCommand(runner, [...run, "command"], setsPath(runner.options["env"])).map((named) =>
        // If the file names no command, the command has the name of the client.
        named.name === runner.kind ? { ...named, path: [...run, runner.kind], atKey: true } : named,
      );
  }
}

function setsPath(environment: unknown): boolean {
  return isRecord(environment) && Object.hasOwn(environment, "PATH");
}

/** Programs on the PATH are left out if the agent sets its own PATH. */
function ofCommand(
  { command }: Extract<Runner, { readonly command: readonly string[] }>,
  path: JsonPath,
  hasOwnPath: boolean,
): Named[] {
  const [program = "", script] = command;
  const place = (index: number): Pick<Named, "path" | "atKey"> => ({ path: [...path, index], atKey: false });
  const named: Named[] = [];
  if (program.includes("/")) named.push({ kind: "executable", name: program, ...place(0) });
  else if (program !== "" && !hasOwnPath) named.push({ kind: "command", name: program, ...place(0) });
  if (script === undefined || !isScript(program, script)) return named;
  const kind = SHELLS.test(nameOf(program)) && !script.includes("/") ? "shell-script" : "script";
  if (kind === "script" || !hasOwnPath) named.push({ kind, name: script, ...place(1) });
  return named;
}

const INTERPRETERS = /^(?:node|bun|tsx|ts-node|python[\d.]*|sh|bash|dash|zsh|ksh|ruby|perl|php)$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ksh)$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php)$/;
/** These interpreters also find a file without its extension. */
const COMPLETING = /^(?:node|bun|tsx|ts-node)$/;

function isScript(program: string, word: string): boolean {
  const interpreter = nameOf(program);
  if (!INTERPRETERS.test(interpreter) || /^-|^[A-Za-z]+:/.test(word)) return false;
  return SCRIPT.test(word) || (word.includes("/") && !COMPLETING.test(interpreter));
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
