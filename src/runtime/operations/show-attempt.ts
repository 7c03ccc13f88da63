import { hash } from "node:crypto";
import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";
import { type StepItem, stepItems } from "../../views/step-items.ts";
import type { AttemptRecord, KeptText } from "../../workflow/attempt-record.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { recomposePrompt } from "../recompose-prompt.ts";
import { findRun } from "./tell-run.ts";

/** Texts of one attempt: what it was given and what it said. Null when it was not kept. */
export interface AttemptTexts {
  readonly attempt: string;
  readonly agent: string;
  readonly prompt: string | null;
  /** It is composed again from the log, and by its hash it is what the agent was given; null when there is none. */
  readonly prompt_is_exact: boolean | null;
  /** The part of the prompt that tells what is known. */
  readonly packet: string | null;
  readonly output: string | null;
}

export async function showAttempt(machine: Machine, name: string, attempt: string): Promise<AttemptTexts> {
  const row = await findRun(machine, name);
  const read = await readRun(machine, row);
  const { agent } = stepOf(read, row.run, attempt);
  const record = recordOf(read, attempt);
  const packet = await textOf(machine, record?.packet);
  return {
    attempt,
    agent,
    ...promptAgain(machine, read, attempt, packet),
    packet,
    output: await textOf(machine, record?.output),
  };
}

function promptAgain(
  { redact }: Pick<Machine, "redact">,
  read: ReadRun,
  attempt: string,
  packet: string | null,
): Pick<AttemptTexts, "prompt" | "prompt_is_exact"> {
  const given = recordOf(read, attempt)?.prompt;
  const prompt =
    given === undefined ? null : recomposePrompt(read, attempt, { nonce: given.nonce, packet: packet ?? "" });
  if (prompt === null) return { prompt: null, prompt_is_exact: null };
  return { prompt: redact(prompt), prompt_is_exact: hash("sha256", prompt, "hex") === given?.sha256 };
}

async function textOf({ log }: Pick<Machine, "log">, kept: KeptText | null | undefined): Promise<string | null> {
  return kept === null || kept === undefined ? null : log.text(kept.text);
}

/** The step that an attempt belongs to. */
export function stepOf({ events }: Pick<ReadRun, "events">, run: string, attempt: string): StepItem {
  const step = stepItems(events).find(({ attempts }) => attempts.some((item) => item.attempt === attempt));
  if (step !== undefined) return step;
  throw new AppError("no-match", `Run ${run} has no attempt ${attempt}.`, "The steps of the run list its attempts.");
}

/** What was kept of it; null while it works, and for one that was lost. */
export function recordOf({ events }: Pick<ReadRun, "events">, attempt: string): AttemptRecord | null {
  for (const { event } of events)
    if (event.kind === "attempt-ended" && event.attempt === attempt) return event.record ?? null;
  return null;
}
