import { expect, it } from "vitest";
import type { Event } from "../workflow/event.ts";
import { UnwatchedAttempts } from "./unwatched-attempts.ts";

const begins = (task: string): Event => ({ kind: "attempt-started", task, attempt: "1" }) as unknown as Event;
const ends = (task: string, end: string): Event => ({ kind: "attempt-ended", task, end }) as unknown as Event;
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
  expect(unwatchedAttempts([begins("a")])).toBe(0);
});
