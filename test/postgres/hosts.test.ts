import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Random } from "../simulation/random.ts";
import { expectWhole, untilAllEnded } from "./expect-whole.ts";
import { type Fault, FaultMaker, FAULTS, type Takeover } from "./faults.ts";
import { Hosts } from "./hosts.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "./start-postgres.ts";

const COUNT = Number(process.env["BATON_HOST_FAULTS"] ?? 12);
const SEED = Number(process.env["BATON_HOST_SEED"] ?? 20_261_119);
const WORKERS = 4;
/** Faults at once. One worker is left in peace. */
const LANES = 3;
const RUNS_AT_ONCE = 16;
/** The bar is for the proof, which counts on a quiet machine: what else the machine of a test does is not known. */
const LONGEST_TAKEOVER = process.env["BATON_HOST_FAULTS"] === undefined ? 60_000 : 20_000;
/** Where workers were lost with the same run before, or the database was down. */
const LONGEST_TROUBLED = 90_000;
const isLinux = process.platform === "linux";

describe.skipIf(whyNoPostgres !== null || !isLinux)("workers on many hosts", () => {
  let server: TestPostgres;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.database();
  });
  afterAll(() => server.stop());

  it(`survive ${COUNT} faults, several at once`, async () => {
    const began = performance.now();
    const random = new Random(SEED);
    const hosts = await Hosts.open(url);
    onTestFinished(() => hosts.close());
    // One has a clock that is an hour ahead, one is an hour behind.
    for (let index = 0; index < WORKERS; index++)
      await hosts.addHost({ clockShift: [0, 3_600_000, -3_600_000, 0][index] ?? 0 });
    const maker = new FaultMaker(hosts, server, random);
    const faults = Array.from({ length: COUNT }, (_, index) => FAULTS[index % FAULTS.length] as Fault);
    let isOver = false;
    const feeding = feed(hosts, random, () => isOver);
    await sleep(2_000);
    await Promise.all(Array.from({ length: LANES }, () => makeFaults(maker, hosts, faults, random)));
    isOver = true;
    await feeding;
    await untilAllEnded(hosts);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    tell(`seed ${SEED}: ${COUNT} faults, ${hosts.runs.length} runs, ${seconds} s`, maker.takeovers);
    await expectWhole(hosts);
    expect(await hosts.queue.lostRuns()).toEqual([]);
    const untroubled = maker.takeovers.filter(({ isTroubled }) => !isTroubled);
    expect(untroubled.length).toBeGreaterThan(0);
    expect(untroubled.filter(({ time }) => time > LONGEST_TAKEOVER)).toEqual([]);
    expect(maker.takeovers.filter(({ time }) => time > LONGEST_TROUBLED)).toEqual([]);
  }, 3_600_000);
});

/** Keeps a number of runs going. */
async function feed(hosts: Hosts, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const left = await hosts.unfinished().catch(() => null);
    if (left !== null && left.size < RUNS_AT_ONCE) await hosts.start(1 + random.below(40) / 10).catch(() => undefined);
    else await sleep(200);
  }
}

async function makeFaults(maker: FaultMaker, hosts: Hosts, faults: Fault[], random: Random): Promise<void> {
  for (let fault = faults.shift(); fault !== undefined; fault = faults.shift()) {
    const host = random.pick(hosts.hosts.filter(({ isAtFault }) => !isAtFault));
    host.isAtFault = true;
    await maker.make(fault, host);
    // It comes back, and takes runs again.
    await sleep(1_000 + random.below(1_500));
    host.isAtFault = false;
  }
}

function tell(heading: string, takeovers: readonly Takeover[]): void {
  const rows = takeovers.map(({ fault, runs, time, isTroubled }) => {
    const seconds = (time / 1_000).toFixed(1);
    return `  ${seconds} s, ${runs} runs, ${fault}${isTroubled ? " (lost before, or the database was down)" : ""}`;
  });
  console.log([heading, ...rows].join("\n"));
}
