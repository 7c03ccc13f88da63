import type { Draft } from "../draft.ts";
import { acceptHandoff } from "./accept-handoff.ts";
import { act } from "./act.ts";
import { startAttempt } from "./begin-step.ts";
import { checkCommand } from "./check-command.ts";
import { failRun } from "./fail-run.ts";
import { loopBack } from "./loop-back.ts";
import { nextGate } from "./next-gate.ts";
import { approveHandoff, reviewHandoff } from "./review-handoff.ts";
import { routeHandoff } from "./route-handoff.ts";
import { sendBack } from "./send-back.ts";
import { takeRoute } from "./take-route.ts";
import type { Turn } from "./turn.ts";

/** More than any workflow needs for one input; a workflow whose routes run in a circle ends here. */
const MOST_TURNS = 50;

/** Follows the rules from one to the next until the task works, waits or has ended. */
export function carryOut(draft: Draft, task: string, first: Turn): void {
  let turn = first;
  for (let count = 0; turn.do !== "nothing"; count++) {
    if (count === MOST_TURNS) return failRun(draft, "The routes of the workflow lead in a circle without any work.");
    if (draft.state.status !== "running") return;
    turn = take(draft, task, turn);
  }
}

function take(draft: Draft, task: string, turn: Turn): Turn {
  return (RULES[turn.do] as (draft: Draft, task: string, turn: Turn) => Turn)(draft, task, turn);
}

type Rules = { readonly [K in Turn["do"]]: (draft: Draft, task: string, turn: Extract<Turn, { do: K }>) => Turn };

const RULES: Rules = {
  accept: (draft, task, { delivery, judgements }) => acceptHandoff(draft, task, delivery, judgements),
  "send-back": (draft, task, { problems }) => sendBack(draft, task, problems),
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
