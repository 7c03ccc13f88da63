import type { Effect } from "../effect.ts";
import { stored } from "./describe.ts";

const { number, orNull, tagged, text } = stored;

/** An effect that is stored until it is done. It has no reason, because the state contains it. */
export type OwedEffect =
  | Omit<Extract<Effect, { kind: "start-agent" }>, "reason">
  | Extract<Effect, { kind: "run-gate" }>;

export const owedEffectShape = tagged<OwedEffect>({
  "start-agent": {
    key: text,
    task: text,
    step: text,
    attempt: text,
    agent: text,
    timeout: number,
    session: orNull(text),
  },
  "run-gate": { key: text, task: text, step: text, gate: orNull(text), command: orNull(text), gateRun: text },
});
