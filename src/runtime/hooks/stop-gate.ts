import { hash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ObservedResult, ObservedStop, Problem } from "../../workflow/input.ts";
import { type SessionAgent, owedBy, sessionAgents } from "../../workflow/file/sessions-section.ts";
import { makeFolder } from "../make-folder.ts";
import { type FoundMessage, findMessage } from "./find-message.ts";
import { type Handled, letPass } from "./handled.ts";
import { type HookCall, nameOfAgent } from "./hook-call.ts";
import type { HookMachine, HookPlace } from "./hook-machine.ts";
import type { Observer } from "./observer.ts";
import { type StoppedHandoff, readStopped } from "./read-stopped.ts";
import {
  beginRound,
  countBlock,
  endNumber,
  forgetBlocks,
  readBase,
  roundOf,
  takeSubmitted,
  taskOfAgent,
} from "./session-folder.ts";
import type { FoundRules, SessionRules } from "./session-rules.ts";

/** An agent wants to end: it passes with a valid and true handoff, or is sent back a bounded number of times. */
export async function stopGate(
  machine: HookMachine,
  place: HookPlace,
  call: HookCall,
  found: Extract<FoundRules, { is: "trusted" | "not-trusted" }>,
): Promise<Handled> {
  const { section } = found.is === "trusted" ? found.rules : found;
  const isMain = call.moment === "stop";
  if (isMain && call.agentId !== null) return letPass("passed", "the end of a turn inside of a subagent");
  const owed = owedBy(section, call.agentType, isMain);
  const name = nameOfAgent(call);
  if (owed === null) {
    if (!isMain && found.is === "trusted" && found.rules.section.record)
      await withObserver(place, call, found.rules, (observer) => observer.recordOther(name, "ended"));
    return letPass("passed", `${name} owes no handoff`);
  }
  if (found.is === "not-trusted") return tellOnce(place, name, found.hash);
  return new StopGate(machine, place, call, found.rules, owed).judge();
}

async function withObserver<T>(
  place: HookPlace,
  call: HookCall,
  rules: SessionRules,
  work: (observer: Observer) => Promise<T>,
): Promise<T> {
  const { Observer } = await import("./observer.ts");
  const { root, stateFolder } = place;
  const state = await place.openState({ looksAhead: rules.section.verify });
  try {
    return await work(new Observer(state.ports, root, { call, rules, stateFolder }));
  } finally {
    await state.close();
  }
}

class StopGate {
  readonly #machine: HookMachine;
  readonly #place: HookPlace;
  readonly #call: HookCall;
  readonly #rules: SessionRules;
  readonly #owed: SessionAgent;
  readonly #name: string;
  #source: "message" | "file" = "message";
  /** Why the agent cannot be sent back at all. */
  #whyFinal: string | null = null;

  constructor(machine: HookMachine, place: HookPlace, call: HookCall, rules: SessionRules, owed: SessionAgent) {
    this.#machine = machine;
    this.#place = place;
    this.#call = call;
    this.#rules = rules;
    this.#owed = owed;
    this.#name = nameOfAgent(call);
  }

  async judge(): Promise<Handled> {
    const { format } = this.#owed;
    if (format === null) return letPass("failed", `it is not said in which format ${this.#name} hands over`);
    // The state is opened first: git is asked where the repository stands while the handoff is read.
    return this.#observed((observer) => this.#judgeLast(observer, format));
  }

  async #judgeLast(observer: Observer | null, format: string): Promise<Handled> {
    const { section, formats } = this.#rules;
    // What it has submitted counts before its last message, as in a run that is driven.
    const submitted = takeSubmitted(this.#place.stateFolder, this.#call, taskOfAgent(this.#call));
    const found: FoundMessage = submitted === null ? await findMessage(this.#call) : { text: submitted };
    if ("unread" in found) return this.#letUnread(observer, found.unread);
    const agents = sessionAgents(section).map(({ as }) => as);
    const stopped = readStopped(this.#machine.redact(found.text), { format, agents, formats });
    if (submitted !== null) this.#source = "file";
    if (stopped.isMissing && this.#call.waitsForAgents) return this.#letWait(observer);
    this.#whyFinal = found.bySchema ? "it answers by a schema and cannot be sent back" : whyFinal(this.#call);
    return this.#decide(observer, format, stopped);
  }

  /** With the state, where something is verified or recorded. */
  async #observed(work: (observer: Observer | null) => Promise<Handled>): Promise<Handled> {
    const { section } = this.#rules;
    if (!section.verify && !section.record) return work(null);
    return withObserver(this.#place, this.#call, this.#rules, work);
  }

  async #letUnread(observer: Observer | null, why: string): Promise<Handled> {
    const message = `its handoff was not read: ${why}`;
    await this.#record(observer, "unread", { message });
    return letPass("unread", `${this.#name}: ${why}`);
  }

  /** Its turn ends because it waits for its agents; it owes its handoff when they have ended. */
  async #letWait(observer: Observer | null): Promise<Handled> {
    if (observer !== null && this.#rules.section.record)
      await observer.recordStart(this.#owed.as, `:${this.#call.turn ?? this.#machine.now()}`);
    return letPass("passed", `${this.#name} waits for agents in the background`);
  }

  async #decide(observer: Observer | null, format: string, stopped: StoppedHandoff): Promise<Handled> {
    const { judgements, problems: untrue, tree } = await this.#verify(observer, stopped);
    const problems = [...stopped.problems, ...untrue];
    const more = { judgements, problems, ...(tree !== undefined && { tree }) };
    if (problems.length > 0) return this.#sendBack(observer, format, stopped, more);
    forgetBlocks(this.#place.stateFolder, this.#call);
    await this.#record(observer, "accepted", { ...more, stopped });
    endNumber(this.#place.stateFolder, this.#call, this.#machine.nonce());
    return letPass("accepted", `${this.#name}: ${stopped.handoff?.outcome ?? ""}`);
  }

  async #verify(
    observer: Observer | null,
    { handoff }: StoppedHandoff,
  ): Promise<Pick<ObservedStop, "judgements" | "problems" | "tree">> {
    if (observer === null || handoff === null || !this.#rules.section.verify) return { judgements: [], problems: [] };
    const base = readBase(this.#place.stateFolder, this.#call);
    const verified = await observer.verify(handoff, { agent: this.#owed.as, base });
    return { ...verified, problems: [...verified.problems, ...observer.refusals(verified.judgements, this.#owed.as)] };
  }

  async #sendBack(
    observer: Observer | null,
    format: string,
    stopped: StoppedHandoff,
    more: Pick<ObservedStop, "judgements" | "problems">,
  ): Promise<Handled> {
    const { section, formats } = this.#rules;
    const { problems } = more;
    const first = problems[0]?.message ?? "";
    const number = this.#whyFinal === null ? countBlock(this.#place.stateFolder, this.#call, section.blocks) : null;
    if (number === null) {
      const why = this.#whyFinal ?? `it was sent back ${section.blocks} times`;
      const message = `ended without a valid handoff (${why}): ${first}`;
      await this.#record(observer, "given-up", { ...more, message, stopped });
      endNumber(this.#place.stateFolder, this.#call, this.#machine.nonce());
      return letPass("given-up", `${this.#name} ${message}`, `Baton: ${this.#name} ${message}`);
    }
    await this.#record(observer, "sent-back", { ...more, message: first, stopped });
    const { sendBackText } = await import("./send-back-text.ts");
    const nonce = this.#machine.nonce();
    beginRound(this.#place.stateFolder, this.#call, nonce);
    const times = { number, most: section.blocks, isMissing: stopped.isMissing, nonce };
    const reason = sendBackText({ problems, format, formats, agent: this.#name, ...times });
    return { result: "sent-back", says: `${this.#name}: ${first}`, answer: { kind: "send-back", reason } };
  }

  async #record(observer: Observer | null, result: ObservedResult, told: Told): Promise<void> {
    if (observer === null || !this.#rules.section.record) return;
    const { stopped, ...seen } = { ...NOTHING_TOLD, ...told };
    const text = stopped === null || stopped.isMissing ? null : stopped.text;
    const kept = text === null ? null : hash("sha256", text, "hex");
    // A handoff counts once in a round, also when a hook is called twice; each time that an agent is sent back counts.
    const round = roundOf(this.#place.stateFolder, this.#call);
    const isOnce = result === "accepted" && kept !== null;
    const once = isOnce ? `${round}:${kept}` : `${this.#machine.now()}-${this.#machine.nonce()}`;
    const id = `${result}:${this.#call.turn ?? ""}:${once}`;
    const stop = { agent: this.#owed.as, result, ...this.#handedOver(stopped, kept), ...seen };
    await observer.recordStop(stop, id, text);
  }

  #handedOver(stopped: StoppedHandoff | null, text: string | null): Pick<ObservedStop, "delivery" | "text"> {
    if (stopped === null || text === null) return { delivery: null };
    const { handoff, repaired, warnings } = stopped;
    if (handoff === null) return { delivery: null, text };
    return { delivery: { handoff, text, source: this.#source, repaired, warnings } };
  }
}

const NOTHING_TOLD = { message: "", judgements: [], problems: [], stopped: null } as const;

interface Told {
  readonly message?: string;
  readonly judgements?: ObservedStop["judgements"];
  readonly problems?: readonly Problem[];
  readonly tree?: string;
  readonly stopped?: StoppedHandoff | null;
}

function whyFinal({ client, moment }: HookCall): string | null {
  return client === "opencode" && moment === "stop" ? "OpenCode cannot send it back" : null;
}

/** The user is told once for each content of the file that nothing is checked. */
function tellOnce({ stateFolder }: HookPlace, name: string, content: string): Handled {
  const says = `${name} owes a handoff, but baton.yaml is not trusted: nothing is checked`;
  const folder = join(stateFolder, "heard");
  const told = join(folder, `told-${content.slice(0, 32)}`);
  if (existsSync(told)) return letPass("not-trusted", says);
  makeFolder(folder);
  writeFileSync(told, "", { mode: 0o600 });
  return letPass("not-trusted", says, `Baton: ${says}. Look at it with \`baton check\`, then \`baton trust\`.`);
}
