import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { EXAMPLES, prepareExample } from "../../examples/prepare-example.mjs";
import type { RunView } from "../../src/views/run-view.ts";
import { baton, projectRoot } from "../cli/run-baton.ts";
import { Random } from "../simulation/random.ts";
import { killHard, processesIn } from "./run-victims.ts";

const KILLS = Number(process.env["BATON_ISSUE_KILLS"] ?? (process.env["CI"] === undefined ? 8 : 20));
const SEED = Number(process.env["BATON_SEED"] ?? 20_260_309);
/** One more could lose all the attempts that an agent has, on a slow machine; then a person is asked. */
const KILLS_OF_A_RUN = 3;

const room = mkdtempSync(join(tmpdir(), "baton-issue-kill-"));
afterAll(() => {
  for (const survivor of processesIn(room)) killHard(survivor);
  rmSync(room, { recursive: true, force: true });
});

/** What is watched for before the moment of a kill is chosen, and how long after it that is at most. */
const MOMENTS = [
  ["prep-agent starts", 900],
  ["implementer-agent starts", 300],
  ["validator-agent starts", 1500],
  ["validator-agent starts, round 3", 1500],
  ["closer-agent starts", 350],
  ["starts", 2500],
] as const;

it.skipIf(process.platform !== "linux")(
  `${KILLS} kills of the orchestrator leave no half merge, nothing doubled, and a run that completes`,
  async () => {
    const random = new Random(SEED);
    const told: string[] = [];
    let kills = 0;
    while (kills < KILLS) {
      const repository = new IssueRun(prepareExample("issue", room));
      for (let killed = 0; killed < KILLS_OF_A_RUN; killed += 1) {
        const [words, latest] = MOMENTS[random.below(MOMENTS.length)] ?? MOMENTS[0];
        const wasKilled = await repository.driveAndKill(words, random.below(latest));
        repository.expectNoHalfMerge();
        if (!wasKilled) break;
        kills += 1;
        told.push(words);
      }
      await repository.finish();
    }
    console.log(`seed ${SEED}: ${kills} kills, after ${[...new Set(told)].join("; ")}`);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  },
  KILLS * 40_000 + 60_000,
);

interface Item {
  readonly kind: string;
  readonly state: string;
  readonly comments?: readonly unknown[];
  readonly merged?: { readonly sha: string };
  readonly merging?: unknown;
}

class IssueRun {
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  #hasStarted = false;

  constructor(folder: string) {
    this.#folder = folder;
    const home = mkdtempSync(join(room, "home-"));
    this.#environment = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), USER: "tester" };
  }

  /** False when the run was over before. */
  async driveAndKill(words: string, after: number): Promise<boolean> {
    const child = this.#drive();
    const ended = new Promise<boolean>((resolve) => child.on("close", (_, signal) => resolve(signal === "SIGKILL")));
    let shown = "";
    let timer: NodeJS.Timeout | null = null;
    child.stderr?.on("data", (text: Buffer) => {
      shown += text.toString("utf8");
      if (shown.includes(words)) timer ??= setTimeout(() => child.kill("SIGKILL"), after);
    });
    const wasKilled = await ended;
    if (timer !== null) clearTimeout(timer);
    return wasKilled;
  }

  #drive(): ChildProcess {
    const first = EXAMPLES["issue"]?.[0]?.args ?? [];
    const args = this.#hasStarted && existsSync(join(this.#folder, ".git/baton/baton.db")) ? ["resume"] : first;
    this.#hasStarted = true;
    return spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), ...args], {
      cwd: this.#folder,
      env: { ...process.env, ...this.#environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
  }

  #git(...args: readonly string[]): string {
    return execFileSync("git", args, {
      cwd: join(this.#folder, ".git/baton/forge/repository.git"),
      encoding: "utf8",
    }).trim();
  }

  #items(): Item[] {
    const folder = join(this.#folder, ".git/baton/forge/items");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
    return names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Item);
  }

  /** At every moment the base is what it was, or all of the merge. */
  expectNoHalfMerge(): void {
    if (!existsSync(join(this.#folder, ".git/baton/forge/repository.git"))) return;
    const subjects = this.#git("log", "--format=%s", "main").split("\n");
    expect(["Start", "5 cents are shown as 0.5 (#2),Start"]).toContain(subjects.join(","));
    if (subjects.length === 2) expect(this.#git("show", "main:test/money.test.mjs")).toContain("parts of cents");
    this.#git("fsck", "--strict");
    for (const { merged } of this.#items()) if (merged !== undefined) expect(subjects).toHaveLength(2);
  }

  async finish(): Promise<void> {
    const command = (...args: readonly string[]) => baton(args, { cwd: this.#folder, env: this.#environment });
    const runs = async () => JSON.parse((await command("status", "--json")).stdout) as { runs: { run: string }[] };
    const [{ run } = { run: "" }] = (await runs()).runs;
    if (run === "") return;
    const isOver = (JSON.parse((await command("status", run, "--json")).stdout) as RunView).status === "completed";
    const resumed = isOver ? null : await command("resume");
    if (resumed !== null) expect(resumed.code, `${resumed.stdout}${resumed.stderr}`).toBe(0);
    const view = JSON.parse((await command("status", run, "--json")).stdout) as RunView;
    expect(view).toMatchObject({ status: "completed", asks: [] });
    this.expectNoHalfMerge();
    const main = this.#git("rev-parse", "main");
    const items = this.#items();
    expect(items.map(({ kind, state, merging }) => [kind, state, merging])).toEqual([
      ["issue", "closed", undefined],
      ["pull", "closed", undefined],
    ]);
    expect(items[0]?.comments).toHaveLength(1);
    expect(items[1]?.merged).toMatchObject({ sha: main });
    expect(view.known).toMatchObject({ "merge.sha": main });
    expect(this.#git("for-each-ref", "--format=%(refname:short)")).toBe("main");
    const ports = new DatabaseSync(join(this.#folder, ".git/baton/ports.db"));
    expect(ports.prepare("SELECT * FROM leases").all()).toEqual([]);
    ports.close();
    expect(processesIn(this.#folder)).toEqual([]);
    expect(await command("replay")).toMatchObject({ code: 0 });
  }
}
