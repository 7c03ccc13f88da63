import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gateRunner } from "../../src/agents/run-command.ts";
import type { CommandRunner } from "../../src/ports/command-runner.ts";
import { Random } from "../simulation/random.ts";
import { type Attempt, attempts, MAKERS, PLAIN_MAKERS } from "./escape-attempts.ts";
import { EscapeWorld, SECRET } from "./escape-world.ts";
import { hasNoSandbox, removeFolders, runScript, withoutSandbox } from "./gates.ts";

const ESCAPES = Number(process.env["BATON_ESCAPES"] ?? (process.env["CI"] === undefined ? 500 : 60));
const SEED = Number(process.env["BATON_SEED"] ?? 20_260_411);
/** Tried in one sandbox, one after the other. */
const AT_ONCE = 20;

const operatorsHome = process.env["HOME"];
const worlds: EscapeWorld[] = [];

beforeAll(() => {
  process.env["BATON_TEST_TOKEN"] = SECRET;
});
afterAll(() => {
  process.env["HOME"] = operatorsHome;
  delete process.env["BATON_TEST_TOKEN"];
  for (const world of worlds) world.close();
  removeFolders();
});

async function openWorld(): Promise<EscapeWorld> {
  const world = new EscapeWorld();
  worlds.push(world);
  await world.open();
  process.env["HOME"] = world.home;
  return world;
}

/** Runs all of them in one gate and returns what they said. */
async function tryAll(runner: CommandRunner, world: EscapeWorld, tried: readonly Attempt[]): Promise<string> {
  const each = 'for attempt; do timeout -k 1 10 sh -c "$attempt" 2>&1 < /dev/null; done; echo tried all';
  const command = ["sh", "-c", each, "sh", ...tried.map(({ script }) => script)];
  const { end, output } = await runScript(runner, world.directory, "", {
    command,
    timeout: 120_000,
    outputLimit: 2 ** 24,
    bring: [{ from: world.brought, to: "node_modules" }],
  });
  expect(end, output).toBe("exited");
  expect(output).toMatch(/tried all\n$/);
  return output;
}

describe.skipIf(hasNoSandbox())("a gate that tries to get out", () => {
  it(`does not: ${ESCAPES} attempts`, { timeout: 600_000 }, async () => {
    const world = await openWorld();
    const runner = gateRunner({ hidden: [world.state] });
    const source = attempts(world, new Random(SEED));
    const counts: Record<string, number> = {};
    let made = 0;
    while (made < ESCAPES) {
      const batch = Array.from({ length: Math.min(AT_ONCE, ESCAPES - made) }, () => source.next().value as Attempt);
      const output = await tryAll(runner, world, batch);
      const damage = [...world.findDamage(output), ...(output.includes("BROKE") ? ["one of them says so"] : [])];
      if (damage.length > 0) expect(await findCulprits(runner, world, batch), damage.join("\n")).toEqual([]);
      expect(damage).toEqual([]);
      for (const { kind } of batch) counts[kind] = (counts[kind] ?? 0) + 1;
      made += batch.length;
    }
    const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
    console.log(`seed ${SEED}: ${made} attempts to escape, 0 succeeded (${kinds.join(", ")})`);
    expect(Object.keys(counts)).toHaveLength(Object.keys(MAKERS).length);
  });

  /** Which of them it was, for whoever has to mend it. */
  async function findCulprits(
    runner: CommandRunner,
    world: EscapeWorld,
    batch: readonly Attempt[],
  ): Promise<unknown[]> {
    const found = [];
    for (const attempt of batch) {
      const output = await tryAll(runner, world, [attempt]);
      if (output.includes("BROKE") || output.includes(SECRET)) found.push({ ...attempt, output });
    }
    return found;
  }

  it("would, if nothing held it: the attempts are real", { timeout: 600_000 }, async () => {
    let succeeded = 0;
    const random = new Random(SEED);
    const kinds = new Map(Object.keys(PLAIN_MAKERS).map((kind) => [kind, 0]));
    const tries = 6 * kinds.size;
    for (let turn = 0; turn < tries; turn++) {
      const world = await openWorld();
      const source = attempts(world, random, PLAIN_MAKERS);
      for (let skip = turn % kinds.size; skip > 0; skip--) source.next();
      const attempt = source.next().value as Attempt;
      const hasWorked = world.findDamage(await tryAll(withoutSandbox, world, [attempt])).length > 0;
      if (hasWorked) kinds.set(attempt.kind, (kinds.get(attempt.kind) ?? 0) + 1);
      if (hasWorked) succeeded += 1;
      world.close();
    }
    console.log(`without a sandbox ${succeeded} of ${tries} such attempts succeed`);
    expect([...kinds].filter(([, count]) => count === 0)).toEqual([]);
  });
});
