import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PortLeases } from "./port-leases.ts";

const rooms: string[] = [];
afterAll(() => rooms.forEach((room) => rmSync(room, { recursive: true, force: true })));

function newFolder(): string {
  const room = mkdtempSync(join(tmpdir(), "baton-ports-"));
  rooms.push(room);
  return room;
}

const nobodyIsOver = { first: 41_000, step: 7, isRunOver: async () => false };

describe("ports of runs", () => {
  it("are the same for a run that asks again, and no two runs have the same", async () => {
    const folder = newFolder();
    const runs = Array.from({ length: 12 }, (_, index) => `run-${index}`);
    const ports: number[] = [];
    for (const run of runs) ports.push(await new PortLeases(folder).lease(run, nobodyIsOver));
    expect(new Set(ports).size).toBe(runs.length);
    expect(ports.every((port) => port > 41_000 && (port - 41_000) % 7 === 0)).toBe(true);
    expect(await new PortLeases(folder).lease("run-5", nobodyIsOver)).toBe(ports[5]);
  });

  it("are free again when they are released, or when their run is over", async () => {
    const leases = new PortLeases(newFolder());
    const first = await leases.lease("a", nobodyIsOver);
    await leases.release("a");
    await leases.release("a");
    expect(await leases.lease("b", nobodyIsOver)).toBe(first);
    expect(await leases.lease("c", { ...nobodyIsOver, isRunOver: async (run) => run === "b" })).toBe(first);
    expect(await leases.lease("b", nobodyIsOver)).not.toBe(first);
  });

  it("are not those on which something listens", async () => {
    const leases = new PortLeases(newFolder());
    const port = await leases.lease("a", nobodyIsOver);
    await leases.release("a");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    expect(await leases.lease("b", nobodyIsOver)).toBeGreaterThan(port);
    await new Promise((resolve) => server.close(resolve));
  });

  it("run out with a word about it", async () => {
    const leases = new PortLeases(newFolder());
    await expect(leases.lease("a", { ...nobodyIsOver, first: 65_530, step: 10 })).rejects.toThrow(
      "no port after 65530",
    );
  });
});
