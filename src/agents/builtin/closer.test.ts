import { expect, it } from "vitest";
import { cycleTime } from "./closer.ts";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;

it.each([
  [2 * day + 4 * hour + 5 * minute, "2 days 4 hours"],
  [day + minute, "1 day 1 minute"],
  [hour, "1 hour"],
  [61 * second, "1 minute 1 second"],
  [400, "1 second"],
  [-5 * day, "1 second"],
])("%d ms of work are %s", (milliseconds, words) => {
  expect(cycleTime(milliseconds)).toBe(words);
});
