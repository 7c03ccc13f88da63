import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareRun, type Expected } from "../../proofs/trials/compare-run.ts";
import { drivePlay } from "../../proofs/trials/drive-play.ts";
import { readPlay } from "../../proofs/trials/read-play.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";

/**
 * Workflow files as somebody writes them who has read the documentation and not the code. Their headers were written
 * before any of them was tried: where a mistake is told, or how the run goes and ends.
 */
function filesOf(folder: "broken" | "unusual"): { name: string; text: string }[] {
  const path = join(import.meta.dirname, "trials", folder);
  return readdirSync(path).map((name) => ({ name, text: readFileSync(join(path, name), "utf8") }));
}

/** Everything that `baton check` finds by the file alone. */
function findingsIn(text: string) {
  return readWorkflow(text, { path: "baton.yaml", hash: "hash" }).diagnostics;
}

const TOLD = /^# Told: line (\d+)(?: \(or ([\d, ]+)\))?, (an error|an error or a warning), with the word `(.+)`\.$/m;

describe("30 broken files", () => {
  it.each(filesOf("broken"))("$name is told at its place", ({ text }) => {
    const [, line, others = "", kind, word = ""] = TOLD.exec(text) ?? [];
    const lines = [line, ...others.split(", ")].map(Number);
    const findings = findingsIn(text);
    const shown = findings.map(
      ({ severity, message, hint, range }) => `${range.start.line} ${severity} ${message} ${hint ?? ""}`,
    );
    const here = findings.filter(
      ({ severity, range }) => lines.includes(range.start.line) && (kind !== "an error" || severity === "error"),
    );
    const isTold = here.some(({ message, hint }) =>
      `${message} ${hint ?? ""}`.toLowerCase().includes(word.toLowerCase()),
    );
    expect({ isTold, shown: isTold ? [] : shown }).toEqual({ isTold: true, shown: [] });
  });
});

const ENDS = /^# Ends: (\w+), exit (\d), rounds (\d+)\r?$/m;

function expectedOf(text: string): Expected {
  const [, end = "", exit, rounds] = ENDS.exec(text) ?? [];
  const steps = [...text.matchAll(/^# {3}(.*?)\r?$/gm)].map(([, step]) => step).join("\n");
  const stands = /^# Stands: (.*?)\r?$/m.exec(text)?.[1] ?? "nothing";
  return {
    end,
    exit: Number(exit),
    rounds: Number(rounds),
    last: [],
    question: [],
    log: "",
    stands: stands === "nothing" ? [] : stands.split(", "),
    turns: readPlay(steps),
  };
}

describe("20 unusual files", () => {
  it.each(filesOf("unusual"))("$name is accepted without a word", ({ text }) => {
    expect(findingsIn(text).map(({ message }) => message)).toEqual([]);
  });

  it.concurrent.each(filesOf("unusual"))("$name runs to the end it describes", async ({ text }) => {
    const expected = expectedOf(text);
    const seen = await drivePlay({ workflow: text, ready: null, turns: expected.turns, options: [], files: {} });
    expect({ wrong: compareRun(expected, seen), said: "" }).toEqual({ wrong: [], said: "" });
  });
});
