import type { JsonRecord } from "../src/shared/json-value.ts";
import { DIALECTS } from "../src/protocol/dialects/registry.ts";
import type { BuiltinDialect } from "../src/protocol/handoff.ts";
import { readHandoffs } from "../src/protocol/read-handoff.ts";

/**
 * Handoffs as agents write them, in any size: sentences, paths and ids that do not repeat, printed with
 * indentation. The same on every run.
 */

const WORDS =
  "cart total order gift card redeem refund price rule discount session token cache queue worker retry timeout limit parser header field schema index query page list filter user account profile email address payment invoice currency rounding quantity stock warehouse shipment label route handler middleware hook test fixture mock snapshot coverage branch commit merge review comment issue fix patch release deploy config secret variable environment log metric trace alert".split(
    " ",
  );

/** A small generator with a fixed seed: benchmarks compare the same bytes on every machine. */
class Author {
  #state = 20_260_309;

  #next(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state % below;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.#next(choices.length)] as T;
  }

  number(below: number): number {
    return this.#next(below);
  }

  sentence(words: number): string {
    const text = Array.from({ length: words }, () => this.pick(WORDS)).join(" ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  path(): string {
    return `src/${this.pick(WORDS)}/${this.pick(WORDS)}-${this.pick(WORDS)}.ts`;
  }
}

const SEVERITIES = ["critical", "high", "medium", "low"];

/** A pipeline-json document with so many issues, and half as many artifacts. */
function pipelineDocument(issues: number): JsonRecord {
  const author = new Author();
  return {
    ...DIALECTS["pipeline-json"].example,
    status: "PASS_WITH_WARNINGS",
    artifacts: Array.from({ length: Math.ceil(issues / 2) }, () => ({
      type: author.pick(["source_file", "test_file", "documentation"]),
      path: author.path(),
      purpose: author.sentence(6),
      priority: author.pick(SEVERITIES),
    })),
    issues: Array.from({ length: issues }, (_, index) => ({
      id: `SHOP-${index + 1}`,
      severity: author.pick(SEVERITIES),
      category: author.pick(["bug", "security", "performance", "quality"]),
      location: `${author.path()}:${1 + author.number(900)}`,
      description: author.sentence(14),
      remediation: author.sentence(10),
      status: author.pick(["open", "fixed"]),
      requires_code_change: author.pick([true, false]),
    })),
  };
}

/** An output-json document with so many skills and places read, half as many files, and a context to match. */
function outputDocument(skills: number): JsonRecord {
  const author = new Author();
  const half = Math.ceil(skills / 2);
  return {
    ...DIALECTS["output-json"].example,
    skills_invoked: Array.from(
      { length: skills },
      () => `${author.pick(WORDS)}-${author.pick(WORDS)}-${author.pick(WORDS)}`,
    ),
    library_skills_read: Array.from({ length: half }, () => `.skills/library/${author.path()}`),
    source_files_verified: Array.from({ length: skills }, () => `${author.path()}:1-${2 + author.number(400)}`),
    files_modified: Array.from({ length: half }, () => author.path()),
    artifacts: Array.from({ length: Math.ceil(half / 2) }, () => author.path()),
    handoff: { next_phase: "testing", next_agent: "shop-tester", context: author.sentence(10 * skills), blockers: [] },
  };
}

/** A phase-yaml document with so many facts in its free space. */
function phaseDocument(facts: number): JsonRecord {
  const author = new Author();
  const example = DIALECTS["phase-yaml"].example["handoff"] as JsonRecord;
  return {
    handoff: {
      ...example,
      dependencies: Array.from({ length: Math.ceil(facts / 4) }, (_, index) => `task-${index + 1}`),
      context: Object.fromEntries(
        Array.from({ length: facts }, (_, index) => [
          `${author.pick(WORDS)}_${index}`,
          {
            file: author.path(),
            note: author.sentence(9),
            lines: author.number(900),
            checked: author.pick([true, false]),
          },
        ]),
      ),
    },
  };
}

/** A task-yaml document with so many changed files, patterns and traps. */
function taskDocument(entries: number): JsonRecord {
  const author = new Author();
  const each = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  return {
    outcome: "completed",
    files_created: each(entries, () => ({ path: author.path(), purpose: author.sentence(7), lines: "all" })),
    files_modified: each(entries, () => ({
      path: author.path(),
      lines: `${1 + author.number(40)}-${50 + author.number(400)}`,
      change_type: author.pick(["add", "modify", "refactor"]),
      description: author.sentence(9),
    })),
    patterns_discovered: each(Math.ceil(entries / 2), (index) => ({
      id: `pattern-${index + 1}`,
      pattern: author.sentence(8),
      location: author.path(),
      applies_to: [author.pick(WORDS), `${author.pick(WORDS)}-${author.pick(WORDS)}`],
    })),
    gotchas: each(Math.ceil(entries / 2), (index) => ({
      id: `gotcha-${index + 1}`,
      issue: author.sentence(9),
      discovered_in: author.path(),
      mitigation: author.sentence(8),
      severity: author.pick(["high", "medium", "low"]),
    })),
    suggested_next_steps: each(2, () => ({
      step: author.sentence(6),
      priority: "high",
      depends_on: [author.path()],
    })),
  };
}

/** An issue-xml document with so many blocking issues. */
function issueDocument(issues: number): JsonRecord {
  const author = new Author();
  const { data, ...rest } = DIALECTS["issue-xml"].example;
  return {
    ...rest,
    data: {
      ...(data as JsonRecord),
      critical_count: String(issues),
      important_count: "0",
      blocking_issues: Array.from({ length: issues }, () => ({
        "@location": `${author.path()}:${1 + author.number(900)}`,
        "@severity": "critical",
        "#text": author.sentence(12),
      })),
    },
  };
}

const MAKERS: Readonly<Record<BuiltinDialect, (size: number) => JsonRecord>> = {
  "pipeline-json": pipelineDocument,
  "issue-xml": issueDocument,
  "phase-yaml": phaseDocument,
  "task-yaml": taskDocument,
  "output-json": outputDocument,
};

/** The largest document of the dialect, printed, that is not longer than `bytes`. */
export function textOf(dialect: BuiltinDialect, bytes: number): string {
  const print = (size: number): string => DIALECTS[dialect].print(MAKERS[dialect](size));
  let fits = 0;
  let step = 1;
  while (print(fits + step).length <= bytes) {
    fits += step;
    step *= 2;
  }
  for (; step >= 1; step = Math.floor(step / 2)) if (print(fits + step).length <= bytes) fits += step;
  return print(fits);
}

/** Prose as it stands around a block: paragraphs, headings, lists, code in fences, inline code. */
export function prose(bytes: number): string {
  const author = new Author();
  const parts: string[] = [];
  for (let length = 0; length < bytes;) {
    const part = author.pick(PARTS)(author);
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}

function paragraph(author: Author): string {
  return `${Array.from({ length: 4 }, () => `${author.sentence(13)}.`).join("\n")}\n\n`;
}

/** Paragraphs twice: prose is mostly that. */
const PARTS: readonly ((author: Author) => string)[] = [
  paragraph,
  paragraph,
  (author) => `## ${author.sentence(4)}\n\n${paragraph(author)}`,
  (author) => `${author.sentence(40)}. See \`${author.path()}\` and <https://git.example/shop>.\n\n`,
  (author) => `${Array.from({ length: 5 }, () => `- ${author.sentence(9)}`).join("\n")}\n\n`,
  (author) =>
    `\`\`\`ts\nexport const ${author.pick(WORDS)} = (${author.pick(WORDS)}: number) => {\n  return ${author.number(90)};\n};\n\`\`\`\n\n`,
  (author) =>
    `| ${author.pick(WORDS)} | ${author.pick(WORDS)} |\n| --- | --- |\n| ${author.sentence(3)} | ${author.number(99)} |\n\n`,
];

/** The text itself, after making sure that it is read without a word: a benchmark must not compare something else. */
export function validText(text: string): string {
  const { valid, diagnostics } = readHandoffs(text);
  if (!valid || diagnostics.length > 0) throw new Error(`not valid: ${diagnostics[0]?.message}`);
  return text;
}

/** A task-yaml document in which every description goes on in the next line. */
export function wrappedYaml(bytes: number): string {
  return textOf("task-yaml", Math.floor(bytes * 0.95)).replaceAll(
    /^( *)description: (\S+ \S+) (.*)$/gm,
    "$1description: $2\n$1  $3",
  );
}

/** A task-yaml document with each next step written as `{step: ..., ...}`. */
export function flowYaml(bytes: number): string {
  return textOf("task-yaml", bytes).replaceAll(NEXT_STEP, "  - { step: $1, priority: $2, depends_on: [$3] }");
}

/** The same with brackets over several lines, which is outside the plain subset. */
export function bracketedYaml(bytes: number): string {
  const step = "  - {\n      step: $1,\n      priority: $2,\n      depends_on: [$3]\n    }";
  return textOf("task-yaml", bytes - 50).replaceAll(NEXT_STEP, step);
}

const NEXT_STEP = /^ {2}- step: (.*)\n {4}priority: (.*)\n {4}depends_on:\n {6}- (.*)$/gm;

/** An issue-xml document with its summary in CDATA. */
export function cdataXml(bytes: number): string {
  return textOf("issue-xml", bytes - 20).replace(/<summary>(.*)<\/summary>/, "<summary><![CDATA[$1]]></summary>");
}

/** An issue-xml document with an element that the format does not name. */
export function extendedXml(bytes: number): string {
  return textOf("issue-xml", bytes - 40).replace("</summary>", "</summary>\n  <mood>Good, on the whole</mood>");
}

/** An issue-xml document with an attribute on a plain value. */
export function annotatedXml(bytes: number): string {
  return textOf("issue-xml", bytes - 20).replace("<summary>", '<summary lang="en">');
}

/** The pipeline-json text with so many values that break a rule. */
export function brokenRules(text: string, errors: number): string {
  const document = JSON.parse(text) as { artifacts: JsonRecord[]; issues: JsonRecord[] };
  const slips: ((index: number) => void)[] = [
    (index) => void (pickFrom(document.issues, index)["severity"] = "urgent"),
    (index) => void (pickFrom(document.artifacts, index)["path"] = "/etc/passwd"),
    (index) => void (pickFrom(document.issues, index)["location"] = "somewhere"),
    (index) => void (pickFrom(document.artifacts, index)["type"] = "specification"),
    (index) => void delete pickFrom(document.issues, index)["remediation"],
    (index) => void (pickFrom(document.issues, index)["status"] = 7),
  ];
  for (let index = 0; index < errors; index++) slips[index % slips.length]?.(index);
  return DIALECTS["pipeline-json"].print(document);
}

/** The same text with so many slips that JSON does not allow but whose meaning is plain: comments, commas too many. */
export function looseJson(text: string, slips: number): string {
  const lines = text.split("\n");
  for (let slip = 0; slip < slips; slip++) {
    const from = Math.floor(((slip + 0.5) * lines.length) / slips);
    if (slip % 2 === 0) lines[from] += " // as agreed";
    else {
      const last = lines.findIndex(
        (line, at) => at >= from && /^\s*[}\]]/.test(lines[at + 1] ?? "") && !/[,[{]$/.test(line),
      );
      if (last !== -1) lines[last] += ",";
    }
  }
  return lines.join("\n");
}

/** The same text with so many places where it is no JSON at all: missing commas and quotes. */
export function brokenJson(text: string, slips: number): string {
  const lines = text.split("\n");
  for (let slip = 0; slip < slips; slip++) {
    const from = Math.floor(((slip + 0.5) * lines.length) / slips);
    const at = lines.findIndex((line, index) => index >= from && /": ".*",$/.test(line));
    if (at === -1) continue;
    const line = lines[at] ?? "";
    lines[at] = slip % 2 === 0 ? line.slice(0, -1) : line.replace(/"(\w+)":/, "$1:");
  }
  return lines.join("\n");
}

function pickFrom(list: JsonRecord[], index: number): JsonRecord {
  return list[index % list.length] ?? {};
}
