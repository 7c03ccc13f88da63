import { type Shown, refuse } from "./report.ts";
import { TapLevels } from "./tap-levels.ts";

/**
 * TAP 12 to 14, with subtests before their test (TAP 14, Node) or in braces behind it (Vitest, node-tap). The
 * plan is what tells a whole report from one that was cut off, so a report without one is not believed.
 */
export function readTap(text: string): Shown {
  const reader = new TapReader();
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf("\n", start);
    reader.line(text.slice(start, found === -1 ? text.length : found).trimEnd(), found !== -1);
    start = found === -1 ? text.length : found + 1;
  }
  return { tests: reader.end(), coverage: null };
}

class TapReader {
  readonly #levels = new TapLevels();
  #hasVersion = false;
  /** Indent of the YAML block that is open. */
  #yaml: number | null = null;

  line(line: string, isWhole: boolean): void {
    const indent = line.length - line.trimStart().length;
    const content = line.slice(indent);
    if (this.#yaml !== null) this.#yamlLine(content, indent, this.#yaml);
    else if (content === "---" && indent > (this.#levels.pointIndent ?? Infinity)) {
      this.#yaml = indent;
      this.#levels.expectNoBrace();
    } else this.#tapLine(content, indent, isWhole);
  }

  end(): NonNullable<Shown["tests"]> {
    if (this.#yaml !== null) refuse("it was cut off inside the details of a test");
    return this.#levels.end();
  }

  #yamlLine(content: string, indent: number, opened: number): void {
    if (indent !== opened) return;
    if (content === "...") this.#yaml = null;
    else if (content === "type: 'suite'") this.#levels.setType("suite");
    else if (content === "type: 'test'") this.#levels.setType("test");
  }

  #tapLine(content: string, indent: number, isWhole: boolean): void {
    const plan = PLAN.exec(content);
    const point = plan === null ? POINT.exec(content) : null;
    if (plan !== null) this.#levels.plan(indent, Number(plan[1]));
    else if (point !== null) {
      if (!isWhole) refuse("it was cut off inside the line of a test");
      this.#levels.point(indent, readPoint(point));
    } else if (content === "{") this.#levels.openBrace(indent);
    else if (content === "}") this.#levels.closeBrace(indent);
    else if (content.startsWith("# Subtest")) this.#levels.expectNoBrace();
    else if (/^Bail out!/i.test(content)) refuse("the run was given up (Bail out!)");
    else if (indent === 0 && content.startsWith("TAP version ")) this.#version(content);
  }

  #version(content: string): void {
    if (!/^TAP version 1[234]$/.test(content)) refuse(`its version is not known: ${content.slice(0, 40)}`);
    if (this.#hasVersion) refuse("several reports stand in it one after the other");
    this.#hasVersion = true;
  }
}

const PLAN = /^1\.\.(\d{1,9})(?:\s*#.*)?$/;
const POINT = /^(not )?ok(?:\s+(\d{1,9})(?!\S))?(?=\s|$)(.*)$/;
/** A `#` that is not escaped, and the word behind it. */
const DIRECTIVE = /(?:^|[^\\])#\s*(?:skip|todo)/i;

function readPoint([, not, number, rest = ""]: RegExpExecArray): Parameters<TapLevels["point"]>[1] {
  return {
    isOk: not === undefined,
    isExcused: DIRECTIVE.test(rest),
    number: number === undefined ? null : Number(number),
    mayOpenBrace: rest.endsWith(" {"),
  };
}
