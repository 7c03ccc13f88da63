import { answerAsk } from "../../runtime/operations/answer-ask.ts";
import { closeSession } from "../../runtime/operations/close-session.ts";
import { isObserved, refuseObserved } from "../../runtime/operations/resume-run.ts";
import { showInbox } from "../../runtime/operations/show-inbox.ts";
import { findRun, sendInput, ensureRetry } from "../../runtime/operations/send-input.ts";
import { accountOf, personOf } from "../../runtime/request-source.ts";
import { type RouteRequest, type RouteHandlers, pathValue, sourceOf } from "../handler.ts";
import { Refusal } from "../refusal.ts";

const TOLD = { told: true } as const;

/** Answer, cancel, retry and resume runs. */
export const CONTROL_HANDLERS = {
  "show-inbox": async ({ context }) => showInbox(context.engine.ports),
  /** The process that drives the run takes the answer from the inbox. */
  "answer-ask": async (request) => {
    const { body, context } = request;
    const by = personOf(sourceOf(request), "The answer");
    // A question takes one answer, with a key or without; an invalid key is refused as everywhere.
    inputId(request, "answer");
    const given = { ask: pathValue(request, "ask"), choice: body.choice, text: body.reason, by };
    await answerAsk(context.engine.ports, pathValue(request, "run"), given);
    return TOLD;
  },
  "cancel-run": async (request) => {
    const { ports } = request.context.engine;
    const row = await findRun(ports, pathValue(request, "run"));
    if (row.finished) throw conflict(`Run ${row.run} has ended: ${row.status}.`, "There is nothing to cancel.");
    const [by, reason] = [accountOf(sourceOf(request)), request.body.reason ?? "no reason given"];
    const id = inputId(request, "cancel");
    if (isObserved(row)) await closeSession(ports, row, { by, reason, id });
    else await sendInput(ports, row.run, { kind: "cancel-run", by, reason }, id);
    return TOLD;
  },
  "retry-run": async (request) => {
    const { keeper, engine } = request.context;
    const by = personOf(sourceOf(request), "The retry");
    const row = await findRun(engine.ports, pathValue(request, "run"));
    if (row.status !== "failed")
      throw conflict(`Run ${row.run} is ${row.status}, not failed.`, "Only failed runs are sent on again.");
    refuseObserved(row);
    await ensureRetry(engine.ports, row);
    if (keeper === null) throw conflict("This server drives no runs.", `baton retry ${row.run} does.`);
    if (!(await keeper.mayDrive(row.run))) throw notTrusted(row.run, "retry");
    await sendInput(
      engine.ports,
      row.run,
      { kind: "retry-run", by, note: request.body.note },
      inputId(request, "retry"),
    );
    await keeper.drive(row.run);
    return TOLD;
  },
  "resume-run": async (request) => {
    const { keeper, engine } = request.context;
    const row = await findRun(engine.ports, pathValue(request, "run"));
    if (row.finished) throw conflict(`Run ${row.run} has ended: ${row.status}.`, "A failed one can be retried.");
    refuseObserved(row);
    if (keeper === null) throw conflict("This server drives no runs.", `baton resume ${row.run} does.`);
    if (!(await keeper.mayDrive(row.run))) throw notTrusted(row.run, "resume");
    await keeper.drive(row.run);
    return TOLD;
  },
} as const satisfies Partial<RouteHandlers>;

/** A request that is sent again with the same key is taken once. */
function inputId({ raw }: Pick<RouteRequest, "raw">, what: string): string | undefined {
  const key = raw.incoming.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\w.:-]{1,128}$/.test(key))
    throw new Refusal(
      400,
      "wrong-usage",
      "The header Idempotency-Key cannot be read.",
      "Up to 128 letters, digits and . _ : -",
    );
  return `http:${what}:${key}`;
}

function conflict(message: string, hint: string): Refusal {
  return new Refusal(409, "conflict", message, hint);
}

/** The person has not approved its commands: the page must not be a way around that question. */
function notTrusted(run: string, command: string): Refusal {
  return new Refusal(
    403,
    "not-trusted",
    `The commands of run ${run} are not trusted here: nothing was run.`,
    `baton ${command} ${run} shows them and asks.`,
  );
}
