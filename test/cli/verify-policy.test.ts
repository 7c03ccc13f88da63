import { describe, expect, it } from "vitest";
import { type Run, baton, sample } from "./run-baton.ts";
import { type Json, claimOf, handoff, put, repository, room } from "./verify-repository.ts";
import { hashToTrust } from "../hash-to-trust.ts";

const FALSE = { modified: ["src/new.js", "src/old.js", "src/gone.js"] };

function workflow(verify: string, agents = "frontend-developer"): string {
  return `baton: 1
name: shop
start: ${agents}
${verify}
agents:
  ${agents}:
    run: { process: [node, agent.mjs] }
    dialect: output-json
    routes: { done: end }
`;
}

/** Keeps what is trusted in a folder of its own. */
function operator(folder: string): (...args: string[]) => Promise<Run> {
  const env = { XDG_CONFIG_HOME: room({}) };
  return (...args) => baton(args, { cwd: folder, env });
}

function falseHandoff(text: string): string {
  const folder = repository();
  put(folder, "baton.yaml", text);
  put(folder, "src/unlisted.js", "export {};\n");
  put(folder, "done.md", handoff(FALSE));
  return folder;
}

describe("the policy of a workflow", () => {
  it("that is not trusted is not replaced by another one: nothing is verified", async () => {
    const folder = falseHandoff(workflow("verify: record"));
    const run = operator(folder);
    const refused = await run("verify", "done.md", "--workflow", "baton.yaml");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("is not trusted yet");
    const wrong = await run("verify", "done.md", "--workflow", "baton.yaml", "--trust", "0".repeat(64));
    expect(wrong).toMatchObject({ code: 3, stdout: "" });
    const hash = /--trust ([0-9a-f]{64})/.exec(wrong.stderr)?.[1] ?? "";
    expect((await run("verify", "done.md", "--workflow", "baton.yaml", "--trust", hash)).code).toBe(0);
    expect((await run("trust", "baton.yaml", "--hash", hash)).code).toBe(0);
    expect((await run("verify", "done.md", "--workflow", "baton.yaml")).code).toBe(0);
  });

  it("that is not valid, or not there, is not replaced either", async () => {
    const folder = falseHandoff(workflow("verify: { fiel: warn }"));
    const run = operator(folder);
    const invalid = await run("verify", "done.md", "--workflow", "baton.yaml");
    expect(invalid).toMatchObject({ code: 3, stdout: "" });
    expect(invalid.stderr).toContain("baton check baton.yaml");
    expect(await run("verify", "done.md", "--workflow", "other.yaml")).toMatchObject({ code: 3, stdout: "" });
  });

  async function judged(text: string, handed = handoff(FALSE)): Promise<Json> {
    const folder = falseHandoff(text);
    put(folder, "done.md", handed);
    const run = operator(folder);
    const hash = hashToTrust(folder);
    const args = ["done.md", "--workflow", "baton.yaml", "--trust", hash, "--json"];
    return JSON.parse((await run("verify", ...args)).stdout) as Json;
  }

  it("holds for authors that are not among its agents", async () => {
    const json = await judged(workflow("verify: { undeclared: refuse, file: warn }", "somebody"));
    expect(claimOf(json, "undeclared")).toMatchObject({ verdict: "refuted", refused: true });
    expect(claimOf(json, "file", "gone")).toMatchObject({ verdict: "refuted", refused: false });
    const task = await judged(
      workflow("verify: { file: warn, artifact: warn, undeclared: warn }"),
      sample("task-yaml"),
    );
    expect(task.summary["refuted"]).toBeGreaterThan(0);
    expect(task.summary["refused"]).toBe(0);
  });

  it("is the least for an agent, which may ask for more and not for less", async () => {
    const agent = (own: string): string => workflow("verify: { undeclared: refuse, file: warn }").trimEnd() + own;
    const less = await judged(agent("\n    verify: record\n"));
    expect(claimOf(less, "undeclared").refused).toBe(true);
    expect((await judged(agent("\n    verify: off\n"))).summary["refused"]).toBe(1);
    const more = await judged(agent("\n    verify: { file: refuse }\n"));
    expect(claimOf(more, "file", "gone").refused).toBe(true);
  });

  it("is to note, where it is off", async () => {
    expect((await judged(workflow("verify: off"))).summary).toMatchObject({ refuted: 2, refused: 0 });
  });
});
