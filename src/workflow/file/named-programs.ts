import type { JsonPath } from "../../shared/json-value.ts";
import type { AgentDefinition, Runner, Workflow } from "../definition.ts";
import { type Edge, WorkflowGraph } from "./graph.ts";

/** A file or a program that an agent cannot be started without. */
export interface NamedProgram {
  /** A file that another program reads, one that is started itself, or a name that is looked for on the PATH. */
  readonly kind: "script" | "executable" | "command";
  /** As it is written. */
  readonly name: string;
  /** Who runs it, in the order of the file. */
  readonly agents: readonly string[];
  /** Whether the workflow's own routes lead to one of them, not only the wish of a handoff or the blocked table. */
  readonly isNeeded: boolean;
  /** Where it is first named. */
  readonly path: JsonPath;
  readonly atKey: boolean;
}

type Named = Omit<NamedProgram, "agents" | "isNeeded">;

/** Only what is certain: which files a program reads is its own affair, but for the script that it is started with. */
export function namedPrograms(workflow: Workflow): NamedProgram[] {
  const found = new Map<string, NamedProgram>();
  const needed = neededAgents(workflow);
  for (const agent of Object.values(workflow.agents))
    for (const named of programsOf(agent)) {
      const key = `${named.kind} ${named.name}`;
      const before = found.get(key);
      found.set(key, {
        ...(before ?? named),
        agents: [...(before?.agents ?? []), agent.name],
        isNeeded: before?.isNeeded === true || needed.has(agent.name),
      });
    }
  return [...found.values()];
}

/** A hub sends work on by its wishes and by nothing else, so all of its choices count. */
function neededAgents(workflow: Workflow): ReadonlySet<string> {
  const graph = new WorkflowGraph(workflow);
  const isWish = ({ from, leaf }: Edge): boolean => leaf.kind === "choose" && workflow.agents[from]?.hub !== true;
  return graph.reach(graph.starts(), (edge) => edge.by !== "blocked" && !isWish(edge));
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
      return ofCommand(runner, [...run, "process"], Object.hasOwn(runner.environment, "PATH"));
    case "acp":
      return ofCommand(runner, [...run, "acp"], false);
    default:
      return ofCommand(runner, [...run, "command"], false).map((named) =>
        // Where the file names no command, it is called like the client.
        named.name === runner.kind ? { ...named, path: [...run, runner.kind], atKey: true } : named,
      );
  }
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
  if (script !== undefined && isScript(program, script)) named.push({ kind: "script", name: script, ...place(1) });
  return named;
}

const INTERPRETERS = /^(?:node|bun|tsx|ts-node|python[\d.]*|sh|bash|dash|zsh|ksh|ruby|perl|php)$/;
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php)$/;
/** They find a file also when its ending is left out. */
const COMPLETING = /^(?:node|bun|tsx|ts-node)$/;

function isScript(program: string, word: string): boolean {
  const interpreter = program.slice(program.lastIndexOf("/") + 1);
  if (!INTERPRETERS.test(interpreter) || /^-|^[A-Za-z]+:/.test(word)) return false;
  return SCRIPT.test(word) || (word.includes("/") && !COMPLETING.test(interpreter));
}
