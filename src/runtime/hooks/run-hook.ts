import type { JsonRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import { noteHeard } from "./heard-of.ts";
import { writeAnswer } from "./hook-answer.ts";
import { type Handled, letPass } from "./handled.ts";
import { type HookCall, type HookClient, isOfPerson, readHookCall } from "./hook-call.ts";
import type { HookMachine, HookPlace } from "./hook-machine.ts";
import { forgetBlocks, forgetSession, takeSubmitted, taskOfAgent, withNumber } from "./session-folder.ts";
import { findRules } from "./session-rules.ts";
import { watchSession } from "./watch-session.ts";
import { stopGate } from "./stop-gate.ts";

interface HookRequest {
  readonly client: HookClient;
  readonly event: string;
  /** What the client writes to standard input. */
  readonly input: string;
}

/**
 * Answers one call of a hook. It never throws, and an answer that is not known is an empty one: the work of a user goes
 * on whatever happens here. What was done is noted where `baton status` and `baton doctor` find it.
 */
export async function runHook(machine: HookMachine, { client, event, input }: HookRequest): Promise<JsonRecord> {
  const read = readHookCall(client, event, input);
  const call = "call" in read ? read.call : null;
  let place: HookPlace | null = null;
  let handled: Handled;
  try {
    place = machine.place(client, call?.directory ?? null);
    handled =
      "call" in read
        ? await inTime(machine, read.call, handle(machine, place, withNumber(place.stateFolder, read.call)))
        : letPass("unusable", read.unusable);
  } catch (error) {
    const why = plainReason(error).replace(/\.$/, "");
    handled = letPass("failed", why, `Baton could not check this: ${why}. It was let pass.`);
  }
  if (place !== null) note(machine, place, { client, event }, handled);
  return call === null ? {} : writeAnswer(handled.answer, call);
}

/** The agent is let go when the answer takes longer than its client waits: a locked disk or a large repository must not hold it. */
async function inTime(machine: HookMachine, { moment }: HookCall, work: Promise<Handled>): Promise<Handled> {
  const most = machine.maxTime(moment);
  if (most === null) return work;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${most / 1000} seconds`)), most);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

function note(machine: HookMachine, { stateFolder }: HookPlace, heard: Omit<HookRequest, "input">, handled: Handled) {
  try {
    noteHeard(stateFolder, { ...heard, at: machine.now(), result: handled.result, says: handled.says });
  } catch {
    // A state that cannot be written must not hold up the client.
  }
}

async function handle(machine: HookMachine, place: HookPlace, call: HookCall): Promise<Handled> {
  if (machine.isDriven) return letPass("passed", "a run of baton has started this client");
  if (isOfPerson(call)) forgetTurn(place.stateFolder, call);
  try {
    return await answer(machine, place, call);
  } finally {
    if (call.moment === "session-end") forgetSession(place.stateFolder, call, machine.now());
  }
}

async function answer(machine: HookMachine, place: HookPlace, call: HookCall): Promise<Handled> {
  const found = await findRules({ root: place.root, mark: () => place.mark(), configFolder: machine.configFolder });
  switch (found.is) {
    case "absent":
      return letPass("passed", "the repository has no section sessions");
    case "wrong":
      return letPass("failed", found.why, `Baton checks nothing here: ${found.why}.`);
    case "not-trusted":
    case "trusted":
      if (call.moment === "stop" || call.moment === "agent-stop") return stopGate(machine, place, call, found);
      return found.is === "trusted"
        ? watchSession(machine, place, call, found.rules)
        : letPass("not-trusted", "baton.yaml is not trusted: nothing is recorded or told");
  }
}

/** A person has asked for something else: what was submitted for the turn before does not count for this one. */
function forgetTurn(stateFolder: string, call: HookCall): void {
  forgetBlocks(stateFolder, call);
  takeSubmitted(stateFolder, call, taskOfAgent(call));
}
