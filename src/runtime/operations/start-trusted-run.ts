import { resolve } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Engine, RepositoryInfo } from "../engine.ts";
import { checkPrograms } from "./check-programs.ts";
import { type LoadedWorkflow, WORKFLOW_FILE, loadWorkflow, readyNames, withWorktree } from "./load-workflow.ts";
import { isObserved } from "./resume-run.ts";
import { listUnfinished } from "./send-input.ts";
import { newRunId, pinOf, startRun } from "./start-run.ts";
import { readTrusted } from "./trust-store.ts";
import { type TrustSubject, isTrusted, rememberRun, trustSubject } from "./trust-workflow.ts";
import { fileInRoot } from "./workflow-changed.ts";

export interface Operator {
  readonly configFolder: string;
  readonly repositoryInfo: RepositoryInfo;
  readonly searchPath: string;
}

interface StartRequest {
  /** As it was trusted; `baton.yaml`, or the only one that is trusted, unless given. */
  readonly workflow: string | undefined;
  readonly brief: string;
  readonly worktree: boolean;
}

/** More that have not ended are refused: whoever asks may ask again and again. */
const MAX_UNFINISHED = 20;

/** Names of the workflows that the operator trusts in this repository, as they were trusted. */
function trustedWorkflows({ configFolder, repositoryInfo }: Operator): string[] {
  const own = readTrusted(configFolder).filter(({ mark }) => mark === repositoryInfo.mark);
  return [...new Set(own.map(({ workflow }) => workflow))];
}

/**
 * Stores a run for a program that cannot ask the operator: of a workflow that is trusted here as it is now, with the
 * files that it names. A file that was never trusted is not even read. It is not driven yet.
 */
export async function startTrustedRun(engine: Engine, request: StartRequest, operator: Operator): Promise<string> {
  const ready = readyToStart(withWorktree(await loadTrusted(request.workflow, operator), request.worktree), operator);
  const unfinished = (await listUnfinished(engine.ports)).filter((row) => !isObserved(row)).length;
  if (unfinished >= MAX_UNFINISHED)
    throw new AppError(
      "conflict",
      `${unfinished} runs have not ended: no other is started.`,
      "End some of them first.",
    );
  return startReady(
    engine,
    ready,
    { id: newRunId(engine.ports.clock.id()), brief: request.brief, known: {} },
    operator,
  );
}

interface ReadyWorkflow {
  readonly loaded: LoadedWorkflow;
  readonly workflow: Workflow;
  readonly subject: TrustSubject;
}

/** Refuses a workflow that the operator does not trust as it is now. */
export function readyToStart(loaded: LoadedWorkflow, operator: Operator): ReadyWorkflow {
  const { workflow } = loaded;
  const subject = trustSubject(loaded, operator.repositoryInfo);
  if (workflow === null) throw cannotRun(loaded);
  if (!isTrusted(subject, operator.configFolder))
    throw notTrusted(`${subject.path} has changed since it was trusted: nothing was started.`, subject.operand);
  return { loaded, workflow, subject };
}

interface NewTrustedRun {
  readonly id: string;
  readonly brief: string;
  readonly known: Readonly<Record<string, string>>;
}

/** Stores the run; whoever drives runs of this state takes it. */
export async function startReady(
  engine: Engine,
  { loaded, workflow, subject }: ReadyWorkflow,
  { id, brief, known }: NewTrustedRun,
  operator: Operator,
): Promise<string> {
  // Before it starts, so that the run is still trusted after a crash.
  rememberRun({ run: id, pin: pinOf(workflow), hash: subject.hash }, operator.configFolder);
  const file = fileInRoot(engine.root, loaded.file);
  const named = { ...(file !== null && { file }), trusted: subject.files };
  const lease = await startRun(engine.ports, { workflow, brief, tasks: [], known, id, ...named });
  await engine.ports.log.release(lease);
  return id;
}

async function loadTrusted(name: string | undefined, operator: Operator): Promise<LoadedWorkflow> {
  const trusted = trustedWorkflows(operator);
  const wanted = name ?? (trusted.length === 1 ? trusted[0] : WORKFLOW_FILE) ?? WORKFLOW_FILE;
  if (!trusted.includes(wanted)) {
    const known = trusted.length === 0 ? "None is trusted here yet." : `Trusted here: ${trusted.join(", ")}.`;
    throw notTrusted(`The workflow is not trusted in this repository: nothing was started. ${known}`, "WORKFLOW");
  }
  const { repositoryInfo } = operator;
  const isReady = (readyNames() as readonly string[]).includes(wanted);
  const loaded = loadWorkflow(isReady ? wanted : resolve(repositoryInfo.root, wanted));
  return withPrograms(loaded, operator);
}

/** Refuses a workflow whose first agent certainly cannot be started on this machine. */
export async function withPrograms(
  loaded: LoadedWorkflow,
  { repositoryInfo, searchPath }: Operator,
): Promise<LoadedWorkflow> {
  const checked = await checkPrograms(loaded, { repositoryInfo, searchPath, severity: "error" });
  if (checked.diagnostics.some(({ severity }) => severity === "error")) throw cannotRun(checked);
  return loaded;
}

function notTrusted(message: string, operand: string): AppError {
  return new AppError("not-trusted", message, `A person trusts it in a terminal: baton trust ${operand}`);
}

function cannotRun({ path, diagnostics }: LoadedWorkflow): AppError {
  const first = diagnostics.find(({ severity }) => severity === "error");
  const why = first?.message ?? "it is not readable.";
  return new AppError("cannot-read", `${path} cannot be run: ${why}`, first?.hint ?? `\`baton check\` tells more.`);
}
