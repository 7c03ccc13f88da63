import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The formats' own documents. They belong to others and are not part of this project: read where they lie. */
const folder = join(import.meta.dirname, "../../../shared/seeds");

export const seedsArePresent = existsSync(folder);

/** Said by every test that was skipped because the documents are not there. */
export const SEEDS_ABSENT = "../shared/seeds is absent: the formats' own examples were not read";

// The note of a skipped test is not shown by every reporter.
if (!seedsArePresent) console.warn(`Skipped: ${SEEDS_ABSENT}.`);

export interface SeedBlock {
  /** Counted from the first json, xml or yaml fence of the document. */
  readonly number: number;
  readonly language: string;
  readonly text: string;
}

export function readSeed(number: string): string {
  const name = readdirSync(folder).find((candidate) => candidate.startsWith(`${number}_`));
  if (name === undefined) throw new Error(`${folder} has no document ${number}`);
  return readFileSync(join(folder, name), "utf8");
}

export function readSeedLines(number: string, first: number, last: number): string {
  const lines = readSeed(number).split("\n");
  return `${lines.slice(first - 1, last).join("\n")}\n`;
}

/** Every fenced json, xml and yaml block, also inside another fence: a reader apart from the one under test. */
export function readSeedBlocks(number: string): SeedBlock[] {
  const blocks: SeedBlock[] = [];
  let language: string | undefined;
  let content: string[] = [];
  for (const line of readSeed(number).split("\n")) {
    const opened = /^```(json|xml|yaml)$/.exec(line)?.[1];
    if (opened !== undefined) [language, content] = [opened, []];
    else if (line !== "```") content.push(line);
    else if (language !== undefined) {
      blocks.push({ number: blocks.length + 1, language, text: `${content.join("\n")}\n` });
      language = undefined;
    }
  }
  return blocks;
}
