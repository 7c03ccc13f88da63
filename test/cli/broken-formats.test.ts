import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { SPEC_FORMATS } from "../format-files/spec-formats.ts";
import { baton, workroom } from "./run-baton.ts";

const make = workroom();

const NOTE = '{ "relay": 2, "author": "one", "result": { "state": "finished", "headline": "Done." } }';
const TASK = `## Handoff\n\n\`\`\`yaml\n${DIALECTS["task-yaml"].print(DIALECTS["task-yaml"].example)}\`\`\`\n`;
const SLIP = '<slip by="pump-agent"><what>Oiled.</what></slip>';

/** A format with an open question, beside one that can be used. */
function room(files: Record<string, string> = {}): string {
  return make({
    "baton.formats/relay-note.format.yaml": SPEC_FORMATS["relay-note"] ?? "",
    "baton.formats/visit-slip.format.yaml": (SPEC_FORMATS["visit-slip"] ?? "").replace(
      "words: {",
      'words: { odd: "?",',
    ),
    "note.json": NOTE,
    "task.md": TASK,
    "slip.xml": SLIP,
    ...files,
  });
}

const BROKEN = "baton.formats/visit-slip.format.yaml";

describe("a format with an error", () => {
  it("does not stop the reading of handoffs that another format recognises", async () => {
    const cwd = room();
    for (const file of ["note.json", "task.md"]) {
      const { stdout } = await baton(["validate", file, "--json"], { cwd });
      const { files } = JSON.parse(stdout) as { files: { path: string; valid: boolean }[] };
      expect(files).toContainEqual(expect.objectContaining({ path: file, valid: true }));
      const read = await baton(["read", file], { cwd });
      expect([read.code, read.stderr.includes(BROKEN)]).toEqual([0, true]);
    }
  });

  it("is an error: a part of any file could be of it", async () => {
    const cwd = room();
    for (const operand of ["slip.xml", "note.json", "."]) {
      const { code, stdout } = await baton(["validate", operand, "--json"], { cwd });
      expect(code).toBe(1);
      const { files } = JSON.parse(stdout) as { files: { path: string; valid: boolean }[] };
      expect(files).toContainEqual(expect.objectContaining({ path: BROKEN, valid: false }));
    }
    const read = await baton(["read", "slip.xml"], { cwd });
    expect([read.code, read.stderr.includes(BROKEN)]).toEqual([1, true]);
  });

  it("says nothing about files that have formats nearer", async () => {
    const other = room({});
    const cwd = make({ "baton.format.yaml": "format: 1\nname: ?\n" });
    expect((await baton(["validate", `${other}/note.json`], { cwd })).stdout).not.toContain("baton.format.yaml");
    expect(await baton(["fix", `${other}/note.json`], { cwd: make({}) })).toMatchObject({ code: 3 });
    const whole = make({ "baton.format.yaml": SPEC_FORMATS["relay-note"] ?? "", "note.json": NOTE });
    expect(await baton(["fix", `${whole}/note.json`], { cwd })).toMatchObject({ code: 0 });
  });

  it("stops what would need it", async () => {
    expect(await baton(["instructions", "visit-slip"], { cwd: room() })).toMatchObject({ code: 3 });
  });
});
