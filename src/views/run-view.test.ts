import { describe, expect, it } from "vitest";
import type { Event } from "../workflow/event.ts";
import { EMPTY_RUN } from "../workflow/evolve.ts";
import type { RunState } from "../workflow/state.ts";
import { AgentTallies, type AgentView, UnwatchedAttempts } from "./run-view.ts";

const of = (agent: string): object => ({ task: "main", step: `s-${agent}`, agent, attempt: "1" });
const started = (agent: string): Event => ({ kind: "step-started", ...of(agent) }) as Event;
const refused = (agent: string): Event => ({ kind: "handoff-refused", ...of(agent), problems: [] }) as unknown as Event;
const accepted = (agent: string, outcome: string): Event =>
  ({ kind: "handoff-accepted", ...of(agent), delivery: { handoff: { outcome } } }) as unknown as Event;
const finished = (status: "failed" | "cancelled", task = "main"): Event => ({
  kind: "task-finished",
  task,
  status,
  reason: "",
});

function agentViews(names: readonly string[], state: RunState, events: readonly Event[]): AgentView[] {
  const tallies = new AgentTallies();
  for (const event of events) tallies.note(event);
  return tallies.views(names, state);
}

function words(events: readonly Event[], state: RunState = EMPTY_RUN): string[] {
  return agentViews(["One", "Two", "Three"], state, events).map(({ status }) => status);
}

describe("an agent", () => {
  it("that was never reached has not started, however the run ended", () => {
    const events = [started("One"), accepted("One", "done"), started("Two"), finished("failed")];
    expect(words(events)).toEqual(["done", "failed", "not-started"]);
    expect(words([])).toEqual(["not-started", "not-started", "not-started"]);
  });

  it("has failed when its last step gave no handoff, whatever an earlier one gave", () => {
    const events = [started("One"), accepted("One", "done"), started("Two"), accepted("Two", "needs-fixes")];
    expect(words([...events, started("One"), finished("failed")])).toEqual(["failed", "needs-fixes", "not-started"]);
    // Whoever is called when an agent fails goes on in the same task.
    expect(words([started("One"), started("Two"), accepted("Two", "done")])).toEqual(["failed", "done", "not-started"]);
  });

  it("has failed when the handoff that was accepted was refuted by a gate, and no other came", () => {
    const events = [started("One"), accepted("One", "done"), refused("One"), finished("failed")];
    expect(words(events)).toEqual(["failed", "not-started", "not-started"]);
    expect(agentViews(["One"], EMPTY_RUN, events)).toMatchObject([{ visits: 1, refused: 1 }]);
  });

  it("was stopped when its task was cancelled while it worked, and no other agent was", () => {
    const events = [started("One"), accepted("One", "done"), started("Two"), finished("cancelled")];
    expect(words(events)).toEqual(["done", "stopped", "not-started"]);
    expect(words([started("Two"), finished("cancelled", "other")])).toEqual(["not-started", "failed", "not-started"]);
  });

  it("works or asks while it has a step", () => {
    const at = (phase: string): RunState =>
      ({ ...EMPTY_RUN, tasks: { main: { step: { agent: "One", phase, startedAt: 5 } } } }) as unknown as RunState;
    expect(words([started("One")], at("working"))[0]).toBe("working");
    expect(words([started("One"), refused("One")], at("asking"))[0]).toBe("asking");
  });
});

const begins = (task: string): Event => ({ kind: "attempt-started", task, attempt: "1" }) as unknown as Event;
const ends = (task: string, end: string, milliseconds = 0): Event =>
  ({ kind: "attempt-ended", task, end, usage: { milliseconds } }) as unknown as Event;
const over = (task: string): Event => ({ kind: "task-finished", task, status: "cancelled", reason: "" });

function unwatchedAttempts(events: readonly Event[]): number {
  const attempts = new UnwatchedAttempts();
  for (const event of events) attempts.note(event);
  return attempts.found;
}

it("nobody knows how long an attempt took that was lost or stopped with its task", () => {
  expect(unwatchedAttempts([begins("a"), ends("a", "finished"), over("a")])).toBe(0);
  expect(unwatchedAttempts([begins("a"), ends("a", "lost"), begins("a"), ends("a", "finished")])).toBe(1);
  expect(unwatchedAttempts([begins("a"), begins("b"), ends("b", "crashed"), over("a"), over("b")])).toBe(1);
  expect(unwatchedAttempts([begins("a"), ends("a", "lost", 5_000)])).toBe(0);
  expect(unwatchedAttempts([begins("a")])).toBe(0);
});
