import { hash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openEngine } from "../../src/main/open-engine.ts";
import { instructionsFor } from "../../src/protocol/instructions.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { notificationsAfter } from "../../src/runtime/operations/list-notifications.ts";
import { listRunItems } from "../../src/runtime/operations/list-runs.ts";
import { measureRuns } from "../../src/runtime/operations/measure-runs.ts";
import { RULES_VERSION, replayRun } from "../../src/runtime/operations/replay-run.ts";
import { reportRuns } from "../../src/runtime/operations/report-runs.ts";
import { findRun, listRuns, readState } from "../../src/runtime/operations/send-input.ts";
import { attemptRecordOf, showAttempt } from "../../src/runtime/operations/show-attempt.ts";
import { showHandoff } from "../../src/runtime/operations/show-handoff.ts";
import { showInbox } from "../../src/runtime/operations/show-inbox.ts";
import { listEvents, showRun } from "../../src/runtime/operations/show-run.ts";
import { viewRun } from "../../src/runtime/operations/view-run.ts";
import { writeJournal } from "../../src/runtime/operations/write-journal.ts";
import { type ReadRun, readRun } from "../../src/runtime/read-run.ts";
import { AppError } from "../../src/shared/app-error.ts";
import { stepItems } from "../../src/views/step-items.ts";
import type { AgentDefinition } from "../../src/workflow/definition.ts";

/** Histories of each version of stored data, each in a folder: `v1/loop`. */
export function historyNames(): string[] {
  const versions = readdirSync(import.meta.dirname).filter((name) => /^v\d+$/.test(name));
  return versions.flatMap((version) =>
    readdirSync(join(import.meta.dirname, version))
      .filter((name) => name !== "project" && name !== INSTRUCTIONS)
      .map((name) => `${version}/${name}`),
  );
}

/**
 * The repository of a history with its state, as the program that recorded it has left them. Programs before the state
 * moved into the git folder kept it in `.baton`; `place` says where it is put.
 */
export function restoreHistory(name: string, room: string, place = ".git/baton"): string {
  const folder = join(room, name.replace("/", "-"), "shop");
  const state = join(folder, place);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  cpSync(join(import.meta.dirname, name, "../project"), folder, { recursive: true });
  for (const file of ["baton.db", "knowledge.db"])
    if (existsSync(join(import.meta.dirname, name, `${file}.gz`)))
      writeFileSync(join(state, file), unpacked(name, `${file}.gz`));
  return folder;
}

/** What the program that recorded a history showed of it. */
export function recordedAnswers(name: string): unknown {
  return JSON.parse(unpacked(name, "told.json.gz").toString("utf8"));
}

/** The file of a version with the instructions that its prompts contain. */
export const INSTRUCTIONS = "instructions.json.gz";

/** How each agent was told to write a handoff, by the key of `instructionsKey`. */
type Instructions = Readonly<Record<string, string>>;

function instructionsKey({ dialect, name }: AgentDefinition): string {
  return `${dialect} ${name}`;
}

export function recordedInstructions(name: string): Instructions {
  return JSON.parse(unpacked(join(name, ".."), INSTRUCTIONS).toString("utf8")) as Instructions;
}

/** The instructions that the present program gives to every agent of the runs in a folder. */
export async function presentInstructions(folder: string): Promise<Instructions> {
  const engine = openEngine(folder);
  const { ports } = engine;
  try {
    const made: Record<string, string> = {};
    for (const row of await listRuns(ports, 100)) {
      const read = await orRefusal(() => readRun(ports, row));
      for (const agent of "refused" in read ? [] : Object.values(read.workflow.agents))
        made[instructionsKey(agent)] = instructionsFor(agent.dialect, { from: agent.name, inRun: true });
    }
    return made;
  } finally {
    await engine.close();
  }
}

function unpacked(name: string, file: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, name, file)));
}

const NOW = Date.UTC(2026, 11, 1);

/**
 * The same answers from the present program: the state of every run, every view of it, its prompts, its decisions.
 * Prompts are compared with the `recorded` instructions in place of the present ones.
 */
export async function presentAnswers(folder: string, recorded: Instructions = {}): Promise<unknown> {
  const opened = openEngine(folder);
  const engine = { ...opened, ports: withClock(opened.ports) };
  const { ports } = engine;
  try {
    const described: Record<string, unknown> = {};
    const rows = (await listRuns(ports, 100)).toSorted((one, other) => (one.run < other.run ? -1 : 1));
    for (const { run } of rows) described[run] = await orRefusal(() => answersAbout(engine, run, recorded));
    const answers = {
      runs: await listRunItems(ports, { limit: 100 }),
      inbox: await showInbox(ports),
      metrics: await measureRuns(ports),
      notifications: (await notificationsAfter(ports, 0, 10_000, 0)).news,
      described,
    };
    return JSON.parse(JSON.stringify(answers));
  } finally {
    await opened.close();
  }
}

/** Getters stay getters: the store of facts is opened when it is first asked. */
function withClock(ports: Engine["ports"]): Engine["ports"] {
  const clock = { value: { ...ports.clock, now: () => NOW }, enumerable: true };
  return Object.create(ports, { clock }) as Engine["ports"];
}

async function answersAbout(engine: Engine, run: string, recorded: Instructions): Promise<unknown> {
  const { ports } = engine;
  const row = await findRun(ports, run);
  const read = await readRun(ports, row);
  const attempts = stepItems(read.events).flatMap((step) => step.attempts.map(({ attempt }) => attempt));
  const viewed = await viewRun(ports, run, row.workflow);
  return {
    state: await readState(ports, run),
    view: viewed.view,
    page: await showRun(ports, run),
    events: (await listEvents(ports, run, 0, 10_000)).events,
    // Later rules may decide otherwise; what the rules of then decided stands, and is in the state and the events.
    replay: replayRun(viewed.workflow, viewed.entries).map(({ sequence, input: { kind }, rules, isSame }) => ({
      sequence,
      kind,
      isSame: isSame || rules < RULES_VERSION,
    })),
    attempts: await Promise.all(attempts.map((attempt) => attemptOf(ports, run, attempt, { read, recorded }))),
    handoffs: await Promise.all(attempts.map((attempt) => orRefusal(() => handoffOf(ports, run, attempt)))),
    report: { ...(await reportRuns(ports, run, null)), made_at: 0 },
    journal: await writeJournal(engine, run),
  };
}

async function attemptOf(
  ports: Engine["ports"],
  run: string,
  attempt: string,
  { read, recorded }: { readonly read: ReadRun; readonly recorded: Instructions },
): Promise<unknown> {
  const { prompt, packet, output, ...rest } = await showAttempt(ports, run, attempt);
  const agent = read.workflow.agents[rest.agent];
  const given = attemptRecordOf(read, attempt)?.prompt;
  const isExact =
    prompt === null || agent === undefined || rest.prompt_is_exact === true
      ? rest.prompt_is_exact
      : withRecorded(prompt, agent, recorded).some((text) => hash("sha256", text, "hex") === given?.sha256);
  return { ...rest, prompt_is_exact: isExact, has_prompt: prompt !== null, packet, output };
}

/**
 * Only the hash of a prompt is stored, and the instructions of a format may change: the recorded ones take their place,
 * with the sentence on names that ends them now, or with the one that ended them at first.
 */
function withRecorded(prompt: string, agent: AgentDefinition, recorded: Instructions): string[] {
  const present = instructionsFor(agent.dialect, { from: agent.name, inRun: true });
  const then = recorded[instructionsKey(agent)];
  if (then === undefined) return [prompt];
  const [before = "", after = ""] = prompt.split(present);
  return [after, after.replace(/ name yourself [^\n]*\n$/, " name yourself so.\n")].map(
    (end) => `${before}${then}${end}`,
  );
}

async function handoffOf(ports: Engine["ports"], run: string, attempt: string): Promise<unknown> {
  const { diagnostics: _diagnostics, source, ...page } = await showHandoff(ports, run, attempt);
  return { ...page, source_bytes: source === null ? null : Buffer.byteLength(source) };
}

async function orRefusal<T>(work: () => Promise<T>): Promise<T | { readonly refused: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code };
    throw error;
  }
}
