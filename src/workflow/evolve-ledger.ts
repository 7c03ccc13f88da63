import { withStep } from "./change-state.ts";
import type { Handlers } from "./handlers.ts";

/** Events of the issue ledger, of loops and of what is known along the chain. */
export const LEDGER_EVENTS: Handlers<"loop-began" | "loop-ended" | "issue-opened" | "issue-changed" | "fact-learned"> =
  {
    "loop-began": (state, { loop }) => ({ ...state, iteration: loop.iteration, loops: [...state.loops, loop] }),
    "loop-ended": (state, { task, goesOn }) =>
      goesOn ? withStep(state, task, { routeAs: "done-with-warnings", phase: "gates" }) : state,
    "issue-opened": (state, { issue }) => ({ ...state, ledger: { ...state.ledger, [issue.id]: issue } }),
    "issue-changed": (state, { id, status, by, at }) => {
      const issue = state.ledger[id];
      if (issue === undefined) return state;
      const changed = {
        ...issue,
        status: status === "reopened" ? ("open" as const) : status,
        reopened: issue.reopened + (status === "reopened" ? 1 : 0),
        history: [...issue.history, { status, by, at }],
      };
      return { ...state, ledger: { ...state.ledger, [id]: changed } };
    },
    "fact-learned": (state, { name, value, by }) => ({ ...state, known: { ...state.known, [name]: { value, by } } }),
  };
