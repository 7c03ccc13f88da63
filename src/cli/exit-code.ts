import type { AppErrorCode } from "../shared/app-error.ts";

export const EXIT = { fine: 0, findings: 1, usage: 2, unable: 3, interrupted: 130 } as const;

export const EXIT_OF: Readonly<Record<AppErrorCode, number>> = {
  "wrong-usage": EXIT.usage,
  "no-match": EXIT.usage,
  conflict: EXIT.usage,
  "cannot-read": EXIT.unable,
  "cannot-write": EXIT.unable,
  "no-such-run": EXIT.usage,
  "not-trusted": EXIT.unable,
  "not-a-person": EXIT.unable,
  "damaged-state": EXIT.unable,
  "workspace-busy": EXIT.unable,
  interrupted: EXIT.interrupted,
};
