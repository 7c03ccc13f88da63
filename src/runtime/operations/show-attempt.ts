import { hash } from "node:crypto";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import type { AttemptTexts } from "../../views/handoff-page.ts";
import { type StepItem, stepItems } from "../../views/step-items.ts";
import type { AttemptRecord, GivenPrompt, KeptText } from "../../workflow/attempt-record.ts";
import { type ReadRun, readRun } from "../read-run.ts";
import { findRun } from "./send-input.ts";
import { composePrompt } from "../../workflow/compose-prompt.ts";
import { foldEntries } from "../run-session.ts";
import { handoffFiles } from "../take-handoff.ts";

export async function showAttempt(ports: Ports, name: string, attempt: string): Promise<AttemptTexts> {
  const row = await findRun(ports, name);
  const read = await readRun(ports, row);
  const { agent } = stepOf(read, row.run, attempt);
  const record = attemptRecordOf(read, attempt);
  const packet = await textOf(ports, record?.packet);
  return {
    attempt,
    agent,
    ...promptAgain(ports, read, attempt, packet),
    packet,
    output: await textOf(ports, record?.output),
  };
}

function promptAgain(
  { redact }: Pick<Ports, "redact">,
  read: ReadRun,
  attempt: string,
  packet: string | null,
): Pick<AttemptTexts, "prompt" | "prompt_is_exact"> {
  const given = attemptRecordOf(read, attempt)?.prompt;
  const prompt =
    given === undefined ? null : recomposePrompt(read, attempt, { ...withRest(given), packet: packet ?? "" });
  if (prompt === null) return { prompt: null, prompt_is_exact: null };
  return { prompt: redact(prompt), prompt_is_exact: hash("sha256", prompt, "hex") === given?.sha256 };
}

function withRest({ nonce, rest }: GivenPrompt): { readonly nonce: string; readonly rest?: string } {
  return rest === undefined ? { nonce } : { nonce, rest };
}

async function textOf({ log }: Pick<Ports, "log">, kept: KeptText | null | undefined): Promise<string | null> {
  return kept === null || kept === undefined ? null : log.text(kept.text);
}

/** The step that an attempt belongs to. */
export function stepOf({ events }: Pick<ReadRun, "events">, run: string, attempt: string): StepItem {
  const step = stepItems(events).find(({ attempts }) => attempts.some((item) => item.attempt === attempt));
  if (step !== undefined) return step;
  throw new AppError("no-match", `Run ${run} has no attempt ${attempt}.`, "The steps of the run list its attempts.");
}

/** The record of an attempt; null while it is running, and for a lost one. */
export function attemptRecordOf({ events }: Pick<ReadRun, "events">, attempt: string): AttemptRecord | null {
  for (const { event } of events)
    if (event.kind === "attempt-ended" && event.attempt === attempt) return event.record ?? null;
  return null;
}

/** The prompt of an attempt, composed from the log; null when the log has no such attempt. */
function recomposePrompt(
  { workflow, entries }: Pick<ReadRun, "workflow" | "entries">,
  attempt: string,
  given: { readonly nonce: string; readonly packet: string; readonly rest?: string },
): string | null {
  const begun = entries.findIndex(({ event }) => event?.kind === "attempt-started" && event.attempt === attempt);
  const event = entries[begun]?.event;
  if (event?.kind !== "attempt-started") return null;
  // The prompt was composed after all events of the decision were stored, so these are included up to the next input.
  const next = entries.findIndex(({ kind }, index) => index > begun && kind === "input");
  const state = foldEntries(next < 0 ? entries : entries.slice(0, next));
  const task = state.tasks[event.task];
  const agent = workflow.agents[task?.step?.agent ?? ""];
  if (task === undefined || agent === undefined) return null;
  const files = handoffFiles(agent, state, { task: task.id, isParallel: workflow.parallel > 1 });
  return composePrompt(workflow, state, task, event.reason, { ...given, file: files.at(-1) ?? null });
}
