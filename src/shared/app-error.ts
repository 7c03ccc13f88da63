const MARK = Symbol.for("baton-handoff/AppError");

/** The caller or the machine is wrong. Thrown; one table maps the code to an exit code. */
export type AppErrorCode =
  | "wrong-usage"
  | "cannot-read"
  | "cannot-write"
  | "no-match"
  | "conflict"
  | "no-such-run"
  | "not-trusted"
  | "not-a-person"
  | "damaged-state"
  | "workspace-busy"
  | "interrupted";

/**
 * What the package throws when a call or the machine is wrong; `code` says how, `hint` what to do. The library and the
 * engine are built apart, so each has its own copy of this class: `instanceof` goes by the mark, and knows both.
 */
export class AppError extends Error {
  readonly [MARK] = true;
  readonly code: AppErrorCode;
  readonly hint: string;

  constructor(code: AppErrorCode, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}
