import { setTimeout as sleep } from "node:timers/promises";
import type { Lease } from "../ports/event-log.ts";
import type { Ports } from "../ports/ports.ts";
import { learnFromEvents } from "./learn-from-events.ts";
import { acquireToResume } from "./operations/resume-run.ts";
import { readInbox } from "./read-log.ts";
import { advanceRun, openSession } from "./run-session.ts";

type TakingPorts = Pick<Ports, "log" | "clock" | "workspace" | "repository" | "knowledge" | "redact">;

const FIRST_WAIT = 10;
const MAX_WAIT = 320;

/**
 * Decides on the messages in the inbox of a session. Nothing drives it, so each process that has sent one takes what is
 * there; one that comes while another process has the run is taken by that one, or after it.
 */
export async function takeObserved(ports: TakingPorts, run: string, acquired: Lease | null): Promise<void> {
  let lease = acquired;
  for (let wait = FIRST_WAIT; wait <= MAX_WAIT; wait *= 2) {
    if (lease !== null) await advance(ports, lease);
    else await sleep(wait + Math.random() * wait);
    if ((await readInbox(ports.log, run)).length === 0) return;
    lease = await acquireToResume(ports, run);
  }
}

/** Takes the messages that are there, and lets the run go. */
async function advance(ports: TakingPorts, lease: Lease): Promise<void> {
  const { log } = ports;
  let session = await openSession(ports, lease);
  const messages = await readInbox(log, lease.run);
  const learned: (() => Promise<void>)[] = [];
  for (const [at, { id, message }] of messages.entries()) {
    const before = session.state;
    const advancing = advanceRun(ports, session, { ...message, at: ports.clock.now() }, { taken: [id] });
    // Requested in one turn with the last commit, and so stored together.
    const isLast = at === messages.length - 1;
    const [{ session: next, events }] = await Promise.all([advancing, isLast ? log.release(lease) : null]);
    session = next;
    learned.push(() => learnFromEvents(ports, next, events, before));
  }
  if (messages.length === 0) await log.release(lease);
  for (const learn of learned) await learn().catch(nothing);
}

/** What is not learned now stays in the log, from which it can be learned again. */
const nothing = (): void => undefined;
