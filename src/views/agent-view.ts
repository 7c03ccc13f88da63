import type { Outcome } from "../protocol/handoff.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState } from "../workflow/state.ts";

export interface AgentView {
  readonly name: string;
  /**
   * `not-started` when its turn has not come, the outcome when it has handed over, `failed` when it has not and will
   * not, `stopped` when it was at work as its task was cancelled.
   */
  readonly status: "not-started" | "working" | "asking" | "stopped" | Outcome;
  readonly visits: number;
  readonly refused: number;
  /** Since when it works. */
  readonly since: number | null;
}

interface Tally {
  visits: number;
  refused: number;
  /** The task of its last step. */
  task: string | null;
  /** What its last step came to; null while that has given no handoff that holds. */
  word: Outcome | "stopped" | null;
}

/** What each agent has come to, one event after the other: whoever follows a run does not read its log again. */
export class AgentTallies {
  readonly #tallies = new Map<string, Tally>();

  note(event: Event): void {
    note(this.#tallies, event);
  }

  /** Of those who are at work: whoever follows a run that was resumed has not seen them begin. */
  meet({ tasks }: RunState): void {
    for (const { id, step } of Object.values(tasks)) {
      if (step !== null && !this.#tallies.has(step.agent)) tallyOf(this.#tallies, step.agent).task = id;
    }
  }

  /** In the order of their names in the workflow. */
  views(names: readonly string[], state: RunState): AgentView[] {
    return names.map((name) => agentView(name, this.#tallies.get(name), state));
  }
}

function note(tallies: Map<string, Tally>, event: Event): void {
  switch (event.kind) {
    case "step-started":
      Object.assign(tallyOf(tallies, event.agent), { task: event.task, word: null }).visits++;
      return;
    case "handoff-accepted":
      Object.assign(tallyOf(tallies, event.agent), { task: event.task, word: event.delivery.handoff.outcome });
      return;
    case "handoff-refused":
      // Also of one that was accepted, when a gate has refuted it.
      Object.assign(tallyOf(tallies, event.agent), { task: event.task, word: null }).refused++;
      return;
    case "task-finished":
      if (event.status !== "cancelled") return;
      for (const tally of tallies.values()) if (tally.task === event.task) tally.word ??= "stopped";
      break;
    default:
  }
}

function tallyOf(tallies: Map<string, Tally>, agent: string): Tally {
  const known = tallies.get(agent);
  if (known !== undefined) return known;
  const tally = { ...NOTHING };
  tallies.set(agent, tally);
  return tally;
}

function agentView(name: string, tally: Tally | undefined, state: RunState): AgentView {
  const step = Object.values(state.tasks).find((task) => task.step?.agent === name)?.step ?? null;
  const { visits, refused, word } = tally ?? NOTHING;
  const ended = word ?? (tally === undefined ? "not-started" : "failed");
  const status = step === null ? ended : step.phase === "asking" ? "asking" : "working";
  return { name, status, visits, refused, since: step?.startedAt ?? null };
}

const NOTHING: Tally = { visits: 0, refused: 0, task: null, word: null };
