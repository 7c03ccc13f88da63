import { cutText, envelope, visibleLine } from "../shared/envelope.ts";
import type { Problem } from "./input.ts";

/** Maximum number of lines of one list in a prompt. */
export const MAX_LINES = 60;
const MAX_LINE = 1_000;

/** Flattens untrusted text to one bounded line, so that it cannot pose as a line of the prompt. */
export function inOneLine(text: string): string {
  return cutText(visibleLine(text), MAX_LINE);
}

/** What is wrong with a handoff, for its author: it quotes the handoff. Empty when nothing is. */
export function problemsInEnvelope(problems: readonly Problem[], nonce: string): string {
  if (problems.length === 0) return "";
  const more = problems.length > MAX_LINES ? `\n(and ${problems.length - MAX_LINES} more)` : "";
  return envelope("problems", problems.slice(0, MAX_LINES).map(problemLine).join("\n") + more, nonce);
}

function problemLine({ message, hint, where, rule }: Problem): string {
  const place = where === null ? "" : ` (at ${inOneLine(where)})`;
  return `- ${inOneLine(message)}${place}${rule === null ? "" : ` [${rule}]`}${hint === null ? "" : `\n  ${inOneLine(hint)}`}`;
}
