import { describe, expect, it } from "vitest";
import type { LineRange, Statement, TestClaim } from "../claim.ts";
import { judgeClaims } from "../judge-claims.ts";
import { sampleGate, sampleEvidence } from "../../../test/truth/sample-evidence.ts";
import type { Figures, ObservedFile, ObservedGate, ObservedLedger, Evidence } from "../observations.ts";

function verdict(about: Statement, scene: Evidence): string | undefined {
  return judgeClaims([{ kind: "test", where: "checks", path: [], says: "It is so.", about }], scene)[0]?.verdict;
}

const NOTHING: Figures = { tests: null, coverage: null, sources: [], problems: [] };
const withGates = (...gates: Partial<ObservedGate>[]): Evidence => sampleEvidence({}, { gates: gates.map(sampleGate) });
const reporting = (passed: number, failed: number, skipped = 0): Partial<ObservedGate> => ({
  passed: failed === 0,
  figures: { ...NOTHING, tests: { passed, failed, skipped } },
});

describe("claimed numbers of tests", () => {
  const tests = (stated: Partial<TestClaim>, scene: Evidence): string | undefined =>
    verdict({ of: "tests", stated: { passed: null, failed: null, total: null, allPassed: null, ...stated } }, scene);

  it("are compared with the reports of gates", () => {
    expect(tests({ passed: 25, total: 25 }, withGates(reporting(25, 0)))).toBe("confirmed");
    expect(tests({ passed: 25, total: 26 }, withGates(reporting(25, 0, 1)))).toBe("confirmed");
    expect(tests({ passed: 25, failed: 0 }, withGates(reporting(24, 1)))).toBe("refuted");
    expect(tests({ passed: 26 }, withGates(reporting(25, 0)))).toBe("refuted");
    expect(tests({ passed: 25, total: 25 }, withGates(reporting(25, 0, 1)))).toBe("confirmed");
    expect(tests({ failed: 2 }, withGates(reporting(85, 2)))).toBe("confirmed");
    expect(tests({ failed: 0 }, withGates(reporting(24, 1)))).toBe("refuted");
    expect(tests({ passed: 25 }, withGates({ figures: null }))).toBe("unverifiable");
    expect(tests({ passed: 25 }, sampleEvidence())).toBe("unverifiable");
  });

  it("may be of one gate or of all together", () => {
    const two = withGates({ gate: "unit", ...reporting(20, 0) }, { gate: "e2e", ...reporting(5, 0) });
    expect([20, 5, 25, 15].map((passed) => tests({ passed }, two))).toEqual([
      "confirmed",
      "confirmed",
      "confirmed",
      "refuted",
    ]);
  });

  it("are not refuted by a gate that runs a part of them, unless the part is more than the whole", () => {
    const unit = withGates({ gate: "unit", proves: ["unit"], ...reporting(20, 0) });
    expect(tests({ passed: 25, total: 25 }, unit)).toBe("unverifiable");
    expect(tests({ passed: 20 }, unit)).toBe("confirmed");
    expect(tests({ passed: 10, total: 10 }, unit)).toBe("refuted");
    const failing = withGates({ gate: "unit", proves: ["unit"], ...reporting(19, 1) });
    expect(tests({ passed: 25, failed: 0 }, failing)).toBe("refuted");
  });

  it("without a number are answered by the gate itself", () => {
    expect(tests({ allPassed: true }, withGates({}))).toBe("confirmed");
    expect(tests({ allPassed: true }, withGates({ passed: false, message: "exit 1" }))).toBe("refuted");
    expect(tests({ allPassed: false }, withGates({ passed: false }))).toBe("confirmed");
    expect(tests({ allPassed: false }, withGates({}))).toBe("refuted");
    expect(tests({ allPassed: true }, withGates(reporting(0, 0)))).toBe("unverifiable");
    expect(tests({ allPassed: true }, withGates({ proves: ["lint"] }))).toBe("unverifiable");
  });

  it("that were added are never more than there are", () => {
    const added = (count: number, scene: Evidence): string | undefined => verdict({ of: "tests-added", count }, scene);
    expect(added(24, withGates(reporting(10, 0)))).toBe("refuted");
    expect(added(4, withGates(reporting(10, 0)))).toBe("unverifiable");
    expect(added(4, sampleEvidence())).toBe("unverifiable");
    const test = (name: string) => ({ group: "a", name, status: "passed", assertions: null }) as const;
    const [before, now] = [[test("one")], [test("one"), test("two"), test("three")]];
    const compared = {
      gate: "tests",
      why: "",
      before: { cases: before, covered: [] },
      now: { cases: now, covered: [] },
    };
    const scene = { ...withGates(reporting(3, 0)), compared: [{ ...compared, uncovered: [] }] };
    expect([added(2, scene), added(1, scene), added(4, scene)]).toEqual(["confirmed", "unverifiable", "refuted"]);
  });
});

describe("claimed coverage", () => {
  const covered = (
    percent: number,
    measure: "lines" | "branches" | null,
    coverage: Figures["coverage"],
  ): string | undefined =>
    verdict({ of: "coverage", measure, percent }, withGates({ figures: { ...NOTHING, coverage } }));

  it.each([
    [92, 92, "confirmed"],
    [92, 95, "confirmed"],
    [92, 91.6, "confirmed"],
    [92, 91.4, "refuted"],
    [91.5, 91.46, "confirmed"],
    [91.5, 91.4, "refuted"],
    [0, 40, "confirmed"],
    [101, 100, "refuted"],
  ])("of %d where %d was measured is %s", (claimed, measured, expected) => {
    expect(covered(claimed, "lines", { lines: measured })).toBe(expected);
  });

  it("that may be a percentage or a part of 1 must hold as both, or is not known", () => {
    const of = (percent: number, lines: number): string | undefined => covered(percent, null, { lines });
    expect([of(0.95, 96), of(0.95, 60), of(0.95, 0.5)]).toEqual(["confirmed", "unverifiable", "refuted"]);
    expect([of(1, 100), of(1, 60), of(1.5, 60), of(0, 0)]).toEqual([
      "confirmed",
      "unverifiable",
      "confirmed",
      "confirmed",
    ]);
  });

  it("is of the measure it names; unsaid, of lines or statements", () => {
    expect(covered(90, "branches", { lines: 95 })).toBe("unverifiable");
    expect(covered(96, null, { lines: 94, statements: 96 })).toBe("confirmed");
    expect(covered(96, null, { lines: 94, statements: 95 })).toBe("refuted");
    expect(covered(96, null, { branches: 99 })).toBe("unverifiable");
    expect(covered(96, null, null)).toBe("unverifiable");
  });
});

describe("a claimed check", () => {
  const check = (name: string, passed: boolean, ...gates: Partial<ObservedGate>[]): string | undefined =>
    verdict({ of: "check", check: name, passed }, withGates(...gates));

  it("is answered by the gates that prove it, whatever these call it", () => {
    expect(check("lint", true, { proves: ["lint"] })).toBe("confirmed");
    expect(check("typecheck", true, { proves: ["type-check"] })).toBe("confirmed");
    expect(check("lint", true, { proves: ["lint"], passed: false })).toBe("refuted");
    expect(check("lint", true, { proves: ["lint"] }, { proves: ["lint"], passed: false })).toBe("refuted");
    expect(check("lint", false, { proves: ["lint"], passed: false })).toBe("confirmed");
    expect(check("lint", false, { proves: ["lint"] })).toBe("refuted");
    expect(check("lint", true, { proves: ["build"] })).toBe("unverifiable");
  });

  it("of tests fails also when the report has a failure and the gate ended with 0", () => {
    const gate = { proves: ["unit", "lint"], ...reporting(24, 1), passed: true };
    expect(check("unit", true, gate)).toBe("refuted");
    expect(check("unit", false, gate)).toBe("confirmed");
    expect(check("lint", true, gate)).toBe("confirmed");
    const [judged] = judgeClaims(
      [{ kind: "check", where: "checks", path: [], says: "", about: { of: "check", check: "unit", passed: true } }],
      withGates({ gate: "unit", ...gate }),
    );
    expect(judged?.evidence).toBe("unit: 24 passed, 1 failed.");
  });
});

describe("a claimed command", () => {
  const command = (text: string, passed: boolean, expectsFailure: boolean): string | undefined =>
    verdict({ of: "command", command: text, expectsFailure }, withGates({ command: ["npm", "test"], passed }));

  it("counts only as a gate or with approval (000-R37)", () => {
    expect(command("npm test", true, false)).toBe("confirmed");
    expect(command(" npm test ", false, false)).toBe("refuted");
    expect(command("npm test && rm -rf /", true, false)).toBe("unverifiable");
    const approved = { command: "make check", passed: false, message: "exit 2" };
    const scene = sampleEvidence({}, { commands: [approved] });
    expect(verdict({ of: "command", command: "make check", expectsFailure: false }, scene)).toBe("refuted");
    expect(verdict({ of: "command", command: "make all", expectsFailure: false }, scene)).toBe("unverifiable");
  });

  it("may fail when the work goes back (ruling 30)", () => {
    expect(command("npm test", false, true)).toBe("confirmed");
    expect(command("npm test", true, true)).toBe("unverifiable");
  });

  it("is not taken for a gate whose words a shell would read otherwise", () => {
    const scene = withGates({ command: ["sh", "-c", "npm test; true"] });
    expect(verdict({ of: "command", command: "sh -c npm test; true", expectsFailure: false }, scene)).toBe(
      "unverifiable",
    );
  });
});

describe("a claimed place", () => {
  const file: ObservedFile = { is: "file", lines: 40, isIgnored: false };
  const place = (
    last: number | null,
    sight: Partial<ObservedFile>,
    isPast = false,
    changed = false,
  ): string | undefined => {
    const lines: LineRange | null = last === null ? null : { first: last, last };
    const changes = changed ? new Map([["a.ts", { change: "deleted", hunks: null } as const]]) : new Map();
    const scene = sampleEvidence({ files: new Map([["a.ts", { ...file, ...sight }]]), changes });
    return verdict({ of: "place", path: "a.ts", lines, isPast }, scene);
  };

  it("must exist, with its line", () => {
    expect([place(1, {}), place(40, {}), place(41, {}), place(42, {}), place(0, {})]).toEqual([
      "confirmed",
      "confirmed",
      "confirmed",
      "refuted",
      "refuted",
    ]);
    expect(place(7, { is: "absent", lines: null })).toBe("refuted");
    expect(place(7, { is: "absent", lines: null }, false, true)).toBe("unverifiable");
    expect(place(7, { is: "folder", lines: null })).toBe("refuted");
    expect(place(null, { is: "folder", lines: null })).toBe("confirmed");
    expect(place(7, { is: "outside", lines: null })).toBe("refuted");
    expect(place(7, { is: "link", lines: null })).toBe("unverifiable");
    expect(place(7, { lines: null })).toBe("unverifiable");
  });

  it("that may be the name of something else is not refuted for being absent", () => {
    const named = (path: string, top: ObservedFile["is"], line: number | null = null): string | undefined => {
      const absent: ObservedFile = { is: "absent", lines: null, isIgnored: false };
      const files = new Map([[path.split("/")[0] ?? "", { ...absent, is: top }]]).set(path, absent);
      const lines = line === null ? null : { first: line, last: line };
      return verdict({ of: "place", path, lines, isPast: false, isNamed: true }, sampleEvidence({ files }));
    };
    expect(named("src/ghost.ts", "folder")).toBe("refuted");
    expect(named("ghost.ts", "absent", 3)).toBe("refuted");
    const others = [named("CI/CD", "absent"), named("Next.js", "absent"), named("src/cart", "folder")];
    expect([...others, named("express/lib/router.js", "absent")]).toEqual(Array(4).fill("unverifiable"));
  });

  it("that was mended may have had its line before", () => {
    expect(place(99, {}, true, true)).toBe("unverifiable");
    expect(place(99, {}, true, false)).toBe("refuted");
  });
});

describe("what is said of the run's issues", () => {
  const ledger: ObservedLedger[] = [
    { id: "BUG-1", status: "open", location: "src/a.ts:42", isBlocking: true },
    { id: "BUG-2@reviewer", status: "fixed", location: "src/b.ts:1", isBlocking: false },
  ];
  const of = (about: Statement, known: readonly ObservedLedger[] | null = ledger): string | undefined =>
    verdict(about, sampleEvidence({}, { ledger: known }));

  it("is looked up in the ledger", () => {
    expect(of({ of: "resolved", id: "BUG-1", isListed: false })).toBe("unverifiable");
    expect(of({ of: "resolved", id: "BUG-2", isListed: false })).toBe("unverifiable");
    expect(of({ of: "resolved", id: "BUG-3", isListed: false })).toBe("refuted");
    expect(of({ of: "resolved", id: "BUG-3", isListed: true })).toBe("unverifiable");
    expect(of({ of: "resolved", id: "BUG-1", isListed: false }, null)).toBe("unverifiable");
  });

  it("puts a fix into the file of a blocking issue (001-R26)", () => {
    expect(of({ of: "fix", location: "src/b.ts:1" })).toBe("unverifiable");
    expect(of({ of: "fix", location: "src/c.ts:1" })).toBe("refuted");
    const failure = { id: "validator-1", status: "open", location: null, isBlocking: true };
    expect(of({ of: "fix", location: "test/c.test.ts:1" }, [...ledger, failure])).toBe("unverifiable");
    expect(of({ of: "fix", location: "../a.ts:1" }, null)).toBe("refuted");
    expect(of({ of: "fix", location: "src/a.ts:42" }, null)).toBe("unverifiable");
  });
});

describe("the command of a handoff", () => {
  const ran = (gate: string, claimed: string): string | undefined =>
    verdict(
      { of: "command", command: claimed, expectsFailure: false },
      sampleEvidence({}, { gates: [sampleGate({ command: gate.split(" ") })] }),
    );

  it("is the gate when both start the script test, however it is written", () => {
    const same = [
      ["npm test", "npm t", "npm tst", "npm run test", "npm run-script test"],
      ["yarn test", "yarn run test"],
      ["pnpm test", "pnpm t", "pnpm run test"],
      ["npm test -- --coverage", "npm run test -- --coverage"],
    ];
    for (const spellings of same)
      for (const gate of spellings) for (const claimed of spellings) expect(ran(gate, claimed)).toBe("confirmed");
  });

  it("is another one when anything else differs", () => {
    for (const claimed of [
      "npm run test:unit",
      "npm run tests",
      "yarn test",
      "npm test -- a",
      "npm testx",
      "npm t; true",
    ])
      expect(ran("npm test", claimed)).toBe("unverifiable");
    expect(ran("bun test", "bun run test")).toBe("unverifiable");
  });
});

describe("a number beside its list", () => {
  const count = (stated: number, listed: number, isWhole: boolean): string | undefined =>
    verdict({ of: "count", name: "tests", stated, listed, isWhole }, sampleEvidence());

  it("must equal it, unless some may be missing", () => {
    expect([count(2, 2, true), count(3, 2, true), count(1, 2, true)]).toEqual(["confirmed", "refuted", "refuted"]);
    expect([count(3, 2, false), count(1, 2, false)]).toEqual(["unverifiable", "refuted"]);
  });
});

describe("a claimed time", () => {
  const now = Date.parse("2026-03-09T14:30:00Z");
  const step = { startedAt: Date.parse("2026-03-09T14:00:00Z"), phase: "Testing" };
  const time = (at: string, inRun = true): string | undefined =>
    verdict({ of: "time", at }, sampleEvidence({}, { now, step: inRun ? step : null }));

  it.each([
    ["2026-03-09T14:05:00.000Z", "confirmed"],
    ["2026-03-09T13:59:59.000Z", "confirmed"],
    ["2026-03-09T15:05:00+01:00", "confirmed"],
    ["2026-03-09T14:34:00Z", "confirmed"],
    ["2026-03-09T13:59:58.000Z", "refuted"],
    ["2026-03-09T14:36:00Z", "refuted"],
    ["2026-03-09T00:00:00Z", "refuted"],
    ["2025-01-06T14:30:00Z", "refuted"],
    ["2026-03-09T17:05:00", "unverifiable"],
    ["2026-03-07T17:05:00", "refuted"],
    ["yesterday", "refuted"],
  ])("%s in a step from 14:00, at 14:30, is %s", (at, expected) => expect(time(at)).toBe(expected));

  it("without a run is refuted only in the future", () => {
    expect(time("2026-03-01T09:41:07Z", false)).toBe("unverifiable");
    expect(time("2027-03-01T09:41:07Z", false)).toBe("refuted");
    const about = { of: "time", at: "2026-03-01T00:00:00Z" } as const;
    const [judgement] = judgeClaims(
      [{ kind: "time", where: "at", path: [], says: "", about }],
      sampleEvidence({}, { now }),
    );
    expect(judgement?.evidence).toContain("midnight, which looks invented");
  });

  it("goes with the phase of the step", () => {
    const phase = (name: string): string | undefined => verdict({ of: "phase", name }, sampleEvidence({}, { step }));
    expect([phase("testing"), phase("Research")]).toEqual(["confirmed", "refuted"]);
    expect(verdict({ of: "phase", name: "Testing" }, sampleEvidence())).toBe("unverifiable");
  });

  it("is Complete where the step ends the run, and there alone", () => {
    const complete = (endsRun: boolean): string | undefined =>
      verdict({ of: "phase", name: "Complete" }, sampleEvidence({}, { step: { ...step, endsRun } }));
    expect([complete(true), complete(false)]).toEqual(["confirmed", "refuted"]);
  });
});
