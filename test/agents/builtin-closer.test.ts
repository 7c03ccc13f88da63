import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { removeJobFolders } from "./agent-jobs.ts";
import { BuiltinRoom, type Work } from "./builtin-room.ts";

const rooms: BuiltinRoom[] = [];
afterEach(() => rooms.splice(0).forEach((room) => room.remove()));
afterAll(removeJobFolders);

async function mergedWork(): Promise<{ room: BuiltinRoom; work: Work; sha: string }> {
  const room = new BuiltinRoom();
  rooms.push(room);
  const work = await room.openWork("Gift cards", { "cards.txt": "1" });
  const merge = { head: work.head, strategy: "squash", title: "Gift cards" } as const;
  const merged = await (await room.forge()).merge(work.pull.number, merge);
  if (merged.kind !== "merged") throw new Error(merged.kind);
  return { room, work, sha: merged.sha };
}

const trail = ["prep-agent", "reviewer-agent", "fixer-agent", "reviewer-agent", "validator-agent", "closer-agent"];

describe("closer", () => {
  it("closes the issue, clears away and sums up; twice is as good as once", async () => {
    const { room, work, sha } = await mergedWork();
    const other = await room.openIssue("Follow-up `for` @everybody", `After #${work.issue.number}`);
    const known = { ...work.known, tests_added: "4", coverage: "96%" };
    const first = await room.work("closer", known, {}, { trail });
    expect(first.findings).toEqual([]);
    expect(first.handoff).toMatchObject({
      final: true,
      outcome: "done",
      status: "completed",
      summary: "Gift cards",
      issue: { number: "1" },
      pull_request: { number: "2" },
      metrics: { review_iterations: "2", total_commits: "1", tests_added: "4", coverage: "96%" },
      work: {
        actions: [
          "Closing comment posted",
          "Issue closed",
          "Branch deleted",
          "Port released",
          `Related issues listed: ${other.number}`,
        ],
      },
    });
    expect(first.handoff.metrics?.["cycle_time"]).toMatch(/^\d+ seconds?$/);
    const second = await room.work("closer", known, {}, { trail });
    expect(second.handoff.work).toEqual(first.handoff.work);
    const item = room.item(1);
    expect(item).toMatchObject({ state: "closed" });
    expect(item["comments"]).toMatchObject([{ body: expect.stringContaining(`merged into main as ${sha}`) }]);
    expect(JSON.stringify(item)).toContain(`#${other.number} \`Follow-up 'for' @everybody\` (open)`);
    // Back where the repository was, with what was merged.
    expect(room.run("branch", "--format=%(refname:short)")).toBe("main");
    expect(room.run("rev-parse", "HEAD")).toBe(sha);
  });

  it("leaves a worktree on no branch", async () => {
    const { room, work, sha } = await mergedWork();
    await room.work("closer", work.known, {}, { workspace: "worktree" });
    expect(room.run("rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
    expect(room.run("rev-parse", "HEAD")).toBe(sha);
    expect(room.run("branch", "--list", "fix/*")).toBe("");
  });

  it("loses no work that was not merged", async () => {
    const { room, work } = await mergedWork();
    const later = room.commit("Later", { "later.txt": "1" });
    const kept = await room.work("closer", work.known);
    expect(JSON.stringify(kept.handoff.work)).toContain("kept here: it has commits that were not merged");
    expect(room.run("rev-parse", work.pull.branch)).toBe(later);
    writeFileSync(join(room.workspace, "cards.txt"), "changed");
    const dirty = await room.work("closer", work.known);
    expect(JSON.stringify(dirty.handoff.work)).toContain("kept here: there are uncommitted changes");
    expect(room.run("status", "--porcelain")).toBe("M cards.txt");
  });

  it("keeps the branch when it shall", async () => {
    const { room, work } = await mergedWork();
    const { handoff } = await room.work("closer", work.known, { keep_branch: true });
    expect(JSON.stringify(handoff.work)).toContain("Branch kept");
    expect(await (await room.forge()).fetchBranch(room.workspace, work.pull.branch)).toBe(work.head);
  });

  it("closes nothing before the merge", async () => {
    const room = new BuiltinRoom();
    rooms.push(room);
    const { known, issue } = await room.openWork("Not yet", { "n.txt": "1" });
    const { handoff } = await room.work("closer", known);
    expect(handoff).toMatchObject({ outcome: "failed", error: { type: "NotMerged" } });
    expect(room.item(issue.number)).toMatchObject({ state: "open", comments: [] });
  });
});
