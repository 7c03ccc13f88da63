import { type JsonPath, isRecord } from "../../shared/json-value.ts";
import type { AgentDefinition, Runner, Workflow } from "../definition.ts";

/** A file or a program that an agent cannot be started without. */
export interface NamedProgram {
  /**
   * A file that another program reads, one that a shell looks for on the PATH, too, one that is started itself, or a
   * name that is looked for on the PATH.
   */
  readonly kind: "script" | "shell-script" | "executable" | "command";
  /** As it is written. */
  readonly name: string;
  /** Who runs it, in the order of the file. */
  readonly agents: readonly string[];
  /** Whether one of them is the first to be started: nobody works before it who could make the file. */
  readonly isFirst: boolean;
  /** Where it is first named. */
  readonly path: JsonPath;
  readonly atKey: boolean;
}

type Named = Omit<NamedProgram, "agents" | "isFirst">;

/**
 * Only what is certain: which files a program reads is its own affair, but for the script that it is started with.
 * `first` is the agent that is started before any other; null where that is not known.
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

/** Null where tasks begin with several agents: which of them is the first, nobody knows. */
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
    default:
      return ofCommand(runner, [...run, "command"], setsPath(runner.options["env"])).map((named) =>
        // Where the file names no command, it is called like the client.
        named.name === runner.kind ? { ...named, path: [...run, runner.kind], atKey: true } : named,
      );
  }
}

function setsPath(environment: unknown): boolean {
  return isRecord(environment) && Object.hasOwn(environment, "PATH");
}

/** Whoever sets the PATH of an agent knows what is found there. */
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
/** They find a file also when its ending is left out. */
const COMPLETING = /^(?:node|bun|tsx|ts-node)$/;

function isScript(program: string, word: string): boolean {
  const interpreter = nameOf(program);
  if (!INTERPRETERS.test(interpreter) || /^-|^[A-Za-z]+:/.test(word)) return false;
  return SCRIPT.test(word) || (word.includes("/") && !COMPLETING.test(interpreter));
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
