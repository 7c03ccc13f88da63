import { hash } from "node:crypto";
import type { AgentReport } from "../ports/agent.ts";
import type { Ports } from "../ports/ports.ts";
import type { FileMarks, NewFile } from "../ports/workspace.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import { formatsOf } from "../workflow/workflow-formats.ts";
import type { RunState } from "../workflow/state.ts";
import type { AgentDefinition, Workflow } from "../workflow/definition.ts";
import type { Delivery, ReportAttempt } from "../workflow/input.ts";
import { nothingWritten, problemsIn, readLastHandoff } from "./read-last-handoff.ts";
import type { Verified } from "./verify-handoff.ts";

/** The input for the core, and the original text of the handoff, which is stored with it. */
export interface Taken {
  readonly input: ReportAttempt;
  readonly text: string | null;
}

/** Files in which the agent's format puts its handoff; empty when it is in the last message. */
export function handoffFiles(
  agent: AgentDefinition,
  { run, iteration }: Pick<RunState, "run" | "iteration">,
  { task, isParallel }: { readonly task: string; readonly isParallel: boolean },
): string[] {
  const values: Readonly<Record<string, string>> = { run, task, iteration: String(iteration) };
  if (agent.file !== null)
    return [agent.file.replaceAll(/\{(run|task|iteration)\}/g, (_, name: string) => values[name] ?? "")];
  // The format's file name contains only the agent, so parallel tasks would read each other's file.
  if (agent.dialect !== "pipeline-json" || (isParallel && task !== "main")) return [];
  return [`handoff-${agent.name}-iteration-${iteration}.json`, `handoff-${agent.name}.json`];
}

/** File in the folder of the attempt with a handoff submitted over HTTP. It is processed like a handoff file. */
export const SUBMITTED_FILE = "submitted-handoff";

interface Finished {
  readonly attempt: string;
  readonly agent: AgentDefinition;
  readonly workflow: Workflow;
  /** Its last message is already masked. */
  readonly report: AgentReport;
  readonly directory: string;
  /** The folder of the attempt. */
  readonly scratch: string;
  readonly files: readonly string[];
  readonly before: FileMarks;
  readonly verify: (handoff: Handoff) => Promise<Verified>;
}

/** Extracts, parses, validates and verifies the handoff of a finished agent, and returns the input for the core. */
export async function takeHandoff(ports: Ports, finished: Finished): Promise<Taken> {
  const { attempt, report, directory, files, before, verify, scratch } = finished;
  const { end, message, usage, session, isPermanent } = report;
  const common = { kind: "report-attempt", attempt, end, message, usage, session, judgements: [] } as const;
  if (end !== "finished")
    return { input: { ...common, ...(isPermanent && { isPermanent }), delivery: null, problems: [] }, text: null };
  const file =
    (await submitted(ports, scratch)) ??
    (await ports.workspace.readNew(directory, files, before, DEFAULT_LIMITS.bytes));
  const text = file === null ? (report.lastMessage ?? "") : ports.redact(file.text);
  if (text.trim() === "")
    return { input: { ...common, delivery: null, problems: [nothingWritten(files)] }, text: null };
  const { agent, workflow } = finished;
  const { reading, repaired, handoff } = readLastHandoff(text, {
    dialect: agent.dialect,
    agents: Object.keys(workflow.agents),
    formats: formatsOf(workflow),
    path: file?.path ?? null,
  });
  if (handoff === null)
    return { input: { ...common, delivery: null, problems: problemsIn(reading, files, text) }, text };
  const warnings = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "warning").length;
  const source = file === null ? "message" : "file";
  const delivery: Delivery = { handoff, text: hash("sha256", text, "hex"), source, repaired, warnings };
  return { input: { ...common, delivery, ...(await verify(handoff)) }, text };
}

/** `path` is null for a submitted handoff, whose file name says nothing about its dialect. */
type FoundFile = Omit<NewFile, "path"> & { readonly path: string | null };

async function submitted({ workspace }: Ports, scratch: string): Promise<FoundFile | null> {
  const text = (await workspace.read(scratch, SUBMITTED_FILE, DEFAULT_LIMITS.bytes))?.text ?? null;
  return text === null ? null : { path: null, text };
}
