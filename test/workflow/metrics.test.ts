import { describe, expect, it } from "vitest";
import type { Judgement } from "../../src/evidence/claim.ts";
import { DEFAULT_POLICY } from "../../src/evidence/policy.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { type MeasureFilter, type Metrics, measureRuns } from "../../src/runtime/operations/measure-runs.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import { always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";
import { StoredRun } from "./stored-run.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

const loopBack = always({ kind: "loop", to: "Builder" });
const shop = buildWorkflow(
  [
    buildAgent("Builder", {
      routes: { done: go("Reviewer"), failed: always({ kind: "retry", most: 2, then: { kind: "person" } }) },
    }),
    buildAgent("Reviewer", { routes: { done: always({ kind: "end" }), "needs-fixes": loopBack } }),
  ],
  { name: "shop" },
);

function newRun(run: string, workflow: Workflow = shop, at?: number): StoredRun {
  return new StoredRun(run, workflow, at);
}

async function measure(runs: readonly StoredRun[], filter: MeasureFilter = {}): Promise<Metrics> {
  const log = openMemoryLog();
  for (const run of runs) await run.store(log);
  return measureRuns({ log }, filter);
}

const review: Partial<Handoff> = {
  outcome: "needs-fixes",
  findings: { issues: [{ id: "A", severity: "critical", description: "It is wrong.", location: "a.ts:1" }] },
};
const fixed: Partial<Handoff> = { findings: { resolved: ["A"] } };
const used = (tokens: number | null, money: number | null, milliseconds = MINUTE) => ({
  usage: { milliseconds, tokens, money },
});

function judgement(verdict: Judgement["verdict"], kind: Judgement["kind"] = "file", where = verdict): Judgement {
  return { kind, where, says: `It says ${where}.`, verdict, procedure: "look", evidence: "Seen." };
}

describe("metrics of runs", () => {
  it("are empty of nothing: no zero stands for what is not known", async () => {
    const metrics = await measure([]);
    expect(metrics).toMatchObject({ runs: 0, workflows: [], agents: [], periods: [], coverage: [], figures: [] });
    expect(metrics.all).toMatchObject({
      cycle_time: null,
      review_iterations: null,
      tokens: { sum: null, known: 0, unknown: 0 },
      money: { sum: null },
      merges: { rate: null },
      coverage: { claimed: null, measured: null },
    });
  });

  it("tell cycle time of completed runs only, and how often work was reviewed and sent back", async () => {
    const looped = newRun("a").after(MINUTE).handIn({}).after(MINUTE).handIn(review);
    looped.after(MINUTE).handIn(fixed).after(MINUTE).handIn({});
    const failed = newRun("b").after(MINUTE).tell({ kind: "cancel-run", by: "ada", reason: "enough" });
    const { all } = await measure([looped, failed, newRun("c").after(MINUTE)]);
    expect(all.statuses).toEqual({ running: 1, watched: 0, waiting: 0, completed: 1, failed: 0, cancelled: 1 });
    expect(all.cycle_time).toMatchObject({ count: 1, median: 4 * MINUTE });
    expect(all.review_iterations).toMatchObject({ count: 1, median: 2 });
    expect(all).toMatchObject({ loops: 1, steps: 6 });
  });

  it("take whoever sends work back for a reviewer where nobody is called so", async () => {
    const checked = buildWorkflow(
      [
        buildAgent("Builder", { routes: { done: go("Checker") } }),
        buildAgent("Checker", { routes: { done: always({ kind: "end" }), "needs-fixes": loopBack } }),
      ],
      { name: "checked" },
    );
    const looped = newRun("a", checked).handIn({}).handIn(review).handIn(fixed).handIn({});
    expect((await measure([looped])).all.review_iterations).toMatchObject({ count: 1, median: 2 });
    const straight = newRun("b", checked).handIn({}).handIn({});
    expect((await measure([straight])).all.review_iterations).toBeNull();
  });

  it("count retries and repairs by agent", async () => {
    const run = newRun("a").end("crashed").after(MINUTE).fireNext();
    run.end("finished", "main", { problems: [{ message: "No.", hint: null, where: null, rule: null }] });
    run.handIn({}).handIn({});
    const { all, agents } = await measure([run]);
    expect(all).toMatchObject({ retries: 1, repairs: 1 });
    expect(agents.find(({ agent }) => agent === "Builder")).toMatchObject({
      retries: 1,
      repairs: 1,
      steps: 2,
      handoffs: 1,
    });
    expect(agents.find(({ agent }) => agent === "Reviewer")).toMatchObject({ retries: 0, repairs: 0 });
  });

  it("add up tokens and cost of attempts that tell them, and count the others apart", async () => {
    const some = newRun("a").handIn({}, "main", used(1_000, 0.25)).handIn({}, "main", used(null, null));
    const { all, agents } = await measure([some]);
    expect(all.tokens).toEqual({ sum: 1_000, known: 1, unknown: 1 });
    expect(all.money).toEqual({ sum: 0.25, known: 1, unknown: 1 });
    expect(all.agent_time).toMatchObject({ count: 1, sum: 2 * MINUTE });
    expect(agents.find(({ agent }) => agent === "Reviewer")?.tokens).toEqual({ sum: null, known: 0, unknown: 1 });
  });

  it("measure how long people were waited for", async () => {
    const asking = buildWorkflow([buildAgent("Builder", { approve: "after" })], { name: "asking", mode: "semi" });
    const run = newRun("a", asking)
      .after(MINUTE)
      .handIn({})
      .after(5 * MINUTE)
      .answer("approve");
    const { all } = await measure([run]);
    expect(all).toMatchObject({ asks: 1, waiting_time: { count: 1, median: 5 * MINUTE } });
    expect((await measure([newRun("b").handIn({}).handIn({})])).all.waiting_time).toBeNull();
    const waits = newRun("c", asking).after(MINUTE).handIn({}).after(DAY);
    expect((await measure([waits])).all).toMatchObject({ asks: 1, waiting_time: null });
  });

  it("know nothing of an attempt that was stopped with its run, nor for how long one worked that was lost", async () => {
    const cancelled = newRun("a").after(MINUTE).tell({ kind: "cancel-run", by: "ada", reason: "enough" });
    const nothing = { sum: null, known: 0, unknown: 1 };
    expect((await measure([cancelled])).all).toMatchObject({ tokens: nothing, money: nothing, agent_time: null });
    expect(cancelled.state.spent).toMatchObject({ unknownTokens: 1, unknownMoney: 1 });
    const lost = newRun("b")
      .end("lost", "main", used(null, null, 0))
      .handIn({}, "main", used(5, 0.5));
    expect((await measure([lost])).agents).toMatchObject([
      { agent: "Builder", tokens: { sum: 5, known: 1, unknown: 1 }, agent_time: { count: 1, least: MINUTE } },
      { agent: "Reviewer" },
    ]);
  });

  it("call a merge automatic only when nobody was asked, and none that was refuted", async () => {
    const merge: Partial<Handoff> = {
      pull_request: { number: "7" },
      work: { merge: { status: "merged", sha: "a".repeat(40) } },
    };
    const merged = (run: string, verdict: Judgement["verdict"]): StoredRun =>
      newRun(run)
        .handIn({})
        .handIn(merge, "main", { judgements: [judgement(verdict, "merge")] });
    const asking = buildWorkflow([buildAgent("Builder", { approve: "after" })], { mode: "semi" });
    const asked = newRun("c", asking).handIn(merge).answer("approve");
    const open = newRun("d")
      .handIn({})
      .handIn({ pull_request: { number: "8" } });
    const { merges } = (await measure([merged("a", "confirmed"), merged("b", "unverifiable"), asked, open])).all;
    expect(merges).toEqual({ pull_requests: 4, merged: 3, confirmed: 1, automatic: 2, rate: 0.5 });
    const warned = buildWorkflow([buildAgent("Builder", { verify: { ...DEFAULT_POLICY, merge: "warn" } })]);
    const lied = newRun("e", warned).handIn(merge, "main", { judgements: [judgement("refuted", "merge")] });
    expect((await measure([lied])).all.merges).toMatchObject({ pull_requests: 1, merged: 0, rate: 0 });
  });

  it("keep coverage that was claimed apart from coverage that was measured", async () => {
    const gated = buildWorkflow([buildAgent("Builder", { gates: ["test"] })], { gates: { test: buildGate("test") } });
    const run = newRun("a", gated).handIn({ metrics: { coverage: "95%" } });
    const gateRun = run.effects.flatMap((effect) => (effect.kind === "run-gate" ? [effect.gateRun] : []))[0] ?? "";
    run.tell({
      kind: "report-gate",
      gateRun,
      passed: true,
      message: "passed",
      output: "",
      milliseconds: 5,
      figures: { tests: null, coverage: { lines: 81.5 }, sources: [], problems: [] },
      judgements: [],
    });
    const metrics = await measure([run]);
    expect(metrics.coverage).toMatchObject([
      { source: "claimed", percent: 95, measure: null, agent: "Builder", run: "a" },
      { source: "measured", percent: 81.5, measure: "lines", agent: "Builder" },
    ]);
    expect(metrics.all.coverage).toMatchObject({ claimed: { median: 95 }, measured: { median: 81.5 } });
    expect(metrics.all.gates).toEqual({ passed: 1, failed: 0 });
    const vague = newRun("b")
      .handIn({ metrics: { coverage: "User workflows: 90%" } })
      .handIn({});
    expect((await measure([vague])).coverage).toEqual([]);
  });
});

describe("002-R08: metrics of handoffs", () => {
  it("of any shape are added up by name, kind and unit; what is not surely read is listed as such", async () => {
    const said = (metrics: JsonRecord): StoredRun => newRun(JSON.stringify(metrics)).handIn({ metrics }).handIn({});
    const { figures } = await measure([
      said({ tests: "25/25", time: "8m 45s", types: { unit: 25 }, ok: true, size: "12 MB", note: "fine" }),
      said({ tests: "20/25", time: 12, types: { unit: 5, odd: null }, ok: false, size: "1 GB", list: [1] }),
    ]);
    const found = (name: string, kind: string) => figures.find((each) => each.name === name && each.kind === kind);
    expect(found("tests", "ratio")).toMatchObject({ count: 2, ratio: { part: 45, whole: 50 }, spread: { mean: 0.9 } });
    expect(found("time", "duration")).toMatchObject({ count: 1, spread: { sum: 8.75 * MINUTE } });
    expect(found("time", "number")).toMatchObject({ count: 1, spread: { sum: 12 } });
    expect(found("types.unit", "number")).toMatchObject({ count: 2, spread: { sum: 30, least: 5, most: 25 } });
    expect(found("ok", "flag")).toMatchObject({ flags: { yes: 1, no: 1 }, spread: null });
    expect(new Set(figures.flatMap(({ name, unit }) => (name === "size" ? [unit] : [])))).toEqual(
      new Set(["GB", "MB"]),
    );
    expect(found("note", "text")).toMatchObject({ spread: null, last: "fine" });
    expect(found("list", "text")).toMatchObject({ last: "[1]" });
    expect(figures.some(({ name }) => name.includes("odd"))).toBe(false);
  });

  it("001-R20: what a run says of itself at its end is kept as it was written", async () => {
    const run = newRun("a")
      .handIn({})
      .handIn({
        dialect: "issue-xml",
        final: true,
        summary: "Login works",
        issue: { number: "12" },
        pull_request: { number: "34" },
        metrics: { cycle_time: "2 days 4 hours", review_iterations: "2", coverage: "not measured" },
      });
    const { completions, figures } = await measure([run]);
    expect(completions).toMatchObject([
      { run: "a", agent: "Reviewer", issue: "12", pull_request: "34", summary: "Login works" },
    ]);
    expect(completions[0]?.metrics).toContainEqual({ name: "coverage", text: "not measured" });
    expect(figures.find(({ name }) => name === "cycle_time")?.spread?.median).toBe(52 * 60 * MINUTE);
  });

  it("cannot flood a page: names, values and their number have limits that are told", async () => {
    const metrics = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`${"n".repeat(300)}${index}`, "x".repeat(5_000)]),
    );
    const runs = Array.from({ length: 4 }, (_, index) =>
      newRun(`r${index}`)
        .handIn({ metrics: Object.fromEntries(Object.entries(metrics).map(([key, text]) => [`${index}${key}`, text])) })
        .handIn({}),
    );
    const wide = newRun("wide").handIn({
      metrics: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])),
    });
    const found = await measure([...runs, wide]);
    expect(found.figures.every(({ name, last }) => name.length <= 80 && last.length <= 120)).toBe(true);
    expect(found.figures.length).toBeLessThanOrEqual(200);
    expect(found.figures.filter(({ name }) => name.startsWith("k")).length).toBeLessThanOrEqual(100);
  });
});

describe("what is measured", () => {
  const claims = { judgements: [judgement("refuted"), judgement("confirmed")] };

  it("can be limited to a period, by when a run was last heard of", async () => {
    const log = openMemoryLog();
    for (const day of [1, 2, 9])
      await newRun(`day-${day}`, shop, day * DAY)
        .handIn({})
        .handIn({})
        .store(log);
    expect(await measureRuns({ log }, { since: 2 * DAY })).toMatchObject({ runs: 2, since: 2 * DAY, until: null });
    expect(await measureRuns({ log }, { since: 2 * DAY, until: 9 * DAY })).toMatchObject({ runs: 1 });
    const { every, periods } = await measureRuns({ log });
    expect(every).toBe("day");
    expect(periods.map(({ runs }) => runs)).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 1]);
    expect(periods[2]).toMatchObject({ from: 3 * DAY, to: 4 * DAY, cycle_time: null });
  });

  it("can be limited to a workflow, a run or an agent's part", async () => {
    const log = openMemoryLog();
    const warned = { verify: { ...DEFAULT_POLICY, file: "warn" as const } };
    const other = buildWorkflow([buildAgent("Builder", warned)], { name: "other" });
    await newRun("a1").handIn({}, "main", used(5, 1)).handIn({}, "main", used(7, 2)).store(log);
    await newRun("b1", other)
      .handIn({}, "main", { ...used(11, 3), ...claims })
      .store(log);
    expect(await measureRuns({ log }, { workflow: "other" })).toMatchObject({
      runs: 1,
      workflows: [{ workflow: "other" }],
    });
    expect(await measureRuns({ log }, { run: "a" })).toMatchObject({ runs: 1, all: { tokens: { sum: 12 } } });
    expect((await measureRuns({ log }, { agent: "Builder" })).all.tokens.sum).toBe(16);
    expect(await measureRuns({ log }, { agent: "Reviewer" })).toMatchObject({
      runs: 1,
      agents: [{ agent: "Reviewer" }],
    });
    expect((await measureRuns({ log })).agents[0]).toMatchObject({
      agent: "Builder",
      refuted: 1,
      refuted_kinds: { file: 1 },
    });
    await expect(measureRuns({ log }, { run: "nothing" })).rejects.toThrow("There is no run nothing.");
  });

  it("grows with a run, and no event is read twice or counted twice", async () => {
    const log = openMemoryLog();
    const read: number[] = [];
    const counting = new Proxy(log, {
      get:
        (target, key) =>
        async (run: string, ...rest: never[]) => {
          const found = await (target[key as "entries"] as (...args: unknown[]) => Promise<unknown[]>).call(
            target,
            run,
            ...rest,
          );
          if (key === "entries") read.push(found.length);
          return found;
        },
    });
    const run = await newRun("a").handIn({}, "main", used(5, null)).store(log);
    const first = await measureRuns({ log: counting });
    await run.handIn({}, "main", used(7, null)).store(log);
    const both = await Promise.all([measureRuns({ log: counting }), measureRuns({ log: counting })]);
    expect(first.all.tokens.sum).toBe(5);
    for (const { all } of both) expect(all.tokens).toEqual({ sum: 12, known: 2, unknown: 0 });
    expect(read.reduce((sum, count) => sum + count, 0)).toBe(run.history.length);
    expect(both[0]).toEqual(await measureRuns({ log }));
  });

  it("counts nothing twice when a list of runs was read before another one has measured more", async () => {
    const log = openMemoryLog();
    const run = await newRun("a").handIn({}, "main", used(5, null)).store(log);
    const both = [measureRuns({ log }), measureRuns({ log }, { workflow: "shop" })];
    await run.handIn(review, "main", used(7, null)).store(log);
    await Promise.all(both);
    expect((await measureRuns({ log })).all.tokens).toEqual({ sum: 12, known: 2, unknown: 0 });
  });

  it("remembers the youngest of more runs than it keeps, instead of forgetting each before it is asked for again", async () => {
    const log = openMemoryLog();
    let read = 0;
    const counting = {
      ...log,
      findRuns: log.findRuns.bind(log),
      entries: (...args: Parameters<typeof log.entries>) => {
        read++;
        return log.entries(...args);
      },
    };
    for (let number = 0; number < 20_010; number++)
      await log.create({ run: `r${number}`, name: "shop", workflow: "hash", at: number }, "worker", 1);
    await measureRuns({ log: counting });
    expect(read).toBe(20_010);
    await log.create({ run: "last", name: "shop", workflow: "hash", at: 30_000 }, "worker", 1);
    await measureRuns({ log: counting });
    expect(read).toBeLessThanOrEqual(20_010 + 20);
  });

  it("says of a pruned run that it was, and nothing more", async () => {
    const log = openMemoryLog();
    await newRun("old", shop, DAY).handIn({}).handIn({}).store(log);
    await newRun("new", shop, 3 * DAY)
      .handIn({})
      .handIn({})
      .store(log);
    expect(await measureRuns({ log })).toMatchObject({ pruned: 0, all: { cycle_time: { count: 2 } } });
    await log.prune(2 * DAY);
    const metrics = await measureRuns({ log });
    expect(metrics).toMatchObject({
      runs: 2,
      pruned: 1,
      all: { statuses: { completed: 2 }, cycle_time: { count: 1 } },
    });
  });
});
