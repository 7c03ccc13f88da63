import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunView } from "../../../src/views/run-view.ts";
import type { Event } from "../../../src/workflow/event.ts";
import { livingIn } from "../../agents/living-processes.ts";
import { WORKFLOW, agentOrder, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

/** Runs the pipeline with a bad TestAgent; whatever it does, the run ends in a defined state. */
async function runWith(behaviour: string): Promise<{ code: number | null; events: Event[]; view: RunView }> {
  const repository = example("pipeline");
  pretend(repository, { TestAgent: behaviour }, behaviour === "hangs" ? "1s" : "30s");
  if (behaviour === "prints more than is read") {
    const file = join(repository.folder, WORKFLOW);
    writeFileSync(file, readFileSync(file, "utf8").replace("output: 64KB", "output: 4MB"));
  }
  expect(await repository.baton("trust", WORKFLOW)).toMatchObject({ code: 0 });
  const { code } = await repository.baton("run", WORKFLOW);
  expect(livingIn(repository.folder)).toEqual([]);
  expect(await repository.baton("replay")).toMatchObject({ code: 0 });
  return { code, events: await repository.events(), view: await repository.view() };
}

function ends(events: readonly Event[]): string[] {
  return ofKind(events, "attempt-ended")
    .filter(({ attempt }) => !attempt.startsWith("s1."))
    .map(({ end }) => end);
}

describe("an agent that breaks is tried again, then a person is asked", () => {
  it.each([
    ["hangs", "timed-out", "TestAgent took too long"],
    ["floods", "flooded", "TestAgent printed too much"],
    ["crashes", "crashed", "TestAgent crashed: exit code 7"],
  ])("when it %s", async (behaviour, end, title) => {
    const { code, events, view } = await runWith(behaviour);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", asks: [{ kind: "escalation", agent: "TestAgent" }] });
    expect(view.asks[0]?.title).toContain(title);
    expect(ends(events)).toEqual([end, end]);
    expect(ofKind(events, "attempt-delayed")).toHaveLength(1);
    expect(ofKind(events, "handoff-accepted").map(({ agent }) => agent)).toEqual(["BackendBuilder"]);
  });
});

describe("a handoff that cannot be used is sent back with what is wrong", () => {
  it("and accepted when the second one is right", async () => {
    const { code, events, view } = await runWith("invalid at first");
    expect(code).toBe(0);
    expect(view.status).toBe("completed");
    const [refused, ...more] = ofKind(events, "handoff-refused");
    expect(more).toEqual([]);
    expect(refused?.problems.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["000-R07", "000-R08"]));
    expect(ofKind(events, "attempt-started").filter(({ reason }) => reason.kind === "repair")).toHaveLength(1);
  });

  it.each([
    ["says nothing", "No handoff was written"],
    ["claims to be another", "CodeReviewer"],
    ["prints more than is read", "larger than 1048576 bytes: only its last part was read"],
    ["prints it without a fence", "handoff stands in running text without a code fence"],
  ])("a bounded number of times when it %s", async (behaviour, message) => {
    const { code, events, view } = await runWith(behaviour);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", asks: [{ agent: "TestAgent" }] });
    const refused = ofKind(events, "handoff-refused");
    const steps = agentOrder(events).filter((agent) => agent === "TestAgent").length;
    // The first one and two repairs, in each step.
    expect(refused).toHaveLength(3 * steps);
    expect(steps).toBeLessThanOrEqual(2);
    expect(refused[0]?.problems.map(({ message: text }) => text).join("\n")).toContain(message);
    expect(ofKind(events, "handoff-accepted").map(({ agent }) => agent)).toEqual(["BackendBuilder"]);
  });
});

it("of handoffs in two formats the one in the agent's own format counts", async () => {
  const { code, events } = await runWith("speaks two formats");
  expect(code).toBe(0);
  const accepted = ofKind(events, "handoff-accepted").find(({ agent }) => agent === "TestAgent");
  expect(accepted?.delivery.handoff).toMatchObject({ dialect: "pipeline-json", outcome: "done" });
});

describe("what an agent wishes is bounded by the workflow", () => {
  it("an agent outside the graph is never started: the wish is overruled and told", async () => {
    const { code, events } = await runWith("names a stranger");
    expect(code).toBe(0);
    expect(ofKind(events, "wish-overruled")).toMatchObject([
      { agent: "TestAgent", wish: "DeploymentDragon", instead: "CodeReviewer" },
    ]);
    expect(agentOrder(events)).not.toContain("DeploymentDragon");
  });

  it("1e9 retries are as many as the workflow allows", async () => {
    const { code, events, view } = await runWith("asks for 1e9 retries");
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", asks: [{ kind: "escalation" }] });
    expect(ofKind(events, "handoff-accepted").filter(({ agent }) => agent === "TestAgent")).toHaveLength(2);
  });

  it("loops end at the cap, with a person", async () => {
    const { code, events, view } = await runWith("loops for ever");
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", iteration: 3, asks: [{ kind: "escalation" }] });
    expect(ofKind(events, "loop-began")).toHaveLength(2);
    expect(["capped", "not-falling"]).toContain(ofKind(events, "loop-ended")[0]?.end);
  });

  it("an issue that is called fixed and found again was never closed: the loop ends because nothing falls", async () => {
    const { code, events, view } = await runWith("finds the same again");
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", iteration: 3, issues: [{ status: "open" }] });
    expect(ofKind(events, "loop-ended")).toMatchObject([{ asker: "TestAgent", end: "not-falling" }]);
  });

  it("work that failed is no success because it names no issue: its loop is bounded, and a person is asked", async () => {
    const repository = example("pipeline");
    pretend(repository, { TestAgent: "fails without a word" });
    const file = join(repository.folder, WORKFLOW);
    const text = readFileSync(file, "utf8");
    const looping = text.replace(
      "- { retry: 1, then: person }\n\n  CodeReviewer:",
      "- { loop: BackendBuilder }\n\n  CodeReviewer:",
    );
    expect(looping).not.toBe(text);
    writeFileSync(file, looping);
    await repository.baton("trust", WORKFLOW);
    expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 1 });
    expect(await repository.view()).toMatchObject({ status: "waiting", iteration: 3 });
    expect(agentOrder(await repository.events())).not.toContain("CodeReviewer");
  });
});
