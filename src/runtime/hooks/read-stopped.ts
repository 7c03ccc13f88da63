import type { Formats } from "../../protocol/dialects/registry.ts";
import type { DialectName, Handoff } from "../../protocol/handoff.ts";
import type { Problem } from "../../workflow/input.ts";
import { type LastHandoff, nothingWritten, problemsIn, readLastHandoff } from "../read-last-handoff.ts";

/** What a stopped agent has handed over. */
export interface StoppedHandoff {
  /** The text that was read: from the last handoff on. */
  readonly text: string;
  readonly handoff: Handoff | null;
  readonly repaired: boolean;
  readonly warnings: number;
  /** Why there is no handoff that can be used. */
  readonly problems: readonly Problem[];
  /** Whether there is no handoff at all. */
  readonly isMissing: boolean;
}

/** The last handoff of a message. Earlier ones do not count: Gemini repeats answers that were refused before. */
export function readStopped(
  text: string,
  { format, agents, formats }: { format: DialectName; agents: readonly string[]; formats: Formats },
): StoppedHandoff {
  const options = { dialect: format, agents, formats, path: null };
  const none = { text, handoff: null, repaired: false, warnings: 0 };
  if (text.trim() === "") return { ...none, problems: [nothingWritten([])], isMissing: true };
  let [part, last] = [text, readLastHandoff(text, options)];
  const end = last.handoff === null ? endOfEarlier(text, last) : null;
  if (end !== null) {
    part = text.slice(end);
    last = readLastHandoff(part, options);
  }
  const { handoff, reading, repaired } = last;
  if (handoff === null) {
    const isMissing = reading.handoffs.length === 0 && reading.diagnostics.every(({ code }) => code === "no-handoff");
    return { ...none, text: part, problems: problemsIn(reading, [], part), isMissing };
  }
  const warnings = reading.diagnostics.filter(({ severity }) => severity === "warning").length;
  return { text: part, handoff, repaired, warnings, problems: [], isMissing: false };
}

/** Where the text after the last but one handoff begins; null when there is only one. */
function endOfEarlier(text: string, { reading }: LastHandoff): number | null {
  const before = reading.handoffs.at(-2);
  if (before === undefined) return null;
  const closing = /^[^\n]*\n?[ \t]*(?:`{3,}|~{3,})[ \t]*(?:\n|$)/.exec(text.slice(before.end));
  return before.end + (closing?.[0].length ?? 0);
}
