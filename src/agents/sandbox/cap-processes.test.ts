import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { capProcesses, groupPlace } from "./cap-processes.ts";

const MOST = 30;
const cap = capProcesses(MOST);
if (cap === null)
  console.log("left out: only root makes groups of processes, where the kernel's are mounted to be written");

/** Whoever only looks now and then loses against a bomb: at its worst the machine had no process left for others. */
it.skipIf(cap === null)(
  "the kernel makes no process beyond the cap, and the cap is gone when it is removed",
  async () => {
    const script = `read -r go; i=0; while [ $i -lt 100 ]; do sleep 2 >&- & i=$((i + 1)); done`;
    const child = spawn("bash", ["-c", script], { stdio: ["pipe", "ignore", "pipe"], detached: true });
    await cap?.take(child.pid ?? 0);
    const complaints = text(child.stderr);
    const ended = once(child, "exit");
    child.stdin.end("go\n");
    const living = await mostLiving(child.pid ?? 0);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    expect(await complaints).toMatch(/fork.*Resource temporarily unavailable/);
    expect(living).toBeGreaterThan(MOST / 2);
    expect(living).toBeLessThanOrEqual(MOST);
    await expect.poll(removedGroups).toEqual([]);
  },
);

/** Until it is at the cap, where it would stay. */
async function mostLiving(group: number): Promise<number> {
  let max = 0;
  for (let looks = 0; looks < 20; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    max = Math.max(max, members(group));
  }
  return max;
}

function members(group: number): number {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === group).length;
}

function groupOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[2]);
  } catch {
    return 0;
  }
}

/** A group goes when the kernel has buried the last of its processes. */
function removedGroups(): string[] {
  cap?.remove();
  const place = groupPlace(readFileSync("/proc/self/cgroup", "utf8"));
  const names = place === null || !existsSync(place) ? [] : readdirSync(place);
  return names.filter((name) => name.startsWith(`baton-${process.pid}-`));
}

describe("the group is made", () => {
  it("below our own in the first version of control groups", () => {
    expect(groupPlace("9:memory:/m\n8:pids:/\n0::/\n")).toBe("/sys/fs/cgroup/pids/");
    expect(groupPlace("8:pids:/system.slice/ci.service\n0::/init\n")).toBe(
      "/sys/fs/cgroup/pids/system.slice/ci.service",
    );
    expect(groupPlace("4:cpu,pids:/docker/1\n")).toBe("/sys/fs/cgroup/pids/docker/1");
  });

  it("nowhere that leads out of the limits that hold for us", () => {
    expect(groupPlace("0::/system.slice/ci.service\n")).toBeNull();
    expect(groupPlace("8:pids:/../elsewhere\n")).toBeNull();
    expect(groupPlace("")).toBeNull();
  });

  it("at the top in the second version when we are there ourselves", () => {
    expect(groupPlace("0::/\n")).toBe("/sys/fs/cgroup");
  });
});
