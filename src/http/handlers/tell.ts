import { answerAsk } from "../../runtime/operations/answer-ask.ts";
import { ensureRetry } from "../../runtime/operations/ensure-retry.ts";
import { showInbox } from "../../runtime/operations/show-inbox.ts";
import { findRun, tellRun } from "../../runtime/operations/tell-run.ts";
import { type Asked, type Handler, pathValue } from "../asked.ts";
import { Refusal } from "../refusal.ts";

const TOLD = { told: true } as const;

export const inbox: Handler<"show-inbox"> = async ({ around }) => showInbox(around.engine.machine);

/** The driver, or whoever drives the run, finds what it was told. */
export const answer: Handler<"answer-ask"> = async (asked) => {
  const { body, around } = asked;
  // A question takes one answer, with a key or without; one that cannot be read is refused as everywhere.
  letterId(asked, "answer");
  const given = { ask: pathValue(asked, "ask"), choice: body.choice, text: body.reason, by: around.user };
  await answerAsk(around.engine.machine, pathValue(asked, "run"), given);
  return TOLD;
};

export const cancel: Handler<"cancel-run"> = async (asked) => {
  const { machine } = asked.around.engine;
  const row = await findRun(machine, pathValue(asked, "run"));
  if (row.finished) throw conflict(`Run ${row.run} has ended: ${row.status}.`, "There is nothing to cancel.");
  const reason = asked.body.reason ?? "no reason given";
  await tellRun(machine, row.run, { kind: "cancel-run", by: asked.around.user, reason }, letterId(asked, "cancel"));
  return TOLD;
};

export const retry: Handler<"retry-run"> = async (asked) => {
  const { keeper, engine, user } = asked.around;
  const row = await findRun(engine.machine, pathValue(asked, "run"));
  if (row.status !== "failed")
    throw conflict(`Run ${row.run} is ${row.status}, not failed.`, "Only failed runs are sent on again.");
  await ensureRetry(engine.machine, row);
  if (keeper === null) throw conflict("This server drives no runs.", `baton retry ${row.run} does.`);
  if (!(await keeper.mayDrive(row.run))) throw notTrusted(row.run, "retry");
  await tellRun(
    engine.machine,
    row.run,
    { kind: "retry-run", by: user, note: asked.body.note },
    letterId(asked, "retry"),
  );
  await keeper.drive(row.run);
  return TOLD;
};

export const resume: Handler<"resume-run"> = async (asked) => {
  const { keeper, engine } = asked.around;
  const row = await findRun(engine.machine, pathValue(asked, "run"));
  if (row.finished) throw conflict(`Run ${row.run} has ended: ${row.status}.`, "A failed one can be retried.");
  if (keeper === null) throw conflict("This server drives no runs.", `baton resume ${row.run} does.`);
  if (!(await keeper.mayDrive(row.run))) throw notTrusted(row.run, "resume");
  await keeper.drive(row.run);
  return TOLD;
};

/** Whoever tells the same with the same key again is taken once. */
function letterId({ raw }: Pick<Asked, "raw">, what: string): string | undefined {
  const key = raw.incoming.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\w.:-]{1,128}$/.test(key))
    throw new Refusal(
      400,
      "wrong-usage",
      "The idempotency key cannot be read.",
      "Up to 128 letters, digits and . _ : -",
    );
  return `http:${what}:${key}`;
}

function conflict(message: string, hint: string): Refusal {
  return new Refusal(409, "conflict", message, hint);
}

/** It was not started here by this person: the page must not be a way around the question. */
function notTrusted(run: string, command: string): Refusal {
  return new Refusal(
    403,
    "not-trusted",
    `The commands of run ${run} are not trusted here: nothing was run.`,
    `baton ${command} ${run} shows them and asks.`,
  );
}
