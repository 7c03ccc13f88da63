import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importGraph } from "../../src/knowledge/graph-file.ts";
import { learnFacts } from "../../src/knowledge/learn-facts.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { projectRoot } from "../architecture/source-files.ts";
import { hashOf, judgeFile, optionsFor } from "./judge-file.ts";
import { type CorpusVerdict, ourVerdicts, realVerdicts } from "./verdicts.ts";

/** Files as they come out of real work: prose around them, other words, forms left empty, and what is no handoff. */
interface Corpus {
  readonly title: string;
  readonly folder: string;
  readonly verdicts: ReadonlyMap<string, CorpusVerdict>;
  /** How a file is known in the table. */
  readonly keyOf: (path: string, bytes: Uint8Array) => string;
  /** What migrating all files gave when the results were read by eye. */
  readonly migrated: {
    readonly tried: number;
    readonly valid: number;
    readonly taken: number;
    readonly asks: number;
  };
}

const OURS: Corpus = {
  title: "our own files",
  folder: join(projectRoot, "test/fixtures/variants"),
  verdicts: ourVerdicts,
  keyOf: (path) => basename(path),
  migrated: { tried: 10, valid: 1, taken: 8, asks: 18 },
};

const REAL: Corpus = {
  title: "real files",
  folder: join(projectRoot, "../shared/corpus"),
  verdicts: realVerdicts,
  keyOf: (_path, bytes) => hashOf(bytes),
  migrated: { tried: 34, valid: 4, taken: 494, asks: 57 },
};

const hasRealFiles = existsSync(REAL.folder);

testCorpus(OURS);
if (hasRealFiles) testCorpus(REAL);

it("real files are judged, too", (context) => {
  if (!hasRealFiles) context.skip("../shared/corpus is absent: only our own files were judged");
  expect(realVerdicts.size).toBeGreaterThan(100);
});

describe.each([OURS, REAL])("the table of verdicts on $title", ({ verdicts, folder }) => {
  it("is complete in every row", () => {
    expect(verdicts.size).toBeGreaterThan(0);
    for (const [key, { dialect, diagnostics, note, verdict }] of verdicts) {
      expect(key).toMatch(folder === REAL.folder ? /^[0-9a-f]{64}$/ : /^[\w.-]+$/);
      expect([...DIALECT_NAMES, null]).toContain(dialect);
      expect(["valid", "repairable", "refused", "none"]).toContain(verdict);
      for (const reported of diagnostics)
        expect(reported).toMatch(/^(?:error|warning|info) (?:\d{3}-R\d{2}|[a-z-]+)(?: x\d+)?$/);
      expect(note.length).toBeGreaterThan(10);
    }
  });
});

function testCorpus({ title, folder, verdicts, keyOf, migrated }: Corpus): void {
  const files = filesIn(folder, keyOf);

  // oxlint-disable-next-line vitest/valid-title -- one suite, named after the files it is run on
  describe(title, () => {
    it("are exactly those that were judged", () => {
      expect(files.filter((file) => !verdicts.has(file.key)).map((file) => file.path)).toEqual([]);
      expect([...verdicts.keys()].filter((key) => !files.some((file) => file.key === key))).toEqual([]);
    });

    it.each(files)("$key is judged as it was by eye", ({ path, key, text }) => {
      const { note, ...judged } = verdicts.get(key) ?? { note: "" };
      expect(judgeFile(basename(path), text), `${path} (${note})`).toEqual(judged);
    });

    it.each(files)("$key is migrated in its own words", ({ path, text }) => {
      const { taken, section, text: placed } = migrateNotes(text, optionsFor(basename(path)));
      const said = words(text);
      for (const item of taken) expect(said, `${path}:${item.line}`).toContain(words(item.text));
      if (section === "") expect(placed).toBe(text);
      else expect(placed).toContain(text.slice(0, text.indexOf("\n")));
    });

    it("are migrated no worse than they were when the results were read by eye", () => {
      const migrations = files.map(({ path, text }) => migrateNotes(text, optionsFor(basename(path))));
      const tried = migrations.filter(({ section }) => section !== "");
      const asks = tried.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity !== "info"));
      expect(tried).toHaveLength(migrated.tried);
      expect(tried.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(migrated.valid);
      expect(tried.flatMap(({ taken }) => taken).length).toBeGreaterThanOrEqual(migrated.taken);
      expect(asks.length).toBeLessThanOrEqual(migrated.asks);
      for (const { section, valid } of tried) {
        if (valid) for (const { handoff } of readHandoffs(section).handoffs) if (handoff !== null) learnFacts(handoff);
      }
    });

    it("hold no knowledge graph, and importing one says so for every file", () => {
      for (const { path, text } of files) {
        const { facts, tasks, problems } = importGraph(text);
        expect([facts, tasks], path).toEqual([[], []]);
        expect(problems, path).toHaveLength(1);
      }
    });
  });
}

function words(text: string): string {
  return text.replaceAll(/\s+/g, " ").toLowerCase();
}

function filesIn(root: string, keyOf: Corpus["keyOf"]): { path: string; key: string; text: string }[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      return { path, key: keyOf(path, bytes), text: bytes.toString("utf8") };
    });
}
