import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env["BATON_SEEDS"] ?? 5_000);
const FIRST = Number(process.env["BATON_FIRST_SEED"] ?? 1);

test(`${SEEDS} random workflows with random agents and faults keep every invariant`, { timeout: 600_000 }, () => {
  const statuses: Record<string, number> = {};
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { broken, state } = simulate(seed);
    if (broken.length > 0) expect.fail(`seed ${seed}: ${[...new Set(broken)].join("; ")}`);
    statuses[state.status] = (statuses[state.status] ?? 0) + 1;
  }
  // A simulation in which every run ends the same way would show nothing.
  expect(Object.keys(statuses).sort()).toEqual(["cancelled", "completed", "failed"]);
});

test("the same seed gives the same run, byte for byte", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const [first, second] = [simulate(seed), simulate(seed)];
    expect(JSON.stringify([second.inputs, second.events, second.state])).toBe(
      JSON.stringify([first.inputs, first.events, first.state]),
    );
  }
});
