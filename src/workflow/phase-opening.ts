import type { HandoffContent } from "../protocol/handoff.ts";
import { cutText, visibleLine, visibleText } from "../shared/envelope.ts";

/** How the next prompt of 004 begins (004-R26), and what of the handoff is still to be told after it. */
export interface PhaseOpening {
  readonly text: string;
  readonly rest: Partial<HandoffContent>;
}

/** What blocks comes first: it is to be resolved before anything else. Then context, then files. */
export function openWithPhase(handoff: Partial<HandoffContent>): PhaseOpening {
  const { phase, context, work, blockers, ...others } = handoff;
  const { text = "", ...contextRest } = context ?? {};
  const { modified = [], ...workRest } = work ?? {};
  const isBlocked = handoff.outcome === "blocked";
  const blocks = [
    block("BLOCKERS TO RESOLVE FIRST:", isBlocked ? (blockers ?? []).map(blockerLine) : []),
    block(`CONTEXT FROM ${phaseWord(phase)} PHASE:`, text.trim() === "" ? [] : proseLines(text)),
    block(
      "FILES MODIFIED:",
      modified.map(({ path = "" }) => `- ${line(path)}`),
    ),
  ];
  // Whoever says more of a file than its name is told in full.
  const isTold = modified.every((file) => Object.keys(file).every((key) => key === "path"));
  return {
    text: blocks.filter((one) => one !== "").join("\n\n"),
    rest: {
      ...others,
      ...within("context", contextRest),
      ...within("work", isTold ? workRest : (work ?? {})),
      ...(isBlocked ? {} : within("blockers", blockers ?? [])),
    },
  };
}

const MOST_LINES = 100;
const LONGEST_LINE = 1_000;
const LONGEST_PROSE = 4_000;

function block(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const more = lines.length > MOST_LINES ? [`(and ${lines.length - MOST_LINES} more)`] : [];
  return [heading, ...lines.slice(0, MOST_LINES), ...more].join("\n");
}

/** A word that could be a phase; whatever else an agent calls it makes no heading. */
function phaseWord(phase: string | undefined): string {
  return phase !== undefined && /^[A-Za-z]{1,20}$/.test(phase) ? phase.toUpperCase() : "PREVIOUS";
}

/** Set in from the margin, so that none of it can pose as a heading of ours. */
function proseLines(text: string): string[] {
  return cutText(visibleText(text).trim(), LONGEST_PROSE)
    .split("\n")
    .map((one) => `  ${one.trimEnd()}`);
}

function blockerLine({ description = "", resolution }: NonNullable<HandoffContent["blockers"]>[number]): string {
  return `- ${line(description)}${resolution === undefined ? "" : `: ${line(resolution)}`}`;
}

function line(text: string): string {
  return cutText(visibleLine(text), LONGEST_LINE);
}

/** Nothing, when nothing is left in it. */
function within<K extends string, V extends object>(key: K, value: V): { readonly [P in K]?: V } {
  return Object.keys(value).length === 0 ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
