import { printable } from "./printable.ts";

export function attributes(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Printable text has no control characters left; of what XML 1.0 forbids, only U+FFFE and U+FFFF remain. */
export function escapeXml(text: string): string {
  return printable(text)
    .replace(/[\ufffe\uffff]/g, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/##(\w*)\[/g, "##$1&#91;");
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

export interface JunitCase {
  /** `name`, `classname` and, where known, `file`, `line` and `time` in seconds. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The first of failure, error and skipped is the result of the case; without one it has passed. */
  readonly elements: readonly JunitElement[];
}

export interface JunitElement {
  readonly tag: "failure" | "error" | "skipped" | "system-out";
  readonly attributes?: Readonly<Record<string, string>>;
  /** Escaped by the caller with `escapeXml`; without it the element is empty. */
  readonly content?: string;
}

/** JUnit XML, as CI systems read it. */
export function printJunit(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals(name, all)}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite${totals(suite.name, suite.cases)}>`,
      ...suite.cases.flatMap(printCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function totals(name: string, cases: readonly JunitCase[]): string {
  const results = cases.map(({ elements }) => elements.find(({ tag }) => tag !== "system-out")?.tag);
  const counted = (tag: JunitElement["tag"]): string => String(results.filter((result) => result === tag).length);
  const [failures, errors, skipped] = [counted("failure"), counted("error"), counted("skipped")];
  return attributes({ name, tests: String(cases.length), failures, errors, skipped });
}

function printCase({ attributes: given, elements }: JunitCase): string[] {
  const open = `testcase${attributes(given)}`;
  if (elements.length === 0) return [`    <${open}/>`];
  return [`    <${open}>`, ...elements.map((element) => `      ${printElement(element)}`), "    </testcase>"];
}

function printElement({ tag, attributes: given = {}, content }: JunitElement): string {
  const open = `${tag}${attributes(given)}`;
  return content === undefined ? `<${open}/>` : `<${open}>${content}</${tag}>`;
}
