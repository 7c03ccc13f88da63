import { hasContent } from "../../src/protocol/dialects/rule-parts.ts";
import fc from "fast-check";
import type { Dialect } from "../../src/protocol/dialect.ts";
import { EDGES } from "../../src/protocol/dialects/issue-xml/edges.ts";
import type { Field, RecordShape, Shape } from "../../src/protocol/shape.ts";
import { isUnfilledText } from "../../src/protocol/unfilled-template.ts";
import { type JsonRecord, type JsonValue, isRecord, shown } from "../../src/shared/json-value.ts";

/**
 * Documents that break no rule, made from the very shapes the dialects are checked by. Texts are as
 * nasty as the syntax allows: quotes, colons, line breaks, markup, words that YAML would retype.
 */
const NASTY = [
  "null",
  "true",
  "007",
  "15.10",
  "1e3",
  "~",
  "- item",
  "# no comment",
  "a: b",
  "@name",
  "`tick`",
  "```",
  "~~~\n```yaml",
  'it\'s "quoted"',
  "&amp; & <tag>",
  "]]>",
  "line one\nline two",
  "  padded  ",
  "tab\there",
  "é ✅ 漢字 👩‍🚀",
  "\u2028",
  "2026-01-01",
  "0x1F",
  "\\",
  "%",
  "!tag",
  "*alias",
  "|",
  ">",
  "yes",
];

function freeText(syntax: Dialect["syntax"]): fc.Arbitrary<string> {
  const any = fc.oneof(
    fc.constantFrom(...NASTY),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.lorem({ maxCount: 3 }),
  );
  const legal =
    syntax === "xml"
      ? any.map((text) => text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "").trim())
      : any;
  return legal.map((text) => (isUnfilledText(text) || /\[[A-Z]\]/.test(text) ? `x${text}` : text.replaceAll("\0", "")));
}

const FORMATTED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  timestamp: fc.constantFrom(
    "2026-03-09T14:05:00.000Z",
    "2026-03-09T14:05:00Z",
    "2024-02-29T23:59+02:00",
    "2026-12-31T00:00:00-0330",
    "2026-03-09T14:05:00",
  ),
  "utc-timestamp": fc.constantFrom("2026-03-09T14:05:00Z", "2024-02-29T23:59:59.5Z"),
  "relative-path": fc.constantFrom("src/a.ts", "docs/ü b.md", "tests/**/*.ts", ".github/x.yml", "a'b/c\"d.txt"),
  "file-line": fc.constantFrom("src/a.ts:1", "lib/x y.js:42", "a.go:7-9"),
  "line-range": fc.constantFrom("all", "1-1", "12-90"),
  "verified-range": fc.constantFrom("src/a.ts:1-20", "x.go:4-4"),
  tag: fc.constantFrom("auth", "price-rules", "v2"),
  "at-name": fc.constantFrom("@builder", "@test-agent", "@a:b", "@"),
  "at-name-or-none": fc.constantFrom("@builder", "@test-agent", "None"),
  "kebab-name": fc.constantFrom("builder", "test-agent", "auditor-2"),
  integer: fc.constantFrom("0", "7", "123", "007"),
  percent: fc.constantFrom("96%", "0%", "99.5%"),
  boolean: fc.constantFrom("true", "false"),
  "one-line": fc.constantFrom("Done", "All & sundry <ok>", 'it\'s "done"'),
  "web-address": fc.constantFrom("https://git.example/shop/issues/7", "http://x/pull/9?a=1&b=2"),
  word: fc.constantFrom("4f2a9c1", "123456789012345678901234", "feature/issue-7-a"),
};

const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }).filter(isPlain);

/** Leaves out what the readers refuse on purpose: prototype keys and numbers a double cannot keep. */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([key, inner]) => !["__proto__", "constructor", "prototype", "carried"].includes(key) && isPlain(inner),
  );
}

function arbitraryShape(shape: Shape, syntax: Dialect["syntax"]): fc.Arbitrary<JsonValue> {
  switch (shape.kind) {
    case "text":
      if (shape.oneOf !== undefined) return fc.constantFrom(...shape.oneOf);
      if (shape.format !== undefined) return FORMATTED[shape.format.name] ?? fc.constant(shape.format.example);
      return shape.filled === true
        ? freeText(syntax).map((text) => (text.trim() === "" ? "filled" : text))
        : freeText(syntax);
    case "number":
      return shape.integer === true
        ? fc.integer({ min: shape.minimum ?? -9, max: 999 })
        : fc.constantFrom(0, 1, 2.5, 7, 10);
    case "boolean":
      return fc.boolean();
    case "nullable":
      return fc.option(arbitraryShape(shape.of, syntax), { nil: null });
    case "list":
      return fc.array(arbitraryShape(shape.item, syntax), { minLength: shape.minimum ?? 0, maxLength: 3 });
    case "record":
      return arbitraryRecord(shape, syntax);
    case "map":
      return syntax === "xml"
        ? xmlMap()
        : fc
            .dictionary(fc.string({ minLength: 1, maxLength: 8 }), json, { maxKeys: 4 })
            .filter(isPlain)
            .map(withoutPlaceholders);
    case "literal":
      return fc.constant(shape.value);
    case "union":
      return fc.oneof(...shape.of.map((form) => arbitraryShape(form, syntax)));
    case "anything":
      return json;
  }
}

function withoutPlaceholders(map: Record<string, JsonValue>): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key,
      (Array.isArray(value) && value.length === 1) || (typeof value === "string" && value.includes("[")) ? 1 : value,
    ]),
  );
}

function xmlMap(): fc.Arbitrary<JsonRecord> {
  return fc.dictionary(
    fc.constantFrom("review_iterations", "total_commits", "tests_added", "coverage", "speed"),
    fc.constantFrom(1, 24, "94%", "fast", "007"),
    { minKeys: 1, maxKeys: 4 },
  );
}

function arbitraryRecord(shape: RecordShape, syntax: Dialect["syntax"]): fc.Arbitrary<JsonRecord> {
  const known = Object.entries(shape.fields).filter(([key]) => key !== "carried" && key !== "#root");
  const fields = known.map(([key, field]) =>
    arbitraryField(field, syntax).map((value): [string, JsonValue | undefined] => [key, value]),
  );
  return fc
    .tuple(
      fc.tuple(...fields),
      extraFields(
        syntax,
        known.some(([key]) => key.startsWith("@")),
      ),
    )
    .map(([entries, extra]) => ({
      ...Object.fromEntries(entries.filter((entry) => entry[1] !== undefined)),
      ...extra,
    }));
}

function arbitraryField(field: Field, syntax: Dialect["syntax"]): fc.Arbitrary<JsonValue | undefined> {
  const value = arbitraryShape(field.shape, syntax);
  return field.required ? value : fc.option(value, { nil: undefined, freq: 2 });
}

function extraFields(syntax: Dialect["syntax"], attributes: boolean): fc.Arbitrary<JsonRecord> {
  const none = { weight: 4, arbitrary: fc.constant<JsonRecord>({}) };
  if (syntax !== "xml")
    return fc.oneof(none, { weight: 1, arbitrary: json.map((value): JsonRecord => ({ "x-extra": value })) });
  const extra: JsonRecord = attributes
    ? { "@note": "a & b" }
    : { extra_note: { "#xml": '<extra_note kind="a">x<b/>y</extra_note>' } };
  return fc.oneof(none, { weight: 1, arbitrary: fc.constant(extra) });
}

export function arbitraryDocument(dialect: Dialect): fc.Arbitrary<JsonRecord> {
  const mend = MENDERS[dialect.name] ?? ((document: JsonRecord) => document);
  return fc
    .tuple(arbitraryRecord(dialect.shape, dialect.syntax), fc.nat())
    .map(([document, choice]) => mend(structuredClone(document), choice));
}

const MENDERS: Readonly<Record<string, (document: JsonRecord, choice: number) => JsonRecord>> = {
  "pipeline-json": mendPipeline,
  "issue-xml": mendIssue,
  "task-yaml": mendTask,
  "output-json": mendOutput,
};

function mendPipeline(document: JsonRecord, choice: number): JsonRecord {
  for (const [index, issue] of (Array.isArray(document["issues"]) ? document["issues"] : []).entries())
    if (isRecord(issue)) issue["id"] = `${shown(issue["id"])}-${index}`;
  if (choice % 3 === 0)
    return {
      ...document,
      loop_required: true,
      loop_target: "Earlier",
      loop_reason: "BUGS",
      to_agent: "Earlier",
      from_agent: "Later",
    };
  return {
    ...document,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    ...(choice % 3 === 1 && { to_agent: "COMPLETE" }),
  };
}

function mendTask(document: JsonRecord): JsonRecord {
  const { outcome } = document;
  for (const file of (document["files_modified"] ?? []) as JsonRecord[]) file["lines"] ??= "all";
  const filled = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(filled) : typeof value === "string" && value.trim() !== "";
  const blockers = ((document["blockers"] ?? []) as JsonRecord[]).map((blocker) => ({
    ...blocker,
    suggested_resolution: filled(blocker["suggested_resolution"]) ? blocker["suggested_resolution"] : "ask",
    blocking_tasks: filled(blocker["blocking_tasks"]) ? blocker["blocking_tasks"] : ["task-1"],
  })) as JsonRecord[];
  if (document["blockers"] !== undefined) document["blockers"] = blockers;
  if (outcome === "completed") return document;
  const full = { blocker: "b", impact: "i", suggested_resolution: "s", blocking_tasks: ["task-1"] };
  const steps = (document["suggested_next_steps"] ?? []) as JsonRecord[];
  return {
    ...document,
    blockers: blockers.length > 0 ? blockers : [full],
    suggested_next_steps: steps.length > 0 ? steps : [{ step: "go", priority: "low", depends_on: [] }],
  };
}

function mendOutput(document: JsonRecord, choice: number): JsonRecord {
  const handoff = isRecord(document["handoff"]) ? document["handoff"] : {};
  const blocked = document["status"] === "blocked";
  const follows: JsonRecord = { architecture: "implementation", implementation: "testing", testing: "complete" };
  const phase = shown(document["phase"] ?? "testing");
  if (handoff["next_phase"] !== undefined) handoff["next_phase"] = follows[phase];
  if (blocked) handoff["next_agent"] = null;
  else if (handoff["blockers"] !== undefined) handoff["blockers"] = [];
  const metadata = {
    agent: "a-developer",
    output_type: "x",
    timestamp: "2026-03-09T14:05:00Z",
    feature_directory: "out",
    skills_invoked: [],
    library_skills_read: [],
    source_files_verified: [],
    ...document,
    ...(blocked && { blocked_reason: "unknown", attempted: ["a"] }),
  };
  if (choice % 2 === 0) return { ...metadata, handoff };
  const { agent: _agent, output_type: _type, ...rest } = document;
  const blockers = blocked ? [{ type: "t", description: "d", resolution: "r" }] : handoff["blockers"];
  return {
    ...rest,
    phase,
    summary: "Built 3 things",
    handoff: { ...handoff, context: "know this", ...(blockers !== undefined && { blockers }) },
  };
}

/** Puts a document on a described edge, the error form, or an edge of its own. */
function mendIssue(document: JsonRecord, choice: number): JsonRecord {
  const payload: JsonRecord = {};
  for (const [key, value] of Object.entries(document))
    if (!ENVELOPE.has(key) && !key.startsWith("#")) payload[key] = value;
  const envelope: JsonRecord = {
    "#root": "handoff",
    from: "auditor",
    to: "clerk",
    timestamp: "2026-03-09T14:05:00Z",
    issue_number: "7",
    status: "success",
    summary: "Done",
  };
  for (const key of ENVELOPE) if (document[key] !== undefined && key !== "data") envelope[key] = document[key];
  if (payload["pr_url"] !== undefined) envelope["pr_number"] ??= "9";
  Object.assign(payload, { review_status: undefined, critical_count: undefined, important_count: undefined });
  const edge = EDGES[choice % (EDGES.length + 4)];
  if (edge === undefined) return general(envelope, payload, choice);
  const needed = Object.fromEntries(
    edge.required
      .filter((key) => !ENVELOPE.has(key))
      .map((key) => [key, hasContent(payload[key]) ? payload[key] : REQUIRED[key]]),
  );
  Object.assign(payload, needed, edge.fixed?.["status"] === undefined ? edge.fixed : {});
  if (isRecord(payload["metrics"]) && edge.from === undefined)
    payload["metrics"] = { ...payload["metrics"], ...COMPLETION_METRICS };
  if (edge.rule === "001-R14")
    Object.assign(payload, { critical_count: "2", important_count: "0", suggestion_count: "1" });
  Object.assign(envelope, {
    from: edge.from,
    to: edge.to,
    pr_number: "9",
    issue_number: "7",
    status: edge.fixed?.["status"] ?? "success",
  });
  if (edge.from !== undefined) return { ...envelope, data: defined(payload) };
  return defined({
    ...envelope,
    "#root": "workflow-complete",
    from: undefined,
    to: undefined,
    timestamp: undefined,
    ...payload,
  });
}

function general(envelope: JsonRecord, payload: JsonRecord, choice: number): JsonRecord {
  if (envelope["status"] === "failure") {
    envelope["to"] = "orchestrator";
    payload["error"] ??= { type: "E", message: "m", details: "", recoverable: "true", suggested_action: "s" };
  }
  return choice % 2 === 0 ? { ...envelope, data: defined(payload) } : { ...envelope, ...defined(payload), data: {} };
}

function defined(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter((entry) => entry[1] !== undefined));
}

const ENVELOPE = new Set([
  "#root",
  "from",
  "to",
  "timestamp",
  "issue_number",
  "pr_number",
  "status",
  "summary",
  "data",
]);
const REQUIRED: JsonRecord = {
  issue_url: "https://x/issues/7",
  issue_title: "T",
  type: "bug",
  priority: "low",
  requirements: ["r"],
  branch: "fix/issue-7-a",
  workspace_path: "../x-issue-7",
  workspace_type: "cloud",
  port: "3100",
  validation: { dependencies: "d", build: "b", dev_server: "s" },
  pr_url: "https://x/pull/9",
  files_changed: "1",
  tests_added: "2",
  coverage: "3%",
  commits: [{ "@sha": "abc", "#text": "m" }],
  suggestion_count: "0",
  blocking_issues: [{ "@location": "a:1", "@severity": "critical", "#text": "t" }],
  fixes_applied: [{ "@location": "a:1", "#text": "t" }],
  commits_added: "1",
  merge_sha: "abc",
  merge_strategy: "squash",
  validation_summary: { tests: "t", coverage: "c", lint: "l", type_check: "y", security: "s" },
  failures: [{ "@type": "lint", "#text": "t" }],
  cycle_time: "1 day",
  metrics: {},
  actions_taken: ["closed"],
};
const COMPLETION_METRICS: JsonRecord = { review_iterations: 1, total_commits: 2, tests_added: 3, coverage: "4%" };
