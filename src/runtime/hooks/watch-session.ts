import { type SessionAgent, owedBy } from "../../workflow/file/sessions-section.ts";
import { type Handled, letPass } from "./handled.ts";
import { type HookCall, isOfPerson, nameOfAgent } from "./hook-call.ts";
import type { HookMachine, HookPlace, OpenState } from "./hook-machine.ts";
import type { Observer } from "./observer.ts";
import { beginRound, keepBase } from "./session-folder.ts";
import type { SessionRules } from "./session-rules.ts";

/** Records what happens in a session besides the stops of its agents, and gives agents that start what is known. */
export async function watchSession(
  machine: HookMachine,
  place: HookPlace,
  call: HookCall,
  rules: SessionRules,
): Promise<Handled> {
  const { record, verify, context } = rules.section;
  if (call.session === "" || !(record || verify || context)) return letPass("passed", "nothing is recorded");
  if (call.moment === "prompt" && !isOfPerson(call)) return letPass("passed", "no person has asked for this");
  const { Observer } = await import("./observer.ts");
  const state = await place.openState();
  const brief = textOf(machine, call);
  try {
    const { stateFolder } = place;
    const observer = new Observer(state.ports, place.root, { call, rules, brief, stateFolder });
    return await new SessionWatch(machine, place, call, rules, { state, observer }).handle();
  } finally {
    await state.close();
  }
}

/** Of what a person writes, the beginning says what it is about. */
const MAX_PROMPT = 2_000;

function textOf({ redact }: HookMachine, { prompt }: HookCall): string {
  return redact(prompt ?? "").slice(0, MAX_PROMPT);
}

class SessionWatch {
  readonly #machine: HookMachine;
  readonly #place: HookPlace;
  readonly #call: HookCall;
  readonly #rules: SessionRules;
  readonly #state: OpenState;
  readonly #observer: Observer;

  constructor(
    machine: HookMachine,
    place: HookPlace,
    call: HookCall,
    rules: SessionRules,
    { state, observer }: { readonly state: OpenState; readonly observer: Observer },
  ) {
    this.#machine = machine;
    this.#place = place;
    this.#call = call;
    this.#rules = rules;
    this.#state = state;
    this.#observer = observer;
  }

  async handle(): Promise<Handled> {
    switch (this.#call.moment) {
      case "session-start":
        return this.#inform("", this.#owedBy(true));
      case "prompt":
        return this.#beginTurn();
      case "agent-start":
        return this.#beginAgent();
      case "session-end":
        if (this.#rules.section.record) await this.#observer.recordEnd(this.#call.client);
        return letPass("passed", "the session has ended");
      case "stop":
      case "agent-stop":
        return letPass("passed", "it is judged elsewhere");
    }
  }

  #owedBy(isMain: boolean): SessionAgent | null {
    return owedBy(this.#rules.section, this.#call.agentType, isMain);
  }

  async #beginTurn(): Promise<Handled> {
    const { record } = this.#rules.section;
    const text = textOf(this.#machine, this.#call);
    const nonce = this.#machine.nonce();
    const id = `${this.#call.turn ?? ""}:${nonce}`;
    const owed = this.#owedBy(true);
    beginRound(this.#place.stateFolder, this.#call, nonce);
    // Before the agent is at work in the run: another hook may look at it.
    if (owed !== null) await this.#markBase(String(this.#machine.now()));
    if (record && text !== "") await this.#observer.recordPrompt(text, id, owed?.as ?? null);
    // How to hand over was said when the session began.
    return this.#inform(text, null);
  }

  async #beginAgent(): Promise<Handled> {
    const owed = this.#owedBy(false);
    const { record } = this.#rules.section;
    if (owed === null) {
      if (record) await this.#observer.recordOther(nameOfAgent(this.#call), "started");
      return letPass("passed", `${nameOfAgent(this.#call)} owes no handoff`);
    }
    await this.#markBase("start");
    if (record) await this.#observer.recordStart(owed.as, "");
    return this.#inform(await this.#observer.brief(), owed);
  }

  async #markBase(when: string): Promise<void> {
    if (!this.#rules.section.verify) return;
    const base = await this.#observer.markBase(when);
    if (base !== null) keepBase(this.#place.stateFolder, this.#call, base);
  }

  async #inform(about: string, owed: SessionAgent | null): Promise<Handled> {
    const { section, formats } = this.#rules;
    if (!section.context) return letPass("passed", "nothing is told");
    const { contextText } = await import("./give-context.ts");
    const context = await contextText(this.#state, this.#place.root, {
      about,
      format: owed?.format ?? null,
      formats,
      agent: nameOfAgent(this.#call),
      nonce: this.#machine.nonce(),
    });
    if (context === "") return letPass("passed", "nothing is known about it");
    const says = `${nameOfAgent(this.#call)} was told what is known`;
    return { result: "passed", says, answer: { kind: "inform", context } };
  }
}
