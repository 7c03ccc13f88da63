import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../shared/condition.ts";
import { printCondition } from "./file/print-graph.ts";
import { FACTS, parseCondition } from "./parse-condition.ts";
import { FACT_NAMES } from "./rules/facts.ts";

describe("parseCondition", () => {
  const facts: Record<string, string | number | boolean | null> = {
    outcome: "needs-fixes",
    failure: "BUGS_IN_CODE",
    iteration: 2,
    "open.blocking": 3,
    coverage: 91.5,
    "loop.required": true,
    "metrics.risk-level": "HIGH",
  };

  it.each([
    ["open.blocking > 0", true],
    ["open.blocking>=3 and iteration<2", false],
    ["iteration < 2 or open.blocking == 3 and coverage >= 91.5", true],
    ["(iteration < 2 or open.blocking == 3) and coverage > 95", false],
    ["not loop.required", false],
    ["not (not loop.required)", true],
    ["failure in ['FLAKY_TESTS', 'BUGS_IN_CODE']", true],
    ["failure in []", false],
    ['metrics.risk-level == "HIGH"', true],
    ["metrics.unknown == 1 or true", true],
    ["not (metrics.unknown == 1)", false],
    ["failure != null", true],
    ["-1 < iteration", true],
    ["outcome == 'needs-fixes'", true],
  ])("%s is %s", (text, expected) => {
    const { condition } = parseCondition(text);
    expect(condition).not.toBeNull();
    expect(holds(condition!, (name) => facts[name])).toBe(expected);
  });

  it("binds `and` closer than `or`, and `not` closest", () => {
    const { condition } = parseCondition("not true or false and true");
    expect(condition).toMatchObject({ kind: "or", left: { kind: "not" }, right: { kind: "and" } });
  });

  // The marks show what is pointed at.
  it.each([
    ["«»", "empty"],
    ["«opne.blocking» > 0", "Did you mean open.blocking?"],
    ["«process.exit» == 1", "Names are"],
    ["failure == «BUGS»", "'BUGS'"],
    ["open.blocking «=>» 0", "=="],
    ["open.blocking > 0 «&&» true", "and"],
    ["«(»open.blocking > 0", "never closed"],
    ["failure in «[»'a'", "never closed"],
    ["failure in «'a'»", "list"],
    ["failure == «'BUGS»", "never closed"],
    ["«open.blocking»", "> 0"],
    ["iteration == «'2'»", "never equal"],
    ["«failure» < 3", "compares numbers"],
    ["outcome == «'needs-fix'»", "needs-fixes"],
    ["true «true»", "not expected"],
    ["true an«d»", "ends too early"],
    ["open.blocking > 0 «;» true", "not part"],
    ["«metrics.__proto__.x» == 1", "Names are"],
  ])("refuses %s", (marked, part) => {
    const text = marked.replaceAll(/[«»]/g, "");
    const { problem } = parseCondition(text);
    expect(problem === null ? "fine" : `${problem.message} ${problem.hint}`).toContain(part);
    if (text !== "") expect([problem!.start, problem!.end]).toEqual([marked.indexOf("«"), marked.indexOf("»") - 1]);
  });

  it("has bounds", () => {
    expect(parseCondition(`${"(".repeat(30)}true${")".repeat(30)}`).problem?.message).toContain("levels deep");
    expect(parseCondition("not ".repeat(40) + "true").problem?.message).toContain("levels deep");
    expect(parseCondition(`true${" or true".repeat(100)}`).problem?.message).toContain("characters");
  });

  it("knows the facts that a run can tell", () => {
    expect(Object.keys(FACTS).toSorted()).toEqual([...FACT_NAMES].toSorted());
  });

  it("never throws, and points into the text", () => {
    const pieces = "and or not in ( ) [ ] , == < 'a' 1 open.low x '".split(" ");
    const piece = fc.constantFrom(...pieces);
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.array(piece).map((list) => list.join(" ")),
    );
    fc.assert(
      fc.property(text, (sample) => {
        const { condition, problem } = parseCondition(sample);
        if (problem === null) expect(parseCondition(printCondition(condition)).condition).toEqual(condition);
        else expect(problem.start).toBeLessThanOrEqual(problem.end);
      }),
      { numRuns: 1000 },
    );
  });
});
