import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Formats } from "../../protocol/dialects/registry.ts";
import type { DialectName } from "../../protocol/handoff-words.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";

/** An agent of a client, as its definition in the repository tells. */
export interface DefinedAgent {
  /** Its type, as the client calls it; null for the main agent, of which `AGENTS.md` speaks. */
  readonly name: string | null;
  /** From the root of the repository. */
  readonly path: string;
  /** The format of the handoffs that its definition shows; null when it shows none. */
  readonly format: DialectName | null;
}

interface Place {
  readonly folder: string;
  /** Ends of names of definitions; they are no part of the agent's name. */
  readonly endings: readonly string[];
  /** The name inside of a definition, where it differs from that of its file. */
  readonly named: RegExp;
}

const IN_FRONT_MATTER = /^---\r?\n(?:(?!---)[^\n]*\n){0,50}?name:[ \t]*["']?([^\s"']+)/;

const PLACES: readonly Place[] = [
  { folder: ".claude/agents", endings: [".md"], named: IN_FRONT_MATTER },
  { folder: ".codex/agents", endings: [".toml"], named: /^name[ \t]*=[ \t]*["']([^"'\n]+)["']/m },
  { folder: ".github/agents", endings: [".agent.md", ".md"], named: IN_FRONT_MATTER },
];

const MAIN_FILE = "AGENTS.md";
const MAX_FILES = 100;
const MAX_BYTES = 262_144;

/** Reads the definitions of agents that clients keep in the repository. They are only read, and links are not followed. */
export function findAgents(root: string, formats: Formats): DefinedAgent[] {
  const defined = PLACES.flatMap((place) => definedIn(root, place, formats));
  const main = readText(root, MAIN_FILE);
  const named = new Map(defined.map((agent) => [agent.name, agent]));
  return [
    ...named.values(),
    ...(main === null ? [] : [{ name: null, path: MAIN_FILE, format: formatShown(main, formats) }]),
  ];
}

function definedIn(root: string, { folder, endings, named }: Place, formats: Formats): DefinedAgent[] {
  return namesIn(join(root, folder)).flatMap((file) => {
    const ending = endings.find((each) => file.endsWith(each));
    const text = ending === undefined ? null : readText(root, `${folder}/${file}`);
    if (ending === undefined || text === null) return [];
    const name = named.exec(text)?.[1] ?? basename(file, ending);
    // Others could not be a key of the section.
    if (!/^[A-Za-z][\w.:-]{0,63}$/.test(name)) return [];
    return [{ name, path: `${folder}/${file}`, format: formatShown(text, formats) }];
  });
}

function namesIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder).sort().slice(0, MAX_FILES);
}

function readText(root: string, path: string): string | null {
  const place = join(root, path);
  const about = lstatSync(place, { throwIfNoEntry: false });
  if (about?.isFile() !== true || about.size > MAX_BYTES) return null;
  try {
    return readFileSync(place, "utf8");
  } catch {
    return null;
  }
}

/** A sample or a template in the definition tells in which format the agent is asked to hand over. */
function formatShown(text: string, formats: Formats): DialectName | null {
  return readHandoffs(text, { formats }).dialect;
}

/** The section that these definitions suggest, as YAML. What shows no handoff is left to the reader, as a comment. */
export function proposeSessions(agents: readonly DefinedAgent[]): string {
  const subagents = agents.filter(({ name }) => name !== null).map((agent) => `    ${lineOf(agent)}`);
  const main = agents.filter(({ name }) => name === null).map((agent) => `  ${lineOf(agent)}`);
  const isAny = agents.some(({ name, format }) => name !== null && format !== null);
  const heading = subagents.length === 0 ? [] : [isAny ? "  agents:" : "  agents: {}"];
  const lines = ["sessions:", ...heading, ...subagents, ...main];
  return `${lines.join("\n")}\n`;
}

function lineOf({ name, format, path }: DefinedAgent): string {
  const key = name === null ? "main" : name.includes(":") ? JSON.stringify(name) : name;
  if (format !== null) return `${key}: { format: ${format} } # ${path}`;
  return `# ${key}: { format: task-yaml } # ${path} shows no handoff`;
}

/** Whether anything of the section would be checked. */
export function owesAny(agents: readonly DefinedAgent[]): boolean {
  return agents.some(({ format }) => format !== null);
}
