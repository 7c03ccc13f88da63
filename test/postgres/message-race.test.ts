import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../simulation/random.ts";
import { raceMessages, type RaceOptions, type RaceResult } from "./message-race.ts";
import { raceSettling } from "./settle-race.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "./start-postgres.ts";

const MESSAGES = Number(process.env["BATON_MESSAGES"] ?? 1_000);
const SEED = Number(process.env["BATON_MESSAGE_SEED"] ?? 20_261_119);
/** Enough for every naive way to lose some. */
const NAIVE_MESSAGES = 400;
const SETTLED_RUNS = 40;

describe.skipIf(whyNoPostgres !== null)("a message at the moment when its run is parked", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  async function race(name: string, options: Omit<RaceOptions, "random">): Promise<RaceResult> {
    const before = performance.now();
    const result = await raceMessages(url, { ...options, random: new Random(SEED) });
    const { sent, lost, twice, renewed } = result;
    const seconds = ((performance.now() - before) / 1_000).toFixed(1);
    console.log(
      `seed ${SEED}, ${name}: ${sent} messages, ${lost} lost, ${twice} twice, ${renewed} jobs renewed, ${seconds} s`,
    );
    return result;
  }

  it(`is taken once, ${MESSAGES} times; naive ways to send, to park and to settle lose some`, async () => {
    const ours = await race("the driver", { messages: MESSAGES });
    expect(ours).toMatchObject({ sent: MESSAGES, lost: 0, twice: 0 });
    expect(ours.renewed).toBeGreaterThan(0);
    const apart = await race("insert, then send", { messages: NAIVE_MESSAGES, sendsApart: true });
    expect(apart.lost).toBeGreaterThan(0);
    const byReturn = await race("parked by the return", { messages: NAIVE_MESSAGES, parksByReturn: true });
    expect(byReturn.lost).toBeGreaterThan(0);
    const byAttempt = await raceSettling(url, SETTLED_RUNS, "by attempt", new Random(SEED));
    const byBareId = await raceSettling(url, SETTLED_RUNS, "by bare id", new Random(SEED));
    console.log(`settled by attempt: ${byAttempt} of ${SETTLED_RUNS} lost, by bare id: ${byBareId}`);
    expect(byAttempt).toBe(0);
    expect(byBareId).toBeGreaterThan(0);
  }, 600_000);
});
