import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunRow } from "../../ports/event-log.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { hasShape } from "../../protocol/find-mismatch.ts";
import type { Formats } from "../../protocol/dialects/registry.ts";
import { formatsOf } from "../../workflow/workflow-formats.ts";
import type { DialectName } from "../../protocol/handoff-words.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import { AppError } from "../../shared/app-error.ts";
import { type SubmittedHandoff, submittedHandoffShape } from "../../views/handoff-page.ts";
import { type AttemptItem, stepItems } from "../../views/step-items.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Engine } from "../engine.ts";
import { readRun } from "../read-run.ts";
import { countedHandoff } from "../read-last-handoff.ts";
import { SUBMITTED_FILE } from "../take-handoff.ts";

/** The result of submitting a handoff. */
type Submission =
  | { readonly is: "accepted"; readonly answer: SubmittedHandoff }
  | { readonly is: "refused"; readonly diagnostics: readonly Diagnostic[] }
  /** The key was already used for a different text. */
  | { readonly is: "other-text" };

export interface AttemptStatus {
  readonly attempt: string;
  /** How it ended; null while its agent is working. */
  readonly over: string | null;
}

/** All attempts of a run. */
export async function attemptsOf({ ports }: Engine, row: RunRow): Promise<AttemptStatus[]> {
  const { state, events } = await readRun(ports, row);
  const working = new Set(
    Object.values(state.tasks).flatMap(({ step }) => (step?.phase === "working" ? [step.attempt] : [])),
  );
  return stepItems(events).flatMap(({ attempts }) =>
    attempts.map((item) => {
      const isAtWork = state.status === "running" && working.has(item.attempt);
      return { attempt: item.attempt, over: isAtWork ? null : sayEnd(item, state.status) };
    }),
  );
}

/** What a text of an attempt is read with: the agents of its run, the formats that it is pinned to, and its own. */
export async function readersOf(
  { ports }: Engine,
  row: RunRow,
  attempt: string,
): Promise<Pick<HandedIn, "agents" | "formats" | "dialect">> {
  const { workflow, events } = await readRun(ports, row);
  const step = stepItems(events).find(({ attempts }) => attempts.some((item) => item.attempt === attempt));
  const dialect = ownValue(workflow.agents, step?.agent ?? "")?.dialect ?? null;
  return { agents: Object.keys(workflow.agents), formats: formatsOf(workflow), dialect };
}

type Place = Omit<HandedIn, "text">;

/** Where an agent submits: its own attempt, while it works. Keys are its own: another agent may use the same. */
export async function placeOfAttempt(engine: Engine, row: RunRow, own: AttemptStatus, key: string): Promise<Place> {
  const { run } = row;
  const readers = await readersOf(engine, row, own.attempt);
  const place = { run, attempt: own.attempt, key: `${own.attempt}\n${key}`, ...readers };
  if (own.over === null || knownSubmission(engine, run, place.key) !== null) return place;
  throw new AppError(
    "conflict",
    `Attempt ${own.attempt} of run ${run} is over: ${own.over}.`,
    "Its token hands in nothing any more; what is handed in counts while the agent works.",
  );
}

/** An attempt that was stopped with its run has no end in the log. */
function sayEnd({ end, has_handoff: hasHandoff, was_refused: wasRefused }: AttemptItem, status: string): string {
  if (end === null) return status === "running" ? "it was stopped" : `the run was ${status}`;
  const handoff = hasHandoff ? `, and its handoff was ${wasRefused ? "refused" : "accepted"}` : "";
  return `${end.replaceAll("-", " ")}${handoff}`;
}

interface HandedIn {
  readonly run: string;
  readonly attempt: string;
  /** Identifies the submission within the run. */
  readonly key: string;
  /** All agents of the workflow. */
  readonly agents: readonly string[];
  readonly formats: Formats;
  /** That of the agent; null when the attempt is not known. */
  readonly dialect: DialectName | null;
  readonly text: string;
}

/**
 * Stores the text where the process that drives the run finds it when the agent ends; it is then processed like a
 * handoff file, with all checks. The same key returns the same answer again, even after the attempt ended.
 */
export async function submitHandoff(
  engine: Engine,
  { run, attempt, key, agents, formats, dialect: own, text }: HandedIn,
): Promise<Submission> {
  // Awaited first: nothing below waits, so the second of two concurrent calls with one key sees the result of the
  // first.
  const scratch = await engine.ports.workspace.scratch(run, attempt);
  const masked = engine.ports.redact(text);
  const sha256 = createHash("sha256").update(masked).digest("hex");
  const receipt = receiptPath(engine, run, key);
  const known = readReceipt(receipt);
  if (known !== null) return known.sha256 === sha256 ? { is: "accepted", answer: known } : { is: "other-text" };
  const reading = readHandoffs(masked, { agents, formats, ...(own !== null && { prefer: own }) });
  const handoff = countedHandoff(reading, own);
  if (handoff === null) return { is: "refused", diagnostics: reading.diagnostics };
  const { dialect, outcome } = handoff;
  const warnings = reading.diagnostics.filter(({ severity }) => severity !== "error");
  const answer: SubmittedHandoff = { accepted: true, run, attempt, dialect, outcome, sha256, warnings };
  publish(join(scratch, SUBMITTED_FILE), masked);
  publish(receipt, JSON.stringify(answer));
  return { is: "accepted", answer };
}

export function knownSubmission(engine: Engine, run: string, key: string): SubmittedHandoff | null {
  return readReceipt(receiptPath(engine, run, key));
}

function receiptPath({ stateFolder }: Engine, run: string, key: string): string {
  return join(stateFolder, "submissions", run, `${createHash("sha256").update(key).digest("hex")}.json`);
}

function readReceipt(path: string): SubmittedHandoff | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    return hasShape(submittedHandoffShape, parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Writes atomically and durably, even on a power failure. */
function publish(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
  renameSync(temporary, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
