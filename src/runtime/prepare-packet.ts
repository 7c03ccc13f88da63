import { claimedPath } from "../evidence/claimed-path.ts";
import { readPlace } from "../evidence/claims/read-range.ts";
import { buildPacket } from "../knowledge/build-packet.ts";
import type { Fact } from "../knowledge/fact.ts";
import { type Freshness, freshnessOf } from "../knowledge/freshness.ts";
import { withoutTitles } from "../knowledge/fit-budget.ts";
import { oneLine, severityOf } from "../knowledge/learn-facts.ts";
import type { Complexity, Packet, PacketLine, Predecessor, SectionTitle } from "../knowledge/packet.ts";
import { type WorkSignals, weighFacts } from "../knowledge/weigh-facts.ts";
import { domainsIn, keywordsIn } from "../knowledge/words.ts";
import type { DialectName, Handoff } from "../protocol/handoff.ts";
import type { Machine } from "../ports/machine.ts";
import type { RunState, TaskState } from "../workflow/state.ts";

export interface PacketWork {
  readonly run: string;
  readonly directory: string;
  readonly state: RunState;
  readonly task: TaskState;
  /** Ids of issues that the work is about: they are to be fixed. */
  readonly issues: readonly string[];
  readonly complexity: Complexity;
  /** The dialect in whose layout it is printed. */
  readonly layout: DialectName;
  readonly budget: number;
}

/** What the prompt tells in sections of its own, whether anything else is known or not. */
const TOLD_IN_PROMPT: ReadonlySet<SectionTitle> = new Set(["Issues to Fix", "Fields of the Run"]);

/** The same packet as the part of a prompt that it is. */
export function partOfPrompt(packet: Packet): Packet {
  return withoutTitles(packet, TOLD_IN_PROMPT);
}

/** Facts of each kind of nearness that are looked at; the packet takes the nearest of them. */
const MOST_CANDIDATES = 40;

/** What the next agent should know, checked against the files as they are now. */
export async function preparePacket(machine: Machine, work: PacketWork): Promise<Packet> {
  const signals = signalsOf(machine, work);
  const facts = await machine.knowledge.candidates({
    tags: [...signals.tags],
    words: [...signals.words],
    files: [...signals.files],
    tasks: [...signals.tasks].map((task) => ({ run: work.run, task })),
    most: MOST_CANDIDATES,
  });
  const checked = await checkFreshness(machine, work.directory, await withoutDecided(machine, facts));
  const predecessors = await Promise.all(predecessorsOf(work).map((one) => withTaught(machine, work.directory, one)));
  const changed = await changedBefore(machine, work);
  const paths = [...predecessors.flatMap(({ handoff }) => pathsIn(handoff)), ...changed.map(({ text }) => text)];
  return buildPacket({
    predecessors,
    changed,
    places: await placesNow(machine, work, paths),
    issues: issueLines(work),
    fields: fieldLines(work),
    facts: weighFacts(checked, signals),
    complexity: work.complexity,
    layout: work.layout,
    budget: work.budget,
  });
}

/** Whoever retires one of two facts that contradict each other has decided between them. */
export async function withoutDecided(machine: Machine, facts: readonly Fact[]): Promise<Fact[]> {
  const decided = new Set<string>();
  for (const id of new Set(facts.flatMap(({ opposes }) => opposes)))
    if ((await machine.knowledge.find(id))?.status === "retired") decided.add(id);
  return facts.map((fact) => ({ ...fact, opposes: fact.opposes.filter((id) => !decided.has(id)) }));
}

function signalsOf(machine: Machine, { run, state, task, issues }: PacketWork): WorkSignals {
  const told = issues.flatMap((id) => (Object.hasOwn(state.ledger, id) ? [state.ledger[id]] : []));
  const text = [state.brief, task.name, task.brief, ...told.map((issue) => issue?.description ?? "")].join(" ");
  const words = keywordsIn(text).slice(0, MOST_WORDS);
  const places = told.flatMap((issue) => (issue?.location === null || issue === undefined ? [] : [issue.location]));
  const touched = [...task.dependsOn, task.id].flatMap((id) => filesOf(state.tasks[id]));
  return {
    run,
    tasks: new Set([...task.dependsOn, task.id]),
    tags: new Set([...domainsIn(text), ...words]),
    words: new Set(words),
    files: new Set([...places.map((place) => readPlace(place).path), ...touched].slice(0, MOST_FILES)),
    now: machine.clock.now(),
  };
}

const MOST_WORDS = 24;
const MOST_FILES = 40;

function filesOf(task: TaskState | undefined): string[] {
  const { created = [], modified = [], artifacts = [] } = task?.last?.handoff.work ?? {};
  return [...created, ...modified, ...artifacts].flatMap(({ path }) => (path === undefined ? [] : [path]));
}

/** Tasks it depends on. The handoff before its own step stands in the prompt already. */
function predecessorsOf({ run, state, task }: PacketWork): Predecessor[] {
  return task.dependsOn.flatMap((id) => {
    const before = Object.hasOwn(state.tasks, id) ? state.tasks[id] : undefined;
    if (before?.status !== "done" || before.last === null) return [];
    const { agent, handoff, text } = before.last;
    const source = { run, task: id, agent, handoff: text, fact: null };
    return [{ task: id, name: before.name, handoff, source, answer: answerIn(before) }];
  });
}

/** It could not go on before its questions were answered, all at once; the last answer is for its last handoff. */
function answerIn({ answers }: TaskState): string | null {
  const given = answers.findLast(({ choice }) => choice === "answer");
  return given === undefined ? null : oneLine(`${given.by} answered: ${given.text ?? ""}`);
}

/** Each statement of it, as a person or a later handoff has left it. */
async function withTaught(machine: Machine, directory: string, predecessor: Predecessor): Promise<Predecessor> {
  const { run, task, handoff } = predecessor.source;
  const taught = await machine.knowledge.taught({ run, task, handoff });
  const facts = await withoutDecided(
    machine,
    taught.map(({ fact }) => fact),
  );
  const checked = await checkFreshness(machine, directory, facts);
  return { ...predecessor, taught: new Map(checked.map((one, at) => [taught[at]?.where ?? "", one])) };
}

function issueLines({ run, state, issues }: PacketWork): PacketLine[] {
  return issues.flatMap((id) => {
    const issue = Object.hasOwn(state.ledger, id) ? state.ledger[id] : undefined;
    if (issue === undefined) return [];
    const { description, remediation, location, openedBy, task } = issue;
    const source = { run, task, agent: openedBy, handoff: "", fact: id };
    const severity = severityOf(issue.severity);
    return [{ text: description, detail: remediation, place: location, severity, source }];
  });
}

function fieldLines({ run, state }: PacketWork): PacketLine[] {
  return Object.entries(state.known).map(([name, { value, by }]) => {
    const source = { run, task: "", agent: by, handoff: "", fact: null };
    return { text: name, detail: value, place: null, severity: null, source };
  });
}

const MOST_CHANGED = 100;

/** Only names: what was said of a file may be anything, and nobody may have proven it. */
async function changedBefore({ knowledge }: Machine, { run, task }: PacketWork): Promise<PacketLine[]> {
  const told = new Set(task.last === null ? [] : pathsIn(task.last.handoff));
  const lines = new Map<string, PacketLine>();
  for (const { path, agent } of await knowledge.files({ run, task: task.id, most: MOST_CHANGED })) {
    const source = { run, task: task.id, agent, handoff: "", fact: null };
    if (claimedPath(path).isSafe && !told.has(path) && !lines.has(path))
      lines.set(path, { text: path, detail: null, place: null, severity: null, source });
  }
  return [...lines.values()];
}

/** Files that predecessors name and that are no longer there: where git says that they went since the run began. */
async function placesNow(
  machine: Machine,
  { run, directory }: PacketWork,
  paths: readonly string[],
): Promise<Map<string, string | null>> {
  const gone: string[] = [];
  for (const path of new Set(paths)) if (!(await isThere(machine, directory, path))) gone.push(path);
  if (gone.length === 0) return new Map();
  const began = await machine.repository.mark(directory, `${run}.s1`);
  const since = began?.commit ?? null;
  const renames = since === null ? null : await machine.repository.renamesSince(directory, since);
  return new Map(gone.map((path) => [path, renames?.get(path) ?? null]));
}

/** A pattern names no file that could be gone. */
async function isThere({ workspace }: Machine, directory: string, path: string): Promise<boolean> {
  if (path.includes("*") || !claimedPath(path).isSafe) return true;
  return (await workspace.read(directory, path, 0)) !== null || workspace.has(directory, path);
}

function pathsIn({ work, files_to_read }: Handoff): string[] {
  const { created = [], modified = [], artifacts = [] } = work ?? {};
  const paths = [...created, ...modified, ...artifacts].map(({ path }) => path);
  return [...paths, ...(files_to_read ?? []).map(({ file }) => file)].filter((path) => path !== undefined);
}

/** Each cited file is read once, and git is asked only for those that are gone. */
export async function checkFreshness(
  machine: Machine,
  directory: string,
  facts: readonly Fact[],
): Promise<{ readonly fact: Fact; readonly freshness: Freshness | null }[]> {
  const texts = new Map<string, string | null>();
  const read = async (path: string): Promise<string | null> => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const kept = (await machine.workspace.read(directory, path, LARGEST))?.text ?? null;
    texts.set(path, kept);
    return kept;
  };
  const renames = new Map<string, ReadonlyMap<string, string>>();
  const renamed = async (path: string, commit: string | null): Promise<{ path: string; text: string } | null> => {
    if (commit === null) return null;
    const since = renames.get(commit) ?? (await machine.repository.renamesSince(directory, commit));
    renames.set(commit, since);
    const to = since.get(path);
    const text = to === undefined ? null : await read(to);
    return to === undefined || text === null ? null : { path: to, text };
  };
  const checked = [];
  for (const fact of facts) checked.push({ fact, freshness: await freshness(fact, read, renamed) });
  return checked;
}

const LARGEST = 1_048_576;

async function freshness(
  { citation }: Fact,
  read: (path: string) => Promise<string | null>,
  renamed: (path: string, commit: string | null) => Promise<{ path: string; text: string } | null>,
): Promise<Freshness | null> {
  if (citation === null) return null;
  const text = await read(citation.path);
  const here = freshnessOf(citation, text);
  if (here.is === "unchanged" || here.is === "moved" || text !== null) return here;
  return freshnessOf(citation, text, await renamed(citation.path, citation.commit));
}
