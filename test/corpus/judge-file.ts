import { createHash } from "node:crypto";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../../src/protocol/reading.ts";
import type { CorpusVerdict, Verdict } from "./verdicts.ts";

/** What the reader makes of a corpus file, in the words of the table. */
export function judgeFile(name: string, text: string): Omit<CorpusVerdict, "note"> {
  const options = optionsFor(name);
  const reading = readHandoffs(text, options);
  return { dialect: reading.dialect, verdict: verdictOn(text, options, reading), diagnostics: summarise(reading) };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Corpus files are called `repository__folder__name`; a bare number counts the blocks of a page and is no name. */
export function optionsFor(fileName: string): ReadOptions {
  const path = fileName.slice(fileName.lastIndexOf("__") === -1 ? 0 : fileName.lastIndexOf("__") + 2);
  return /^\d+\.\w+$/.test(path) ? {} : { path };
}

function verdictOn(text: string, options: ReadOptions, reading: Reading): Verdict {
  if (reading.handoffs.length === 0) return "none";
  if (reading.valid) return "valid";
  return fixHandoffs(text, options).reading.valid ? "repairable" : "refused";
}

/** Each rule or code once, with its severity and how often it was told. */
function summarise(reading: Reading): string[] {
  const counts = new Map<string, number>();
  for (const { severity, rule, code } of reading.diagnostics) {
    const told = `${severity} ${rule ?? code}`;
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return [...counts].map(([told, count]) => (count === 1 ? told : `${told} x${count}`)).toSorted();
}
