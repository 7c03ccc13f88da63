import { createInterface } from "node:readline";
import { isRecord } from "../../shared/json-value.ts";
import { endProcesses } from "./end-processes.ts";
import { noteAlive, readLeader } from "./marker-file.ts";
import type { WatchedAttempt } from "./watchdog.ts";

/**
 * The program of the watchdog: reads which attempts are at work, and ends their processes when its input ends, which
 * happens when the process that started them is gone. Having ended them it is done.
 */
const attempts = new Map<string, WatchedAttempt>();
createInterface({ input: process.stdin })
  .on("line", hear)
  .on("close", () => void Promise.all([...attempts.values()].map(end)));

function hear(line: string): void {
  const message: unknown = JSON.parse(line);
  if (!isRecord(message)) return;
  const { watch, forget } = message;
  if (typeof forget === "string") attempts.delete(forget);
  if (!isRecord(watch) || typeof watch["mark"] !== "string") return;
  attempts.set(watch["mark"], { mark: watch["mark"], leader: readLeader(watch["leader"]) });
}

async function end({ mark, leader }: WatchedAttempt): Promise<void> {
  // The last moment at which the attempt is known to have worked.
  if (leader !== null && leader.scratch !== null) noteAlive(leader.scratch);
  await endProcesses(mark, leader);
}
