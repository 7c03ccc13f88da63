import { printJsonLines, defuseLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readOne } from "../check-file.ts";
import { HELP_OPTION, READ_OPTIONS } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { type Handoff, handoffParts } from "../../protocol/handoff.ts";

export const command: Command = {
  name: "read",
  summary: "Print the canonical handoff that a file holds",
  usage: "FILE|-",
  details: ["Prints one handoff as a record, several as a list. A handoff with errors is not printed: exit code 1."],
  options: { json: { about: "Print JSON (a short text otherwise)." }, ...READ_OPTIONS, ...HELP_OPTION },
  run: read,
};

async function read(invocation: Invocation, terminal: Terminal): Promise<number> {
  const one = await readOne(command, invocation, terminal);
  if (one === null) return EXIT.findings;
  const { handoffs } = one;
  if (invocation.has("json")) terminal.out(printJsonLines(handoffs.length === 1 ? handoffs[0] : handoffs));
  else terminal.out(handoffs.map((handoff) => printHandoffText(handoff)).join("\n"));
  return EXIT.fine;
}

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
