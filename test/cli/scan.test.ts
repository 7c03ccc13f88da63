import { describe, expect, it } from "vitest";
import { LAYOUTS } from "./repository-layouts.ts";
import { baton, workroom } from "./run-baton.ts";

const folderWith = workroom();

interface Validated {
  readonly files: readonly { readonly path: string; readonly valid: boolean }[];
  readonly documents: readonly { readonly path: string; readonly kind: string }[];
}

describe.concurrent("a scan of a folder", () => {
  it.each(Object.entries(LAYOUTS))("finds the handoffs and nothing else: %s", async (_name, layout) => {
    const cwd = folderWith(layout.files);
    const run = await baton(["validate", "--json", "."], { cwd });
    const { files, documents } = JSON.parse(run.stdout) as Validated;
    expect(Object.fromEntries(files.map(({ path, valid }) => [path, valid]))).toEqual(layout.handoffs);
    expect(Object.fromEntries(documents.map(({ path, kind }) => [path, kind]))).toEqual(layout.documents);
    expect(run.code).toBe(Object.values(layout.handoffs).every(Boolean) ? 0 : 1);
  });

  it.each(Object.entries(LAYOUTS))("is what repairs are made in: %s", async (_name, layout) => {
    const cwd = folderWith(layout.files);
    const run = await baton(["fix", "--write", "--partial", "--json", "."], { cwd });
    const { files } = JSON.parse(run.stdout) as { files: readonly { path: string; written: boolean }[] };
    for (const { path, written } of files) if (written) expect(Object.keys(layout.handoffs)).toContain(path);
  });

  it("lists documents beside the handoffs, and says what structures notes", async () => {
    const cwd = folderWith({ ...LAYOUTS["notes in prose"]?.files });
    const run = await baton(["validate", "."], { cwd });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("2 documents (notes/monday.md: notes, notes/tuesday.md: notes)");
    expect(run.stdout).toContain("baton migrate structures the notes in notes/monday.md, notes/tuesday.md");
  });

  it("is not what a named file is read by: there is a handoff in a prompt that is named", async () => {
    const path = ".claude/agents/reviewer.md";
    const cwd = folderWith({ ...LAYOUTS["prompts of agents"]?.files });
    const run = await baton(["validate", "--json", path], { cwd });
    const { files } = JSON.parse(run.stdout) as Validated;
    expect(files).toMatchObject([{ path, valid: true }]);
  });
});
