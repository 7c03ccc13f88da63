import { setTimeout as sleep } from "node:timers/promises";
import type { RunItem, RunPage } from "../../api/answers.ts";
import { bodyText, parameter } from "../../api/route.ts";
import { RUN_QUERY } from "../../api/routes.ts";
import { data, field } from "../../protocol/shape.ts";
import type { Engine } from "../../runtime/engine.ts";
import { followRun } from "../../runtime/operations/follow-run.ts";
import { listRunItems } from "../../runtime/operations/list-runs.ts";
import { showRun } from "../../runtime/operations/show-run.ts";
import { startTrustedRun } from "../../runtime/operations/start-trusted-run.ts";
import { AppError } from "../../shared/app-error.ts";
import { type McpContext, shownLine, sourceOfCall } from "../context.ts";
import { LOOKS, type McpTool, type ToolCall, defineTool } from "../surface.ts";
import { inEnvelope } from "./knowledge-tools.ts";

/** Look at runs and start them. */
export function runTools(context: McpContext): McpTool[] {
  return [listTool(context), getTool(context), startTool(context)];
}

const runFields = {
  run: data.text(),
  workflow: data.text(),
  status: data.text(),
  /** Why it ended so; null while it has not. */
  reason: data.nullable(data.text()),
  brief: data.text(),
  /** Milliseconds since 1970. */
  updated_at: data.count(),
  steps: data.count(),
  tasks: data.count(),
  tasks_done: data.count(),
  open_issues: data.count(),
  /** Questions that wait for a person. */
  questions: data.count(),
  /** Whether a process drives it. */
  is_driven: data.boolean(),
};

function runLine(item: RunItem) {
  const { run, workflow, status, reason, brief, updated_at, steps, tasks, tasks_done, open_issues, asks } = item;
  return {
    run,
    workflow: shownLine(workflow, 100),
    status,
    reason: reason === null ? null : shownLine(reason),
    brief: shownLine(brief, 200),
    updated_at,
    steps,
    tasks,
    tasks_done,
    open_issues,
    questions: asks,
    is_driven: item.is_driven,
  };
}

type RunLine = ReturnType<typeof runLine>;

function printRun({ run, workflow, status, reason, steps, questions }: RunLine): string {
  const asks = questions === 0 ? "" : `, ${questions} waiting for a person`;
  return `${run} ${workflow}: ${status}${reason === null ? "" : ` (${reason})`}, ${steps} steps${asks}`;
}

function listTool(context: McpContext): McpTool {
  const { status, text, workflow, cursor } = RUN_QUERY;
  return defineTool({
    name: "list_runs",
    title: "List runs",
    description: "Runs of this repository, the youngest first: where each stands, and whether a person is asked.",
    hints: LOOKS,
    input: {
      status: { ...status, about: "Where they stand, any of these." },
      text,
      workflow,
      cursor,
      limit: parameter.count("Most runs.", { minimum: 1, maximum: 50, default: 10 }),
    },
    output: data.record({
      runs: data.list(data.record(runFields)),
      /** `cursor` of the next page; null on the last. */
      next: data.nullable(data.text()),
    }),
    answer: async ({ status: statuses, ...query }) =>
      context.look(async ({ ports }) => {
        const { runs: items, next } = await listRunItems(ports, { ...query, statuses });
        const runs = items.map(runLine);
        const text_ = runs.length === 0 ? "There is no such run." : inEnvelope("runs", runs.map(printRun).join("\n"));
        return { data: { runs, next }, text: text_ };
      }),
  });
}

const MAX_STEPS = 30;
const MAX_WAIT = 300;
const RUN = bodyText.optional("Id of a run, or the beginning of it; the newest unless named.", 64);

function getTool(context: McpContext): McpTool {
  return defineTool({
    name: "get_run",
    title: "Look at a run",
    description:
      "One run: where it stands, its steps with their outcomes and judged claims, its open questions. With `wait` the answer comes when the run has ended or asks a person, with progress meanwhile.",
    hints: LOOKS,
    input: {
      run: RUN,
      wait: parameter.count("Seconds to wait at most for the end of the run, or for a question.", {
        minimum: 0,
        maximum: MAX_WAIT,
        default: 0,
      }),
    },
    output: runShape,
    answer: async ({ run, wait }, call) =>
      context.look(async (engine) => {
        await waitForEnd(engine, run, wait, call);
        const result = describeRun(await showRun(engine.ports, await nameOf(engine, run)));
        return { data: result, text: printWhole(result) };
      }),
  });
}

const runShape = data.record({
  ...runFields,
  /** The last ones. */
  step_list: data.list(
    data.record({
      step: data.text(),
      agent: data.text(),
      task: data.text(),
      iteration: data.count(),
      outcome: data.nullable(data.text()),
      summary: data.nullable(data.text()),
      claims: data.record({ confirmed: data.count(), refuted: data.count(), unverifiable: data.count() }),
      /** Its handoff as a resource; null when it has none. */
      handoff: data.nullable(data.text()),
    }),
  ),
  question_list: data.list(
    data.record({
      question: data.text(),
      kind: data.text(),
      title: data.text(),
      choices: data.list(data.text()),
    }),
  ),
  /** What a run that ended does not prove. */
  remarks: data.list(data.text()),
});

export function describeRun({ item, steps, view }: RunPage) {
  return {
    ...runLine(item),
    step_list: steps.slice(-MAX_STEPS).map(({ step, agent, task, iteration, outcome, summary, claims, attempts }) => {
      const given = attempts.findLast((attempt) => attempt.has_handoff)?.attempt;
      return {
        step,
        agent: shownLine(agent, 100),
        task: shownLine(task, 100),
        iteration,
        outcome,
        summary: summary === null ? null : shownLine(summary),
        claims,
        handoff: given === undefined ? null : handoffAddress(item.run, given),
      };
    }),
    question_list: view.asks.map(({ id, kind, title, choices }) => ({
      question: id,
      kind,
      title: shownLine(title),
      choices,
    })),
    remarks: view.remarks.slice(0, 50).map(({ text }) => shownLine(text)),
  };
}

export function handoffAddress(run: string, attempt: string): string {
  return `baton://runs/${run}/handoffs/${attempt}`;
}

function printWhole(run: ReturnType<typeof describeRun>): string {
  const steps = run.step_list.map(
    ({ step, agent, outcome, summary, claims }) =>
      `${step} ${agent}: ${outcome ?? "at work"}, claims ${claims.confirmed} confirmed, ${claims.refuted} refuted, ${claims.unverifiable} unverifiable${summary === null ? "" : `; ${summary}`}`,
  );
  const asks = run.question_list.map(({ question, title, choices }) => `${question} (${choices.join(", ")}): ${title}`);
  const parts = [
    printRun(run),
    ...steps,
    ...(asks.length === 0 ? [] : ["Waiting for a person:", ...asks]),
    ...run.remarks,
  ];
  return inEnvelope(`run ${run.run}`, parts.join("\n"));
}

async function nameOf({ ports }: Engine, run: string | undefined): Promise<string> {
  if (run !== undefined) return run;
  const newest = (await listRunItems(ports, { limit: 1 })).runs[0]?.run;
  if (newest !== undefined) return newest;
  throw new AppError("no-such-run", "There is no run yet.", "start_run starts one.");
}

const LOOK_AGAIN = 500;

/** Until the run has ended or a person is asked, the time is over, or the client no longer waits. */
async function waitForEnd(
  { ports }: Engine,
  name: string | undefined,
  seconds: number,
  { context, progress }: ToolCall,
): Promise<void> {
  if (seconds === 0) return;
  const until = performance.now() + seconds * 1_000;
  const followed = await followRun(ports, name);
  let events = 0;
  while (performance.now() < until && !context.mcpReq.signal.aborted) {
    const { row, news, view } = await followed.look();
    events += news.length;
    if (news.length > 0)
      await progress(events, `run ${row.run}: ${view?.status ?? row.status}, ${view?.steps ?? 0} steps`);
    if (row.finished || view?.status === "waiting") return;
    await sleep(LOOK_AGAIN);
  }
}

function startTool(context: McpContext): McpTool {
  return defineTool({
    name: "start_run",
    title: "Start a run",
    description:
      "Starts a run of a workflow that the operator has trusted in this repository. It goes on by itself; get_run tells how. A workflow that is not trusted is refused: a person trusts it in a terminal.",
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    input: {
      workflow: bodyText.optional(
        "Name of a trusted workflow; baton.yaml, or the only trusted one, unless given.",
        500,
      ),
      brief: bodyText.optional("What the run is about; part of every prompt.", 20_000),
      worktree: field.optional(data.boolean(), {
        rule: "request",
        about: "Give the run a git worktree of its own, so that it does not change the files that you work on.",
      }),
    },
    output: data.record({ run: data.text(), workflow: data.text(), status: data.text() }),
    answer: async ({ workflow, brief = "", worktree = false }, { context: request }) => {
      const { attempt } = sourceOfCall(request, context);
      if (attempt !== null)
        throw new AppError(
          "conflict",
          "An agent of a run starts no other run: nothing was started.",
          "Say in your handoff what should be done next.",
        );
      const { drive } = context;
      if (drive === null)
        throw new AppError("conflict", "This server drives no runs: nothing was started.", "It has --no-drive.");
      return context.change(async (engine) => {
        const { configFolder, searchPath } = context;
        const operator = { configFolder, searchPath, repositoryInfo: context.repositoryInfo() };
        const run = await startTrustedRun(engine, { workflow, brief, worktree }, operator);
        await drive(run, engine);
        const { item } = await showRun(engine.ports, run);
        const result = { run, workflow: shownLine(item.workflow, 100), status: item.status };
        return {
          data: result,
          text: `Run ${run} of ${result.workflow} has started. get_run with \`wait\` follows it.`,
        };
      });
    },
  });
}
