import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { SampleFile } from "../../src/protocol/format-file/learning/sample-documents.ts";
import { type FamilyResult, type Tally, MIN_FILES, familiesOf, tryFamily } from "./try-families.ts";

/**
 * Learns a format from one half of the files of each family and tries it on the other half, and on copies of it with a
 * field removed, a type changed or a word invented: `node proofs/learned-formats/main.ts [--notes] [FOLDER...]`. A
 * family is what is in one folder and has one set of root keys.
 */
const given = process.argv.slice(2);
const folders = given.filter((argument) => !argument.startsWith("--"));
const corpus = fileURLToPath(new URL("../../../shared/corpus", import.meta.url));
if (folders.length === 0 && !existsSync(corpus))
  console.log("skipped: ../shared/corpus is absent, and no folder is named");
else report((folders.length === 0 ? [corpus] : folders).flatMap(familiesIn), given.includes("--notes"));

function familiesIn(root: string): FamilyResult[] {
  const byFolder = new Map<string, SampleFile[]>();
  for (const path of filesIn(root)) {
    const folder = relative(root, dirname(path)) || ".";
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), { path, text: readFileSync(path, "utf8") }]);
  }
  return [...byFolder].flatMap(([folder, files]) => familiesOf(folder, files)).map(tryFamily);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return filesIn(path);
      return /\.(?:json|ya?ml|xml|md)$/i.test(name) ? [path] : [];
    });
}

function report(results: readonly FamilyResult[], withNotes: boolean): void {
  if (results.length === 0) console.log(`There is no family of ${MIN_FILES} files with one set of root keys.`);
  console.log(line(["family", "files", "accepted", "removed", "retyped", "reworded", "refused", "questions"]));
  for (const result of results) {
    console.log(resultLine(result));
    if (withNotes) for (const note of result.notes) console.log(`    ${note.slice(0, 200)}`);
  }
  console.log(resultLine(sumOf(results)));
}

function sumOf(results: readonly FamilyResult[]): FamilyResult {
  const sum = (of: (result: FamilyResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  const tallyOf = (kind: keyof FamilyResult["mutants"]): Tally => ({
    made: sum(({ mutants }) => mutants[kind].made),
    refused: sum(({ mutants }) => mutants[kind].refused),
  });
  return {
    name: `all ${results.length}`,
    files: sum(({ files }) => files),
    tried: sum(({ tried }) => tried),
    accepted: sum(({ accepted }) => accepted),
    mutants: { removed: tallyOf("removed"), retyped: tallyOf("retyped"), reworded: tallyOf("reworded") },
    questions: sum(({ questions }) => questions),
    notes: [],
  };
}

function resultLine({ name, files, tried, accepted, mutants, questions }: FamilyResult): string {
  const { removed, retyped, reworded } = mutants;
  const all = [removed, retyped, reworded];
  const refused = share(
    all.reduce((sum, one) => sum + one.refused, 0),
    all.reduce((sum, one) => sum + one.made, 0),
  );
  const parts = all.map((one) => `${one.refused}/${one.made}`);
  return line([
    name,
    String(files),
    `${accepted}/${tried} ${share(accepted, tried)}`,
    ...parts,
    refused,
    String(questions),
  ]);
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)}%`;
}

function line([name = "", ...columns]: readonly string[]): string {
  return `${name.slice(-44).padEnd(46)}${columns.map((column) => column.padStart(15)).join("")}`;
}
