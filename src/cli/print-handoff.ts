import { type Handoff, handoffParts } from "../protocol/handoff.ts";
import { defuseLines, printable } from "../shared/printable.ts";

/** A short text for people: one line per part, long parts counted. */
export function printHandoffText(handoff: Handoff): string {
  const lines = [`handoff (${handoff.dialect})`];
  for (const [part, value] of handoffParts(handoff)) lines.push(`  ${part}: ${brief(value)}`);
  return `${defuseLines(lines)}\n`;
}

function brief(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = printable(text.replaceAll(/\s+/g, " "));
  return shown.length > 100 ? `${shown.slice(0, 97)}...` : shown;
}
