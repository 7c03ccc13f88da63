import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Repository, WORKFLOW, examples, pretend } from "./repository.ts";

const example = examples();

function untrusted(): Repository {
  const repository = example("pipeline");
  pretend(repository, {});
  return repository;
}

async function hashOf(repository: Repository): Promise<string> {
  const { stderr } = await repository.baton("check", WORKFLOW);
  return /hash is ([0-9a-f]{64})/.exec(stderr)?.[1] ?? "";
}

describe("the commands of a workflow file", () => {
  it("do not run before the file is trusted; the hint says how", async () => {
    const repository = untrusted();
    const refused = await repository.baton("run", WORKFLOW);
    const hint = `--trust ${await hashOf(repository)}`;
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("is not trusted yet") });
    expect(refused.stderr).toContain(hint);
    expect(existsSync(join(repository.folder, "handoff-BackendBuilder.json"))).toBe(false);
  });

  it("run with --trust and exactly the hash of the file", async () => {
    const repository = untrusted();
    const hash = await hashOf(repository);
    expect(await repository.baton("run", WORKFLOW, "--trust", "0".repeat(64))).toMatchObject({ code: 3 });
    expect(await repository.baton("run", WORKFLOW, "--trust", hash)).toMatchObject({ code: 0 });
  });

  it("run after baton trust, until the file changes", async () => {
    const repository = untrusted();
    expect(await repository.baton("trust", WORKFLOW)).toMatchObject({ code: 0 });
    expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 0 });
    appendFileSync(join(repository.folder, WORKFLOW), "# changed\n");
    expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 3 });
  });

  it("are trusted for this person, not in the repository", async () => {
    const repository = untrusted();
    await repository.baton("trust", WORKFLOW);
    expect(existsSync(join(repository.environment["XDG_CONFIG_HOME"] ?? "", "baton"))).toBe(true);
    expect(repository.git("status", "--porcelain", "--untracked-files=all")).not.toContain("trust");
  });
});
