import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Event } from "../../../src/workflow/event.ts";
import { type Repository, WORKFLOW, agentOrder, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

async function runWith(behaviour: string): Promise<{ code: number | null; events: Event[]; repository: Repository }> {
  const repository = example("pipeline");
  pretend(repository, { TestAgent: behaviour });
  await repository.baton("trust", WORKFLOW);
  const { code } = await repository.baton("run", WORKFLOW);
  expect(await repository.baton("replay")).toMatchObject({ code: 0 });
  return { code, events: await repository.events(), repository };
}

/** The pipeline's own TestAgent, which does real work, with one line of it changed. */
function corrupt(repository: Repository, line: RegExp, lie: string): void {
  const file = join(repository.folder, "agents/TestAgent.mjs");
  const honest = readFileSync(file, "utf8");
  const corrupted = honest.replace(line, lie);
  expect(corrupted).not.toBe(honest);
  writeFileSync(file, corrupted);
  repository.git("commit", "--quiet", "--all", "--message", "Another tester");
}

describe("an agent that says what is not true", () => {
  it.each([
    ["lists a file it has not written, at first", "src/ghost.mjs"],
    ["names a commit that is not there, at first", "0123456"],
  ])("and %s is sent back with the evidence, mends it, and the run completes", async (behaviour, named) => {
    const { code, events } = await runWith(behaviour);
    expect(code).toBe(0);
    const [refused, ...more] = ofKind(events, "handoff-refused");
    expect(more).toEqual([]);
    expect(refused?.problems[0]?.message).toContain(named);
    expect(ofKind(events, "attempt-started").filter(({ reason }) => reason.kind === "repair")).toHaveLength(1);
    expect(ofKind(events, "run-completed")).toHaveLength(1);
  });

  it("and keeps lying is stopped: nothing of it is accepted, and a person is asked", async () => {
    const { code, events, repository } = await runWith("lists a file it has not written, always");
    expect(code).toBe(1);
    expect(await repository.view()).toMatchObject({ status: "waiting", asks: [{ agent: "TestAgent" }] });
    expect(ofKind(events, "handoff-accepted").map(({ agent }) => agent)).toEqual(["BackendBuilder"]);
    const steps = agentOrder(events).filter((agent) => agent === "TestAgent").length;
    expect(ofKind(events, "handoff-refused")).toHaveLength(3 * steps);
  });

  it("and takes the repository away is not believed because nobody can look", async () => {
    const elsewhere = join(mkdtempSync(join(tmpdir(), "baton-lies-")), "state");
    vi.stubEnv("BATON_STATE", elsewhere);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(elsewhere, { recursive: true, force: true });
    });
    const { code, events } = await runWith("takes the repository away");
    expect(code).toBe(1);
    expect(ofKind(events, "handoff-accepted").map(({ agent }) => agent)).toEqual(["BackendBuilder"]);
    expect(ofKind(events, "ask-opened")[0]?.ask.title).toContain("The repository is gone");
  });

  it("and counts more tests than our own run of them finds is sent back with the numbers", async () => {
    const repository = example("pipeline");
    corrupt(
      repository,
      /tests_passed: passed,/,
      'tests_passed: process.env.BATON_REASON === "repair" ? passed : passed + 45,',
    );
    await repository.baton("trust", "pipeline");
    expect(await repository.baton("run", "pipeline")).toMatchObject({ code: 0 });
    const refused = ofKind(await repository.events(), "handoff-refused").filter(({ agent }) => agent === "TestAgent");
    expect(refused).toHaveLength(1);
    expect(refused[0]?.problems.map(({ message }) => message).join()).toMatch(/50 passed.*5 passed/);
  });

  it("and calls failing tests passed meets the gate, hears what is not true, and does better", async () => {
    const repository = example("pipeline");
    corrupt(
      repository,
      /const failed = .*;/,
      `const honest = [...output.matchAll(/^not ok \\d+ - (.*)$/gm)].map(([, name]) => name);
const failed = process.env.BATON_REASON === "retry" ? honest : [];`,
    );
    await repository.baton("trust", "pipeline");
    expect(await repository.baton("run", "pipeline")).toMatchObject({ code: 0 });
    const events = await repository.events();
    expect(ofKind(events, "gate-failed")).toMatchObject([{ gate: "tests" }]);
    const [judged] = ofKind(events, "claims-verified").filter(({ gate }) => gate === "tests");
    expect(judged?.judgements.filter(({ verdict }) => verdict === "refuted").map(({ kind }) => kind)).toContain("test");
    expect(ofKind(events, "loop-began")).toHaveLength(1);
  });
});
