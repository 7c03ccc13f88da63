import type { Table } from "../runtime/operations/report-runs.ts";
import type { TakeoverView } from "../runtime/operations/report-takeovers.ts";
import { count } from "../shared/count.ts";
import { wrapText } from "./fit-text.ts";
import { type PrettyStyle, tableLines } from "./formats/pretty-table.ts";
import { paint } from "./paint.ts";

const ABOUT = "taking over: tokens of packets are estimated at 4 bytes each; all others are the client's own figures";

/** What taking over cost each attempt of a run: a section of `baton status RUN`. */
export function takeoverLines(takeovers: readonly TakeoverView[], style: PrettyStyle): string[] {
  const told = takeovers.filter(isWorthTelling);
  if (told.length === 0) return [];
  const rows = told.map((each) => [
    [{ said: each.attempt }],
    [{ said: each.agent }],
    [packetGiven(each)],
    [figure(each.first_input_tokens)],
    [figure(each.input_tokens_before_change)],
    [filesRead(each)],
  ]);
  const about = wrapText(ABOUT, style.width - 2, 0);
  return [
    "",
    ...about.map((line) => `  ${paint(line, "quiet", style.colour)}`),
    ...tableLines({ columns: COLUMNS, rows }, style),
  ];
}

const COLUMNS: Table["columns"] = [
  ...["attempt", "agent"].map((name) => ({ name, isNumber: false })),
  ...["packet", "first input", "before 1st change", "files read"].map((name) => ({
    name,
    isNumber: true,
  })),
];

/** Where no packet was given and the client tells nothing, there is nothing to see. */
function isWorthTelling({ packet, first_input_tokens, input_tokens, files_read }: TakeoverView): boolean {
  return packet !== null || first_input_tokens !== null || input_tokens !== null || files_read !== null;
}

function packetGiven({ packet }: TakeoverView): string {
  if (packet === null) return "none";
  return `~${count(packet.estimated_tokens, "token")}, ${count(packet.facts.length, "fact")}`;
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
