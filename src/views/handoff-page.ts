import { judgementShape } from "../evidence/claim.ts";
import { diagnosticShape, textRangeShape } from "../protocol/diagnostic.ts";
import { type DialectName, canonicalShape } from "../protocol/handoff.ts";
import { type Infer, data } from "../protocol/shape.ts";

export const handoffPageShape = data.record({
  run: data.text(),
  attempt: data.text(),
  step: data.text(),
  task: data.text(),
  agent: data.text(),
  at: data.count(),
  dialect: data.nullable(data.word<DialectName>()),
  /** Formats that the run has beside the five: it can be converted to them, too. */
  formats: data.list(data.text()),
  accepted: data.boolean(),
  /** Why it was refused. */
  problems: data.list(
    data.record({ message: data.text(), hint: data.nullable(data.text()), where: data.nullable(data.text()) }),
  ),
  /** The original text; null when it was not kept. */
  source: data.nullable(data.text()),
  diagnostics: data.list(diagnosticShape),
  handoff: data.nullable(canonicalShape),
  /** Each claim has its place in the text; null when the text was not kept, or had to be repaired first. */
  claims: data.list(data.extend(judgementShape, { range: data.nullable(textRangeShape) })),
  /** The handoff of the same agent before this one, to compare with. */
  previous: data.nullable(data.record({ attempt: data.text(), iteration: data.count(), diff: data.text() })),
});
/** One handoff: its text, its parsed form, its verdicts and its difference from the previous one. */
export type HandoffPage = Infer<typeof handoffPageShape>;

export const convertedHandoffShape = data.record({
  dialect: data.word<DialectName>(),
  text: data.text(),
  /** Fields that the other dialect cannot express. */
  losses: data.list(diagnosticShape),
});
export type ConvertedHandoff = Infer<typeof convertedHandoffShape>;

export const submittedHandoffShape = data.record({
  accepted: data.literal(true),
  run: data.text(),
  attempt: data.text(),
  dialect: data.word<DialectName>(),
  outcome: data.text(),
  /** SHA-256 of the kept text. */
  sha256: data.sha256(),
  warnings: data.list(diagnosticShape),
});
export type SubmittedHandoff = Infer<typeof submittedHandoffShape>;

export const attemptTextsShape = data.record({
  attempt: data.text(),
  agent: data.text(),
  prompt: data.nullable(data.text()),
  /** Whether the prompt, composed again from the log, has the hash of the original; null without a prompt. */
  prompt_is_exact: data.nullable(data.boolean()),
  /** The part of the prompt that holds what is known. */
  packet: data.nullable(data.text()),
  output: data.nullable(data.text()),
});
/** The texts of one attempt: its prompt and its output. Null when a text was not kept. */
export type AttemptTexts = Infer<typeof attemptTextsShape>;
