import type { DiagnosticCode } from "../../src/protocol/diagnostic.ts";

/**
 * Texts that attack the reader, or that it must not be fooled by. Each is made when it is asked for:
 * nothing large is kept here.
 */
export interface HostileText {
  readonly name: string;
  readonly path?: string;
  /** What it is refused for: an error with this code is among the diagnostics. */
  readonly code: DiagnosticCode;
  readonly make: () => string;
}

const MEGABYTE = 1_000_000;
const LEVELS = 100_000;

const pipeline = {
  from_agent: "BackendBuilder",
  to_agent: "TestAgent",
  timestamp: "2026-03-09T14:05:00.000Z",
  status: "PASS",
  iteration: 1,
  loop_required: false,
  artifacts: [],
  context: {},
  validation: { command: "npm test", expected_result: "all pass", checklist: [] },
};

/** A pipeline handoff with one more field, written as it stands. */
function withField(field: string): string {
  return `${JSON.stringify(pipeline).slice(0, -1)},${field}}`;
}

function task(content: string): string {
  return `# Task 7: Cards\n\n## Handoff\n\n\`\`\`yaml\noutcome: completed\n${content}\n\`\`\`\n`;
}

function phase(content: string): string {
  return `\`\`\`yaml\nhandoff:\n  phase: Testing\n  from: "@a"\n  to: "None"\n  status: complete\n${content}\n\`\`\`\n`;
}

function issue(content: string): string {
  return `<handoff><from>a-agent</from><to>b-agent</to><timestamp>2026-03-09T14:05:00Z</timestamp><issue_number>7</issue_number><status>success</status><summary>Done</summary><data>${content}</data></handoff>`;
}

function hostile(name: string, code: DiagnosticCode, make: () => string, path?: string): HostileText {
  return path === undefined ? { name, code, make } : { name, code, make, path };
}

function full(piece: string, length = MEGABYTE): string {
  return piece.repeat(Math.floor(length / piece.length));
}

/** A text that other bytes were decoded into, as `readFile(path, "utf8")` does it. */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

const wholeTexts: readonly HostileText[] = [
  hostile("nothing", "empty", () => ""),
  hostile("white space", "empty", () => " \n\t\r\n  "),
  hostile("a megabyte of white space", "empty", () => full(" \n")),
  hostile("a byte order mark", "empty", () => "\uFEFF"),
  hostile("a byte order mark and a line", "empty", () => "\uFEFF\n"),
  hostile("an empty pipeline file", "empty", () => "", "handoff-A.json"),
  hostile("a zero byte in text", "binary", () => withField('"a":"\0"')),
  hostile("a picture", "binary", () => decoded(Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13]))),
  hostile("a program", "binary", () => decoded(Uint8Array.from({ length: 4000 }, (_, index) => (index * 37) % 256))),
  hostile("compressed bytes", "binary", () =>
    decoded(Uint8Array.from({ length: 4000 }, (_, index) => 1 + ((index * index * 31 + 7) % 255))),
  ),
  hostile("UTF-16", "wrong-encoding", () => decoded(Buffer.from(JSON.stringify(pipeline), "utf16le"))),
  hostile("UTF-16 with a mark", "wrong-encoding", () =>
    decoded(Buffer.from(`\uFEFF${JSON.stringify(pipeline)}`, "utf16le")),
  ),
  hostile("UTF-16, the other way round", "wrong-encoding", () =>
    decoded(Buffer.from(`\uFEFF${JSON.stringify(pipeline)}`, "utf16le").swap16()),
  ),
  hostile("UTF-16 read as Latin-1", "wrong-encoding", () =>
    Buffer.from(`\uFEFF${JSON.stringify(pipeline)}`, "utf16le").toString("latin1"),
  ),
  hostile("50 MB", "too-large", () => full("handoff:\n", 50_000_000)),
  hostile("50 MB of JSON", "too-large", () => withField(`"a":"${full("x", 50_000_000)}"`), "handoff-A.json"),
  hostile("one byte too many", "too-large", () => " ".repeat(1_048_577)),
  hostile("few characters, many bytes", "too-large", () => full("\u00e9", 600_000)),
];

const nested: readonly HostileText[] = [
  hostile("JSON lists", "too-deep", () => withField(`"a":${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}`)),
  hostile("JSON records", "too-deep", () => withField(`"a":${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}`)),
  hostile("open JSON lists", "too-deep", () => `{"from_agent":${"[".repeat(LEVELS)}`),
  hostile("open JSON records", "too-deep", () => '{"from_agent":'.repeat(LEVELS / 2)),
  hostile("JSON with brackets of the wrong kind", "too-deep", () => `{"from_agent":${"[},".repeat(LEVELS)}`),
  hostile(
    "JSON with a comma too many, deep inside",
    "too-deep",
    () => `{"from_agent":${"[".repeat(LEVELS)}1,${"]".repeat(LEVELS)}}`,
  ),
  hostile("JSON one level too deep", "too-deep", () => withField(`"a":${"[".repeat(64)}${"]".repeat(64)}`)),
  hostile("a JSON file of brackets", "too-deep", () => full("["), "handoff-A.json"),
  hostile("a JSON file of braces", "too-deep", () => full("{"), "handoff-A.json"),
  hostile("YAML flow lists", "too-deep", () => task(`a: ${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}`)),
  hostile("open YAML flow lists", "too-deep", () => task(`a: ${"[".repeat(LEVELS)}`)),
  hostile("YAML flow records", "too-deep", () => task(`a: ${"{a: ".repeat(LEVELS)}1${"}".repeat(LEVELS)}`)),
  hostile("YAML lists on one line", "too-deep", () => task(`a:\n  ${"- ".repeat(LEVELS)}x`)),
  hostile("YAML question marks", "too-deep", () => task(`a:\n  ${"? ".repeat(LEVELS)}x`)),
  hostile("YAML records by indentation", "too-deep", () =>
    task(Array.from({ length: 1300 }, (_, level) => `${" ".repeat(level)}a:`).join("\n")),
  ),
  hostile("XML elements", "too-deep", () => issue(`${"<a>".repeat(LEVELS)}${"</a>".repeat(LEVELS)}`)),
  hostile("open XML elements", "too-deep", () => `<handoff>${"<a>".repeat(LEVELS)}`),
  hostile("handoffs in handoffs", "too-deep", () => `${"<handoff>".repeat(50_000)}${"</handoff>".repeat(50_000)}`),
];

const bombs: readonly HostileText[] = [
  hostile("billion laughs", "doctype-refused", () => {
    const lines = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`);
    return `<!DOCTYPE h [<!ENTITY l0 "lol">${lines.join("")}]>\n${issue("&l9;")}`;
  }),
  hostile(
    "a file by entity",
    "doctype-refused",
    () => `<?xml version="1.0"?><!DOCTYPE h [<!ENTITY x SYSTEM "file:///etc/passwd">]>${issue("&x;")}`,
  ),
  hostile("an entity nobody defined", "syntax-error", () => issue("&lol9;")),
  hostile("a DOCTYPE of a megabyte", "doctype-refused", () => `<!DOCTYPE h [${full('<!ENTITY a "b">')}]>${issue("")}`),
  hostile("a DOCTYPE inside the handoff", "syntax-error", () => issue("<!DOCTYPE h []>")),
  hostile("billion laughs in YAML", "alias-refused", () =>
    task(
      `l0: &l0 [lol]\n${Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}*l${n}]`).join("\n")}`,
    ),
  ),
  hostile("one alias", "alias-refused", () => phase("  metrics: &m {a: 1}\n  context: *m")),
  hostile("a merge key", "alias-refused", () => phase("  metrics: &m {a: 1}\n  context:\n    <<: *m")),
  hostile("a record that holds itself", "alias-refused", () => task("a: &a\n  b: *a")),
  hostile("a tag that makes code", "syntax-error", () => task('a: !!js/function "function () {}"')),
  hostile("a megabyte of anchors", "syntax-error", () => task(`a: ${full("&a ", 900_000)}`)),
  hostile("40,000 aliases", "alias-refused", () => task(`a: &a 1\nb: [${full("*a , ", 200_000)}]`)),
];

const forbidden: readonly HostileText[] = ["__proto__", "constructor", "prototype"].flatMap((key) => [
  hostile(`${key} in pipeline-json`, "forbidden-key", () => withField(`"${key}":{"to_agent":"Mallory"}`)),
  hostile(`${key} deep in pipeline-json`, "forbidden-key", () => withField(`"a":[{"b":{"${key}":1}}]`)),
  hostile(`${key} in the context of pipeline-json`, "forbidden-key", () =>
    JSON.stringify(pipeline).replace('"context":{}', `"context":{"${key}":{"a":1}}`),
  ),
  hostile(`${key}, escaped, in pipeline-json`, "forbidden-key", () =>
    withField(`"${key.replace("o", "\\u006f")}":{"to_agent":"Mallory"}`),
  ),
  hostile(`${key} in phase-yaml`, "forbidden-key", () => phase(`  ${key}: {to: "@mallory"}`)),
  hostile(`${key} in the metrics of phase-yaml`, "forbidden-key", () => phase(`  metrics:\n    ${key}: 1`)),
  hostile(`${key} in task-yaml`, "forbidden-key", () => task(`"${key}":\n  outcome: blocked`)),
  hostile(`${key} in issue-xml`, "forbidden-key", () => issue(`<${key}>x</${key}>`)),
  hostile(`${key} in the metrics of issue-xml`, "forbidden-key", () => issue(`<metrics><${key}>1</${key}></metrics>`)),
]);

const written: readonly HostileText[] = [
  hostile("a key twice in JSON", "duplicate-key", () => withField('"status":"FAIL"')),
  hostile("a key twice, once escaped", "duplicate-key", () => withField('"st\\u0061tus":"FAIL"')),
  hostile("a key twice deep in JSON", "duplicate-key", () => withField('"a":[{"b":1,"b":2}]')),
  hostile("a key twice in YAML", "duplicate-key", () => phase("  status: failed")),
  hostile("a key twice in flow YAML", "duplicate-key", () => task("a: {b: 1, b: 2}")),
  hostile("an element twice", "duplicate-key", () => issue("").replace("<to>", "<to>c-agent</to><to>")),
  hostile("a number nobody can keep", "unsafe-number", () => withField('"sha":12345678901234567890123')),
  hostile("a number without end", "unsafe-number", () => withField(`"sha":${full("9")}`)),
  hostile("infinity", "unsafe-number", () => withField('"a":1e999')),
  hostile("007 in JSON", "syntax-error", () => withField('"id":007')),
  hostile("a line break in a JSON text", "syntax-error", () => withField('"a":"b\nc"')),
  hostile("a lone quote in JSON", "truncated", () => `{"from_agent": "${full("x", 1000)}`),
  hostile("two JSON roots", "several-roots", () => `${JSON.stringify(pipeline)}\n${JSON.stringify(pipeline)}`),
  hostile("a list of handoffs", "wrong-type", () => `[${JSON.stringify(pipeline)}]`),
  hostile("two XML roots in one", "syntax-error", () => issue("").replace("</handoff>", "</handof></handoff>")),
  hostile("a JSON file that holds Markdown", "wrong-container", () => "# Handoff\n\nAll done.\n", "handoff-A.json"),
  hostile(
    "a JSON file that holds a fenced handoff",
    "wrong-container",
    () => `# A\n\n\`\`\`json\n${JSON.stringify(pipeline)}\n\`\`\`\n`,
    "handoff-BackendBuilder.json",
  ),
  hostile("prose", "no-handoff", () => "I have finished the work and all the tests pass. Bye!\n"),
  hostile("JSON of something else", "no-handoff", () => '{"name":"baton-handoff","version":"0.1.0"}'),
  hostile("YAML of something else", "no-handoff", () => "name: ci\non: push\n", "ci.yaml"),
  hostile("XML of something else", "no-handoff", () => '<?xml version="1.0"?><project/>', "pom.xml"),
  hostile(
    "a JSON template",
    "unfilled-template",
    () => '{"from_agent": "A", "status": "PASS" | "FAIL", "issues": [...]}',
  ),
  hostile("a JSON template that parses", "unfilled-template", () =>
    JSON.stringify({ ...pipeline, status: "PASS|PASS_WITH_FIXES|FAIL" }),
  ),
  hostile("a YAML template", "unfilled-template", () => phase("").replace("Testing", '"Research" | "Planning"')),
  hostile("a YAML template that parses", "unfilled-template", () =>
    task("").replace("completed", "[completed | partial]"),
  ),
  hostile("a YAML template of figures", "unfilled-template", () => phase("  metrics:\n    tests_total: [X]")),
  hostile("an XML template", "unfilled-template", () => issue("").replace("success", "success|failure|blocked")),
  hostile("a placeholder", "unfilled-template", () => JSON.stringify({ ...pipeline, to_agent: "[next agent]" })),
];

const large: readonly HostileText[] = [
  hostile("90,000 JSON keys", "too-many-nodes", () =>
    withField(`"a":{${Array.from({ length: 90_000 }, (_, n) => `"${n}":1`).join(",")}}`),
  ),
  hostile("250,000 JSON keys in records of one", "too-many-nodes", () =>
    withField(`"a":[${full('{"":1},', 900_000)}1]`),
  ),
  hostile("half a million JSON values", "too-many-nodes", () => withField(`"a":[${full("1,")}1]`)),
  hostile("100,000 empty JSON lists", "too-many-nodes", () => withField(`"a":[${full("[],")}[]]`)),
  hostile("130,000 JSON keys, all the same", "duplicate-key", () => withField(`"a":{${full('"a":1,', 800_000)}"a":1}`)),
  hostile("90,000 JSON keys, all the same", "duplicate-key", () => withField(`"a":{${full('"a":1,', 540_000)}"a":1}`)),
  hostile("40,000 wrong JSON values", "too-many-nodes", () =>
    JSON.stringify({ ...pipeline, fixes_applied: Array.from({ length: 40_000 }, () => 1) }),
  ),
  hostile("2,000 warnings before an error", "too-many-nodes", () =>
    JSON.stringify({
      agent: "a",
      output_type: "b",
      source_files_verified: Array.from({ length: 2000 }, () => "x"),
      status: "no",
    }),
  ),
  hostile("100,000 YAML keys", "too-many-nodes", () =>
    task(Array.from({ length: 100_000 }, (_, n) => `k${n}: 1`).join("\n")),
  ),
  hostile("45,000 YAML keys, all the same", "duplicate-key", () => task(full("a: 1\n", 225_000))),
  hostile("40,000 unquoted names", "syntax-error", () => task(`a:\n${full("  - @a\n", 280_000)}`)),
  hostile("one unquoted name without end", "syntax-error", () => task(`a: @${full("b ")}`)),
  hostile("240,000 XML elements", "too-many-nodes", () => issue(full("<a/>"))),
  hostile("45,000 XML elements, all the same", "duplicate-key", () => issue(full("<port>1</port>", 630_000))),
  hostile("a megabyte of &", "syntax-error", () => issue(full("&"))),
  hostile("a megabyte of & in CDATA", "syntax-error", () => issue(`& <![CDATA[${full("&")}]]>`)),
  hostile("a megabyte of <", "syntax-error", () => issue(full("<"))),
  hostile("a megabyte of <!--", "truncated", () => `<handoff>${full("<!--")}`),
  hostile("a megabyte of <handoff", "syntax-error", () => full("<handoff")),
  hostile("a megabyte of handoffs", "too-many-nodes", () => full("<handoff/>")),
  hostile("a megabyte of sections", "too-many-nodes", () => full("## Handoff\n")),
  hostile("a megabyte of sections with a word", "too-many-nodes", () => full("## Handoff\na\n")),
  hostile("a megabyte of fences", "too-many-nodes", () => full("```\n")),
  hostile("a megabyte of blocks", "too-many-nodes", () => full('```json\n{"from_agent":1}\n```\n')),
  hostile("a megabyte of handoff:", "too-many-nodes", () => full("handoff:\n")),
  hostile("a megabyte of separators", "too-many-nodes", () => full("---\n")),
  hostile("a separator and a megabyte of lines", "no-handoff", () => `---\n${full("\n")}x`),
  hostile("a megabyte of quotes", "no-handoff", () => full('"')),
  hostile("a megabyte of quotes in YAML", "syntax-error", () => task(`a: ${full('"')}x`)),
  hostile("a megabyte of hyphens", "no-handoff", () => full("- ")),
  hostile("a megabyte of @", "no-handoff", () => full("@")),
  hostile("a megabyte of stars", "no-handoff", () => full("*")),
  hostile("one line of a megabyte", "no-handoff", () => full("word ")),
  hostile("one heading of a megabyte", "no-handoff", () => `# COMPLETE${full(" ")}x`),
  hostile("one title of a megabyte", "no-handoff", () => `# Task ${full("-")}[`),
  hostile("choices without end", "not-allowed", () =>
    JSON.stringify({ ...pipeline, status: `${full("a | ", 800_000)}!` }),
  ),
  hostile("an address without end", "bad-format", () => issue(`<pr_url>https://${full("a", 900_000)} b</pr_url>`)),
  hostile("a path without end", "bad-format", () =>
    task(`files_created: [{path: "${full("../", 900_000)}", purpose: a, lines: all}]`),
  ),
  hostile("a path that climbs behind a line break", "bad-format", () =>
    task('files_created: [{path: "a\\n/../../b", purpose: a, lines: all}]'),
  ),
];

export const hostileTexts: readonly HostileText[] = [
  ...wholeTexts,
  ...nested,
  ...bombs,
  ...forbidden,
  ...written,
  ...large,
];
