import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Pages that describe a format, as its authors write them: prose, a form to fill in, fragments of single fields,
 * complete examples. Ours stand in `test/fixtures/pages`; those of the five formats' authors are not part of this
 * project and are read as an addition, where a folder `shared` stands beside the clone.
 */
export interface FormatPages {
  readonly title: string;
  readonly folder: string;
}

export const OUR_PAGES: FormatPages = {
  title: "our pages",
  folder: join(import.meta.dirname, "../fixtures/pages"),
};

const AUTHORS_PAGES: FormatPages = {
  title: "the authors' pages",
  folder: join(import.meta.dirname, "../../../shared/seeds"),
};

export const authorsPages: FormatPages | null = existsSync(AUTHORS_PAGES.folder) ? AUTHORS_PAGES : null;

/** The note of every test that is skipped without the authors' pages. */
export const AUTHORS_PAGES_ABSENT = "../shared/seeds is absent: only our own pages were read";

interface PageBlock {
  /** Counted from the first json, xml or yaml fence of the page. */
  readonly number: number;
  readonly language: string;
  readonly text: string;
}

/** The page of a format: `000` to `004`. */
export function readPage({ folder }: FormatPages, number: string): string {
  const name = readdirSync(folder).find((candidate) => candidate.startsWith(number));
  if (name === undefined) throw new Error(`${folder} has no page ${number}`);
  return readFileSync(join(folder, name), "utf8");
}

/** The lines of a page from the one that begins with `first`, counted from 1, to `last`. */
export function readPageLines(pages: FormatPages, number: string, first: number, last: number): string {
  const lines = readPage(pages, number).split("\n");
  return `${lines.slice(first - 1, last).join("\n")}\n`;
}

/** Every fenced json, xml and yaml block, also inside another fence: a reader apart from the one under test. */
export function readPageBlocks(pages: FormatPages, number: string): PageBlock[] {
  const blocks: PageBlock[] = [];
  let language: string | undefined;
  let content: string[] = [];
  for (const line of readPage(pages, number).split("\n")) {
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
