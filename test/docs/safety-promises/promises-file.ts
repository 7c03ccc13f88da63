import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One row of `promises.txt`. */
export interface SafetyPromise {
  readonly document: string;
  readonly section: string;
  /** A part of the sentence that no other sentence of the section has. */
  readonly quote: string;
  readonly tests: readonly NamedTest[];
  /** Why the sentence needs no test; null for a promise. */
  readonly exempt: string | null;
}

interface NamedTest {
  readonly file: string;
  readonly title: string;
}

interface PromisesFile {
  /** The sections of which every sentence with a promise needs a row. */
  readonly sections: readonly Pick<SafetyPromise, "document" | "section">[];
  readonly promises: readonly SafetyPromise[];
}

/** `# DOCUMENT`, `## SECTION`, `- QUOTE`, and indented below it `FILE: TITLE` or `(WHY IT NEEDS NO TEST)`. */
export function readPromises(): PromisesFile {
  const sections: { document: string; section: string }[] = [];
  const promises: (SafetyPromise & { tests: NamedTest[] })[] = [];
  let document = "";
  for (const line of readFileSync(join(import.meta.dirname, "promises.txt"), "utf8").split("\n")) {
    const [, mark = "", rest = ""] = /^(# |## |- | {2})(.*)$/.exec(line) ?? [];
    if (mark === "# ") document = rest;
    else if (mark === "## ") sections.push({ document, section: rest });
    else if (mark === "- ")
      promises.push({ document, section: sections.at(-1)?.section ?? "", quote: rest, tests: [], exempt: null });
    else if (mark === "  ") addProof(promises, rest);
    else if (line !== "") throw new Error(`promises.txt has a line that means nothing: ${line}`);
  }
  return { sections, promises };
}

function addProof(promises: (SafetyPromise & { tests: NamedTest[] })[], line: string): void {
  const last = promises.at(-1);
  if (last === undefined) throw new Error(`promises.txt has a test without a quote: ${line}`);
  const [, reason] = /^\((.+)\)$/.exec(line) ?? [];
  const [, file = "", title = ""] = /^(\S+\.ts): (.+)$/.exec(line) ?? [];
  if (reason !== undefined) promises[promises.length - 1] = { ...last, exempt: reason };
  else if (title === "") throw new Error(`promises.txt names no test in: ${line}`);
  else last.tests.push({ file, title });
}
