/**
 * Reads each hostile text in a process of its own and prints what it cost: `node test/hostile/measure.ts`.
 * With `--all`, also every repeated piece in every frame; with `--only=WORD`, those whose name holds it.
 * The goal is 250 ms and 128 MB. The processor time counts the threads that compile and collect garbage
 * too, the wall time whatever else the machine does: the smaller one is judged.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import { type HostileText, hostileTexts } from "./hostile-texts.ts";
import { repeatedTexts } from "./repeated-texts.ts";

const MAX_MILLISECONDS = 250;
const MAX_MEGABYTES = 128;
const CHILD = "--child";

interface Cost {
  readonly wall: number;
  readonly processor: number;
  readonly megabytes: number;
  readonly codes: string;
}

interface Text extends Pick<HostileText, "name" | "path" | "make"> {
  /** Instead of reading it. */
  readonly by?: (
    text: string,
    path: string | undefined,
  ) => { readonly diagnostics: Reading["diagnostics"]; readonly valid: boolean };
}

const fix: Text["by"] = (text, path) => fixHandoffs(text, path === undefined ? {} : { path }).reading;
const migrate: Text["by"] = (text) => migrateNotes(text);
const filled = (piece: string, size = 1_000_000): string => piece.repeat(Math.floor(size / piece.length));

const REPAIRED: readonly Text[] = [
  { name: "fix: comments", path: "handoff.json", make: () => `{${filled("// a\n")}"from_agent":"A"}`, by: fix },
  { name: "fix: inner comments", path: "handoff.json", make: () => `{${filled("/* a */")}"from_agent":"A",}`, by: fix },
  {
    name: "fix: comments in a fence",
    make: () => `\`\`\`json\n{${filled("/* a */ ")}"from_agent":"A",}\n\`\`\`\n`,
    by: fix,
  },
  { name: "migrate: headings", make: () => filled("# A\n"), by: migrate },
  { name: "migrate: underlined headings", make: () => filled("A\n=\n"), by: migrate },
  { name: "migrate: lists", make: () => `## Files\n${filled("- `src/a.ts` new\n")}`, by: migrate },
  {
    name: "migrate: as many lines as may be",
    make: () => filled("## Done\n- src/a.ts, 12 tests\n", 120_000),
    by: migrate,
  },
  {
    name: "migrate: as long as may be",
    make: () => `## Done\n${filled("We changed src/b.ts. ", 199_000)}`,
    by: migrate,
  },
];

function allTexts(): readonly Text[] {
  return [...hostileTexts, ...REPAIRED, ...repeatedTexts(1_000_000)];
}

/** What the child does: read one text, tell the cost. */
function readOne(index: number): void {
  const text = allTexts()[index];
  if (text === undefined) throw new Error(`there is no text ${index}`);
  const content = text.make();
  const before = process.cpuUsage();
  const started = performance.now();
  const read: Text["by"] = (given, path) => readHandoffs(given, path === undefined ? {} : { path });
  const reading = (text.by ?? read)(content, text.path);
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  const codes = [...new Set(reading.diagnostics.map((diagnostic) => diagnostic.code))].slice(0, 4).join(", ");
  const cost: Cost = {
    wall,
    processor: (user + system) / 1000,
    megabytes: peakMegabytes(),
    codes: reading.valid ? "VALID" : codes,
  };
  process.stdout.write(JSON.stringify(cost));
}

/** On Linux a child's `maxRSS` begins with that of the parent that forked it, so ask the kernel for its own. */
function peakMegabytes(): number {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return (peak === undefined ? process.resourceUsage().maxRSS : Number(peak)) / 1024;
}

/** The sources as one script: a child that strips types itself would need more time and memory for that. */
async function bundle(folder: string): Promise<string> {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: import.meta.filename,
    platform: "node",
    external: ["rolldown"],
    resolve: { mainFields: ["module", "main"] },
  });
  const file = join(folder, "measure.mjs");
  await build.write({ file, format: "esm" });
  await build.close();
  return file;
}

async function measureAll(options: readonly string[]): Promise<void> {
  const only = options.find((option) => option.startsWith("--only="))?.slice("--only=".length);
  const folder = mkdtempSync(join(tmpdir(), "baton-hostile-"));
  try {
    const script = await bundle(folder);
    let over = 0;
    for (const [index, text] of allTexts().entries()) {
      const wanted =
        only === undefined
          ? index < hostileTexts.length + REPAIRED.length || options.includes("--all")
          : text.name.includes(only);
      if (!wanted) continue;
      const cost = JSON.parse(
        execFileSync(process.execPath, [script, CHILD, String(index)], { encoding: "utf8" }),
      ) as Cost;
      const isOver = Math.min(cost.wall, cost.processor) > MAX_MILLISECONDS || cost.megabytes > MAX_MEGABYTES;
      if (isOver) over++;
      if (isOver || !options.includes("--over")) process.stdout.write(`${row(text.name, cost, isOver)}\n`);
    }
    process.stdout.write(`${over} over ${MAX_MILLISECONDS} ms or ${MAX_MEGABYTES} MB\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(name: string, cost: Cost, isOver: boolean): string {
  const figures = [cost.wall, cost.processor].map((value) => `${value.toFixed(0).padStart(6)} ms`).join("");
  return `${isOver ? "!" : " "}${figures}${cost.megabytes.toFixed(0).padStart(6)} MB  ${name}  (${cost.codes})`;
}

const [role, index] = process.argv.slice(2);
if (role === CHILD) readOne(Number(index));
else await measureAll(process.argv.slice(2));
