/**
 * The engine from code, `baton-handoff/engine`: verify handoffs against a repository, and drive runs of a workflow.
 * Needs Node 22.22.3, 24.15.0 or newer. Unstable until 1.0: names and types can change in every minor version.
 */
export { AppError } from "./shared/app-error.ts";
export type { AppErrorCode } from "./shared/app-error.ts";
export { StoreError } from "./ports/event-log.ts";
export type { StoreErrorCode } from "./ports/event-log.ts";
export { verifyHandoffs } from "./main/verify-from-code.ts";
export type { VerifyCommand, VerifiedText, VerifyOptions } from "./main/verify-from-code.ts";
export type { PlacedJudgement, Verification, VerifiedHandoff } from "./runtime/operations/verify-files.ts";
export { openBaton } from "./main/open-baton.ts";
export type { Baton, BatonEvent, BatonOptions, BatonRun, StartOptions, WorkflowText } from "./main/open-baton.ts";
export type { RunView } from "./views/run-view.ts";
export type { Event } from "./workflow/event.ts";
