import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type Migration, migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { projectRoot } from "../architecture/source-files.ts";
import { hashOf, optionsFor } from "../corpus/judge-file.ts";

/** One thing that a note states, as it was listed by eye. */
interface ListedItem {
  readonly kinds: readonly string[];
  readonly lines: readonly number[];
  /** Words that the entry must hold; a path first where it is about a file. */
  readonly words: readonly string[];
  /** It may be taken, but is not missed. */
  readonly isOptional: boolean;
}

export interface NoteSet {
  readonly name: string;
  readonly notes: readonly { readonly path: string; readonly items: readonly ListedItem[] }[];
}

interface Entry {
  readonly kind: string;
  readonly lines: readonly number[];
  readonly text: string;
  readonly path: string;
}

interface NoteScore {
  readonly name: string;
  readonly listed: number;
  readonly found: number;
  readonly entries: number;
  readonly right: number;
  readonly questions: number;
  readonly gaps: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

const FIXTURES = join(projectRoot, "test/fixtures/migration");
const CORPUS = join(projectRoot, "../shared/corpus");

/** Our own notes: each `NAME.items` lists what `NAME.md` states. */
export function ownSet(folder: string): NoteSet {
  const root = join(FIXTURES, folder);
  const names = readdirSync(root).filter((name) => name.endsWith(".items"));
  const notes = names.map((name) => ({
    path: join(root, name.replace(/\.items$/, ".md")),
    items: listedItems(readFileSync(join(root, name), "utf8")),
  }));
  return { name: folder, notes };
}

/** Notes of the corpus that were listed under the name; null when the corpus is absent. */
export function corpusSet(name: string): NoteSet | null {
  if (!existsSync(CORPUS)) return null;
  const paths = new Map(filesIn(CORPUS).map((path) => [hashOf(readFileSync(path)), path]));
  const sections = readFileSync(join(import.meta.dirname, "corpus-items.txt"), "utf8")
    .split(/^= /m)
    .slice(1);
  const notes = sections.flatMap((section) => {
    const [hash = "", set] = section.slice(0, section.indexOf("\n")).split(" ");
    if (set !== name) return [];
    const path = paths.get(hash);
    if (path === undefined) throw new Error(`The corpus has no file ${hash}.`);
    return [{ path, items: listedItems(section.slice(section.indexOf("\n"))) }];
  });
  return { name: `corpus ${name}`, notes };
}

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** `done|modified 16-30/2 words`: one item for each line of a range. */
function listedItems(text: string): ListedItem[] {
  return text.split("\n").flatMap((line) => {
    const parts = /^(~?)([a-z|]+) (\d+)(?:-(\d+)(?:\/(\d+))?)?(?: (.*))?$/.exec(line.trim());
    if (parts === null) return [];
    const [, optional, kinds = "", from = "", to = from, step = "1", words] = parts;
    const item = {
      kinds: kinds.split("|"),
      isOptional: optional === "~",
      words: words === undefined ? [] : words.split(" | "),
    };
    const lines: number[] = [];
    for (let at = Number(from); at <= Number(to); at += Number(step)) lines.push(at);
    // A statement that is made twice may be taken from either place.
    return kinds === "outcome" ? [{ ...item, lines }] : lines.map((at) => ({ ...item, lines: [at] }));
  });
}

export function scoreNote(path: string, items: readonly ListedItem[]): NoteScore {
  const migration = migrateNotes(readFileSync(path, "utf8"), optionsFor(basename(path)));
  const open = new Set(entriesOf(migration));
  const entries = open.size;
  const missed: string[] = [];
  // Alternatives come last, so that they do not take an entry that only another item can have.
  const ordered = items.toSorted(
    (left, right) => Number(left.isOptional) - Number(right.isOptional) || left.kinds.length - right.kinds.length,
  );
  for (const item of ordered) {
    const match = [...open].find((entry) => fits(entry, item));
    if (match !== undefined) open.delete(match);
    else if (!item.isOptional) missed.push(`${item.kinds.join("|")} ${item.lines.join(",")} ${item.words.join(" | ")}`);
  }
  const listed = items.filter(({ isOptional }) => !isOptional).length;
  return {
    name: basename(path),
    listed,
    found: listed - missed.length,
    entries,
    right: entries - open.size,
    questions: migration.diagnostics.filter(({ severity }) => severity !== "info").length,
    gaps: migration.gaps.length,
    missed,
    wrong: [...open].map(({ kind, lines, text }) => `${kind} ${lines[0]} ${text.slice(0, 90)}`),
  };
}

function fits(entry: Entry, { kinds, lines, words }: ListedItem): boolean {
  if (!kinds.includes(entry.kind) || !entry.lines.some((line) => lines.includes(line))) return false;
  const needed = entry.path === "" ? words : words.slice(1);
  if (entry.path !== "" && words[0] !== undefined && words[0] !== entry.path) return false;
  return needed.every((word) => entry.text.toLowerCase().includes(word.toLowerCase()));
}

const KINDS: Readonly<Record<string, string>> = {
  outcome: "outcome",
  files_created: "created",
  patterns_discovered: "pattern",
  gotchas: "gotcha",
  dependencies_for_next: "read",
  open_questions: "question",
  suggested_next_steps: "step",
  blockers: "blocker",
  "carried.summary": "summary",
  "carried.context.decisions": "decision",
  "carried.context.limitations": "limitation",
  "carried.context.assumptions": "assumption",
  "carried.context.data.completed": "done",
  "carried.context.data.tests": "test",
};

/** What was taken, as entries: the values of one item of a list belong together. */
function entriesOf({ taken, document }: Migration): Entry[] {
  const grouped = new Map<string, { list: string; values: Migration["taken"][number][] }>();
  for (const value of taken) {
    const item = /^(.*?\[\d+\])/.exec(value.field)?.[1] ?? value.field;
    const group = grouped.get(item) ?? { list: item.replace(/\[\d+\]$/, ""), values: [] };
    group.values.push(value);
    grouped.set(item, group);
  }
  return [...grouped].map(([item, { list, values }]) => {
    const file = list.startsWith("files_") || list === "dependencies_for_next";
    const index = Number(/\[(\d+)\]$/.exec(item)?.[1] ?? 0);
    const kind = list === "files_modified" ? changeOf(document, index) : KINDS[list];
    return {
      kind: kind ?? list,
      lines: values.map(({ line }) => line),
      path: file ? (values.find(({ field }) => /\.(?:path|file)$/.test(field))?.text ?? "?") : "",
      text: list === "outcome" ? JSON.stringify(document["outcome"]) : values.map(({ text }) => text).join(" | "),
    };
  });
}

function changeOf(document: Migration["document"], index: number): string {
  const list = document["files_modified"];
  const item: unknown = Array.isArray(list) ? list[index] : undefined;
  const type = typeof item === "object" && item !== null && "change_type" in item ? item.change_type : "";
  return type === "delete" ? "deleted" : "modified";
}

/** Recall and precision in percent over a whole set, and the most questions that one of its notes is asked. */
export function totalsOf(scores: readonly NoteScore[]) {
  const sum = (pick: (score: NoteScore) => number): number => scores.reduce((total, score) => total + pick(score), 0);
  return {
    notes: scores.length,
    listed: sum(({ listed }) => listed),
    recall: percent(
      sum(({ found }) => found),
      sum(({ listed }) => listed),
    ),
    entries: sum(({ entries }) => entries),
    precision: percent(
      sum(({ right }) => right),
      sum(({ entries }) => entries),
    ),
    gaps: sum(({ gaps }) => gaps),
    mostQuestions: Math.max(...scores.map(({ questions }) => questions)),
    questions: sum(({ questions }) => questions),
  };
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.round((1000 * part) / whole) / 10;
}
