import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import { observationsNeeded } from "../../src/evidence/observations-needed.ts";
import { gitRepository } from "../../src/git/git-repository.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { sampleEvidence } from "../truth/sample-evidence.ts";

describe("an output", () => {
  const room = mkdtempSync(join(tmpdir(), "baton-odd-outputs-"));
  const folder = join(room, "repository");
  const repository = gitRepository({ folder: join(room, "state"), environment: { PATH: process.env["PATH"] ?? "" } });
  let base: Awaited<ReturnType<typeof repository.mark>> = null;

  beforeAll(async () => {
    mkdirSync(join(folder, "reports"), { recursive: true });
    writeFileSync(join(folder, "README.md"), "A shop\n");
    writeFileSync(join(folder, "reports/earlier.md"), "Fine\n");
    execFileSync("git", ["init", "--quiet", folder]);
    base = await repository.mark(folder, "before");
    rmSync(join(folder, "README.md"));
    symlinkSync("/etc/hostname", join(folder, "README.md"));
    symlinkSync("../nowhere", join(folder, "lost"));
    symlinkSync("reports/earlier.md", join(folder, "latest"));
    for (const name of ["notes", "reports"]) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, "handoff.json"), "{}\n");
    }
    mkdirSync(join(folder, "empty"));
  });
  afterAll(() => rmSync(room, { recursive: true, force: true }));

  async function judged(handoff: Pick<Handoff, "work">): Promise<string> {
    const claims = listClaims({ dialect: "phase-yaml", outcome: "done", ...handoff });
    const at = base && { ...base, name: "the state before" };
    const seen = await repository.look(folder, at, observationsNeeded(claims));
    const ownFiles = ["notes/handoff.json", "reports/handoff.json"];
    const [first] = judgeClaims(claims, { ...sampleEvidence({}, { ownFiles }), observations: seen });
    return `${first?.verdict}: ${first?.evidence}`;
  }

  const artifact = (path: string): Promise<string> => judged({ work: { artifacts: [{ path }] } });

  it.each(["README.md", "lost"])("that is a link out of the workspace is refuted: %s", async (path) => {
    expect(await artifact(path)).toBe("refuted: The path leads out of the workspace.");
    // That the link itself is new or changed is true, and git knows it.
    expect(await judged({ work: { modified: [{ path, change_type: "modify" }] } })).toMatch(/^confirmed: /);
  });

  it("may be a link within the workspace", async () => {
    expect(await artifact("latest")).toBe("confirmed: It is there, and new or changed.");
  });

  it("is not the folder that the handoff itself has made", async () => {
    expect(await artifact("notes/")).toBe("refuted: Nothing is in it but the handoff itself.");
    expect(await artifact("reports/")).toBe("unverifiable: It is there, but it was the same before.");
    expect(await artifact("empty/")).toMatch(/^unverifiable: It is there, but git does not see/);
  });
});
