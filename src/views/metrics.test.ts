import { describe, expect, it } from "vitest";
import type { Judgement } from "../evidence/claim.ts";
import type { Event } from "../workflow/event.ts";
import { RunMeasuring } from "./measure-run.ts";
import { sumMetrics } from "./sum-metrics.ts";

const judgement = (where: string, verdict: Judgement["verdict"], kind: Judgement["kind"] = "file"): Judgement => ({
  kind,
  where,
  says: `It says ${where}.`,
  verdict,
  procedure: "look",
  evidence: "Seen.",
});

function verified(attempt: string, gate: string | null, ...judgements: Judgement[]): Event {
  return { kind: "claims-verified", task: "main", step: "s1", agent: "Builder", attempt, gate, judgements };
}

const refused: Event = {
  kind: "handoff-refused",
  task: "main",
  step: "s1",
  agent: "Builder",
  attempt: "a1",
  problems: [],
};

function truthOf(...runs: Event[][]) {
  const measured = runs.map((events) => {
    const measuring = new RunMeasuring("run", "shop");
    for (const event of events) measuring.add(event, 1);
    return { workflow: "shop", status: "running", finished: false, at: 1, measure: measuring.measure() };
  });
  return sumMetrics(measured, { since: null, until: null, agent: null }).agents;
}

describe("the truth about an agent", () => {
  it("counts its claims by what became of them", () => {
    expect(
      truthOf([
        verified("a1", null, judgement("a", "confirmed"), judgement("b", "refuted"), judgement("c", "unverifiable")),
        refused,
      ]),
    ).toMatchObject([
      {
        agent: "Builder",
        runs: 1,
        handoffs: 0,
        repairs: 1,
        claims: 3,
        confirmed: 1,
        refuted: 1,
        unverifiable: 1,
        refuted_kinds: { file: 1 },
      },
    ]);
  });

  it("counts a claim that a gate settles once, with the gate's word", () => {
    const looked = verified("a1", null, judgement("tests", "unverifiable", "test"), judgement("a", "confirmed"));
    expect(truthOf([looked, verified("a1", "unit", judgement("tests", "refuted", "test"))])).toMatchObject([
      { claims: 2, confirmed: 1, refuted: 1, unverifiable: 0, refuted_kinds: { test: 1 } },
    ]);
    const again = verified("a1", "e2e", judgement("tests", "unverifiable", "test"));
    expect(truthOf([looked, verified("a1", "unit", judgement("tests", "confirmed", "test")), again])).toMatchObject([
      { claims: 2, confirmed: 2, unverifiable: 0 },
    ]);
  });

  it("counts what is claimed again in a repair, and in another run, again", () => {
    const first = verified("a1", null, judgement("a", "refuted"));
    const second = verified("a2", null, judgement("a", "confirmed"));
    expect(truthOf([first, refused, second], [first])).toMatchObject([
      { runs: 2, repairs: 1, claims: 3, confirmed: 1, refuted: 2 },
    ]);
  });

  it("tells whoever said most that is not true first", () => {
    const other: Event = { ...verified("b1", null, judgement("a", "confirmed")), agent: "Another" } as Event;
    expect(truthOf([other, verified("a1", null, judgement("a", "refuted"))]).map(({ agent }) => agent)).toEqual([
      "Builder",
      "Another",
    ]);
    expect(truthOf([])).toEqual([]);
  });
});
