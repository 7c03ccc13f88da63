import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuiltinDialect } from "../src/protocol/handoff.ts";
import type { Bar } from "./bar.ts";
import { brokenRules, textOf } from "./documents.ts";
import { median } from "./measure.ts";

const command = join(import.meta.dirname, "../dist/cli/baton.cjs");

/** A file of each format, under a name by which it is recognised. */
const FILES: Readonly<Record<BuiltinDialect, string>> = {
  "pipeline-json": "handoff-BackendBuilder.json",
  "output-json": "output.json",
  "phase-yaml": "phase.yaml",
  "task-yaml": "task.yaml",
  "issue-xml": "handoff.xml",
};
const DIALECTS = Object.keys(FILES) as BuiltinDialect[];

const STARTS = 50;
const FOLDER_RUNS = 5;
const FILES_OF_EACH = 1_000;

/** The built command as whole processes, from the second run on: the first ones fill the compile cache. */
export function run(report: (bar: Bar) => void): void {
  if (!existsSync(command)) throw new Error("dist/cli is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    measureStarts(folder, report);
    measureFolder(folder, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One file in each process, against a process that does nothing. */
function measureStarts(folder: string, report: (bar: Bar) => void): void {
  const valid = textOf("pipeline-json", 2_000);
  const files = [
    ...DIALECTS.map((dialect) => ({ what: dialect, name: FILES[dialect], text: textOf(dialect, 2_000), status: 0 })),
    { what: "a file with 3 errors", name: "handoff-Broken.json", text: brokenRules(valid, 3), status: 1 },
  ];
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
  const [bare = 0, ...ours] = takeTurns(STARTS, [
    { args: ["-e", "0"], status: 0 },
    ...files.map(({ name, status }) => ({ args: [command, "validate", join(folder, name)], status })),
  ]);
  for (const [index, { what, status }] of files.entries()) {
    const whole = ours[index] ?? 0;
    report({
      what: `baton validate on ${what}`,
      ours: `${whole.toFixed(1)} ms`,
      baseline: `${bare.toFixed(1)} ms node -e 0`,
      figure: whole - bare,
      max: status === 0 ? 12 : null,
      unit: "ms more",
    });
  }
}

/** Many small files in one process, against a script that reads and parses them and looks at nothing. */
function measureFolder(folder: string, report: (bar: Bar) => void): void {
  const many = join(folder, "many");
  for (const dialect of DIALECTS)
    for (let number = 0; number < FILES_OF_EACH; number++) {
      const place = join(many, dialect, String(number));
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, FILES[dialect]), textOf(dialect, 800 + number));
    }
  const [bare = 0, ours = 0] = takeTurns(FOLDER_RUNS, [
    { args: [join(import.meta.dirname, "parse-files.ts"), many], status: 0 },
    { args: [command, "validate", many], status: 0 },
  ]);
  report({
    what: `baton validate on ${DIALECTS.length * FILES_OF_EACH} files`,
    ours: `${ours.toFixed(0)} ms`,
    baseline: `${bare.toFixed(0)} ms read and parse`,
    figure: ours / bare,
    max: 2.5,
    unit: "x",
  });
}

interface Call {
  readonly args: readonly string[];
  readonly status: number;
}

/** The median time of each call in milliseconds; they take turns, and the first two rounds do not count. */
function takeTurns(rounds: number, calls: readonly Call[]): number[] {
  const times = calls.map((): number[] => []);
  for (let round = -2; round < rounds; round++)
    for (const [index, call] of calls.entries()) {
      const time = timeOf(call);
      if (round >= 0) times[index]?.push(time);
    }
  return times.map(median);
}

function timeOf({ args, status: expected }: Call): number {
  const before = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1_048_576,
  });
  const time = performance.now() - before;
  if (status !== expected) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr.toString()}`);
  return time;
}
