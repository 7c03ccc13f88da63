import {
  type AttemptStatus,
  readersOf,
  attemptsOf,
  knownSubmission,
  placeOfAttempt,
  submitHandoff,
} from "../../runtime/operations/submit-handoff.ts";
import { isObserved } from "../../runtime/operations/resume-run.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import { AppError } from "../../shared/app-error.ts";
import { needsToken } from "../guard.ts";
import { type RouteRequest, type Handler, pathValue } from "../handler.ts";
import { Refusal } from "../refusal.ts";

/** An agent at work submits with its own token; the operator may submit for it. */
export const submitRequest: Handler<"submit-handoff"> = async (request) => {
  const key = keyOf(request);
  const place = request.caller.is === "unknown" ? await ownPlace(request, key) : await onlyPlace(request, key);
  const submission = await submitHandoff(request.context.engine, { ...place, text: request.body });
  switch (submission.is) {
    case "accepted":
      return submission.answer;
    case "refused":
      throw new Refusal(
        422,
        "wrong-handoff",
        "The handoff has errors.",
        "Fix what `diagnostics` lists.",
        {},
        {
          diagnostics: submission.diagnostics,
        },
      );
    case "other-text":
      throw new Refusal(409, "conflict", "The idempotency key was used for another text.", "Use a new key.");
  }
};

function keyOf({ raw }: Pick<RouteRequest, "raw">): string {
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

/** The token names the attempt. */
async function ownPlace(request: RouteRequest, key: string): Promise<Place> {
  const found = await findOwnAttempt(request);
  if (found === null) throw needsToken();
  return placeOfAttempt(request.context.engine, found.row, found.own, key);
}

interface OwnAttempt {
  readonly row: Awaited<ReturnType<typeof findRun>>;
  readonly own: AttemptStatus;
}

/** The attempt whose token the caller has; null says nothing about the run. */
export async function findOwnAttempt({
  context,
  caller,
  path,
}: Pick<RouteRequest, "context" | "caller" | "path">): Promise<OwnAttempt | null> {
  const { engine } = context;
  const bearer = caller.is === "unknown" ? (caller.bearer ?? "") : "";
  try {
    const row = await findRun(engine.ports, pathValue({ path }, "run"));
    const attempts = await attemptsOf(engine, row);
    const own = attempts.find(({ attempt }) => context.isAttemptToken(bearer, row.run, attempt));
    return own === undefined ? null : { row, own };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return null;
  }
}

/** Without a token of an attempt, exactly one attempt must be at work. */
async function onlyPlace(request: RouteRequest, key: string): Promise<Place> {
  const { engine } = request.context;
  const row = await findRun(engine.ports, pathValue(request, "run"));
  const { run } = row;
  if (isObserved(row))
    throw new Refusal(
      409,
      "conflict",
      `Run ${run} is a session of a client, which is only watched: nothing was taken.`,
      "Its agents hand over in their last message, or by the tool submit_handoff of `baton mcp`.",
    );
  const placed = async (attempt: string): Promise<Place> => {
    return { run, attempt, key, ...(await readersOf(engine, row, attempt)) };
  };
  const known = knownSubmission(engine, run, key);
  if (known !== null) return placed(known.attempt);
  const atWork = (await attemptsOf(engine, row)).filter(({ over }) => over === null);
  const [only, ...others] = atWork;
  if (only !== undefined && others.length === 0) return placed(only.attempt);
  throw new Refusal(
    409,
    "conflict",
    only === undefined ? `No agent of run ${run} is at work.` : `${atWork.length} agents of run ${run} are at work.`,
    "Hand in with the token of the attempt (BATON_SUBMIT_TOKEN).",
  );
}
