import { describe, expect, it } from "vitest";
import { type Decided, RunTrace, type TracedSpan } from "../../src/views/run-trace.ts";
import { decide } from "../../src/workflow/decide.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import { EMPTY_RUN } from "../../src/workflow/evolve.ts";
import type { Input } from "../../src/workflow/input.ts";
import { simulate } from "../simulation/simulate.ts";
import { buildAgent, buildWorkflow } from "../workflow/build-workflow.ts";

const SEEDS = 400;

interface Simulated {
  readonly workflow: Workflow;
  readonly decisions: readonly Decided[];
}

/** A random run, decided once more; one that failed is sent on again and then cancelled. */
function simulateDecisions(seed: number): Simulated {
  const { workflow, inputs, state: last } = simulate(seed);
  const at = (inputs.at(-1)?.at ?? 0) + 1_000;
  const again: Input[] = [
    { kind: "retry-run", at, by: "ada", note: null },
    { kind: "cancel-run", at: at + 1_000, by: "ada", reason: "enough" },
  ];
  let state = EMPTY_RUN;
  const decisions = [...inputs, ...(last.status === "failed" ? again : [])].map((input): Decided => {
    const decision = decide(workflow, state, input);
    ({ state } = decision);
    return { events: decision.events, at: input.at, gateRun: input.kind === "report-gate" ? input.gateRun : null };
  });
  return { workflow, decisions };
}

function traceAll({ workflow, decisions }: Simulated): TracedSpan[] {
  const trace = new RunTrace(workflow);
  return decisions.flatMap((decided) => trace.take(decided));
}

describe("the parts of a run", () => {
  const workflow = buildWorkflow([buildAgent("One"), buildAgent("Two")]);
  const reason = { kind: "first", from: null, note: null, issues: [], problems: [] } as const;
  const held = { tokens: null, money: null, milliseconds: 0 };
  const attemptEnded = {
    kind: "attempt-ended",
    task: "main",
    attempt: "s1.1",
    end: "finished",
    message: "",
    usage: { milliseconds: 5, tokens: 7, money: null },
    session: null,
    at: 20,
  } as const;
  const begun: Decided = {
    at: 10,
    gateRun: null,
    events: [
      { kind: "step-started", task: "main", step: "s1", agent: "One", reason, iteration: 1, at: 10 },
      { kind: "attempt-started", task: "main", attempt: "s1.1", reason, timeout: 1, held },
    ],
  };
  const claim = { kind: "file", says: "", where: "", procedure: "", evidence: "" } as const;
  const verified = { kind: "claims-verified", task: "main", step: "s1", agent: "One", attempt: "s1.1" } as const;
  const gate = { task: "main", message: "", milliseconds: 3, figures: null, isLast: true, output: "" } as const;
  const handoff = { dialect: "task-yaml", outcome: "done" } as const;
  const delivery = { handoff, text: "", source: "file", repaired: false, warnings: 0 } as const;
  const accepted = { kind: "handoff-accepted", task: "main", step: "s1", agent: "One", delivery } as const;

  it("tell what came of an attempt's handoff, all of it that was decided at once", () => {
    const trace = new RunTrace(workflow);
    trace.take(begun);
    const judgements = [{ ...claim, verdict: "confirmed" as const }];
    const events = [attemptEnded, { ...verified, gate: null, judgements }, accepted];
    expect(trace.take({ events, at: 20, gateRun: null })).toMatchObject([
      {
        part: "attempt/s1.1",
        agent: "One",
        startedAt: 10,
        endedAt: 20,
        usage: { tokens: 7, money: null },
        handoff: { isAccepted: true, delivery: { dialect: "task-yaml", outcome: "done", source: "file" } },
        claims: { confirmed: 1, refuted: 0, unverifiable: 0 },
        follows: null,
      },
    ]);
  });

  it("tell of a handoff that was sent back", () => {
    const trace = new RunTrace(workflow);
    trace.take(begun);
    const refused = { kind: "handoff-refused", task: "main", step: "s1", agent: "One", attempt: "s1.1" } as const;
    const events = [attemptEnded, { ...refused, problems: [] }];
    const [attempt] = trace.take({ events, at: 20, gateRun: null });
    expect(attempt).toMatchObject({ handoff: { isAccepted: false, delivery: null }, claims: null });
  });

  it("are those gates that ran something, with the claims they settled", () => {
    const trace = new RunTrace(workflow);
    trace.take(begun);
    trace.take({ events: [attemptEnded, accepted], at: 20, gateRun: null });
    const judgements = [{ ...claim, verdict: "refuted" as const }];
    const events: Decided["events"] = [
      { ...verified, gate: "tests", judgements },
      { ...gate, kind: "gate-passed", gate: "tests" },
      { ...gate, kind: "gate-failed", gate: "only asks what is known" },
    ];
    expect(trace.take({ events, at: 30, gateRun: "s1.1/tests/1" })).toEqual([
      {
        kind: "gate",
        part: "gate/s1.1/tests/1",
        parent: "run",
        startedAt: 27,
        endedAt: 30,
        gate: "tests",
        task: "main",
        agent: "One",
        passed: true,
        claims: { confirmed: 0, refuted: 1, unverifiable: 0 },
        follows: "attempt/s1.1",
      },
    ]);
    // A result that is known already took its time before.
    const again: Decided["events"] = [{ ...gate, kind: "gate-passed", gate: "tests", milliseconds: 60_000 }];
    const [known] = trace.take({ events: again, at: 31, gateRun: "s1.1/tests/2" });
    expect(known).toMatchObject({ startedAt: 30, endedAt: 31 });
  });
});

const runs = Array.from({ length: SEEDS }, (_, seed) => simulateDecisions(seed + 1));

describe(`the traces of ${SEEDS} random runs`, () => {
  it("name each part once, and each below a part of the run", () => {
    for (const run of runs) {
      const spans = traceAll(run);
      const parts = spans.map(({ part }) => part);
      expect(new Set(parts).size).toBe(parts.length);
      for (const { parent } of spans) expect(parts).toContain(parent ?? "run");
      expect(spans.filter(({ parent }) => parent === null)).toHaveLength(1);
      for (const { startedAt, endedAt } of spans) expect(endedAt).toBeGreaterThanOrEqual(startedAt);
    }
  });

  it("tell of every attempt that was started, and of every gate that was believed", () => {
    const seen = { stopped: 0, gates: 0, rounds: 0 };
    for (const run of runs) {
      const spans = traceAll(run);
      const events = run.decisions.flatMap((decided) => decided.events);
      const started = events.flatMap((event) => (event.kind === "attempt-started" ? [event.attempt] : []));
      const attempts = spans.flatMap((span) => (span.kind === "attempt" ? [span] : []));
      expect(attempts.map(({ attempt }) => attempt).sort()).toEqual(started.sort());
      seen.stopped += attempts.filter(({ end, usage }) => end === "stopped" && usage === null).length;
      const believed = run.decisions.filter(
        ({ gateRun, events: decided }) => gateRun !== null && decided.every(({ kind }) => kind !== "input-ignored"),
      );
      const gates = spans.flatMap((span) => (span.kind === "gate" ? [span.part] : []));
      expect(gates).toEqual(believed.map(({ gateRun }) => `gate/${gateRun}`));
      seen.gates += gates.length;
      seen.rounds += spans.filter(({ part }) => part === "run/2").length;
    }
    // Runs in which nothing of this happened would show nothing.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
  });

  it("go on in another process where they were left, without telling anything again", () => {
    for (const [index, run] of runs.entries()) {
      const { workflow, decisions } = run;
      const cut = (index * 7919) % decisions.length;
      const first = new RunTrace(workflow);
      const before = decisions.slice(0, cut).flatMap((decided) => first.take(decided));
      const second = new RunTrace(workflow);
      for (const decided of decisions.slice(0, cut)) second.take(decided);
      const after = decisions.slice(cut).flatMap((decided) => second.take(decided));
      expect([...before, ...after]).toEqual(traceAll(run));
    }
  });
});
