import { expect, it } from "vitest";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";
import { readRun } from "../../src/runtime/read-run.ts";
import { codec } from "../../src/workflow/stored/codec.ts";
import { buildWorkflow } from "./build-workflow.ts";

it("a run that was read before is not told any more once its content was pruned", async () => {
  const log = openMemoryLog();
  await log.putWorkflow("pin", codec.encodeWorkflow(buildWorkflow([])));
  const lease = await log.create({ run: "r", name: "flow", workflow: "pin", at: 1 }, "worker", 1_000);
  const entries = [{ kind: "input", data: { kind: "cancel-run", by: "a person", reason: "secret", at: 2 } }];
  const nothing = { effects: [], settled: [], taken: [], summary: {}, wakeAt: null };
  await log.commit({ run: "r", lease, after: 0, at: 2, entries, status: "cancelled", finished: true, ...nothing });
  const read = async () => readRun({ log }, (await log.run("r"))!);
  expect((await read()).entries).toHaveLength(1);
  expect(await read()).toBe(await read());
  await log.prune(3);
  await expect(read()).rejects.toThrow("was pruned");
  await expect(read()).rejects.toThrow("was pruned");
});
