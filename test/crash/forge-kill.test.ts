import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ForgeRoom } from "../contracts/forge-room.ts";
import { Random } from "../simulation/random.ts";

const KILLS = Number(process.env["BATON_FORGE_KILLS"] ?? (process.env["CI"] === undefined ? 40 : 120));
const SEED = Number(process.env["BATON_SEED"] ?? 20_260_309);
const LANES = 3;
/** A worker that nobody kills takes one or two seconds. */
const LATEST_MOMENT = 2_000;

const room = new ForgeRoom();
afterAll(() => room.remove());

const folder = join(room.folder, "forge");
const bare = join(folder, "repository.git");

interface Item {
  readonly kind: string;
  readonly state: string;
  readonly key?: string;
  readonly branch?: string;
  readonly comments?: readonly unknown[];
  readonly merged?: { readonly sha: string };
  readonly merging?: unknown;
}

it(
  `${KILLS} kills of workers on one forge leave no half merge and no lock, and nothing happens twice`,
  async () => {
    const random = new Random(SEED);
    let kills = 0;
    const names: string[] = [];
    /** One issue after the other, each begun again until it is through. */
    const work = async (lane: number): Promise<void> => {
      for (let number = 1; kills < KILLS; number += 1) {
        const name = `lane-${lane}-${number}`;
        names.push(name);
        const head = room.branch(`fix/issue-1-${name}`, { [`${name}.txt`]: name });
        while ((await workUntil(name, head, kills < KILLS ? random.below(LATEST_MOMENT) : null)) === "killed")
          kills += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane)));
    console.log(`seed ${SEED}: ${kills} kills, ${names.length} issues`);
    expectAllDone(names);
  },
  KILLS * 10_000 + 60_000,
);

/** Without a moment it is left to its work: on a slow machine every one of them could be too early. */
async function workUntil(name: string, head: string, moment: number | null): Promise<"killed" | "done"> {
  const worker = join(import.meta.dirname, "forge-kill-worker.ts");
  const child = spawn(process.execPath, [worker, folder, room.workspace, name, head], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let complaint = "";
  child.stderr.on("data", (text) => (complaint += String(text)));
  // With all of its group: what git was doing for it is cut off too.
  const kill = (): unknown => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const timer = moment === null ? undefined : setTimeout(kill, moment);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ended) => resolve(ended));
  });
  clearTimeout(timer);
  if (signal === "SIGKILL") return "killed";
  expect(code, complaint).toBe(0);
  return "done";
}

function expectAllDone(names: readonly string[]): void {
  room.runIn(bare, "fsck", "--strict");
  const subjects = room.runIn(bare, "log", "--format=%s", "main").split("\n");
  expect(subjects.toSorted()).toEqual([...names.map((name) => `Merge ${name}`), "Start"].toSorted());
  for (const name of names) expect(room.runIn(bare, "show", `main:${name}.txt`)).toBe(name);
  expect(room.runIn(bare, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  const items = readdirSync(join(folder, "items"))
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(folder, "items", file), "utf8")) as Item);
  const [issues, pulls] = [items.filter(({ kind }) => kind === "issue"), items.filter(({ kind }) => kind === "pull")];
  expect(new Set(issues.map(({ key }) => key))).toEqual(new Set(names));
  expect(issues).toHaveLength(names.length);
  expect(issues.every(({ state, comments }) => state === "closed" && comments?.length === 1)).toBe(true);
  expect(new Set(pulls.map(({ branch }) => branch))).toEqual(new Set(names.map((name) => `fix/issue-1-${name}`)));
  expect(pulls).toHaveLength(names.length);
  expect(pulls.every(({ merged, merging }) => merged !== undefined && merging === undefined)).toBe(true);
}
