import { attemptsAtWork, knownSubmission, submitHandoff } from "../../runtime/operations/submit-handoff.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import { type Asked, type Handler, pathValue } from "../asked.ts";
import { needsToken } from "../gate.ts";
import { Refusal } from "../refusal.ts";

/** An agent at work hands in with its own token; the operator may do it for it. */
export const submit: Handler<"submit-handoff"> = async (asked) => {
  const { engine } = asked.around;
  const key = keyOf(asked);
  const row = await findRun(engine.machine, pathValue(asked, "run")).catch((error: unknown) => {
    // Whoever has no token for it learns nothing about it.
    if (asked.caller.is === "unknown") throw needsToken();
    throw error;
  });
  const known = knownSubmission(engine, row.run, key);
  const atWork = known === null ? await attemptsAtWork(engine, row) : [known.attempt];
  const attempt = chooseAttempt(asked, row.run, atWork);
  const submission = await submitHandoff(engine, { run: row.run, attempt, key, text: asked.body });
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
  atWork: readonly string[],
): string {
  if (caller.is === "unknown") {
    const bearer = caller.bearer ?? "";
    const own = atWork.find((attempt) => around.isAttemptToken(bearer, run, attempt));
    if (own === undefined) throw needsToken();
    return own;
  }
  const [only, ...others] = atWork;
  if (only !== undefined && others.length === 0) return only;
  throw new Refusal(
    409,
    "conflict",
    only === undefined ? `No agent of run ${run} is at work.` : `${atWork.length} agents of run ${run} are at work.`,
    "Hand in with the token of the attempt (BATON_SUBMIT_TOKEN).",
  );
}
