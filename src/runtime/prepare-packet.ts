import { claimedPath } from "../evidence/claimed-path.ts";
import { readPlace } from "../evidence/wording.ts";
import { buildPacket, type WorkSignals, weighFacts } from "../knowledge/build-packet.ts";
import type { Fact } from "../knowledge/fact.ts";
import { type Freshness, freshnessOf } from "../knowledge/freshness.ts";
import { withoutTitles } from "../knowledge/fit-budget.ts";
import { factLine, severityOf } from "../knowledge/learn-facts.ts";
import type { Complexity, Packet, PacketLine, Predecessor, SectionTitle } from "../knowledge/packet.ts";
import { domainsIn, keywordsIn } from "../knowledge/words.ts";
import type { DialectName, Handoff } from "../protocol/handoff.ts";
import type { Ports } from "../ports/ports.ts";
import { ownValue } from "../shared/json-value.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { RunState, TaskState } from "../workflow/state.ts";

/** What making a packet takes. */
export type PacketPorts = Pick<Ports, "knowledge" | "workspace" | "repository" | "clock">;

interface PacketWork {
  readonly run: string;
  readonly directory: string;
  readonly state: RunState;
  readonly task: TaskState;
  /** Ids of the issues to fix. */
  readonly issues: readonly string[];
  readonly complexity: Complexity;
  /** The dialect in whose layout it is printed. */
  readonly layout: DialectName;
  readonly budget: number;
  /** Agents of the run whose handoffs are not verified. */
  readonly unverified?: readonly string[];
}

/** Sections that the prompt contains anyway, whether anything else is known or not. */
const TOLD_IN_PROMPT: ReadonlySet<SectionTitle> = new Set(["Issues to Fix", "Fields of the Run"]);

/** The packet without the sections that the prompt contains anyway. */
export function partOfPrompt(packet: Packet): Packet {
  return withoutTitles(packet, TOLD_IN_PROMPT);
}

/** Maximum number of facts per kind of signal; the packet takes the best of them. */
const MAX_CANDIDATES = 40;

/** Agents whose handoffs the workflow lets pass without verification. */
export function unverifiedAgents({ agents }: Workflow): string[] {
  return Object.values(agents).flatMap(({ name, verify }) => (verify === null ? [name] : []));
}

/** The packet for the next agent, checked against the present files. */
export async function preparePacket(ports: PacketPorts, work: PacketWork): Promise<Packet> {
  const signals = signalsOf(ports, work);
  const facts = await ports.knowledge.candidates({
    tags: [...signals.tags],
    words: [...signals.words],
    files: [...signals.files],
    tasks: [...signals.tasks].map((task) => ({ run: work.run, task })),
    max: MAX_CANDIDATES,
  });
  const before = predecessorsOf(work);
  const believed = believedHandoffs(before, work);
  const checked = await checkFreshness(ports, work.directory, await withoutDecided(ports, believe(facts, believed)));
  const predecessors = await Promise.all(before.map((one) => withTaught(ports, work.directory, one, believed)));
  const changed = await changedBefore(ports, work);
  const paths = [...predecessors.flatMap(({ handoff }) => pathsIn(handoff)), ...changed.map(({ text }) => text)];
  return buildPacket({
    predecessors,
    changed,
    places: await placesNow(ports, work, paths),
    issues: issueLines(work),
    fields: fieldLines(work),
    facts: weighFacts(checked, signals),
    complexity: work.complexity,
    layout: work.layout,
    budget: work.budget,
  });
}

/** Drops contradictions with retired facts: by retiring one of two facts, a person has decided between them. */
export async function withoutDecided(ports: PacketPorts, facts: readonly Fact[]): Promise<Fact[]> {
  const decided = new Set<string>();
  for (const id of new Set(facts.flatMap(({ opposes }) => opposes)))
    if ((await ports.knowledge.find(id))?.status === "retired") decided.add(id);
  return facts.map((fact) => ({ ...fact, opposes: fact.opposes.filter((id) => !decided.has(id)) }));
}

function signalsOf(ports: PacketPorts, { run, state, task, issues }: PacketWork): WorkSignals {
  const told = issues.flatMap((id) => (Object.hasOwn(state.ledger, id) ? [state.ledger[id]] : []));
  const text = [state.brief, task.name, task.brief, ...told.map((issue) => issue?.description ?? "")].join(" ");
  const words = keywordsIn(text).slice(0, MAX_WORDS);
  const places = told.flatMap((issue) => (issue?.location === null || issue === undefined ? [] : [issue.location]));
  const touched = [...task.dependsOn, task.id].flatMap((id) => filesOf(state.tasks[id]));
  return {
    run,
    tasks: new Set([...task.dependsOn, task.id]),
    tags: new Set([...domainsIn(text), ...words]),
    words: new Set(words),
    files: new Set([...places.map((place) => readPlace(place).path), ...touched].slice(0, MAX_FILES)),
    now: ports.clock.now(),
  };
}

const MAX_WORDS = 24;
const MAX_FILES = 40;

function filesOf(task: TaskState | undefined): string[] {
  const { created = [], modified = [], artifacts = [] } = task?.last?.handoff.work ?? {};
  return [...created, ...modified, ...artifacts].flatMap(({ path }) => (path === undefined ? [] : [path]));
}

/** The tasks it depends on. The handoff before its own step is in the prompt already. */
function predecessorsOf({ run, state, task }: PacketWork): Predecessor[] {
  return task.dependsOn.flatMap((id) => {
    const before = Object.hasOwn(state.tasks, id) ? state.tasks[id] : undefined;
    if (before?.status !== "done" || before.last === null) return [];
    const { agent, handoff, text } = before.last;
    const source = { run, task: id, agent, handoff: text, fact: null };
    return [{ task: id, name: before.name, handoff, source, answer: answerIn(before) }];
  });
}

/**
 * A task is told what the handoffs that it depends on say when their work was confirmed, and also where the workflow
 * says `verify: off`. In the store, and so for other runs, their facts stay unproven.
 */
function believedHandoffs(before: readonly Predecessor[], { state, unverified = [] }: PacketWork): ReadonlySet<string> {
  const isBelieved = ({ task, source }: Predecessor): boolean =>
    unverified.includes(source.agent) || isWorkConfirmed(state.tasks[task], source.agent);
  return new Set(before.filter(isBelieved).map(({ source }) => source.handoff));
}

function isWorkConfirmed(task: TaskState | undefined, agent: string): boolean {
  if (task === undefined || (ownValue(task.confirmed, agent) ?? []).length === 0) return false;
  return Object.values(task.refuted).every(({ claims }) => claims.every(({ kind }) => kind === "place"));
}

function believe(facts: readonly Fact[], handoffs: ReadonlySet<string>): readonly Fact[] {
  if (handoffs.size === 0) return facts;
  return facts.map((fact) => {
    const isOpen = fact.status === "quarantined" && fact.unconfirmedPlace === undefined;
    const isOfThese = isOpen && fact.witnesses.every(({ handoff }) => handoffs.has(handoff));
    return isOfThese ? { ...fact, status: "trusted" } : fact;
  });
}

/**
 * A task continues only after all its questions were answered at once, so the last answer belongs to its last handoff.
 */
function answerIn({ answers }: TaskState): string | null {
  const given = answers.findLast(({ choice }) => choice === "answer");
  return given === undefined ? null : factLine(`${given.by} answered: ${given.text ?? ""}`);
}

/** Adds the present form of each statement, after edits by a person or a later handoff. */
async function withTaught(
  ports: PacketPorts,
  directory: string,
  predecessor: Predecessor,
  believed: ReadonlySet<string>,
): Promise<Predecessor> {
  const { run, task, handoff } = predecessor.source;
  const taught = await ports.knowledge.taught({ run, task, handoff });
  const facts = await withoutDecided(
    ports,
    believe(
      taught.map(({ fact }) => fact),
      believed,
    ),
  );
  const checked = await checkFreshness(ports, directory, facts);
  return { ...predecessor, learnedFacts: new Map(checked.map((one, at) => [taught[at]?.where ?? "", one])) };
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

const MAX_CHANGED = 100;

/** Only paths: descriptions of files are unverified free text. */
async function changedBefore({ knowledge }: PacketPorts, { run, task }: PacketWork): Promise<PacketLine[]> {
  const told = new Set(task.last === null ? [] : pathsIn(task.last.handoff));
  const lines = new Map<string, PacketLine>();
  for (const { path, agent } of await knowledge.files({ run, task: task.id, max: MAX_CHANGED })) {
    const source = { run, task: task.id, agent, handoff: "", fact: null };
    if (claimedPath(path).isSafe && !told.has(path) && !lines.has(path))
      lines.set(path, { text: path, detail: null, place: null, severity: null, source });
  }
  return [...lines.values()];
}

/**
 * Files named by predecessors that are missing now, with the names that git says they were renamed to since the run
 * started.
 */
async function placesNow(
  ports: PacketPorts,
  { run, directory }: PacketWork,
  paths: readonly string[],
): Promise<Map<string, string | null>> {
  const gone: string[] = [];
  for (const path of new Set(paths)) if (!(await isThere(ports, directory, path))) gone.push(path);
  if (gone.length === 0) return new Map();
  const began = await ports.repository.mark(directory, `${run}.s1`);
  const since = began?.commit ?? null;
  const renames = since === null ? null : await ports.repository.renamesSince(directory, since);
  return new Map(gone.map((path) => [path, renames?.get(path) ?? null]));
}

/** A pattern is not a file, so it counts as present. */
async function isThere({ workspace }: PacketPorts, directory: string, path: string): Promise<boolean> {
  if (path.includes("*") || !claimedPath(path).isSafe) return true;
  return (await workspace.read(directory, path, 0)) !== null || workspace.has(directory, path);
}

function pathsIn({ work, files_to_read }: Handoff): string[] {
  const { created = [], modified = [], artifacts = [] } = work ?? {};
  const paths = [...created, ...modified, ...artifacts].map(({ path }) => path);
  return [...paths, ...(files_to_read ?? []).map(({ file }) => file)].filter((path) => path !== undefined);
}

/** Reads each cited file once, and asks git only about missing files. */
export async function checkFreshness(
  ports: PacketPorts,
  directory: string,
  facts: readonly Fact[],
): Promise<{ readonly fact: Fact; readonly freshness: Freshness | null }[]> {
  const texts = new Map<string, string | null>();
  const read = async (path: string): Promise<string | null> => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const kept = (await ports.workspace.read(directory, path, LARGEST))?.text ?? null;
    texts.set(path, kept);
    return kept;
  };
  const renames = new Map<string, ReadonlyMap<string, string>>();
  const renamed = async (path: string, commit: string | null): Promise<{ path: string; text: string } | null> => {
    if (commit === null) return null;
    const since = renames.get(commit) ?? (await ports.repository.renamesSince(directory, commit));
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
