import { hash } from "node:crypto";
import { closeSync, openSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Snapshot, snapshotShape } from "../../ports/repository.ts";
import { hasShape } from "../../protocol/find-mismatch.ts";
import { type Infer, data } from "../../protocol/shape.ts";
import { makeFolder } from "../make-folder.ts";
import type { HookCall } from "./hook-call.ts";

/**
 * What one hook of a session leaves for the next ones, in a folder of the state for each session.
 *
 * How often an agent was sent back: each time is a file of its own, which only one process can make, so that of two
 * hooks at once each counts one. A count only grows until the agent hands over, or a person asks for something else: no
 * agent is held longer than allowed. Its rounds, by which a handoff that is told twice is known from one that is given
 * twice. The files as they were when the agent began, as a tree of git. What it has used so far. And the handoff that it
 * has submitted, which counts when it stops.
 */
const FOLDER = "sessions";

type Session = Pick<HookCall, "client" | "session">;
type Sender = Session & Pick<HookCall, "agentId" | "turn">;

/** Each agent of a session has a task of its own in its run, whose name ends with the beginning of the agent's. */
export function taskOfAgent({ agentId, agentType }: Pick<HookCall, "agentId" | "agentType">): string {
  if (agentId === null && agentType === null) return MAIN_TASK;
  const name = (agentType ?? "agent").replaceAll(/[^\w.-]/g, "-").slice(0, 40);
  return `${name}-${agentName({ agentId }).slice(0, TASK_ENDING)}`;
}

const MAIN_TASK = "main";
const TASK_ENDING = 6;

/** Counts one more. Null when the agent was sent back as often as allowed. */
export function countBlock(stateFolder: string, sender: Sender, most: number): number | null {
  const folder = folderOf(stateFolder, sender);
  for (let number = 1; number <= most; number++) {
    makeFolder(folder);
    if (isMade(join(folder, `${nameOf(sender)}.${number}`))) return number;
  }
  return null;
}

function isMade(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Gemini and OpenCode do not tell agents of one type apart, and OpenCode calls an agent again to have it mend its
 * handoff. What is told of one type is of one agent until that has handed over or was given up, and then of the next.
 */
export function withNumber(stateFolder: string, call: HookCall): HookCall {
  const ended = hasSharedId(call) ? numberOf(stateFolder, call) : 0;
  return ended === 0 ? call : { ...call, agentId: `${call.agentId}#${ended}` };
}

/** The agent has handed over, or was given up. */
export function endNumber(stateFolder: string, call: HookCall, id: string): void {
  if (!hasSharedId(call)) return;
  const folder = folderOf(stateFolder, call);
  makeFolder(folder);
  writeFileSync(join(folder, `${sharedName(call)}${id}`), "", { mode: 0o600 });
}

function numberOf(stateFolder: string, call: HookCall): number {
  const name = sharedName(call);
  return namesIn(folderOf(stateFolder, call)).filter((file) => file.startsWith(name)).length;
}

function sharedName({ agentId }: HookCall): string {
  return `${agentName({ agentId: agentId?.replace(/#\d+$/, "") ?? null })}.ended-`;
}

function hasSharedId({ client, agentId }: HookCall): boolean {
  return agentId !== null && (client === "gemini" || client === "opencode");
}

/** The agent has handed over, or was given something else to do: it starts from nothing. */
export function forgetBlocks(stateFolder: string, sender: Sender): void {
  const folder = folderOf(stateFolder, sender);
  const name = nameOf(sender);
  for (const file of namesIn(folder))
    if (file.startsWith(`${name}.`) && !file.endsWith(BASE)) rmSync(join(folder, file), { force: true });
}

/**
 * The agent was sent back, or a person has asked for something: what it hands over from now on counts again, also when
 * it is the same text. Gemini, Copilot and OpenCode do not tell turns apart.
 */
export function beginRound(stateFolder: string, sender: Sender, id: string): void {
  const folder = folderOf(stateFolder, sender);
  makeFolder(folder);
  writeFileSync(join(folder, `${agentName(sender)}${ROUND}${id}`), "", { mode: 0o600 });
}

/** How many rounds the agent has begun. It only grows while the session lasts. */
export function roundOf(stateFolder: string, sender: Sender): number {
  const beginning = `${agentName(sender)}${ROUND}`;
  return namesIn(folderOf(stateFolder, sender)).filter((name) => name.startsWith(beginning)).length;
}

const ROUND = ".round-";
const BASE = ".base";

/** The files as they were when the agent began. */
export function keepBase(stateFolder: string, sender: Sender, base: Snapshot): void {
  const folder = folderOf(stateFolder, sender);
  makeFolder(folder);
  writeFileSync(join(folder, `${agentName(sender)}${BASE}`), JSON.stringify(base), { mode: 0o600 });
}

/** Null when the beginning of the agent was not heard of. */
export function readBase(stateFolder: string, sender: Sender): Snapshot | null {
  return readSnapshot(join(folderOf(stateFolder, sender), `${agentName(sender)}${BASE}`));
}

/** The same for the agent of a task; null where two agents could be meant. */
export function readBaseOfTask(stateFolder: string, session: Session, task: string): Snapshot | null {
  const folder = folderOf(stateFolder, session);
  const beginning = task === MAIN_TASK ? agentName({ agentId: null }) : task.slice(-TASK_ENDING);
  const [only, ...others] = namesIn(folder).filter((name) => name.startsWith(beginning) && name.endsWith(BASE));
  return only === undefined || others.length > 0 ? null : readSnapshot(join(folder, only));
}

function readSnapshot(path: string): Snapshot | null {
  const parsed = readJson(path);
  return hasShape(snapshotShape, parsed) && OBJECT_NAME.test(parsed.tree) ? parsed : null;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

const countedShape = data.record({
  /** The transcript. */
  path: data.text(),
  /** Up to here it was counted. */
  offset: data.count(),
  /** Of all requests so far. */
  tokens: data.count(),
  /** The last requests with their tokens: a client may write one again. */
  last: data.list(data.record({ id: data.text(), tokens: data.count() })),
});
/** What an agent has used so far. It only grows, so a stop that could not be recorded is counted with the next one. */
export type CountedUsage = Infer<typeof countedShape>;

const COUNTED = ".counted";

export function keepCounted(stateFolder: string, sender: Sender, counted: CountedUsage): void {
  const folder = folderOf(stateFolder, sender);
  makeFolder(folder);
  writeFileSync(join(folder, `${agentName(sender)}${COUNTED}`), JSON.stringify(counted), { mode: 0o600 });
}

/** Null when nothing was counted. */
export function readCounted(stateFolder: string, sender: Sender): CountedUsage | null {
  const parsed = readJson(join(folderOf(stateFolder, sender), `${agentName(sender)}${COUNTED}`));
  return hasShape(countedShape, parsed) ? parsed : null;
}

/** A handoff that an agent has submitted counts when the agent stops; another one replaces it. */
export function keepSubmitted(stateFolder: string, session: Session, task: string, text: string): void {
  const folder = folderOf(stateFolder, session);
  makeFolder(folder);
  const path = join(folder, submittedName(task));
  const written = `${path}.${process.pid}`;
  writeFileSync(written, text, { mode: 0o600 });
  renameSync(written, path);
}

/** Gives it once; null when there is none. */
export function takeSubmitted(stateFolder: string, session: Session, task: string): string | null {
  const path = join(folderOf(stateFolder, session), submittedName(task));
  try {
    const text = readFileSync(path, "utf8");
    rmSync(path, { force: true });
    return text;
  } catch {
    return null;
  }
}

function submittedName(task: string): string {
  return `${hash("sha256", task, "hex").slice(0, 32)}.submitted`;
}

/** A name of git's own, and nothing that it could take for an option. */
const OBJECT_NAME = /^[0-9a-f]{40,64}$/;

/**
 * The session has ended. What its agents began with stays: agents in the background may end later. All of it is removed
 * after a week, as are sessions that never ended.
 */
export function forgetSession(stateFolder: string, sender: Sender, now: number): void {
  const ended = folderOf(stateFolder, sender);
  for (const file of namesIn(ended)) if (!file.endsWith(BASE)) rmSync(join(ended, file), { force: true });
  for (const name of namesIn(join(stateFolder, FOLDER)).slice(0, MAX_LOOKED_AT)) {
    const folder = join(stateFolder, FOLDER, name);
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changed > WEEK) rmSync(folder, { recursive: true, force: true });
  }
}

const MAX_LOOKED_AT = 100;
const WEEK = 7 * 24 * 3_600_000;

function folderOf(stateFolder: string, { client, session }: Session): string {
  return join(stateFolder, FOLDER, hash("sha256", `${client}\0${session}`, "hex").slice(0, 32));
}

/** The turn is left out: an agent that is sent back began before. */
function agentName({ agentId }: Pick<HookCall, "agentId">): string {
  return hash("sha256", agentId ?? "", "hex").slice(0, 32);
}

function nameOf({ agentId, turn }: Sender): string {
  return hash("sha256", `${agentId ?? ""}\0${turn ?? ""}`, "hex").slice(0, 32);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
