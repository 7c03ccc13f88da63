/** The caller or the machine is wrong. Thrown; one table maps the code to an exit code. */
export type AppErrorCode =
  | "wrong-usage"
  | "cannot-read"
  | "cannot-write"
  | "no-match"
  | "conflict"
  | "no-such-run"
  | "not-trusted"
  | "damaged-state"
  | "interrupted";

export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly hint: string;

  constructor(code: AppErrorCode, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
