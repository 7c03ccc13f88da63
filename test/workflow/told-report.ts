import type { Ports } from "../../src/ports/ports.ts";
import { type RunsReport, reportRuns } from "../../src/runtime/operations/report-runs.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import type { AttemptRecord } from "../../src/workflow/attempt-record.ts";
import { buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";
import { StoredRun } from "./stored-run.ts";

const COMMAND = "npm run check";

/** What an attempt was given, with a packet of 321 tokens; its client tells what it has read, and no tokens. */
const RECORD: AttemptRecord = {
  prompt: { nonce: "0".repeat(32), sha256: "1".repeat(64), bytes: 9000 },
  packet: { text: "2".repeat(64), bytes: 1284, isCut: false, estimatedTokens: 321, facts: [] },
  output: null,
  takeover: {
    firstInput: null,
    input: null,
    inputBeforeChange: null,
    changes: null,
    reads: { named: ["a.ts"], unnamed: ["b.ts", "c.ts"], more: 2, elsewhere: 0 },
  },
};

/** Of one without a packet, whose client tells nothing. */
const SILENT: AttemptRecord = { ...RECORD, packet: null, takeover: { ...RECORD.takeover, reads: null } };

/**
 * Reports on a run in which a handoff was sent back for a lie, a gate and a validation command of a handoff were run,
 * and an attempt was given a packet: of that run, and of all.
 */
export async function tellReport(): Promise<{ one: RunsReport; all: RunsReport; run: StoredRun }> {
  const workflow = buildWorkflow(
    [buildAgent("Builder", { routes: { done: go("Tester") }, gates: ["lint"] }), buildAgent("Tester")],
    { name: "shop", gates: { lint: buildGate("lint"), check: buildGate("check", { command: COMMAND.split(" ") }) } },
  );
  const run = new StoredRun("run", workflow);
  const claim = {
    kind: "file",
    where: "work.created.0",
    says: "a.ts was made",
    procedure: "",
    evidence: "It is not there.",
  };
  run.handIn({}, "main", { judgements: [{ ...claim, kind: "file", verdict: "refuted" }] });
  run.handIn({}, "main", { judgements: [{ ...claim, kind: "file", verdict: "confirmed" }] });
  endGate(run, true);
  run.handIn({ checks: { command: COMMAND } }, "main", { record: RECORD });
  endGate(run, false);
  run.handIn({ checks: { command: COMMAND } }, "main", { record: SILENT });
  endGate(run, true);
  const log = openMemoryLog();
  await log.putWorkflow("hash", workflow as unknown as JsonRecord);
  await run.store(log);
  const ports = { log, clock: { now: () => run.now + 60_000, id: () => "id" } } as unknown as Ports;
  return { one: await reportRuns(ports, "run", null), all: await reportRuns(ports, null, null), run };
}

function endGate(run: StoredRun, passed: boolean): void {
  const [gateRun = ""] = run.effects.flatMap((effect) => (effect.kind === "run-gate" ? [effect.gateRun] : []));
  const told = { message: passed ? "exit code 0" : "exit code 1", output: "", milliseconds: 5, figures: null };
  run.tell({ kind: "report-gate", gateRun, passed, ...told, judgements: [] });
}
