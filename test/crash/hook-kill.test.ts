import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../cli/run-baton.ts";
import { type HookRoom, hookRooms, isValidAnswer, sessionsFile, stopOf, taskHandoff } from "../hooks/hook-room.ts";

const KILLS = Number(process.env["BATON_HOOK_KILLS"] ?? 8);
const SESSIONS = Math.min(50, Math.max(4, Math.ceil(KILLS / 4)));
const SEED = Number(process.env["BATON_SEED"] ?? 1);
const BLOCKS = 2;
const command = join(projectRoot, "dist/cli/baton.cjs");
const room = hookRooms();

/** The same moments for the same seed. */
function moments(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One call; null when it was killed before it answered. An answer that is not whole counts as none, as for a client. */
async function call(made: HookRoom, input: object, killAfter: number | null): Promise<string | null> {
  const env = { ...process.env, HOME: made.home, XDG_CONFIG_HOME: join(made.home, ".config") };
  const child = spawn(process.execPath, [command, "hook", "SubagentStop", "--client", "claude"], {
    cwd: made.root,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(input));
  const timer = killAfter === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfter);
  let answer = "";
  child.stdout.on("data", (bytes: Buffer) => (answer += bytes.toString("utf8")));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (timer !== null) clearTimeout(timer);
  if (code === null) return null;
  expect(code).toBe(0);
  expect(isValidAnswer(JSON.parse(answer))).toBe(true);
  return answer;
}

describe("hooks that are killed", () => {
  it(
    `hold no agent, record no handoff twice and give no invalid answer: ${KILLS} kills, ${SESSIONS} sessions`,
    { timeout: 600_000 },
    async () => {
      const made = room({ "baton.yaml": sessionsFile(`  blocks: ${BLOCKS}\n`) });
      expect(await made.run("trust")).toMatchObject({ code: 0 });
      const next = moments(SEED);
      let kills = 0;
      const killed = async (input: object): Promise<void> => {
        if (kills >= KILLS) return;
        if ((await call(made, input, 20 + next() * 200)) === null) kills++;
      };
      const session = async (number: number): Promise<void> => {
        const about = { session_id: `session-${number}` };
        const good = stopOf(made, `Session ${number}.\n${taskHandoff()}`, { ...about, agent_id: "good" });
        const bad = stopOf(made, "done", { ...about, agent_id: "bad" });
        const blocks = [];
        for (let time = 0; time <= BLOCKS + 1; time++) {
          await killed(bad);
          blocks.push((await call(made, bad, null))?.includes('"decision":"block"') === true);
          await killed(good);
        }
        expect(blocks.filter(Boolean).length).toBeLessThanOrEqual(BLOCKS);
        expect(blocks.at(-1)).toBe(false);
        expect(await call(made, good, null)).toBe("{}\n");
      };
      while (kills < KILLS || kills === 0)
        await Promise.all(Array.from({ length: SESSIONS }, (_, at) => session(at + kills * SESSIONS)));
      const { runs } = JSON.parse((await made.run("status", "--all", "--json")).stdout);
      for (const { run } of runs) {
        const { stdout } = await made.run("log", run, "--json");
        expect(stdout.match(/"kind": ?"handoff-accepted"/g)?.length).toBeGreaterThanOrEqual(1);
        const lines = (await made.run("log", run)).stdout
          .split("\n")
          .filter((line) => /✓ reviewer .*: completed/.test(line));
        expect(lines).toHaveLength(1);
      }
      expect(await made.run("audit", "verify")).toMatchObject({ code: 0 });
    },
  );
});
