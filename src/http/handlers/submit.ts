import {
  type AttemptStanding,
  attemptsOf,
  knownSubmission,
  submitHandoff,
} from "../../runtime/operations/submit-handoff.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import { type Asked, type Handler, pathValue } from "../asked.ts";
import { needsToken } from "../gate.ts";
import { Refusal } from "../refusal.ts";

/** An agent at work hands in with its own token; the operator may do it for it. */
export const submit: Handler<"submit-handoff"> = async (asked) => {
  const { engine } = asked.around;
  const key = keyOf(asked);
  const { run, attempts } = await runOf(asked, key);
  const attempt = chooseAttempt(asked, run, attempts);
  const submission = await submitHandoff(engine, { run, attempt, key, text: asked.body });
  switch (submission.is) {
    case "accepted":
      return submission.answer;
    case "refused":
      throw new Refusal(
        422,
        "wrong-handoff",
        "The handoff has errors.",
        "Mend what `diagnostics` lists.",
        {},
        {
          diagnostics: submission.diagnostics,
        },
      );
    case "other-text":
      throw new Refusal(409, "conflict", "The idempotency key was used for another text.", "Use a new key.");
  }
};

/** The attempts that it may be for. Whoever has no token for the run learns nothing about it. */
async function runOf(asked: Asked, key: string): Promise<{ run: string; attempts: readonly AttemptStanding[] }> {
  const { engine } = asked.around;
  try {
    const row = await findRun(engine.machine, pathValue(asked, "run"));
    const known = knownSubmission(engine, row.run, key);
    const attempts = known === null ? await attemptsOf(engine, row) : [{ attempt: known.attempt, over: null }];
    return { run: row.run, attempts };
  } catch (error) {
    if (asked.caller.is === "unknown") throw needsToken();
    throw error;
  }
}

function keyOf({ raw }: Pick<Asked, "raw">): string {
  const key = raw.incoming.headers["idempotency-key"];
  if (typeof key === "string" && /^[\w.:-]{1,128}$/.test(key)) return key;
  throw new Refusal(
    400,
    "wrong-usage",
    "The header Idempotency-Key is missing or cannot be read.",
    "Up to 128 letters, digits and . _ : -",
  );
}

/** The token names the attempt; without one of its own there must be only one. */
function chooseAttempt(
  { caller, around }: Pick<Asked, "caller" | "around">,
  run: string,
  attempts: readonly AttemptStanding[],
): string {
  if (caller.is === "unknown") {
    const bearer = caller.bearer ?? "";
    const own = attempts.find(({ attempt }) => around.isAttemptToken(bearer, run, attempt));
    if (own === undefined) throw needsToken();
    if (own.over === null) return own.attempt;
    throw new Refusal(
      409,
      "conflict",
      `Attempt ${own.attempt} of run ${run} is over: ${own.over}.`,
      "Its token hands in nothing any more; what is handed in counts while the agent works.",
    );
  }
  const atWork = attempts.flatMap(({ attempt, over }) => (over === null ? [attempt] : []));
  const [only, ...others] = atWork;
  if (only !== undefined && others.length === 0) return only;
  throw new Refusal(
    409,
    "conflict",
    only === undefined ? `No agent of run ${run} is at work.` : `${atWork.length} agents of run ${run} are at work.`,
    "Hand in with the token of the attempt (BATON_SUBMIT_TOKEN).",
  );
}
