import { expect, it } from "vitest";
import type { Ports } from "../../src/ports/ports.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { markBase, verifyHandoff } from "../../src/runtime/verify-handoff.ts";
import { NO_REPOSITORY } from "../no-repository.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "./build-workflow.ts";

const { signal } = new AbortController();

/** Fails once with a full disk, and then does as it should. */
function onceFull<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let isFull = true;
  return (...args) => {
    if (!isFull) return work(...args);
    isFull = false;
    return Promise.reject(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));
  };
}

function ports(): Ports {
  const { look, mark } = NO_REPOSITORY;
  const repository = { ...NO_REPOSITORY, look: onceFull(look), mark: onceFull(mark) };
  return { clock: { now: () => 0, id: () => "" }, repository } as unknown as Ports;
}

it("a handoff is not refused because the disk is full while it is verified: it is looked at once there is room", async () => {
  const { workflow, state } = new HandDrivenRun(buildWorkflow([buildAgent("One")]));
  const task = state.tasks["main"];
  if (task === undefined) throw new Error("there is no task");
  const handoff: Handoff = { dialect: "pipeline-json", outcome: "done", work: { created: [{ path: "a.ts" }] } };
  const subject = { handoff, directory: "/", base: null, rulesBase: null, ownFiles: [] };
  const verified = await verifyHandoff(ports(), { ...subject, workflow, state, task, signal });
  expect(verified.problems).toEqual([]);
  expect(verified.judgements.map(({ evidence }) => evidence).join()).not.toContain("could not be looked at");
});

it("nor is an agent kept from starting by it", async () => {
  await expect(markBase(ports(), "run", "/", "s1", signal)).resolves.toBeNull();
});
