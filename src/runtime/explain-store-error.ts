import { StoreError, type StoreErrorCode } from "../ports/event-log.ts";
import { AppError, type AppErrorCode } from "../shared/app-error.ts";

/** A message for the user when the store fails; null for any other error. */
export function explainStoreError(error: unknown): AppError | null {
  if (!(error instanceof StoreError)) return null;
  const [code, hint] = EXPLAINED[error.code];
  return new AppError(code, sentence(error.message), error.hint ?? hint);
}

const EXPLAINED: Readonly<Record<StoreErrorCode, readonly [AppErrorCode, string]>> = {
  "disk-full": ["cannot-write", "Make room on the disk and say it again: what was acknowledged is safe."],
  busy: ["cannot-write", "Another process holds the state for very long; try again."],
  unavailable: ["cannot-write", "Check the disk and the permissions of the state folder (`baton status --where`)."],
  damaged: ["damaged-state", "Restore a backup of baton.db into the state folder."],
  gone: ["damaged-state", "`baton status` names logs that were saved, and the command that adopts them."],
  moved: [
    "conflict",
    "BATON_STORE names a state that is in a database. `baton state move` ends a move that was interrupted, and brings it back.",
  ],
  "lease-lost": ["cannot-write", "Another process drives this run; baton watch shows it."],
  conflict: ["cannot-write", "Another process changed this run at the same time; say it again."],
  "no-such-run": ["no-such-run", "`baton status` lists the runs."],
  "no-such-fact": ["no-match", "`baton knowledge search` finds facts and their ids."],
  "wrong-change": ["wrong-usage", "`baton knowledge show ID` shows a fact and its history."],
  "old-node": [
    "cannot-write",
    "Install a newer one from https://nodejs.org; what needs no state, such as `baton validate`, works with this one.",
  ],
  exists: ["wrong-usage", "Choose another name."],
};

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
