import type { StepReason } from "./state.ts";

/** Work to be done after a decision was stored. The key stays the same when the effect is executed again. */
export type Effect =
  | {
      readonly kind: "start-agent";
      readonly key: string;
      readonly task: string;
      readonly step: string;
      readonly attempt: string;
      readonly agent: string;
      readonly timeout: number;
      readonly reason: StepReason;
      /** Session of an earlier attempt to continue. */
      readonly session: string | null;
    }
  | { readonly kind: "stop-agent"; readonly key: string; readonly attempt: string }
  | {
      readonly kind: "run-gate";
      readonly key: string;
      readonly task: string;
      readonly step: string;
      /** Null for a command from a handoff. */
      readonly gate: string | null;
      readonly command: string | null;
      readonly gateRun: string;
    }
  | { readonly kind: "notify"; readonly key: string; readonly who: string; readonly text: string };

type WithoutKey<E> = E extends Effect ? Omit<E, "key"> : never;
export type WantedEffect = WithoutKey<Effect>;
