import { DEFAULT_POLICY } from "../../src/evidence/policy.ts";
import type { Ports } from "../../src/ports/ports.ts";
import { type RunsReport, reportRuns } from "../../src/runtime/operations/report-runs.ts";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { always, buildAgent, buildGate, buildWorkflow, go } from "../workflow/build-workflow.ts";
import { StoredRun } from "../workflow/stored-run.ts";

/** Reports on a run in which this text stands wherever an agent, a person or a file can put it. */
export async function reportHostileRun(text: string): Promise<{ one: RunsReport; all: RunsReport }> {
  const [builder, reviewer, gate] = [`B${text}`, `R${text}`, `G${text}`];
  const workflow = buildWorkflow(
    [
      buildAgent(builder, {
        routes: { done: go(reviewer) },
        gates: [gate],
        verify: { ...DEFAULT_POLICY, file: "warn" },
      }),
      buildAgent(reviewer, {
        routes: { "needs-fixes": always({ kind: "loop", to: builder }), done: always({ kind: "end" }) },
      }),
    ],
    { name: `w${text}`, gates: { [gate]: buildGate(gate, { failed: { kind: "person" } }) } },
  );
  const run = new StoredRun("run", workflow);
  const refuted = {
    kind: "file",
    where: text,
    says: text,
    verdict: "refuted",
    procedure: text,
    evidence: text,
  } as const;
  const handoff = {
    status: text,
    summary: text,
    final: true,
    issue: { number: text },
    pull_request: { number: text },
    metrics: { [`m${text}`]: text, coverage: "90%", [`u${text}`]: `12 ${text}!` },
  };
  run.handIn(handoff, "main", { judgements: [refuted] });
  reportGate(run, true, text);
  run.handIn({
    outcome: "needs-fixes",
    findings: { issues: [{ id: `i${text}`, severity: "critical", location: text, description: `d${text}` }] },
  });
  run.handIn({ ...handoff, questions: [{ question: text, context: text, blocking: true }] });
  reportGate(run, false, text);
  const log = openMemoryLog();
  await log.putWorkflow("hash", workflow as unknown as JsonRecord);
  await run.store(log);
  const ports = { log, clock: { now: () => run.now + 60_000, id: () => "id" } } as unknown as Ports;
  return { one: await reportRuns(ports, "run", null), all: await reportRuns(ports, null, null) };
}

function reportGate(run: StoredRun, passed: boolean, text: string): void {
  const gateRun = run.effects.flatMap((effect) => (effect.kind === "run-gate" ? [effect.gateRun] : []))[0] ?? "";
  const told = { gateRun, passed, message: text, output: text, milliseconds: 5, figures: null, judgements: [] };
  run.tell({ kind: "report-gate", ...told });
}
