import { ownValue } from "../shared/json-value.ts";
import type { Ask, AskKind } from "../workflow/state.ts";

type Effects = Readonly<Record<string, (agent: string) => string>>;

const FAIL: Effects = { fail: () => "gives up: the task ends as failed" };
const JUDGE: Effects = {
  approve: () => "accepts the work, and the run goes on",
  reject: (agent) => `${agent} works on it again, with your words if you add some`,
};

/** In plain words what `src/workflow/rules/answer-ask.ts` does. */
const EFFECTS: Readonly<Record<AskKind, Effects>> = {
  before: { approve: (agent) => `lets ${agent} start`, reject: () => "says no: the task ends as failed" },
  after: JUDGE,
  review: JUDGE,
  question: { answer: () => "sends your words to the next agent, and the run goes on", ...FAIL },
  escalation: {
    retry: (agent) => `${agent} tries again, with your words if you add some`,
    continue: (agent) => `takes what ${agent} handed over as done with warnings, and goes on`,
    ...FAIL,
  },
  blocked: { resolved: () => "says that nothing blocks the task any more: it goes on", ...FAIL },
  human: {
    done: () => "you have done it, and the run goes on",
    "done-with-warnings": () => "you have done it, with something to be told to the next",
    "needs-fixes": () => "it has to be mended first: the workflow says by whom",
    failed: () => "it could not be done: the workflow says what follows",
    blocked: () => "something stands in the way: the workflow says what follows",
  },
  command: {
    approve: () => "lets exactly this command run, in the sandbox",
    reject: () => "the command is not run, and the work goes on without it",
  },
};

/** A question with what its choices do, for whoever does not know the kinds; a choice that nobody knows is not there. */
export interface AskView extends Ask {
  readonly effects: Readonly<Record<string, string>>;
}

export function askView(ask: Ask): AskView {
  const effects = ask.choices.flatMap((choice) => {
    const effect = choiceEffect(ask, choice);
    return effect === null ? [] : [[choice, effect] as const];
  });
  return { ...ask, effects: Object.fromEntries(effects) };
}

/** What happens when this is answered; null for a choice that nobody knows. */
export function choiceEffect({ kind, agent }: Pick<Ask, "kind" | "agent">, choice: string): string | null {
  const effects = ownValue<Effects>(EFFECTS, kind) ?? {};
  return ownValue(effects, choice)?.(agent) ?? null;
}
