import type { Draft } from "../draft.ts";
import { acceptHandoff, sendBack, approveHandoff, reviewHandoff } from "./accept-handoff.ts";
import { act } from "./act.ts";
import { startAttempt } from "./begin-step.ts";
import { failRun } from "./fail-run.ts";
import { loopBack } from "./loop-back.ts";
import { nextGate, checkCommand } from "./gates.ts";
import { routeHandoff } from "./route-handoff.ts";
import { takeRoute } from "./take-route.ts";
import type { NextRule } from "./next-rule.ts";

/** More rules than any workflow needs for one input; stops workflows whose routes run in a circle. */
const MAX_TURNS = 50;

/** Runs rule after rule until the task is working, waiting or finished. */
export function runRules(draft: Draft, task: string, first: NextRule): void {
  let turn = first;
  for (let count = 0; turn.do !== "nothing"; count++) {
    if (count === MAX_TURNS) return failRun(draft, "The routes of the workflow lead in a circle without any work.");
    if (draft.state.status !== "running") return;
    turn = take(draft, task, turn);
  }
}

function take(draft: Draft, task: string, turn: NextRule): NextRule {
  return (RULES[turn.do] as (draft: Draft, task: string, turn: NextRule) => NextRule)(draft, task, turn);
}

type Rules = {
  readonly [K in NextRule["do"]]: (draft: Draft, task: string, turn: Extract<NextRule, { do: K }>) => NextRule;
};

const RULES: Rules = {
  accept: (draft, task, turn) => acceptHandoff(draft, task, turn),
  "send-back": (draft, task, { problems, isDemanded }) => sendBack(draft, task, problems, isDemanded),
  "start-attempt": (draft, task, { reason, session }) => startAttempt(draft, task, reason, session),
  "pass-gates": nextGate,
  "check-command": checkCommand,
  review: reviewHandoff,
  approve: approveHandoff,
  route: routeHandoff,
  "take-route": (draft, task, turn) => takeRoute(draft, task, turn),
  act: (draft, task, { action, occasion }) => act(draft, task, action, occasion),
  loop: (draft, task, { to, occasion }) => loopBack(draft, task, to, occasion),
  nothing: (_draft, _task, turn) => turn,
};
