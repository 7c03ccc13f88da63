import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunRow } from "../../ports/event-log.ts";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { hasShape } from "../../protocol/find-mismatch.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import { type SubmittedHandoff, submittedHandoffShape } from "../../views/handoff-page.ts";
import { type AttemptItem, stepItems } from "../../views/step-items.ts";
import type { Engine } from "../engine.ts";
import { readRun } from "../read-run.ts";
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

export async function agentsOfRun({ ports }: Engine, row: RunRow): Promise<readonly string[]> {
  return Object.keys((await readRun(ports, row)).workflow.agents);
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
  readonly text: string;
}

/**
 * Stores the text where the process that drives the run finds it when the agent ends; it is then processed like a
 * handoff file, with all checks. The same key returns the same answer again, even after the attempt ended.
 */
export async function submitHandoff(
  engine: Engine,
  { run, attempt, key, agents, text }: HandedIn,
): Promise<Submission> {
  // Awaited first: nothing below waits, so the second of two concurrent calls with one key sees the result of the
  // first.
  const scratch = await engine.ports.workspace.scratch(run, attempt);
  const masked = engine.ports.redact(text);
  const sha256 = createHash("sha256").update(masked).digest("hex");
  const receipt = receiptPath(engine, run, key);
  const known = readReceipt(receipt);
  if (known !== null) return known.sha256 === sha256 ? { is: "accepted", answer: known } : { is: "other-text" };
  const reading = readHandoffs(masked, { agents });
  const handoff = reading.valid ? reading.handoffs.at(-1)?.handoff : null;
  if (handoff === null || handoff === undefined) return { is: "refused", diagnostics: reading.diagnostics };
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
