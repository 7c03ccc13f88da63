import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../architecture/source-files.ts";

/** What stands between a heading and the next one, sentence by sentence. */
export interface Section {
  readonly heading: string;
  readonly sentences: readonly string[];
}

/** The part before the first heading has the title of the document. Blocks of code are left out. */
export function readSections(document: string): Section[] {
  const text = readFileSync(join(projectRoot, document), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  return text.split(/^#{1,6} /m).flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    return heading === "" ? [] : [{ heading, sentences: splitBlocks(lines.join("\n")).flatMap(splitSentences) }];
  });
}

/** Paragraphs, items of lists and rows of tables, each in one line. */
function splitBlocks(text: string): string[] {
  return text
    .replaceAll(/^\|[-| :]+\|$/gm, "")
    .split(/\n{2,}|\n(?=[-|]|\d+\. )/)
    .map((block) => block.replaceAll(/\s+/g, " ").trim())
    .filter((block) => block !== "");
}

/** A semicolon ends a sentence, too, so that each part of a long one needs a test of its own. Code has no sentences. */
function splitSentences(block: string): string[] {
  const withoutCode = block.replaceAll(/`[^`]*`/g, (code) => "`".padEnd(code.length, "`"));
  const ends = [...withoutCode.matchAll(/(?<=[\w`"')*\]][.;?!]["')*]*) (?=\S)/g)].map(({ index }) => index);
  return [0, ...ends].map((start, at) => block.slice(start, ends[at]).trim());
}
