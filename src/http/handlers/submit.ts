import {
  type AttemptStanding,
  attemptsOf,
  knownSubmission,
  submitHandoff,
} from "../../runtime/operations/submit-handoff.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import { AppError } from "../../shared/app-error.ts";
import { type Asked, type Handler, pathValue } from "../asked.ts";
import { needsToken } from "../gate.ts";
import { Refusal } from "../refusal.ts";

/** An agent at work hands in with its own token; the operator may do it for it. */
export const submit: Handler<"submit-handoff"> = async (asked) => {
  const key = keyOf(asked);
  const place = asked.caller.is === "unknown" ? await ownPlace(asked, key) : await onlyPlace(asked, key);
  const submission = await submitHandoff(asked.around.engine, { ...place, text: asked.body });
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

type Place = Omit<Parameters<typeof submitHandoff>[1], "text">;

/** The token names the attempt, and keys are its own: another agent may use the same. */
async function ownPlace(asked: Asked, key: string): Promise<Place> {
  const { engine } = asked.around;
  const { run, own } = await ownAttempt(asked);
  const place = { run, attempt: own.attempt, key: `${own.attempt}\n${key}` };
  if (own.over === null || knownSubmission(engine, run, place.key) !== null) return place;
  throw new Refusal(
    409,
    "conflict",
    `Attempt ${own.attempt} of run ${run} is over: ${own.over}.`,
    "Its token hands in nothing any more; what is handed in counts while the agent works.",
  );
}

/** Whoever has no token for the run learns nothing about it. */
async function ownAttempt({ around, caller, ...asked }: Asked): Promise<{ run: string; own: AttemptStanding }> {
  const { engine } = around;
  const bearer = caller.is === "unknown" ? (caller.bearer ?? "") : "";
  try {
    const row = await findRun(engine.machine, pathValue(asked, "run"));
    const attempts = await attemptsOf(engine, row);
    const own = attempts.find(({ attempt }) => around.isAttemptToken(bearer, row.run, attempt));
    if (own !== undefined) return { run: row.run, own };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  throw needsToken();
}

/** Without a token of its own there must be only one. */
async function onlyPlace(asked: Asked, key: string): Promise<Place> {
  const { engine } = asked.around;
  const row = await findRun(engine.machine, pathValue(asked, "run"));
  const { run } = row;
  const known = knownSubmission(engine, run, key);
  if (known !== null) return { run, attempt: known.attempt, key };
  const atWork = (await attemptsOf(engine, row)).filter(({ over }) => over === null);
  const [only, ...others] = atWork;
  if (only !== undefined && others.length === 0) return { run, attempt: only.attempt, key };
  throw new Refusal(
    409,
    "conflict",
    only === undefined ? `No agent of run ${run} is at work.` : `${atWork.length} agents of run ${run} are at work.`,
    "Hand in with the token of the attempt (BATON_SUBMIT_TOKEN).",
  );
}
