import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importGraph } from "../../src/knowledge/import-graph.ts";
import { learnFacts } from "../../src/knowledge/learn-facts.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff.ts";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { projectRoot } from "../architecture/source-files.ts";
import { hashOf, judgeFile, optionsFor } from "./judge-file.ts";
import { verdicts } from "./verdicts.ts";

const folder = join(projectRoot, "../shared/corpus");
const isHere = existsSync(folder);
if (!isHere) process.stdout.write(`The corpus is not at ${folder}: its verdicts are not rechecked.\n`);

describe.skipIf(!isHere)("the corpus of real files", () => {
  const files = isHere ? filesIn(folder) : [];

  it("holds exactly the files that were judged", () => {
    expect(files.filter((file) => !verdicts.has(file.hash)).map((file) => file.path)).toEqual([]);
    expect([...verdicts.keys()].filter((hash) => !files.some((file) => file.hash === hash))).toEqual([]);
  });

  it.each(files)("$hash is judged as it was by eye", ({ path, hash, text }) => {
    const { note, ...judged } = verdicts.get(hash) ?? { note: "" };
    expect(judgeFile(basename(path), text), `${path} (${note})`).toEqual(judged);
  });

  it.each(files)("$hash is migrated in its own words", ({ path, text }) => {
    const { taken, section, text: placed } = migrateNotes(text, optionsFor(basename(path)));
    const said = words(text);
    for (const item of taken) expect(said, `${path}:${item.line}`).toContain(words(item.text));
    if (section === "") expect(placed).toBe(text);
    else expect(placed).toContain(text.slice(0, 40));
  });

  it("is migrated no worse than it was when it was read by eye", () => {
    const migrations = files.map(({ path, text }) => migrateNotes(text, optionsFor(basename(path))));
    const tried = migrations.filter(({ section }) => section !== "");
    const asks = tried.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity !== "info"));
    expect(tried).toHaveLength(34);
    expect(tried.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(10);
    expect(tried.flatMap(({ taken }) => taken).length).toBeGreaterThanOrEqual(14);
    expect(asks.length).toBeLessThanOrEqual(234);
    for (const { section, valid } of tried) {
      if (valid) for (const { handoff } of readHandoffs(section).handoffs) if (handoff !== null) learnFacts(handoff);
    }
  });

  it("holds no knowledge graph, and says so for every file", () => {
    for (const { path, text } of files) {
      const { facts, tasks, problems } = importGraph(text);
      expect([facts, tasks], path).toEqual([[], []]);
      expect(problems, path).toHaveLength(1);
    }
  });
});

function words(text: string): string {
  return text.replaceAll(/\s+/g, " ").toLowerCase();
}

describe("the table of verdicts", () => {
  it("is complete in every row, and holds nothing but hashes and our own words", () => {
    for (const [hash, { dialect, diagnostics, note, verdict }] of verdicts) {
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect([...DIALECT_NAMES, null]).toContain(dialect);
      expect(["valid", "repairable", "refused", "none"]).toContain(verdict);
      for (const told of diagnostics)
        expect(told).toMatch(/^(?:error|warning|info) (?:\d{3}-R\d{2}|[a-z-]+)(?: x\d+)?$/);
      expect(note.length).toBeGreaterThan(10);
    }
  });
});

function filesIn(root: string): { path: string; hash: string; text: string }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      return { path, hash: hashOf(bytes), text: bytes.toString("utf8") };
    });
}
