import type { Diagnostic } from "../protocol/diagnostic.ts";
import type { Formats } from "../protocol/dialects/registry.ts";
import { fixHandoffs } from "../protocol/fix-handoff.ts";
import type { DialectName, Handoff } from "../protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../protocol/reading.ts";
import type { Problem } from "../workflow/input.ts";

export interface LastHandoff {
  readonly reading: Reading;
  readonly handoff: Handoff | null;
  readonly repaired: boolean;
}

/** How the text of an agent is read. */
interface AgentReading {
  /** The format in which it hands over. */
  readonly dialect: DialectName;
  /** All agents that may be named. */
  readonly agents: readonly string[];
  readonly formats: Formats;
  /** The file of the text; null for a message. */
  readonly path: string | null;
}

/**
 * Uses the last handoff in the agent's own format, or else the last one: some clients repeat rejected answers before it.
 * Safe repairs are made and recorded.
 */
export function readLastHandoff(text: string, { dialect, agents, formats, path }: AgentReading): LastHandoff {
  const inRun = { agents, formats, prefer: dialect };
  const options: ReadOptions = path === null ? inRun : { ...inRun, path };
  const reading = readHandoffs(text, options);
  const found = countedHandoff(reading, dialect);
  if (found !== null) return { reading, handoff: found, repaired: false };
  const fixed = fixHandoffs(text, { ...options, dialect });
  const mended = countedHandoff(fixed.reading, dialect);
  if (mended !== null) return { reading: fixed.reading, handoff: mended, repaired: true };
  return { reading: reading.dialect === null ? fixed.reading : reading, handoff: null, repaired: false };
}

/** Of several handoffs in one text, the one that counts in a run. */
export function countedHandoff({ valid, handoffs }: Reading, dialect: DialectName | null): Handoff | null {
  if (!valid) return null;
  return (handoffs.findLast((read) => read.dialect === dialect) ?? handoffs.at(-1))?.handoff ?? null;
}

/** Why a text holds no handoff that can be used, for its author. */
export function problemsIn(reading: Reading, files: readonly string[], text: string): Problem[] {
  const errors = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (reading.handoffs.length === 0 && Buffer.byteLength(text) >= DEFAULT_LIMITS.bytes - LARGEST_CHARACTER)
    return [OUTPUT_CUT, ...errors.map(problemOf)];
  return errors.length === 0 ? [nothingWritten(files)] : errors.map(problemOf);
}

/** An output that is cut off may end in the middle of a character. */
const LARGEST_CHARACTER = 4;
const OUTPUT_CUT: Problem = {
  message: `Your output is larger than ${DEFAULT_LIMITS.bytes} bytes: only its last part was read, and no handoff was found in it.`,
  hint: "Write the handoff as the last thing of your output, and less before it.",
  where: null,
  rule: null,
};

/** Where there is no handoff, the commands that the command line names are none of the agent's. */
function problemOf({ code, message, hint, rule, range }: Diagnostic): Problem {
  return {
    message,
    hint: code === "no-handoff" ? WRITE_ONE : hint,
    rule,
    where: `${range.start.line}:${range.start.column}`,
  };
}

export function nothingWritten(files: readonly string[]): Problem {
  const message =
    files.length === 0
      ? "Your last message holds no handoff."
      : `No handoff was written: neither ${files.join(" nor ")} is new, and your last message holds none.`;
  return { message, hint: WRITE_ONE, where: null, rule: null };
}

const WRITE_ONE = "Write one in the format described below.";
