import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { EXAMPLES, prepareExample } from "../../examples/prepare-example.mjs";
import type { RunView } from "../../src/views/run-view.ts";
import { baton, projectRoot } from "../cli/run-baton.ts";
import { Random } from "../simulation/random.ts";
import { killHard, processesIn } from "./run-victims.ts";

const ROUNDS = Number(process.env["BATON_ISSUES_ROUNDS"] ?? 1);
const SEED = Number(process.env["BATON_SEED"] ?? 20_260_309);
const KILLS_OF_A_ROUND = 4;
/** Two runs at once take about ten seconds. */
const LATEST_MOMENT = 7_000;

const room = mkdtempSync(join(tmpdir(), "baton-issues-kill-"));
afterAll(() => {
  for (const survivor of processesIn(room)) killHard(survivor);
  rmSync(room, { recursive: true, force: true });
});

it.skipIf(process.platform !== "linux")(
  `two issues at once, each orchestrator killed ${KILLS_OF_A_ROUND} times, share no port and are both merged, once`,
  async () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round += 1) await oneRound(random);
  },
  ROUNDS * 240_000,
);

interface Item {
  readonly kind: string;
  readonly state: string;
  readonly comments?: readonly unknown[];
  readonly merged?: { readonly sha: string };
}

async function oneRound(random: Random): Promise<void> {
  const folder = prepareExample("issues", room);
  const home = mkdtempSync(join(room, "home-"));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), USER: "tester" };
  const command = (...args: readonly string[]) => baton(args, { cwd: folder, env });
  const views = async (): Promise<RunView[]> => {
    const { runs } = JSON.parse((await command("status", "--json")).stdout) as { runs: { run: string }[] };
    return Promise.all(
      runs.map(async ({ run }) => JSON.parse((await command("status", run, "--json")).stdout) as RunView),
    );
  };
  const killLater = (args: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: "ignore",
      });
      const timer = setTimeout(() => child.kill("SIGKILL"), 1_000 + random.below(LATEST_MOMENT));
      child.on("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });

  await Promise.all((EXAMPLES["issues"] ?? []).map(({ args }) => killLater(args)));
  for (let kills = 1; kills < KILLS_OF_A_ROUND; kills += 1) {
    const left = (await views()).filter(({ status }) => status !== "completed");
    expectDifferentPorts(await views());
    await Promise.all(left.map(({ run }) => killLater(["resume", run])));
  }
  for (const { run } of await views()) expect(await command("resume", run), run).toMatchObject({ code: 0 });

  const ended = await views();
  // One that was killed before it was stored never was.
  expect(ended.length).toBeGreaterThan(0);
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => "completed"));
  expectDifferentPorts(ended);
  const forge = join(folder, ".git/baton/forge");
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: join(forge, "repository.git"), encoding: "utf8" }).trim();
  git("fsck", "--strict");
  const merges = git("log", "--format=%H", "main").split("\n");
  expect(merges).toHaveLength(ended.length + 1);
  const items = readdirSync(join(forge, "items"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(forge, "items", name), "utf8")) as Item);
  const issues = items.filter(({ kind }) => kind === "issue");
  expect(issues.map(({ state, comments }) => [state, comments?.length])).toEqual(ended.map(() => ["closed", 1]));
  const merged = items.flatMap((item) => (item.kind === "pull" ? [item.merged?.sha] : []));
  expect(new Set(merged)).toEqual(new Set(merges.slice(0, -1)));
  expect(git("for-each-ref", "--format=%(refname:short)")).toBe("main");
  expect(processesIn(folder)).toEqual([]);
}

/** Those that have one at the same time. */
function expectDifferentPorts(runs: readonly RunView[]): void {
  const ports = runs
    .filter(({ status }) => status !== "completed")
    .flatMap(({ known }) => known["workspace.port"] ?? []);
  expect(new Set(ports).size).toBe(ports.length);
}
