import type { Tone } from "../runtime/operations/view-run.ts";

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

/** `4.2 s`, `3 min 05 s`, `2 h 10 min`. */
export function printDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}
