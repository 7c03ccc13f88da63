import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reviews, schichtBerichte, shiftNotes } from "../format-files/generated-families.ts";
import { type Files, baton, workroom } from "./run-baton.ts";

const make = workroom();

function room(...files: readonly { path: string; text: string }[]): string {
  return make({ ".git/HEAD": "", ...Object.fromEntries(files.map(({ path, text }) => [path, text])) } satisfies Files);
}

describe("baton format learn", () => {
  it("prints a draft that is valid when nothing is left to ask, and tells what it accepts", async () => {
    const folder = room(...shiftNotes(24));
    const { code, stdout, stderr } = await baton(["format", "learn", "notes"], { cwd: folder });
    expect(stderr).toContain("Learned from 24 of 24 files. The draft accepts 24 of them.");
    expect(code).toBe(0);
    const next = room(...shiftNotes(24), { path: "baton.format.yaml", text: stdout });
    const check = await baton(["format", "check"], { cwd: next });
    expect([check.code, check.stdout]).toEqual([0, "ok baton.format.yaml (shift-note)\n"]);
    const scan = await baton(["validate", "notes", "--json"], { cwd: next });
    expect(JSON.parse(scan.stdout).summary).toMatchObject({ invalid: 0, valid: 24 });
  });

  it("asks what it cannot know; the check tells the place, and the answer makes the format valid", async () => {
    const folder = room(...schichtBerichte(24), ...reviews(2));
    const learned = await baton(["format", "learn", "berichte/*.yaml", "reviews", "--write"], { cwd: folder });
    expect(learned.code).toBe(1);
    expect(learned.stdout).toBe("");
    expect(learned.stderr).toContain("Learned from 24 of 26 files. The draft accepts 24 of them.");
    expect(learned.stderr).toContain("not accepted: reviews/r0.md: It is of another kind");
    expect(learned.stderr).toContain("question 1: Which outcome does the word `vertagt` of `status` mean?");
    expect(learned.stderr).toContain("baton.format.yaml was written.");
    const draft = readFileSync(join(folder, "baton.format.yaml"), "utf8");
    const check = await baton(["format", "check"], { cwd: folder });
    expect(check.code).toBe(1);
    const line = draft.split("\n").findIndex((each) => each.includes('vertagt: "?"')) + 1;
    expect(check.stdout).toContain(`baton.format.yaml:${line}:`);
    expect(check.stdout).toContain("1 error");
    const answered = room({ path: "baton.format.yaml", text: draft.replace('vertagt: "?"', "vertagt: pending") });
    expect((await baton(["format", "check"], { cwd: answered })).code).toBe(0);
  });

  it("overwrites nothing: a second format stands in the folder", async () => {
    const folder = room(...shiftNotes(6), { path: "baton.format.yaml", text: "mine" });
    const learn = ["format", "learn", "notes", "--write", "--name", "shift-slip"];
    await baton(learn, { cwd: folder });
    expect(readFileSync(join(folder, "baton.format.yaml"), "utf8")).toBe("mine");
    expect(readFileSync(join(folder, "baton.formats/shift-slip.format.yaml"), "utf8")).toContain("name: shift-slip");
    const again = await baton(learn, { cwd: folder });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("exists already");
  });

  it("tells a file that it left out and accepts all the same", async () => {
    const note = (index: number, more: object): { path: string; text: string } => ({
      path: `notes/shift-${index}.json`,
      text: JSON.stringify({ shift: index, by: `agent-${index}`, status: index % 2 ? "done" : "failed", ...more }),
    });
    const plain = Array.from({ length: 8 }, (_, index) => note(index, {}));
    const keys = Array.from({ length: 12 }, (_, index) => [`extra_${index}`, `Text ${index}.`]);
    const folder = room(...plain, note(9, Object.fromEntries(keys)));
    const { stderr } = await baton(["format", "learn", "notes"], { cwd: folder });
    expect(stderr).toContain("Learned from 8 of 9 files. The draft accepts 9 of them.");
    expect(stderr).toContain("left out: notes/shift-9.json: It is of another kind");
  });

  it("prints everything as JSON", async () => {
    const folder = room(...shiftNotes(6), { path: "notes/broken.json", text: "{" });
    const { stdout, code } = await baton(["format", "learn", "notes", "--json"], { cwd: folder });
    const { accepted, files, name, draft, written } = JSON.parse(stdout);
    expect([accepted, files.length, name, written, code]).toEqual([6, 7, "shift-note", null, 1]);
    expect(draft).toContain("format: 1");
    expect(files[0]).toEqual({
      path: "notes/broken.json",
      learned: false,
      accepted: false,
      why: "It is not valid JSON.",
    });
  });

  it.each([
    [["format", "learn"], 2, "Name the files"],
    [["format", "learn", "notes", "--name", "../up"], 2, "no name of a format"],
    [["format", "learn", "none.json"], 3, "no such file"],
  ])("%j is refused", async (line, code, why) => {
    const result = await baton(line, { cwd: room(...shiftNotes(1)) });
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(why)]);
  });
});
