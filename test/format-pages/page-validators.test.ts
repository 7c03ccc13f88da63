import { createContext, runInContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/protocol/diagnostic.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";
import { AUTHORS_PAGES_ABSENT, type FormatPages, authorsPages, readPage } from "./format-pages.ts";

/**
 * Two of the formats come with a validator function of their own (rules 002-R17 and 004-R25). Here each is
 * said again from its rule and compared with our verdict on generated documents. Every difference that is
 * allowed is named, with the ruling or rule behind it; everything else must agree.
 */
const runs = Math.max(5000, Number(process.env["BATON_FUZZ_RUNS"] ?? 0));
const options = { seed: 20261102, numRuns: runs };

const absent = Symbol("absent");
type Maybe = JsonValue | typeof absent;

/** Values that belong into no field: they probe truthiness and types. */
const odd: fc.Arbitrary<Maybe> = fc.constantFrom<Maybe>(
  absent,
  null,
  "",
  " ",
  0,
  7,
  true,
  false,
  [],
  ["x"],
  {},
  { a: 1 },
  "None",
  "@",
  "@x | None",
  "a | b",
  "[name]",
  "constructor",
);

function mostly(good: readonly JsonValue[], bad: readonly Maybe[]): fc.Arbitrary<Maybe> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<Maybe>(...good) },
    { weight: 1, arbitrary: fc.constantFrom<Maybe>(...bad) },
    { weight: 1, arbitrary: odd },
  );
}

function document(fields: Readonly<Record<string, fc.Arbitrary<Maybe>>>): fc.Arbitrary<JsonRecord> {
  return fc
    .record(fields)
    .map((values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== absent)) as JsonRecord);
}

describe("002-R17: the validator of phase-yaml", () => {
  const handoff = document({
    phase: mostly(["Research", "Testing", "QA", "Complete"], ["testing", "Done", "Testing "]),
    from: mostly(["@a", "@b-agent"], ["a", " @a"]),
    to: mostly(["@b", "@lead", "None"], ["none", "user", null]),
    status: mostly(["pending", "in_progress", "complete", "failed", "blocked", "retry"], ["Complete", "done"]),
    retry_count: mostly([0, 2], [-1, 1.5, "2", absent]),
    metrics: mostly([{}, { tests: 3 }], ["3", ["X"], absent]),
    dependencies: mostly([[], ["task-1"]], [[1.5], "task-1", absent]),
    on_failure: mostly([{}, { retry: 2, route_to: "@b" }], [{ route_to: "b" }, { retry: "2" }, absent]),
    timestamp: mostly(["2026-03-09T14:05:00Z"], ["noon", absent]),
    context: mostly([{}, { a: "b" }], ["text", absent]),
    note: mostly(["anything"], [absent]),
  });

  it("agrees with ours but for null in `to`, templates, and the types of optional fields", () => {
    const seen = { accepted: 0, refused: 0, byRuling11: 0, stricter: 0 };
    fc.assert(
      fc.property(handoff, (content) => {
        // Ruling 11, the one place where ours takes more: null means "no next agent".
        const ruled: JsonRecord = content["to"] === null ? { ...content, to: "None" } : content;
        if (content["to"] === null) expect(authorsValidator002(content)).not.toBe(true);
        const said = authorsValidator002(ruled);
        const reading = read("phase-yaml", { handoff: content });
        const errors = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
        if (said === true) {
          // Where ours refuses more, it is only for reasons the authors' function does not look at.
          expect(errors.filter((error) => !isStricter002(error)).map(summary)).toEqual([]);
          seen[reading.valid ? (ruled === content ? "accepted" : "byRuling11") : "stricter"]++;
        } else {
          expect(reading.valid).toBe(false);
          expectSameComplaint002(said, content, errors);
          seen.refused++;
        }
      }),
      options,
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 200);
  });

  it("is said again here exactly as the authors have it", (context) => {
    if (authorsPages === null) return context.skip(AUTHORS_PAGES_ABSENT);
    const original = authorsFunction(authorsPages, "002");
    fc.assert(
      fc.property(handoff, (content) => {
        const said = authorsValidator002(content);
        const answer = original(content);
        if (typeof said === "string" && said.startsWith("Missing")) expect(answer).toBe(`Error: ${said}`);
        else if (said === true) expect(answer).toBe("true");
        else expect(answer.startsWith(`Error: ${said.split(":")[0]}: `) || answer.startsWith("TypeError")).toBe(true);
      }),
      options,
    );
  });
});

describe("004-R25: the validator of output-json", () => {
  const blocker = { type: "missing_dependency", description: "No service", resolution: "Build it" };
  const inner = document({
    next_phase: mostly(["implementation", "testing", "complete"], ["done", absent]),
    next_agent: mostly(["tester", null], [absent, 4]),
    context: mostly(["Read the plan."], [absent, "", null]),
    blockers: mostly([[], [blocker]], [absent, "none", [{}]]),
  });
  const output = document({
    status: mostly(["complete", "needs_review", "blocked"], ["done", "approved", absent]),
    phase: mostly(["architecture", "implementation", "testing"], ["planning", absent]),
    summary: mostly(["Built 3 widgets in src/a.ts"], ["", absent, 7]),
    handoff: fc.oneof(
      { weight: 8, arbitrary: inner },
      { weight: 1, arbitrary: fc.constantFrom<Maybe>(absent, null, "later", []) },
    ),
    blocked_reason: mostly(["unknown"], [absent, "tired"]),
    attempted: mostly([["Asked"]], [absent, []]),
    files_modified: mostly([[], ["src/a.ts"]], [absent, ["/a"]]),
    verification: mostly([{ tests_passed: true }], [absent, { tests_passed: "yes" }]),
    agent: fc.constantFrom<Maybe>(absent, absent, absent, "developer"),
  });

  it("agrees with ours in the phase layer but for templates, words and types the function does not look at", () => {
    const seen = { accepted: 0, refused: 0, stricter: 0, metadataLayer: 0 };
    fc.assert(
      fc.property(output, (content) => {
        const said = authorsValidator004(content);
        const reading = read("output-json", content);
        const errors = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
        if (content["agent"] !== undefined) {
          // Ruling 21: a document that names its agent belongs to the other layer, which the function predates.
          expect(errors.map((error) => error.rule)).not.toContain("004-R23");
          seen.metadataLayer++;
        } else if (said === true) {
          expect(errors.filter((error) => !isStricter004(error)).map(summary)).toEqual([]);
          seen[reading.valid ? "accepted" : "stricter"]++;
        } else {
          expect(reading.valid).toBe(false);
          expect(errors.map((error) => error.rule)).toContain(said);
          seen.refused++;
        }
      }),
      options,
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 200);
  });

  it("is said again here exactly as the authors have it", (context) => {
    if (authorsPages === null) return context.skip(AUTHORS_PAGES_ABSENT);
    const original = authorsFunction(authorsPages, "004");
    fc.assert(
      fc.property(output, (content) => {
        expect(original(content) === "true").toBe(authorsValidator004(content) === true);
      }),
      options,
    );
  });
});

/** The authors' function itself, run in a world without anything in it. */
function authorsFunction(pages: FormatPages, number: string): (content: JsonRecord) => string {
  const source = /^function validateHandoff[\s\S]*?^\}$/m.exec(readPage(pages, number))?.[0] ?? "";
  const plain = source.replace("(handoff: AgentHandoff): boolean", "(handoff)");
  const world = createContext({ input: "" });
  const call = `${plain}
    try { String(validateHandoff(JSON.parse(input))) } catch (error) { error.name + ": " + error.message }`;
  return (content) => {
    world["input"] = JSON.stringify(content);
    return String(runInContext(call, world, { timeout: 1000 }));
  };
}

/** The authors' function, by its rule: the first complaint, or true. A thrown TypeError is a refusal too. */
function authorsValidator002(handoff: JsonRecord): true | string {
  for (const name of ["phase", "from", "to", "status"])
    if (!truthy(handoff[name])) return `Missing required field: ${name}`;
  const phases = [
    "Research",
    "Planning",
    "Infrastructure",
    "Implementation",
    "Testing",
    "Integration",
    "QA",
    "Complete",
  ];
  if (!phases.some((phase) => phase === handoff["phase"])) return "Invalid phase";
  const statuses = ["pending", "in_progress", "complete", "failed", "blocked", "retry"];
  if (!statuses.some((status) => status === handoff["status"])) return "Invalid status";
  for (const name of ["from", "to"]) {
    const value = handoff[name];
    if (name === "to" && value === "None") continue;
    if (typeof value !== "string") return `TypeError: ${name}`;
    if (!value.startsWith("@")) return `Agent name must start with @: ${name}`;
  }
  return true;
}

const RULES_002: Readonly<Record<string, string>> = {
  phase: "002-R03",
  from: "002-R04",
  to: "002-R05",
  status: "002-R06",
};

/** The same field is complained of, and "missing" means missing or empty with us as well. */
function expectSameComplaint002(said: string, handoff: JsonRecord, errors: readonly Diagnostic[]): void {
  const field = /(phase|from|to|status)$/.exec(said)?.[1] ?? "";
  const own = errors.filter((error) => error.rule === RULES_002[field]);
  expect(errors.map((error) => error.rule)).toContain(RULES_002[field]);
  const value = handoff[field];
  const isMissing = value === undefined || (typeof value === "string" && value.trim() === "");
  expect(own.some((error) => error.code === "missing-field")).toBe(isMissing);
}

/** What the function does not look at: optional fields (R07-R16), and templates that begin with @ (ruling 20). */
function isStricter002(error: Diagnostic): boolean {
  if (error.code === "unfilled-template") return true;
  return /^002-R(?:0[7-9]|1[0-6])$/.test(error.rule ?? "");
}

/** True, or the rule that its first `return false` (or its TypeError) stands for. */
function authorsValidator004(output: JsonRecord): true | string {
  if (!truthy(output["status"])) return "004-R08";
  if (!truthy(output["phase"])) return "004-R14";
  if (!truthy(output["summary"])) return "004-R15";
  const handoff = output["handoff"];
  if (handoff === undefined || handoff === null) return "004-R13";
  const fields: JsonRecord = isRecord(handoff) ? handoff : {};
  if (fields["next_phase"] !== "complete" && !truthy(fields["context"]))
    return isRecord(handoff) ? "004-R21" : "004-R13";
  return output["status"] === "blocked" ? blockersAsSeen004(fields["blockers"]) : true;
}

/** `blockers.length === 0` on whatever stands there: only lists and texts have a length. */
function blockersAsSeen004(blockers: JsonValue | undefined): true | string {
  if (blockers === undefined) return "004-R23";
  if (Array.isArray(blockers)) return blockers.length === 0 ? "004-R23" : true;
  return blockers === null || blockers === "" ? "004-R22" : true;
}

/** What the function does not look at, by the code of our error and its rule; templates are ruling 20. */
const STRICTER_004: Readonly<Record<string, RegExp>> = {
  "unfilled-template": /./,
  // Words, and the order of the phases.
  "not-allowed": /^004-R(?:08|09|14|20)$/,
  inconsistent: /^004-R(?:11|20|22)$/,
  // Types and formats of what is there.
  "wrong-type": /^004-R(?:03|08|09|10|13|14|15|16|17|18|20|21|22)$/,
  "bad-format": /^004-R16$/,
  // A text of spaces is true for the function; a blocker's own fields are not looked at.
  "missing-field": /^004-R(?:08|09|13|14|15|20|22)$/,
};

function isStricter004(error: Diagnostic): boolean {
  // Ruling 35: a context of blanks says nothing.
  if (error.rule === "004-R21") return true;
  const isAbsent = error.code === "missing-field" && error.message.endsWith("is missing.") && error.rule !== "004-R22";
  return !isAbsent && (STRICTER_004[error.code]?.test(error.rule ?? "") ?? false);
}

function truthy(value: JsonValue | undefined): boolean {
  return Boolean(value);
}

function read(dialect: BuiltinDialect, content: JsonRecord): Reading {
  const format = DIALECTS[dialect];
  const block = format.print(content);
  return readHandoffs(format.wrap?.(block, { dialect, outcome: "done" }) ?? block, { dialect });
}

function summary(error: Diagnostic): string {
  return `${error.rule} ${error.code}: ${error.message}`;
}
