import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { takeObserved } from "../take-observed.ts";
import { acquireToResume } from "./resume-run.ts";
import { sendInput } from "./send-input.ts";

interface Closing {
  readonly by: string;
  readonly reason: string;
  /** A request that is sent again with the same id is taken once. */
  readonly id?: string | undefined;
}

/**
 * Notes that a session of a client is over: nothing drives it that would take the input. The client is not told; when it
 * calls a hook again, the session goes on.
 */
export async function closeSession(ports: Ports, { run }: RunRow, { by, reason, id }: Closing): Promise<void> {
  await sendInput(ports, run, { kind: "cancel-run", by, reason }, id);
  await takeObserved(ports, run, await acquireToResume(ports, run));
}
