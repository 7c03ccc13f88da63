import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { Random } from "../simulation/random.ts";
import { makeRoom, type Repository, type RunningBaton } from "./run-room.ts";
import { checkIntegrity, judgeRun, type Verdict, workedBeside } from "./run-verdict.ts";
import { agentsIn, killHard, processesIn } from "./run-victims.ts";
import { ACCEPTED, loopWorkflow } from "./run-workflow.ts";

const KILLS = Number(process.env["BATON_KILLS"] ?? (process.env["CI"] === undefined ? 40 : 200));
const SEED = Number(process.env["BATON_SEED"] ?? 20_260_309);
const LANES = 3;
/** A run takes about a second; a moment beyond its end is no kill and is tried again. */
const LATEST_MOMENT = 900;
const MAX_ATTEMPTS = 20;

const VICTIMS = ["orchestrator", "agent", "both"] as const;
type Victim = (typeof VICTIMS)[number];

const room = makeRoom();
afterAll(() => {
  for (const survivor of processesIn(room.folder)) killHard(survivor);
  room.remove();
});

it.skipIf(process.platform !== "linux")(
  `${KILLS} kills at random moments lose no handoff, record none twice and leave no process`,
  async () => {
    const started = performance.now();
    const kills: Record<Victim, number> = { orchestrator: 0, agent: 0, both: 0 };
    const log = openSqliteLog(room.database);
    const lanes = Array.from({ length: LANES }, (_, index) => {
      const repository = room.addRepository(`lane-${index}`, loopWorkflow(`lane-${index}`));
      return new Lane(repository, log, new Random(SEED + index), kills);
    });
    await Promise.all(lanes.map((lane) => lane.work()));

    const rows = await log.runs({ limit: 10_000 });
    const journals = new Map(lanes.map(({ repository }) => [repository.name, repository.journal()]));
    const verdicts = await Promise.all(rows.map((row) => judgeRun(log, row, journals.get(row.name) ?? [], ACCEPTED)));
    const total = (of: Exclude<keyof Verdict, "wrong">): number => verdicts.reduce((sum, one) => sum + one[of], 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(
      `seed ${SEED}: ${sumOf(kills)} kills (${VICTIMS.map((victim) => `${kills[victim]} ${victim}`).join(", ")}), ` +
        `${rows.length} runs, ${total("handoffs")} handoffs, ${total("missing")} lost, ${total("twice")} twice, ` +
        `${total("lost")} attempts interrupted, ${total("crashed")} crashed, ${seconds} s`,
    );
    expect(verdicts.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect([...journals.values()].flatMap(workedBeside)).toEqual([]);
    expect(processesIn(room.folder)).toEqual([]);
    expect(sumOf(kills)).toBeGreaterThanOrEqual(KILLS);
    expect(await log.findBreak()).toBeNull();
    await log.close();
    expect(checkIntegrity(room.database)).toBe("ok");
  },
  900_000,
);

function sumOf(kills: Readonly<Record<Victim, number>>): number {
  return kills.orchestrator + kills.agent + kills.both;
}

/** One run after the other in a repository of its own, each interrupted again and again. */
class Lane {
  readonly repository: Repository;
  readonly #log: ReturnType<typeof openSqliteLog>;
  readonly #random: Random;
  readonly #kills: Record<Victim, number>;

  constructor(
    repository: Repository,
    log: ReturnType<typeof openSqliteLog>,
    random: Random,
    kills: Record<Victim, number>,
  ) {
    this.repository = repository;
    this.#log = log;
    this.#random = random;
    this.#kills = kills;
  }

  async work(): Promise<void> {
    while (sumOf(this.#kills) < KILLS) await this.#goOn(true);
    for (let attempt = 0; (await this.#unfinished()) !== undefined; attempt++) {
      if (attempt === MAX_ATTEMPTS) throw new Error(`${this.repository.name} does not come to its end`);
      await this.#goOn(false);
    }
  }

  /** Starts a run, or goes on with the one that was interrupted. */
  async #goOn(isHunted: boolean): Promise<void> {
    const run = await this.#unfinished();
    const { repository } = this;
    const baton = repository.baton(run === undefined ? ["run", "--trust", repository.hash] : ["resume", run]);
    if (isHunted) await this.#hunt(baton);
    const { code, signal, stdout, stderr } = await baton.ended;
    if (signal === "SIGKILL") return;
    // Whoever was killed holds nothing any more: the run is free at once, and nobody meets a lock.
    if (code !== 0 || /drives run|locked|Trying again/.test(stderr))
      throw new Error(`${repository.name} ended with ${code}:\n${stdout}${stderr}`);
  }

  async #unfinished(): Promise<string | undefined> {
    const rows = await this.#log.runs({ unfinished: true, limit: 100 });
    return rows.find(({ name }) => name === this.repository.name)?.run;
  }

  /** Kills until the orchestrator is dead or has come to its end. */
  async #hunt(baton: RunningBaton): Promise<void> {
    while (isRunning(baton) && sumOf(this.#kills) < KILLS) {
      const victim = this.#random.pick(VICTIMS);
      const moment = this.#random.below(LATEST_MOMENT);
      await Promise.race([sleep(moment), baton.ended]);
      const agents = victim === "orchestrator" ? [] : await this.#waitForAgents(baton);
      if (isRunning(baton)) this.#kill(baton, victim, agents);
    }
  }

  async #waitForAgents(baton: RunningBaton): Promise<number[]> {
    while (isRunning(baton)) {
      const agents = agentsIn(this.repository.folder);
      if (agents.length > 0) return agents;
      await sleep(5);
    }
    return [];
  }

  /** Any of the agent's processes, its stray children too: whoever is left must be found and ended. */
  #kill(baton: RunningBaton, victim: Victim, agents: readonly number[]): void {
    const isDead = victim === "agent" || baton.process.kill("SIGKILL");
    const isHit = victim === "orchestrator" || killHard(this.#random.pick(agents));
    if (isDead && isHit) this.#kills[victim]++;
    else if (isDead && victim === "both") this.#kills.orchestrator++;
  }
}

function isRunning({ process: child }: RunningBaton): boolean {
  return child.exitCode === null && child.signalCode === null;
}
