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
  switch (turn.do) {
    case "accept":
      return acceptHandoff(draft, task, turn.delivery, turn.judgements);
    case "send-back":
      return sendBack(draft, task, turn.problems);
    case "start-attempt":
      return startAttempt(draft, task, turn.reason, turn.session);
    case "pass-gates":
      return nextGate(draft, task);
    case "check-command":
      return checkCommand(draft, task);
    case "review":
      return reviewHandoff(draft, task);
    case "approve":
      return approveHandoff(draft, task);
    case "route":
      return routeHandoff(draft, task);
    case "take-route":
      return takeRoute(draft, task, turn.outcome, turn.why);
    case "act":
      return act(draft, task, turn.action, turn.occasion);
    case "loop":
      return loopBack(draft, task, turn.to, turn.why);
    case "nothing":
      return turn;
  }
}
