import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { statesIn } from "../agents/living-processes.ts";
import { expectWhole, untilAllEnded } from "./expect-whole.ts";
import { Hosts } from "./hosts.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "./start-postgres.ts";

const RUNS = 4;
/** Longer than a worker waits before it holds its agents. */
const OUTAGE = 16_000;

describe.skipIf(whyNoPostgres !== null || process.platform !== "linux")("a worker whose database is silent", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  it("holds its agents, lets them go on when it answers, and ends them when it does not for long", async () => {
    const patient = await Hosts.open(url);
    const impatient = await Hosts.open(url);
    onTestFinished(async () => {
      await Promise.all([patient.close(), impatient.close()]);
    });
    await patient.addHost();
    await impatient.addHost({ maxSilence: 13_000 });
    for (let run = 0; run < RUNS; run++) await Promise.all([patient.start(1, 16), impatient.start(1, 16)]);
    for (const hosts of [patient, impatient]) await expect.poll(() => begun(hosts), { timeout: 30_000 }).toBe(RUNS);
    await server.kill();
    const back = sleep(OUTAGE).then(() => server.start());
    await expect.poll(() => statesIn(patient.folder), { timeout: OUTAGE - 1_000 }).toContain("T");
    await expect.poll(() => impatient.livingAgents(), { timeout: OUTAGE - 1_000 }).toEqual([]);
    expect(patient.livingAgents().length).toBeGreaterThan(0);
    await back;
    await Promise.all([untilAllEnded(patient), untilAllEnded(impatient)]);
    await expectWhole(patient);
    await expectWhole(impatient);
    // The first agents have outlasted it: no step was begun twice.
    expect(begun(patient)).toBe(3 * RUNS);
    expect(begun(impatient)).toBeGreaterThan(3 * RUNS);
  }, 300_000);
});

function begun(hosts: Hosts): number {
  return hosts.lines(hosts.journal).filter(([what]) => what === "begin").length;
}
