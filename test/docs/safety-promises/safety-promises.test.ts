import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../architecture/source-files.ts";
import { type Section, readSections } from "./document-sections.ts";
import { type SafetyPromise, readPromises } from "./promises-file.ts";

/** Words by which a sentence promises something. Names in backticks, such as `refuse`, and empty cells are none. */
const PROMISE =
  /\b(?:never|always|only|cannot|nothing|none|refuse[sd]?|masked|hidden|must|(?:is|are) found|not (?:accepted|believed|changed|followed|merged|passed on|read|run|seen|sent|started|trusted|visible))\b/i;
const NO_SUCH_THING = /(?:^|\*\*|[-|] )No /;

const { sections, promises } = readPromises();
const documents = [...new Set(sections.map(({ document }) => document))];
const read = new Map(documents.map((document) => [document, readSections(document)]));

function sectionOf({ document, section }: Pick<SafetyPromise, "document" | "section">): Section | undefined {
  return read.get(document)?.find(({ heading }) => heading === section);
}

describe("a promise of safety in the documents", () => {
  it("stands in the section and in one sentence", () => {
    const wrong = promises.filter((promise) => {
      const all = sectionOf(promise)?.sentences ?? [];
      return all.filter((sentence) => sentence.includes(promise.quote)).length !== 1;
    });
    expect(wrong.map(({ document, section, quote }) => `${document}, ${section}: ${quote}`)).toEqual([]);
  });

  it("has a test, or a reason why it needs none", () => {
    const without = promises.filter(({ tests, exempt }) => (tests.length === 0) === (exempt === null));
    expect(without.map(({ quote }) => quote)).toEqual([]);
  });

  it("names tests that exist", () => {
    const missing = promises.flatMap(({ tests }) => tests).filter(({ file, title }) => !hasTest(file, title));
    expect(missing.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });
});

describe("a section about safety", () => {
  it.each(sections.map(({ document, section }) => [document, section] as const))(
    "%s, %s has a row for each sentence that promises something",
    (document, section) => {
      const found = sectionOf({ document, section });
      expect(found, `${document} has no section ${section}`).toBeDefined();
      const quotes = promises.filter((promise) => promise.document === document && promise.section === section);
      const missing = found?.sentences.filter(
        (sentence) => isPromise(sentence) && !quotes.some(({ quote }) => sentence.includes(quote)),
      );
      expect(missing).toEqual([]);
    },
  );

  it("is known by its words", () => {
    expect(isPromise("It is never read.")).toBe(true);
    expect(isPromise("- **No handoff steers a run.**")).toBe(true);
    expect(isPromise("The word is `never`.")).toBe(false);
  });
});

function isPromise(sentence: string): boolean {
  const words = sentence.replaceAll(/`[^`]*`/g, "``").replaceAll("| none |", "| |");
  return PROMISE.test(words) || NO_SUCH_THING.test(words);
}

/** The title as it stands in the file, placeholders included. */
function hasTest(file: string, title: string): boolean {
  const path = join(projectRoot, file);
  if (!existsSync(path)) return false;
  const text = readFileSync(path, "utf8");
  return [`"${title}"`, `\`${title}\``, `'${title}'`].some((literal) => text.includes(literal));
}
