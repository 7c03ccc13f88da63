import { isRecord } from "../../shared/json-value.ts";
import type { AgentDefinition, GateDefinition, Runner, Workflow } from "../definition.ts";

/** A file that a workflow may name. Whether there is one, only the repository tells. */
export interface NamedFile {
  /** As written, without `./`: relative to the root of the repository, or absolute. */
  readonly path: string;
  /** `scripts`: only what package.json has under `scripts` decides what is run. */
  readonly part: "whole" | "scripts";
  /** The program reads it by its usual name: no word of the command names it. */
  readonly isImplied: boolean;
}

/** An agent or a gate of a workflow. */
export type FileUser = { readonly agent: string } | { readonly gate: string };

/**
 * The files that the commands, the options, the variables and the prompt of one agent, or the command and the variables
 * of one gate, can name. What those files load in turn is not known here. Reports and handoffs are written by the
 * program itself and are left out.
 */
export function filesNamedBy(workflow: Workflow, user: FileUser): NamedFile[] {
  const found = new Map<string, NamedFile>();
  for (const command of commandsOf(workflow, user))
    for (const file of filesOfCommand(command)) if (!found.has(coveredName(file))) found.set(coveredName(file), file);
  const written = new Set(writtenBy(workflow, user));
  return [...found.values()].filter(({ path }) => !written.has(path));
}

/** The same for all agents and gates. */
export function filesNamedIn(workflow: Workflow): NamedFile[] {
  const users: FileUser[] = [
    ...Object.keys(workflow.agents).map((agent) => ({ agent })),
    ...Object.keys(workflow.gates).map((gate) => ({ gate })),
  ];
  const all = users.flatMap((user) => filesNamedBy(workflow, user));
  return [...new Map(all.map((file) => [coveredName(file), file])).values()];
}

/** The files that describe its own formats. A run that has begun no longer needs them: it is pinned to what they said. */
export function formatFilesOf({ formats = {} }: Pick<Workflow, "formats">): NamedFile[] {
  const paths = new Set(Object.values(formats).flatMap(({ files }) => files));
  return [...paths].map((path) => ({ path, part: "whole", isImplied: false }));
}

/** What a covered file is called in records and messages. */
export function coveredName({ path, part }: Pick<NamedFile, "path" | "part">): string {
  return part === "whole" ? path : `${path} (scripts)`;
}

function writtenBy({ agents, gates }: Workflow, user: FileUser): string[] {
  const handoffs = Object.values(agents).flatMap(({ file }) => (file === null ? [] : [plainPath(file)]));
  const reports = "gate" in user ? (gates[user.gate]?.reports ?? []) : [];
  return [...handoffs, ...reports.map(plainPath)];
}

/** Words that belong to one program: its arguments, and the values of its variables. */
type Words = readonly string[];

function commandsOf({ agents, gates }: Workflow, user: FileUser): Words[] {
  if ("gate" in user) return ofGate(gates[user.gate]);
  const agent = agents[user.agent];
  return agent === undefined ? [] : [...ofRunner(agent.runner), includedBy(agent)];
}

function ofGate(gate: GateDefinition | undefined): Words[] {
  return gate === undefined ? [] : [withVariables(gate.command, gate.limits.environment)];
}

function ofRunner(runner: Runner): Words[] {
  switch (runner.kind) {
    case "human":
      return [];
    case "function":
      return [["node", runner.module]];
    case "builtin":
      // Without commands of their own the first two run the scripts of package.json.
      return [runner.name === "closer" ? [] : ["npm"], ...wordsIn(runner.options)];
    case "process":
      return [withVariables(runner.command, runner.environment)];
    case "claude":
    case "codex":
    case "acp":
      return [runner.command, ...wordsIn(runner.options)];
  }
}

/** Folders of a PATH that the workflow sets can hold the program. */
function withVariables(command: Words, environment: Readonly<Record<string, string>>): Words {
  const [program = ""] = command;
  const folders = program.includes("/") ? [] : (environment["PATH"] ?? "").split(":").filter((folder) => folder !== "");
  return [...command, ...Object.values(environment), ...folders.map((folder) => `${folder}/${program}`)];
}

/** Lists of words are commands; other texts stand for themselves. */
function wordsIn(value: unknown): Words[] {
  if (typeof value === "string") return [[value]];
  if (Array.isArray(value)) {
    const words = value.filter((word) => typeof word === "string");
    return [words, ...value.filter((word) => typeof word !== "string").flatMap(wordsIn)];
  }
  return isRecord(value) ? Object.values(value).flatMap(wordsIn) : [];
}

/**
 * Clients take the content of a file into the prompt where it says `@path`. Other words of a prompt are prose, which also
 * names what the agent is to write.
 */
function includedBy({ prompt }: AgentDefinition): Words {
  return [...prompt.matchAll(/(?<=^|[\s("'`])@([^\s"'`)]+)/gu)].map(([, path = ""]) => path.replace(/[.,;:!?]+$/, ""));
}

function filesOfCommand(words: Words): NamedFile[] {
  const pieces = [...new Set(words.flatMap(piecesOf))];
  const folders = new Set(["", ...foldersIn(words.flatMap(shellWords))]);
  const names = pieces.map((piece) => piece.slice(piece.lastIndexOf("/") + 1));
  const implied = IMPLIED.filter(({ program }) => names.some((name) => program.test(name)));
  const completed = names.some((name) => COMPLETING.test(name)) ? pieces.flatMap(completions) : [];
  return [...folders].flatMap((folder) => [
    ...[...pieces, ...completed].flatMap((piece) => fileAt(folder, piece, "whole", false)),
    ...implied.flatMap(({ files, part }) => files.flatMap((name) => fileAt(folder, name, part, true))),
  ]);
}

function fileAt(folder: string, piece: string, part: NamedFile["part"], isImplied: boolean): NamedFile[] {
  if (folder !== "" && piece.startsWith("/")) return [];
  const path = plainPath(folder === "" ? piece : `${folder}/${piece}`);
  return path === "" || path === "." || /^\.\.(?:\/|$)/.test(path) ? [] : [{ path, part, isImplied }];
}

/**
 * The whole word, and what a shell or an option could make of it: `sh -c './a.sh && ./b.sh'`, `--config=c.json`, `-fx.mk`,
 * `$PWD/a.sh`. What a shell writes with `>` it does not read.
 */
function piecesOf(word: string): string[] {
  const parts = shellWords(word);
  const values = parts.flatMap((part) => /^-[A-Za-z](.+)$/.exec(part)?.[1] ?? []);
  const inside = [...parts, ...values].flatMap((part) =>
    part.startsWith("/") ? [part, part.replace(/^\/+/, "")] : [part],
  );
  return [word, ...inside.filter((part) => part !== "")];
}

function shellWords(word: string): string[] {
  const text = word.replaceAll(/>>?\s*[^\s;|&]+/g, " ").replaceAll(/\$\{?\w+\}?/g, " ");
  return text.split(/[\s;|&<>()$`"'=,:{}\\]+/).filter((part) => part !== "");
}

/** Folders in which a part of the command runs: `cd tools && ./a.sh`, `make -C tools`, `npm --prefix tools test`. */
function foldersIn(words: Words): string[] {
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    return FOLDER_WORDS.test(word) && next !== undefined ? [next] : [];
  });
}

const FOLDER_WORDS = /^(?:cd|pushd|-C|--prefix|--cwd|--dir|--directory|-w|--workspace)$/;

/** Node and Python find a file by less than its name. */
function completions(piece: string): string[] {
  const path = piece.replace(/\/+$/, "");
  const module = /^[\w.]+$/.test(path) ? path.replaceAll(".", "/") : path;
  return [...ENDINGS.map((ending) => path + ending), ...PYTHON_ENDINGS.map((ending) => module + ending)];
}

const COMPLETING = /^(?:node|bun|deno|tsx|ts-node|python[\d.]*)$/;
const ENDINGS = [".js", ".mjs", ".cjs", ".json", ".ts", "/index.js", "/index.mjs", "/index.cjs", "/package.json"];
const PYTHON_ENDINGS = [".py", "/__main__.py", "/__init__.py"];

interface Implied {
  readonly program: RegExp;
  readonly files: readonly string[];
  readonly part: NamedFile["part"];
}

/** Files in which a program finds the commands that it is asked for by name. */
const IMPLIED: readonly Implied[] = [
  { program: /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/, files: ["package.json"], part: "scripts" },
  { program: /^(?:npm|npx|pnpm|pnpx)$/, files: [".npmrc"], part: "whole" },
  { program: /^yarn$/, files: [".yarnrc.yml", ".yarnrc"], part: "whole" },
  { program: /^g?make$/, files: ["GNUmakefile", "makefile", "Makefile"], part: "whole" },
  { program: /^just$/, files: ["justfile", "Justfile", ".justfile"], part: "whole" },
  { program: /^task$/, files: ["Taskfile.yml", "Taskfile.yaml"], part: "whole" },
  { program: /^rake$/, files: ["Rakefile", "rakefile", "Rakefile.rb"], part: "whole" },
];

/** Without `.` and `..` where they can be resolved; the path of a folder has no `/` at its end. */
function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
