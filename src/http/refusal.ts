import type { AppErrorCode } from "../shared/app-error.ts";
import { AppError } from "../shared/app-error.ts";
import { explainStoreError } from "../runtime/explain-store-error.ts";
import type { ErrorAnswer } from "../api/answers.ts";

/** A request that is refused, and why. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Besides the error itself. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    hint: string,
    headers: Readonly<Record<string, string>> = {},
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.headers = headers;
    this.more = more;
  }
}

/** The one table from our errors to a status; the command line has the other one (`src/cli/exit-code.ts`). */
const STATUS_OF: Readonly<Record<AppErrorCode, number>> = {
  "wrong-usage": 400,
  "no-match": 404,
  conflict: 409,
  "workspace-busy": 409,
  "no-such-run": 404,
  "cannot-read": 500,
  "cannot-write": 503,
  "not-trusted": 403,
  "not-a-person": 403,
  "damaged-state": 500,
  interrupted: 503,
};

/** What the client may know of an error. Of a fault of the server it learns only that there was one. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const known = error instanceof AppError ? error : explainStoreError(error);
  if (known !== null) return new Refusal(STATUS_OF[known.code], known.code, known.message, known.hint);
  return new Refusal(500, "fault", "The server could not do this.", "The output of `baton serve` says why.");
}

export function errorAnswer({ code, message, hint, more }: Refusal): ErrorAnswer {
  return { error: { code, message, hint }, ...more };
}
