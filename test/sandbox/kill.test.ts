import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { killOrphans } from "../../src/agents/process-group/end-processes.ts";
import { Random } from "../simulation/random.ts";
import { aFolder, hasNoSandbox, livingWith, removeFolders } from "./gates.ts";

const KILLS = Number(process.env["BATON_GATE_KILLS"] ?? (process.env["CI"] === undefined ? 40 : 12));
const SEED = Number(process.env["BATON_SEED"] ?? 20_260_411);
/** A gate begins some time after its orchestrator is ready; the building of its sandbox is hit too. */
const LATEST_MOMENT = 120;
const worker = join(import.meta.dirname, "gate-worker.ts");

afterEach(removeFolders);

describe.skipIf(hasNoSandbox())("a gate whose orchestrator is killed", () => {
  it(`leaves no process, whenever that is: ${KILLS} kills`, { timeout: 600_000 }, async () => {
    const random = new Random(SEED);
    let begun = 0;
    let unfinished = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const directory = aFolder();
      const token = `8${process.pid}${String(kill).padStart(4, "0")}`;
      const { orchestrator, gate } = await startOrchestrator(directory, token);
      // Every fourth one while the gate and all its daemons are at work for sure.
      if (kill % 4 === 0) await untilBegun(directory, token);
      else await sleep(random.below(LATEST_MOMENT));
      orchestrator.kill("SIGKILL");
      await once(orchestrator, "exit");
      expect(await survivorsOf(token)).toEqual([]);
      // A sandbox that was only being built holds nothing yet; whoever goes on with the run ends it by its mark.
      unfinished += await killOrphans(gate, directory);
      expect(livingWith(token)).toEqual([]);
      if (existsSync(join(directory, "begun"))) begun += 1;
    }
    console.log(
      `seed ${SEED}: ${KILLS} orchestrators killed, ${begun} of them with a gate at work, 0 survivors of a gate, ` +
        `${unfinished} sandboxes that nothing ran in yet`,
    );
    expect(begun).toBeGreaterThanOrEqual(KILLS / 4);
  });
});

async function startOrchestrator(
  directory: string,
  token: string,
): Promise<{ orchestrator: ChildProcess; gate: string }> {
  const orchestrator = spawn(process.execPath, [worker, directory, token], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(orchestrator.stdout, "data")) as [Buffer];
  return { orchestrator, gate: line.toString().trim() };
}

async function untilBegun(directory: string, token: string): Promise<void> {
  while (!existsSync(join(directory, "begun")) || livingWith(`sleep\0${token}`).length < 4) await sleep(5);
}

/** The kernel ends them, and that takes a moment; whoever is there after seconds stays. */
async function survivorsOf(token: string): Promise<number[]> {
  const survivors = (): number[] => livingWith(token).filter((pid) => !isBubblewrap(pid));
  for (let looks = 0; looks < 100 && survivors().length > 0; looks++) await sleep(20);
  // One that was just being started shows itself a little later.
  await sleep(40);
  return survivors();
}

function isBubblewrap(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).endsWith("/bwrap");
  } catch {
    return false;
  }
}
