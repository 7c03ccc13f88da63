import type { AgentTakeover, KnownSum, TakeoverView } from "../runtime/operations/report-takeovers.ts";
import { printable } from "../shared/printable.ts";
import { count } from "./formats/report.ts";
import { paint } from "./paint.ts";

const ESTIMATED = "packets are estimated at 4 bytes a token; all other tokens are the client's own figures";

/** What taking over cost each attempt of a run: a section of `baton status RUN`. */
export function takeoverLines(takeovers: readonly TakeoverView[], colour: boolean): string[] {
  const told = takeovers.filter(isWorthTelling);
  if (told.length === 0) return [];
  const head = ["attempt", "agent", "packet", "first input", "before 1st change", "files read"];
  const rows = told.map((each) => [
    each.attempt,
    each.agent,
    packetGiven(each),
    figure(each.first_input_tokens),
    figure(each.input_tokens_before_change),
    filesRead(each),
  ]);
  return ["", `  ${paint(`takeover: ${ESTIMATED}`, "quiet", colour)}`, ...table(head, rows, colour)];
}

/** Where no packet was given and the client tells nothing, there is nothing to see. */
function isWorthTelling({ packet, first_input_tokens, input_tokens, files_read }: TakeoverView): boolean {
  return packet !== null || first_input_tokens !== null || input_tokens !== null || files_read !== null;
}

function packetGiven({ packet }: TakeoverView): string {
  if (packet === null) return "none";
  return `${packet.bytes} bytes, ~${packet.estimated_tokens} tokens, ${count(packet.facts.length, "fact")}`;
}

/** What is not known is said to be so: it is not zero. */
function figure(value: number | null): string {
  return value === null ? "unknown" : String(value);
}

function filesRead({ files_read, packet }: TakeoverView): string {
  if (files_read === null) return "unknown";
  const { named, unnamed, more, elsewhere } = files_read;
  const others = unnamed.length + more;
  const outside = elsewhere === 0 ? "" : `, ${elsewhere} outside`;
  return packet === null ? `${others}${outside}` : `${named.length} named, ${others} not named${outside}`;
}

/** The same of all runs, by agent: a section of `baton report`. */
export function printTakeovers(agents: readonly AgentTakeover[], colour: boolean): string {
  const told = agents.filter(
    ({ packets, first_input_tokens, files_named }) =>
      packets > 0 || first_input_tokens.known > 0 || files_named.known > 0,
  );
  if (told.length === 0) return "";
  const head = ["agent", "attempts", "packets", "packet tokens", "before 1st change", "read, named", "read, not named"];
  const rows = told.map((each) => [
    each.agent,
    String(each.attempts),
    String(each.packets),
    each.packets === 0 ? "none" : `~${each.packet_estimated_tokens}`,
    sum(each.input_tokens_before_change, each.attempts),
    sum(each.files_named, each.attempts),
    sum(each.files_unnamed, each.attempts),
  ]);
  return ["", paint(`takeover: ${ESTIMATED}`, "quiet", colour), ...table(head, rows, colour), ""].join("\n");
}

/** With of how many attempts it is known, where that is not all of them. */
function sum({ sum: total, known }: KnownSum, attempts: number): string {
  if (total === null) return "unknown";
  return known === attempts ? String(total) : `${total} (of ${known})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[], colour: boolean): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell)));
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd();
  return [paint(line(head), "quiet", colour), ...cells.map(line)];
}
