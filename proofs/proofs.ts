/** A promise that is shown by counting: a test that can be run longer than in CI, with other inputs each time. */
export interface Proof {
  readonly name: string;
  readonly shows: string;
  readonly tests: readonly string[];
  /** What the count is of. */
  readonly unit: string;
  /** What we want to have seen before a release. */
  readonly goal: number;
  /** How many at once, well within the time limits of the tests. */
  readonly slice: number;
  /** Whether a run meets what no run before has met: then counts add up. Of the others the largest run counts. */
  readonly adds: boolean;
  /** What makes the tests take so many, beginning with this seed. */
  readonly environment: (count: number, seed: number) => Readonly<Record<string, number>>;
}

const counted =
  (count: string, seed = "BATON_SEED"): Proof["environment"] =>
  (many, first) => ({ [count]: many, [seed]: first });

export const PROOFS: readonly Proof[] = [
  {
    name: "kills",
    shows: "orchestrator, agent or both are killed at random moments: no handoff is lost or recorded twice",
    tests: ["test/crash/run-kill.test.ts"],
    unit: "kills",
    goal: 10_000,
    slice: 200,
    adds: true,
    environment: counted("BATON_KILLS"),
  },
  {
    name: "hooks",
    shows:
      "hooks of up to 50 sessions at once are killed at random moments: no agent is held, no handoff recorded twice, no answer invalid",
    tests: ["test/crash/hook-kill.test.ts"],
    unit: "kills",
    goal: 200,
    slice: 200,
    adds: true,
    environment: counted("BATON_HOOK_KILLS"),
  },
  {
    name: "power",
    shows: "the power fails at any moment: nothing that was acknowledged is lost, nothing is corrupt",
    tests: ["test/crash/store-power-loss.test.ts"],
    unit: "states of the disk",
    goal: 1_000_000,
    slice: 50_000,
    adds: true,
    environment: counted("BATON_CRASH_STATES"),
  },
  {
    name: "failing-disk",
    shows: "calls to the disk fail once, for ever or now and then: nothing is acknowledged that is not stored",
    tests: ["test/crash/store-failing-disk.test.ts"],
    unit: "failed calls",
    goal: 50_000,
    slice: 1_000,
    adds: true,
    environment: counted("BATON_FAILED_CALLS"),
  },
  {
    name: "simulation",
    shows: "random workflows with random agents and faults keep every invariant",
    tests: ["test/simulation/simulation.test.ts"],
    unit: "runs",
    goal: 1_000_000,
    slice: 20_000,
    adds: true,
    environment: counted("BATON_SEEDS", "BATON_FIRST_SEED"),
  },
  {
    name: "trials",
    shows: "scripted agents in the ready workflows: every run decides what was written down before it ran",
    tests: ["test/workflow-files/ready-trials.test.ts"],
    unit: "runs",
    goal: 100,
    slice: 100,
    adds: false,
    environment: (count) => ({ BATON_TRIALS: count }),
  },
  {
    name: "cheats",
    shows: "agents that cheat in a repository with real tests: a user sees it as written down before it ran",
    tests: ["test/hostile/cheats.test.ts"],
    unit: "cheats",
    goal: 140,
    slice: 1_000,
    adds: false,
    environment: (count) => ({ BATON_CHEATS: count }),
  },
  {
    name: "true-handoffs",
    shows: "true handoffs about commits of public repositories (clones in BATON_CLONES): no true claim is refuted",
    tests: ["test/truth/real-commits.test.ts"],
    unit: "handoffs",
    goal: 280,
    slice: 400,
    adds: true,
    environment: counted("BATON_TRUE_HANDOFFS"),
  },
  {
    name: "many-processes",
    shows: "256 processes write to one database at once: nothing is lost, nobody sees a lock",
    tests: ["test/crash/store-many-processes.test.ts"],
    unit: "writes",
    goal: 25_600,
    slice: 25_600,
    adds: true,
    environment: (count) => ({ BATON_PROCESSES: 256, BATON_COMMITS: Math.ceil(count / 256) }),
  },
  {
    name: "fuzz",
    shows: "mutated texts: every reader answers, in time, and keeps its promises",
    tests: ["test/hostile/fuzz.test.ts"],
    unit: "texts",
    goal: 20_000_000,
    slice: 200_000,
    adds: true,
    environment: counted("BATON_FUZZ_RUNS", "BATON_FUZZ_FROM"),
  },
  {
    name: "repairs",
    shows: "texts of every kind: `fix --write` changes only handoffs, as announced, and leaves them valid or alone",
    tests: ["test/hostile/safe-repairs.test.ts"],
    unit: "texts",
    goal: 200_000,
    slice: 50_000,
    adds: true,
    environment: counted("BATON_REPAIRS", "BATON_REPAIRS_FROM"),
  },
  {
    name: "round-trips",
    shows: "handoffs go there and back through every dialect: nothing is lost that was not reported",
    tests: ["test/round-trip/conversions.test.ts"],
    unit: "handoffs",
    goal: 10_000_000,
    slice: 20_000,
    adds: true,
    environment: counted("BATON_ROUND_TRIPS"),
  },
  {
    name: "injections",
    shows: "hostile handoffs in every kind of prompt: none leaves its envelope, none changes a route",
    tests: ["test/hostile/injection.test.ts", "test/hostile/injection-packets.test.ts"],
    unit: "handoffs",
    goal: 5_000,
    slice: 5_000,
    adds: false,
    environment: (count) => ({ BATON_INJECTIONS: count }),
  },
  {
    name: "paths",
    shows: "hostile paths and links: nothing outside of the workspace is read",
    tests: ["test/hostile/paths.test.ts"],
    unit: "paths",
    goal: 20_000,
    slice: 20_000,
    adds: true,
    environment: counted("BATON_PATHS"),
  },
  {
    name: "requests",
    shows: "hostile requests to every route of the server: none is accepted",
    tests: ["test/http/hostile.test.ts"],
    unit: "requests to each route",
    goal: 300,
    slice: 300,
    adds: false,
    environment: (count) => ({ BATON_REQUESTS: count }),
  },
  {
    name: "tampering",
    shows: "random edits of the audit trail: every one is found",
    tests: ["test/audit/tampering.test.ts"],
    unit: "edits",
    goal: 100_000,
    slice: 5_000,
    adds: true,
    environment: counted("BATON_TAMPERS", "BATON_TAMPER_SEED"),
  },
  {
    name: "messages",
    shows: "messages arrive around the moments at which their runs are parked and renewed: none is lost or taken twice",
    tests: ["test/postgres/message-race.test.ts"],
    unit: "messages",
    goal: 10_000,
    slice: 10_000,
    adds: true,
    environment: counted("BATON_MESSAGES", "BATON_MESSAGE_SEED"),
  },
  {
    name: "hosts",
    shows:
      "workers on many hosts, their agents, networks and database fail, several at once: runs go on within 20 s, nothing is lost or recorded twice",
    tests: ["test/postgres/hosts.test.ts"],
    unit: "faults",
    goal: 500,
    slice: 50,
    adds: true,
    environment: counted("BATON_HOST_FAULTS", "BATON_HOST_SEED"),
  },
  {
    name: "poisoned-runs",
    shows: "a run kills every worker that drives it, with the pauses of the engine as they are: it alone is given up",
    tests: ["test/postgres/poisoned-run.test.ts"],
    unit: "runs",
    goal: 1,
    slice: 1,
    adds: true,
    environment: () => ({ BATON_MAX_PAUSE: 30 }),
  },
  {
    name: "stopped-agents",
    shows: "agents that daemonise or ignore SIGTERM are stopped: no process is left",
    tests: ["test/contracts/agent-process.test.ts"],
    unit: "agents",
    goal: 10_000,
    slice: 250,
    adds: true,
    environment: (count) => ({ BATON_STOPPED_AGENTS: count }),
  },
];
