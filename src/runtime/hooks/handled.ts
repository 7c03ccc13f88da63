import type { HookOutcome } from "../../views/hook-notices.ts";
import type { HookAnswer } from "./hook-answer.ts";

/** What was done, and what the client is told. */
export interface Handled {
  readonly result: HookOutcome;
  /** In a few words, for the operator. */
  readonly says: string;
  readonly answer: HookAnswer;
}

export function letPass(result: HookOutcome, says: string, message?: string): Handled {
  return { result, says, answer: { kind: "pass", ...(message !== undefined && { message }) } };
}
