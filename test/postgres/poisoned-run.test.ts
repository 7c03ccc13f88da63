import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectWhole, untilAllEnded } from "./expect-whole.ts";
import { Hosts } from "./hosts.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "./start-postgres.ts";

const RUNS = 20;
/** The longest pause of the engine between two losses, in seconds; the driver's own one is longer than CI waits. */
const MAX_PAUSE = Number(process.env["BATON_MAX_PAUSE"] ?? 4);

describe.skipIf(whyNoPostgres !== null || process.platform !== "linux")("a run that kills its worker", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  it(`is given up after five losses, and none of the ${RUNS} runs beside it is`, async () => {
    const hosts = await Hosts.open(url, MAX_PAUSE);
    onTestFinished(() => hosts.close());
    for (let host = 0; host < 2; host++) await hosts.addHost();
    const poisoned = await hosts.startPoisoned();
    for (let run = 0; run < RUNS; run++) await hosts.start(3);
    await expect.poll(() => hosts.queue.lostRuns(), { timeout: 400_000, interval: 500 }).toEqual([poisoned]);
    const begun = hosts.lines(hosts.journal).filter(([, attempt = ""]) => attempt.startsWith(`${poisoned}.`));
    expect(begun).toHaveLength(5);
    await untilAllEnded(hosts, [poisoned]);
    await expectWhole(hosts, [poisoned]);
    expect(await hosts.queue.lostRuns()).toEqual([poisoned]);
  }, 700_000);
});
