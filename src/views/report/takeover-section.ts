import type { AgentTakeover, KnownSum } from "../takeovers.ts";
import { type Section, said } from "./page.ts";
import { UNKNOWN, columns } from "./words.ts";

/** What it has cost each agent to take work over. */
export function takeoverSection(takeovers: readonly AgentTakeover[]): Section[] {
  const told = takeovers.filter(isWorthTelling);
  if (told.length === 0) return [];
  const rows = told.map((each) => [
    [said(each.agent)],
    [String(each.attempts)],
    [String(each.packets)],
    [each.packets === 0 ? "none" : `~${each.packet_estimated_tokens}`],
    [printKnown(each.input_tokens_before_change, each.attempts)],
    [printKnown(each.files_named, each.attempts)],
    [printKnown(each.files_unnamed, each.attempts)],
  ]);
  const names = ["#packet tokens", "#tokens before 1st change", "#files read, named", "#files read, not named"];
  return [
    {
      heading: "Taking over",
      about: [ABOUT],
      table: { columns: columns("agent", "#attempts", "#packets", ...names), rows },
    },
  ];
}

const ABOUT =
  "Of all attempts. A packet is what an agent is told of what is known, and it names files. Tokens of packets are estimated at 4 bytes each; all others are the client's own figures.";

/** Where no packet was given and the client tells nothing, there is nothing to see. */
function isWorthTelling({ packets, first_input_tokens: first, files_named: files }: AgentTakeover): boolean {
  return packets > 0 || first.known > 0 || files.known > 0;
}

/** With of how many attempts it is known, where that is not all of them. */
function printKnown({ sum, known }: KnownSum, attempts: number): string {
  if (sum === null) return UNKNOWN;
  return known === attempts ? String(sum) : `${sum} (of ${known})`;
}
