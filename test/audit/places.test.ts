import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditReport } from "../../src/views/audit-report.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import type { Engine } from "../../src/runtime/engine.ts";
import { acceptLog, auditHead } from "../../src/runtime/operations/audit-head.ts";
import { verifyAudit } from "../../src/runtime/operations/verify-audit.ts";
import { commitOf, LATER, someEntries } from "../contracts/event-log-commits.ts";

let folder: string;
let config: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-places-"));
  config = join(folder, "config");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A repository as far as the state needs one. */
function repository(name: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, ".git"), { recursive: true });
  return root;
}

const stateOf = (root: string): string => join(root, ".git", "baton");

async function withEngine<T>(root: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = openEngine(root, config);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** One more run, which is signed when the log is closed. */
function addRun(root: string, run: string): Promise<void> {
  return withEngine(root, async ({ ports: { log } }) => {
    await log.putWorkflow("0".repeat(64), {});
    const lease = await log.create({ run, name: "n", workflow: "0".repeat(64), at: 1 }, "worker", LATER);
    await log.commit(commitOf(lease, 0, { entries: someEntries(2), status: "waiting" }));
  });
}

/** Without the workflow, whose hash is none. */
async function verified(root: string): Promise<Pick<AuditReport, "verdict"> & { readonly codes: readonly string[] }> {
  const { findings, proven, verdict } = await withEngine(root, (engine) => verifyAudit(engine));
  const codes = findings.map(({ code }) => code).filter((code) => code !== "workflow-changed");
  return { verdict: codes.length > 0 ? "broken" : proven === null ? verdict : "intact", codes };
}

function copyState(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

describe("a log in the place of the one that was signed for a repository", () => {
  it("is found when it is an older copy, and is not signed", async () => {
    const root = repository("one");
    await addRun(root, "a");
    copyState(stateOf(root), join(folder, "older"));
    await addRun(root, "b");
    copyState(join(folder, "older"), stateOf(root));
    expect(await verified(root)).toMatchObject({ verdict: "broken", codes: ["cut-off"] });
    await addRun(root, "c");
    const head = await withEngine(root, (engine) => auditHead(engine));
    expect(head?.unsigned).toMatch(/no longer holds what was last signed here/);
  });

  it("is found when it is an older copy and the repository was moved", async () => {
    const root = repository("one");
    await addRun(root, "a");
    copyState(stateOf(root), join(folder, "older"));
    await addRun(root, "b");
    renameSync(root, join(folder, "moved"));
    expect(await verified(join(folder, "moved"))).toMatchObject({ verdict: "intact" });
    copyState(join(folder, "older"), stateOf(join(folder, "moved")));
    expect(await verified(join(folder, "moved"))).toMatchObject({ verdict: "broken", codes: ["cut-off"] });
  });

  it.each(["older", "whole"])("is found behind a link: %s", async (which) => {
    const root = repository("one");
    await addRun(root, "a");
    cpSync(join(root, ".git"), join(folder, "older"), { recursive: true });
    await addRun(root, "b");
    renameSync(join(root, ".git"), join(folder, "whole"));
    symlinkSync(join(folder, which), join(root, ".git"));
    const { verdict, codes } = await verified(root);
    expect(verdict).toBe("broken");
    expect(codes).toContain("replaced");
    await addRun(root, "c");
    expect((await withEngine(root, (engine) => auditHead(engine)))?.signed).toBe(false);
  });

  it("is found when it is the log of another repository of the same operator", async () => {
    const [one, other] = [repository("one"), repository("other")];
    await addRun(one, "a");
    await addRun(other, "b");
    copyState(stateOf(other), stateOf(one));
    expect(await verified(one)).toMatchObject({ verdict: "broken" });
    expect((await verified(one)).codes).toContain("replaced");
  });

  it("is found also where nothing was signed before", async () => {
    const [one, other] = [repository("one"), repository("other")];
    await addRun(other, "b");
    copyState(stateOf(other), stateOf(one));
    expect(await verified(one)).toMatchObject({ verdict: "broken", codes: ["replaced"] });
    expect(await verified(other)).toMatchObject({ verdict: "intact" });
    // Whoever has copied a repository says so once, and each copy has its own memory from then on.
    expect((await withEngine(one, (engine) => acceptLog(engine)))?.signed).toBe(true);
    await addRun(one, "c");
    await addRun(other, "d");
    expect(await verified(one)).toMatchObject({ verdict: "intact" });
    expect(await verified(other)).toMatchObject({ verdict: "intact" });
  });

  it("is found when it is empty", async () => {
    const root = repository("one");
    await addRun(root, "a");
    rmSync(stateOf(root), { recursive: true });
    expect(await verified(root)).toMatchObject({ verdict: "broken", codes: ["replaced"] });
  });

  it("is the same log in every worktree of the repository", async () => {
    const root = repository("one");
    await addRun(root, "a");
    const linked = join(folder, "linked");
    const gitFolder = join(root, ".git", "worktrees", "linked");
    for (const made of [linked, gitFolder]) mkdirSync(made, { recursive: true });
    const { writeFileSync } = process.getBuiltinModule("node:fs");
    writeFileSync(join(linked, ".git"), `gitdir: ${gitFolder}\n`);
    writeFileSync(join(gitFolder, "commondir"), "../..\n");
    await addRun(linked, "b");
    expect(existsSync(stateOf(root))).toBe(true);
    for (const place of [root, linked]) expect(await verified(place)).toMatchObject({ verdict: "intact" });
  });
});

describe("pruning", () => {
  it("is signed with what it removes, and what nobody signed is never signed by the way", async () => {
    const root = repository("one");
    await withEngine(root, async ({ ports: { log } }) => {
      await log.putWorkflow("0".repeat(64), {});
      for (const run of ["a", "b"]) {
        const lease = await log.create({ run, name: "n", workflow: "0".repeat(64), at: 1 }, "worker", LATER);
        await log.commit(commitOf(lease, 0, { at: 5, entries: someEntries(2), finished: true, status: "completed" }));
      }
    });
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const database = new DatabaseSync(join(stateOf(root), "baton.db"));
    database.exec(`UPDATE entries SET data = NULL WHERE run = 1;
      UPDATE runs SET emptied = sequence WHERE number = 1; UPDATE ledger SET pruned = 2`);
    database.close();
    expect((await verified(root)).codes).toContain("pruned-unsigned");
    // Neither a later checkpoint nor a prune confirms it.
    await addRun(root, "c");
    expect((await withEngine(root, (engine) => auditHead(engine)))?.unsigned).toMatch(/no signature confirms it/);
    await withEngine(root, ({ ports: { log } }) => log.prune(6));
    expect((await verified(root)).codes).toEqual(expect.arrayContaining(["pruned-unsigned", "checkpoint-unsigned"]));
  });
});
