import { Parser, type Node } from "commonmark";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recoverNestedFences, scanMarkdown } from "./markdown-blocks.ts";
import type { FencedBlock } from "./markdown-outline.ts";

const FUZZ_RUNS = Math.max(20_000, Number(process.env["BATON_FUZZ_RUNS"] ?? 0) || 0);
const FUZZ_SEED = 20_261_101;
const FUZZ_TIMEOUT = 60_000 + FUZZ_RUNS * 5;

const NOTHING = { fences: [], headings: [], breaks: [], handoffs: [], comments: [] };

describe("fenced blocks", () => {
  it("gives exact offsets of fence lines and content", () => {
    const text = "intro\n```yaml\na: 1\nb: 2\n```\nafter\n";
    const offsets = { start: 6, contentStart: 14, contentEnd: 24, end: 27 };
    expect(scanMarkdown(text).fences).toEqual([{ ...offsets, info: "yaml", fence: "`", indent: 0, terminated: true }]);
    expect(text.slice(14, 24)).toBe("a: 1\nb: 2\n");
    expect(text.slice(24, 27)).toBe("```");
  });

  it("reads tilde fences, whose info may hold backticks and tildes", () => {
    const [block] = read("~~~ json `x` ~ y\n```\n~~~~  \n");
    expect(block).toMatchObject({ fence: "~", info: "json `x` ~ y", content: "```\n", terminated: true });
  });

  it("takes no backtick fence whose info holds a backtick", () => {
    expect(read("```inline``` code\n``` a`b\n``\n")).toEqual([]);
  });

  it("trims the info string", () => {
    expect(read("```  \tyaml  title=a b \t\n```")[0]?.info).toBe("yaml  title=a b");
    expect(read("```\n```")[0]?.info).toBe("");
  });

  it("closes only with the same character, at least as long, and nothing after it", () => {
    const content = "```\n~~~~\n```` x\n    ````\n";
    expect(read(`\`\`\`\`md\n${content}\`\`\`\`\`\` \t\nafter`)).toMatchObject([{ content, terminated: true }]);
  });

  it("keeps a shorter fence inside a longer one as content", () => {
    expect(read("````markdown\n```yaml\na: 1\n```\n````\n")).toMatchObject([{ content: "```yaml\na: 1\n```\n" }]);
  });

  it("runs an unterminated fence to the end of the text", () => {
    expect(read("x\n```json\n{}\n# not a heading\n---")).toMatchObject([
      { content: "{}\n# not a heading\n---", end: 32, terminated: false },
    ]);
    expect(read("```json")).toMatchObject([{ content: "", contentStart: 7, end: 7, terminated: false }]);
  });

  it("reads blocks of a report indented by two spaces", () => {
    const outline = scanMarkdown("  ## Done\n\n  ```yaml\n  a: 1\n  ```\n\n  ---\n");
    expect(outline).toMatchObject({ headings: [{ text: "Done" }], fences: [{ indent: 2 }], breaks: [{ start: 35 }] });
  });

  it("counts a tab in the indentation up to the next stop of four", () => {
    expect(read("  \t```a\n\tx\n\t```\n")).toMatchObject([{ indent: 4, content: "\tx\n", terminated: true }]);
  });

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads %s line endings", (_name, ending) => {
    const text = ["# A", "", "```yaml", "a: 1", "```", "---", "## B"].join(ending);
    expect(read(text)).toMatchObject([{ info: "yaml", content: `a: 1${ending}`, terminated: true }]);
    const { headings, breaks } = scanMarkdown(text);
    expect(headings.map((heading) => text.slice(heading.start, heading.end))).toEqual(["# A", "## B"]);
    expect(breaks.map((line) => text.slice(line.start, line.end))).toEqual(["---"]);
  });

  it("reads mixed line endings", () => {
    expect(read("a\r\n```x\rb\n\r```\r\nc\r\r\n```y\n\r\n```")).toMatchObject([
      { info: "x", content: "b\n\r" },
      { info: "y", content: "\r\n" },
    ]);
  });

  it("steps over a byte order mark and keeps NUL characters", () => {
    expect(read("\uFEFF```a\n\0\n```")).toMatchObject([{ start: 1, info: "a", content: "\0\n", end: 11 }]);
    expect(scanMarkdown("\uFEFF# A\n\uFEFF# B").headings).toMatchObject([{ start: 1, text: "A" }]);
    expect(read("\0```a\n```")).toMatchObject([{ start: 6 }]);
  });

  it("finds nothing in an empty text", () => {
    for (const text of ["", "\uFEFF", "\n", "\r", "   ", "prose"]) {
      expect(scanMarkdown(text)).toEqual({ ...NOTHING, whole: true });
    }
  });
});

describe("fences of list items", () => {
  it("reads a deeply indented block whose content is indented alike", () => {
    expect(read("1. step\n\n    ```yaml\n    a:\n\n      b: 1\n    ```\n\n2. next\n")).toMatchObject([
      { indent: 4, info: "yaml", content: "    a:\n\n      b: 1\n", terminated: true },
    ]);
  });

  it("takes no deeply indented fence without indented content", () => {
    expect(read("    ```yaml\nprose\n\n    ```\n\n\n# A\n\n    ~~~")).toEqual([]);
    expect(read("    ```yaml\n    ```\n")).toMatchObject([{ content: "", terminated: true }]);
  });

  it("ends a deeply indented block where the indentation ends", () => {
    const text = "      ```yaml\n      a: 1\n\n```json\n{}\n```\n";
    expect(read(text)).toMatchObject([
      { indent: 6, content: "      a: 1\n\n", end: 26, terminated: false },
      { indent: 0, start: 26, content: "{}\n", terminated: true },
    ]);
  });

  it("lets the closing fence of a deeply indented block stand further left", () => {
    expect(read("      ```yaml\n      a: 1\n     ```\n    x\n")).toMatchObject([
      { content: "      a: 1\n", terminated: true },
    ]);
  });

  it.each(["- ", "*   ", "+ ", "1. ", "10) ", "  - "])("reads a fence on the line of the list marker %j", (marker) => {
    const indent = " ".repeat(marker.length);
    const text = `${marker}\`\`\`json\n${indent}{}\n${indent}\`\`\`\n\n# After\n`;
    expect(read(text)).toMatchObject([{ start: 0, indent: marker.length, content: `${indent}{}\n`, terminated: true }]);
    expect(scanMarkdown(text).headings).toHaveLength(1);
  });

  it.each(["-", "1234567890. ", "-     ", "1: ", "a. ", "> "])("takes no fence after %j", (marker) => {
    expect(read(`${marker}\`\`\`json\n${" ".repeat(marker.length)}{}\n`)).toEqual([]);
  });
});

describe("headings", () => {
  it.each([
    ["# A", 1, "A"],
    ["   ###### A b \t", 6, "A b"],
    ["## A ##", 2, "A"],
    ["## A ##### \t", 2, "A"],
    ["## A #b", 2, "A #b"],
    ["## A# ", 2, "A#"],
    ["## A # #", 2, "A #"],
    ["##\tA", 2, "A"],
    ["#", 1, ""],
    ["### ###", 3, ""],
    ["# \t ", 1, ""],
  ])("reads %j", (line, level, text) => {
    expect(scanMarkdown(`a\n${line}\nb`).headings).toEqual([{ start: 2, end: 2 + line.length, level, text }]);
  });

  it.each(["#A", "####### A", "    # A", "\t# A", "\\# A", "> # A"])("takes %j for no heading", (line) => {
    expect(scanMarkdown(line).headings).toEqual([]);
  });

  it("ignores headings and separators inside fences", () => {
    expect(scanMarkdown("```yaml\n## Handoff\n---\n```\n## Real\n")).toMatchObject({
      headings: [{ text: "Real" }],
      breaks: [],
    });
  });
});

describe("separators", () => {
  it.each(["---", "***", "___", " - - -", "   *\t* *  ", "-----------", "_ __"])("reads %j", (line) => {
    expect(scanMarkdown(`\n${line}\n`).breaks).toEqual([{ start: 1, end: 1 + line.length }]);
  });

  it.each(["--", "- -", "--- a", "-*-", "    ---", "- a", "===", "–––"])("takes %j for none", (line) => {
    expect(scanMarkdown(line).breaks).toEqual([]);
  });

  it("reports a separator directly below a paragraph", () => {
    expect(scanMarkdown("prose\n---\nhandoff:\n").breaks).toEqual([{ start: 6, end: 9 }]);
  });
});

describe("nested fences of equal length", () => {
  it("finds a yaml block whose closing line ends the markdown block around it", () => {
    const text = "```markdown\n## DONE\n\n```yaml\nhandoff:\n  to: None\n```\n\n## Next\n";
    const [inner, ...others] = recover(text, 0);
    expect(others).toEqual([]);
    expect(inner).toMatchObject({ info: "yaml", start: 21, content: "handoff:\n  to: None\n", terminated: true });
    expect(text.slice(0, inner?.end)).toMatch(/None\n```$/);
  });

  it("finds the blocks of a text that a stray closing line turned inside out", () => {
    const text = "```md\n```yaml\na: 1\n```\n\n---\n```\n\n## Rules\n\n```yaml\nb: 2\n```\n\n```json\n{}\n```\n";
    expect(read(text).map((block) => block.info)).toEqual(["md", "", "json"]);
    expect(recover(text, 0)).toMatchObject([{ info: "yaml", content: "a: 1\n" }]);
    expect(recover(text, 1)).toMatchObject([{ info: "yaml", content: "b: 2\n", terminated: true }]);
  });

  it("finds every block in a longer fence, and leaves the outer closing line to the outer block", () => {
    const text = "x\n````text\n```yaml\r\na: 1\r\n``` \r\n~~~json\n{}\n~~~\n```\n```xml\n<a/>\n````\n";
    expect(recover(text, 0)).toMatchObject([
      { info: "yaml", content: "a: 1\r\n", terminated: true },
      { info: "json", content: "{}\n", terminated: true },
      { info: "xml", content: "<a/>\n", terminated: false, end: text.length - 5 },
    ]);
  });

  it("finds blocks in an indented block", () => {
    const text = "- a\n\n    ```md\n    ```yaml\n    b: 1\n    ```\n";
    expect(recover(text, 0)).toMatchObject([
      { indent: 4, content: "    b: 1\n", terminated: true, end: text.length - 1 },
    ]);
  });

  it("keeps an unterminated block unterminated", () => {
    const text = "```markdown\n```yaml\na: 1\n";
    expect(recover(text, 0)).toMatchObject([{ content: "a: 1\n", terminated: false, end: text.length }]);
    expect(recover("```markdown\n````yaml\na: 1\n```\n", 0)).toMatchObject([{ content: "a: 1\n", terminated: false }]);
  });

  it.each(["yaml", "json", "mdx", "markdownish"])("does not look into a %s block", (info) => {
    expect(recover(`\`\`\`\`${info}\n\`\`\`yaml\na: 1\n\`\`\`\n\`\`\`\`\n`, 0)).toEqual([]);
  });

  it.each(["markdown", "Markdown title=x", "MD", "text", ""])("looks into a block of info %j", (info) => {
    expect(recover(`\`\`\`\`${info}\n\`\`\`yaml\na: 1\n\`\`\`\n\`\`\`\`\n`, 0)).toHaveLength(1);
  });
});

describe("hostile texts", () => {
  it.each([
    ["indented fences", "    ```a\n"],
    ["indented fences without content", "    ```a\nx\n"],
    ["fences ended by lone CRs", "```\r```\r"],
    ["hash marks", "# #"],
    ["backticks", "```` `"],
    ["blanks", " \t"],
    ["list markers", "1. ```\n"],
  ])("reads 2 MB of %s in linear time", { timeout: 30_000 }, (_name, unit) => {
    const text = unit.repeat(2_000_000 / unit.length);
    const before = performance.now();
    for (const block of scanMarkdown(text).fences) recoverNestedFences(text, block);
    // Takes well under a second; quadratic time would be minutes.
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe("against commonmark.js", () => {
  it(`agrees on ${FUZZ_RUNS} generated documents`, { timeout: FUZZ_TIMEOUT }, () => {
    const seen = { documents: 0, fences: 0, headings: 0, breaks: 0 };
    const agrees = fc.property(documents(), (text) => {
      const reference = readReference(text);
      const outline = scanMarkdown(text);
      const fences = outline.fences.filter((block) => block.indent <= 3);
      expect(fences.map((block) => ({ info: block.info, literal: literalOf(text, block) }))).toEqual(reference.fences);
      expect(outline.headings.map(({ level, text: title }) => ({ level, title }))).toEqual(reference.headings);
      expect(outline.breaks.map((line) => lineNumber(text, line.start))).toEqual(reference.breaks);
      seen.documents += 1;
      seen.fences += fences.length;
      seen.headings += outline.headings.length;
      seen.breaks += outline.breaks.length;
    });
    fc.assert(agrees, { seed: FUZZ_SEED, numRuns: FUZZ_RUNS });
    // A generator that stopped making blocks would agree on everything.
    expect(seen.documents).toBe(FUZZ_RUNS);
    expect(seen.fences).toBeGreaterThan(FUZZ_RUNS);
    expect(seen.headings).toBeGreaterThan(FUZZ_RUNS / 5);
    expect(seen.breaks).toBeGreaterThan(FUZZ_RUNS / 5);
  });

  it("agrees on fences of list items", { timeout: FUZZ_TIMEOUT }, () => {
    const agrees = fc.property(listItems(), (text) => {
      const blocks = scanMarkdown(text).fences.map((block) => ({ info: block.info, literal: literalOf(text, block) }));
      expect(blocks).toEqual(readReference(text).fences);
    });
    fc.assert(agrees, { seed: FUZZ_SEED, numRuns: Math.ceil(FUZZ_RUNS / 4) });
  });
});

type ReadBlock = FencedBlock & { readonly content: string };

function read(text: string): readonly ReadBlock[] {
  return scanMarkdown(text).fences.map((block) => withContent(text, block));
}

function recover(text: string, index: number): readonly ReadBlock[] {
  const block = scanMarkdown(text).fences[index]!;
  return recoverNestedFences(text, block).map((inner) => withContent(text, inner));
}

function withContent(text: string, block: FencedBlock): ReadBlock {
  return { ...block, content: text.slice(block.contentStart, block.contentEnd) };
}

/**
 * Documents of lines that mean the same to both readers. Left out: list items and quotes (no
 * containers here), HTML blocks (their fences count here), escapes and entities (commonmark.js
 * decodes them), U+2028 (commonmark.js stops looking for a backtick in the info there) and a final
 * CR (after which commonmark.js reads one more, empty line).
 */
function documents(): fc.Arbitrary<string> {
  const indent = oneOf("||||||| |  |   | |  |   |    |      |\t| \t|  \t |   \t");
  const trail = oneOf("||| |\t| \t ");
  const line = fc.tuple(indent, fc.oneof(fenceLine(), fenceLine(), headingLine(), otherLine()), trail);
  const ending = oneOf("\n|\n|\n|\r\n|\r");
  return fc
    .tuple(fc.array(fc.tuple(line, ending), { maxLength: 24, size: "max" }), fc.boolean())
    .map(([lines, ended]) => {
      const text = lines.map(([parts, end]) => parts.join("") + end).join("");
      return (ended ? text : text.replace(/(?:\r\n|\r|\n)$/, "")).replace(/\r$/, "\n");
    });
}

function fenceLine(): fc.Arbitrary<string> {
  const mark = fc.constantFrom("`", "~");
  const length = fc.constantFrom(2, 3, 3, 3, 3, 4, 5);
  const info = oneOf("|||yaml| json|a b|\tx y=1 |a`b|~|`|é\u00a0ß|-|#|\0");
  return fc.tuple(mark, length, info).map(([fence, count, after]) => fence.repeat(count) + after);
}

function headingLine(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.integer({ min: 1, max: 7 }), oneOf(" |  |\t|"), oneOf("A|A b||#"), oneOf("|| #| ###|#| # #| #b|\t##"))
    .map(([level, gap, title, closing]) => "#".repeat(level) + gap + title + closing);
}

function otherLine(): fc.Arbitrary<string> {
  return oneOf("||prose|a: 1|é b|``x`` y|\0|=|--|---|-----|- - -|***|* * *|___|_ _\t_|--- a|-*-");
}

/** A list whose only item holds fenced blocks at its own column, which is 4 or more. */
function listItems(): fc.Arbitrary<string> {
  const content = fc.array(oneOf("|a: 1|  b|# c|---|~~|    ```|```x|- d"), { maxLength: 4 });
  const block = fc.tuple(oneOf("```|~~~|````"), oneOf("|yaml| json x"), content, oneOf("||prose"));
  return fc
    .tuple(oneOf("10. |1.  |-   |100) "), fc.boolean(), fc.array(block, { minLength: 1, maxLength: 3 }))
    .map(([marker, sameLine, blocks]) => {
      const lines = blocks.flatMap(([fence, info, inside, after]) => [fence + info, ...inside, fence, after]);
      const indented = lines.map((line) => (line === "" ? "" : " ".repeat(marker.length) + line)).join("\n");
      return sameLine ? marker + indented.trimStart() : `${marker}item\n\n${indented}\n\nafter\n`;
    });
}

function oneOf(choices: string): fc.Arbitrary<string> {
  return fc.constantFrom(...choices.split("|"));
}

/** Headings are those with hash marks. An underline of three or more hyphens counts as a break. */
function readReference(text: string) {
  const lines = text.split(/\r\n|\r|\n/);
  const nodes = nodesOf(new Parser().parse(text.replaceAll("\0", NUL_STANDIN)));
  const headings = nodes.filter((node) => node.type === "heading");
  const lastLine = (node: Node): number => node.sourcepos?.[1][0] ?? 0;
  const underlineOf = (node: Node) => /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[lastLine(node) - 1]!)?.[1];
  const breaks = nodes.filter((node) => node.type === "thematic_break");
  const underlines = headings.filter((node) => underlineOf(node)?.startsWith("---"));
  return {
    // An indented code block has no info, a fenced one at least an empty info.
    fences: nodes.flatMap(({ info, literal }) =>
      info === null ? [] : [{ info: withNul(info), literal: withNul(literal!) }],
    ),
    headings: headings
      .filter((node) => underlineOf(node) === undefined)
      .map((node) => ({ level: node.level, title: withNul(plainText(node)) })),
    breaks: [...breaks, ...underlines].map(lastLine).toSorted((left, right) => left - right),
  };
}

function nodesOf(document: Node): readonly Node[] {
  const nodes: Node[] = [];
  const walker = document.walker();
  for (let step = walker.next(); step !== null; step = walker.next()) if (step.entering) nodes.push(step.node);
  return nodes;
}

// commonmark.js replaces NUL; a stand-in from the private use area passes unchanged.
const NUL_STANDIN = "\ue000";

function withNul(text: string): string {
  return text.replaceAll(NUL_STANDIN, "\0");
}

function plainText(node: Node): string {
  let text = "";
  for (let child = node.firstChild; child !== null; child = child.next) text += child.literal ?? "";
  return text;
}

/** A block's content as CommonMark gives it: LF endings, up to `indent` columns removed per line. */
function literalOf(text: string, block: FencedBlock): string {
  const content = text.slice(block.contentStart, block.contentEnd);
  if (content === "") return "";
  const lines = content.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${withoutIndent(line, block.indent)}\n`).join("");
}

function withoutIndent(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  for (; column < columns && (line[at] === " " || line[at] === "\t"); at += 1) {
    column += line[at] === "\t" ? 4 - (column % 4) : 1;
  }
  return " ".repeat(Math.max(0, column - columns)) + line.slice(at);
}

function lineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length;
}
