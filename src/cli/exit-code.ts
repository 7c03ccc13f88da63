import type { AppErrorCode } from "../shared/app-error.ts";

export const EXIT = { fine: 0, findings: 1, usage: 2, machine: 3, interrupted: 130 } as const;

export const EXIT_OF: Readonly<Record<AppErrorCode, number>> = {
  "wrong-usage": EXIT.usage,
  "no-match": EXIT.usage,
  conflict: EXIT.usage,
  "cannot-read": EXIT.machine,
  "cannot-write": EXIT.machine,
  "no-such-run": EXIT.usage,
  "not-trusted": EXIT.machine,
  "damaged-state": EXIT.machine,
  interrupted: EXIT.interrupted,
};
