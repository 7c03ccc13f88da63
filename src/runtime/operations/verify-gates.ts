import type { GateSighting } from "../../evidence/sightings.ts";
import type { GateDefinition, Workflow } from "../../workflow/definition.ts";
import { Problems } from "../../workflow/file/problems.ts";
import { readGate } from "../../workflow/file/read-gate.ts";
import type { Inspection } from "../inspection.ts";
import { runJob } from "../run-gate.ts";

/** A gate that verification runs, and what is asked of it. */
export type VerifyGate = GateDefinition;

/** What a gate has shown, and how it went. */
export interface GateRun extends GateSighting {
  /** It came to an end of its own: what could not start, or was stopped, has shown nothing. */
  readonly hasAnswered: boolean;
  readonly milliseconds: number;
  /** The end of what it printed. */
  readonly output: string;
}

/** A gate in the operator's own words, with the limits that gates of workflows have. */
export function gateOf(name: string, command: readonly string[], reports: readonly string[]): VerifyGate {
  return readGate(name, { command: [...command], reports: [...reports] }, new Problems());
}

/** Gates of a workflow that run something; what only requires something has no say here. */
export function gatesOf(workflow: Workflow): VerifyGate[] {
  return Object.values(workflow.gates).filter(({ command }) => command.length > 0);
}

/** Whether a report of tests or coverage can be expected of it. */
export function runsTests({ proves }: VerifyGate): boolean {
  return proves.some((name) => TESTING.has(name));
}

const TESTING = new Set(["tests", "unit", "integration", "e2e", "coverage"]);

/** One after the other, each in a clean copy of the files as they are now: what they write is gone afterwards. */
export async function runGates(
  inspection: Inspection,
  gates: readonly VerifyGate[],
  signal: AbortSignal,
  onGate: (name: string) => void,
): Promise<GateRun[]> {
  const runs: GateRun[] = [];
  for (const gate of gates) {
    if (signal.aborted) break;
    onGate(gate.name);
    runs.push(await runTimes(inspection, gate, signal));
  }
  return runs;
}

async function runTimes(inspection: Inspection, gate: VerifyGate, signal: AbortSignal): Promise<GateRun> {
  let run = await runOnce(inspection, gate, signal);
  for (let more = gate.times - 1; more > 0 && run.passed && !signal.aborted; more--)
    run = await runOnce(inspection, gate, signal);
  return run;
}

async function runOnce({ machine, root }: Inspection, gate: VerifyGate, signal: AbortSignal): Promise<GateRun> {
  const { name, command, proves, reports, limits, timeout, bring } = gate;
  const job = { name, command, proves, reports, limits, timeout, bring, place: "copy", isForeign: false } as const;
  const shown = { gate: name, proves, command };
  try {
    const runner = { machine, run: "verify", directory: root, signal };
    return { ...shown, ...(await runJob(runner, { ...job, isSteady: false }, machine.clock.id())) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...shown, passed: false, hasAnswered: false, message, figures: null, milliseconds: 0, output: "" };
  }
}
