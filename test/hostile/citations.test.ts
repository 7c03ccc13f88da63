import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fact } from "../../src/knowledge/fact.ts";
import { renderPacket } from "../../src/knowledge/render-packet.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { learn } from "../../src/runtime/learn-from-events.ts";
import { previewAbout } from "../../src/runtime/operations/preview-packet.ts";
import { showFact } from "../../src/runtime/operations/show-fact.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "../workflow/build-workflow.ts";

const SECRET = "the key of the kingdom";
let room = "";
let engine: Engine;

function put(path: string, text: string): void {
  mkdirSync(join(room, path, ".."), { recursive: true });
  writeFileSync(join(room, path), text);
}

beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), "baton-citations-"));
  put("outside/secret.ts", `${SECRET}\n`);
  put("secret.ts", `${SECRET}\n`);
  put("repository/src/real.ts", "const answer = 42;\n");
  const repository = join(room, "repository");
  execFileSync("git", ["init", "--quiet", repository]);
  put("repository/.git/secret.ts", `${SECRET}\n`);
  symlinkSync("../outside", join(repository, "linked"));
  symlinkSync("../../secret.ts", join(repository, "src/link.ts"));
  symlinkSync(join(room, "secret.ts"), join(repository, "src/absolute.ts"));
  symlinkSync("/proc/self", join(repository, "proc"));
  engine = openEngine(repository);
});
afterEach(async () => {
  await engine.close();
  rmSync(room, { recursive: true, force: true });
});

/** What a handoff teaches that names this place. */
async function learnFrom(discovered_in: string): Promise<Fact> {
  const workflow = buildWorkflow([buildAgent("builder")]);
  const gotchas = [
    { issue: "Beware of the answer", mitigation: "Count again", discovered_in, severity: "high" as const },
  ];
  const run = new HandDrivenRun(workflow).handIn({ from: "builder", knowledge: { gotchas } });
  const last = run.state.tasks["main"]?.last ?? null;
  if (last === null) throw new Error("nothing was handed in");
  const lease = { run: "run", worker: "test", fence: 1, until: 0 };
  const session = { lease, workflow, state: run.state, sequence: 1 } as unknown as Parameters<typeof learn>[1];
  const { step, agent, handoff, text } = last;
  const where = "knowledge.gotchas.0.discovered_in";
  const confirmed = { kind: "place", where, says: "", verdict: "confirmed", procedure: "", evidence: "" } as const;
  await learn(engine.ports, session, { task: "main", step, agent, handoff, text, judgements: [confirmed], given: [] });
  const [found] = await engine.ports.knowledge.search({ text: "beware answer", max: 1 });
  if (found === undefined) throw new Error("nothing was learned");
  return found.fact;
}

describe("a place that a handoff names", () => {
  it("is cited when it lies in the repository", async () => {
    expect((await learnFrom("src/real.ts:1")).citation).toMatchObject({
      path: "src/real.ts",
      text: ["const answer = 42;"],
    });
  });

  it.each([
    "../secret.ts:1",
    "../outside/secret.ts",
    "src/../../secret.ts:1-1",
    "/etc/passwd",
    "/etc/passwd:1-3",
    "~/secret.ts",
    ".git/secret.ts:1",
    "src/link.ts:1",
    "src/absolute.ts",
    "linked/secret.ts:1",
    "proc/environ",
    "./src/./link.ts",
    "src/real.ts/../link.ts",
    "linked",
    "src\u200b/link.ts",
  ])("teaches the fact and reads nothing when it leads out: %j", async (place) => {
    const fact = await learnFrom(place);
    expect(fact.citation).toBeNull();
    const { packet } = await previewAbout(engine, "beware answer", {
      budget: 4_000,
      complexity: "normal",
      layout: null,
    });
    const shown = JSON.stringify([packet, await showFact(engine, fact.id)]) + renderPacket(packet);
    expect(shown).toContain("Beware of the answer");
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain("root:");
  });

  it("is gone, and not read elsewhere, when a link takes its place", async () => {
    const fact = await learnFrom("src/real.ts:1");
    expect(fact.citation).not.toBeNull();
    put("outside/real.ts", "const answer = 42;\n");
    unlinkSync(join(room, "repository/src/real.ts"));
    symlinkSync("../../outside/real.ts", join(room, "repository/src/real.ts"));
    const { packet } = await previewAbout(engine, "beware answer", {
      budget: 4_000,
      complexity: "normal",
      layout: null,
    });
    expect(packet.leftOut).toMatchObject([{ text: "Beware of the answer", why: "gone" }]);
    expect(renderPacket(packet)).not.toContain("Beware of the answer");
  });

  it("is gone when its folder becomes a link that leads out", async () => {
    await learnFrom("src/real.ts:1");
    renameSync(join(room, "repository/src"), join(room, "moved"));
    symlinkSync(join(room, "moved"), join(room, "repository/src"));
    const { packet } = await previewAbout(engine, "beware answer", {
      budget: 4_000,
      complexity: "normal",
      layout: null,
    });
    expect(packet.leftOut).toMatchObject([{ why: "gone" }]);
  });
});
