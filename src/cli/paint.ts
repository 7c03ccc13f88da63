import type { Tone } from "../runtime/operations/view-run.ts";

export { printElapsed as printDuration } from "../shared/utc-time.ts";

const CODES: Readonly<Record<Tone, string>> = {
  good: "32",
  bad: "31",
  warning: "33",
  person: "35",
  plain: "1",
  quiet: "2",
};

export const MARKS: Readonly<Record<Tone, string>> = {
  good: "✓",
  bad: "✗",
  warning: "!",
  person: "?",
  plain: "▶",
  quiet: "·",
};

export function paint(text: string, tone: Tone, colour: boolean): string {
  return colour ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text;
}
