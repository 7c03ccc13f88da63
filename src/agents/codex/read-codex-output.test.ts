import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filesInCommand } from "./read-codex-output.ts";

describe("the files that a command of Codex prints", () => {
  it.each([
    ["/bin/bash -lc 'cat src/a.ts'", ["src/a.ts"]],
    ["cat -n src/a.ts src/b.ts", ["src/a.ts", "src/b.ts"]],
    [`/bin/bash -lc "sed -n '1,5p' \\"a b.txt\\" && nl -ba c.txt"`, ["a b.txt", "c.txt"]],
    ["bash -lc 'head -n 20 src/a.ts | nl'", ["src/a.ts"]],
    ["tail -20 log.txt", ["log.txt"]],
    ["ls && cat README.md", ["README.md"]],
  ])("%s", (command, files) => {
    expect(filesInCommand(command)).toEqual(files);
  });

  it.each([
    ["writes", "sed -i 's/a/b/' src/a.ts"],
    ["goes elsewhere first", "cd /etc && cat passwd"],
    ["is one of two", "cat a.ts || cat b.ts"],
    ["may have failed before", "cat a.ts; true"],
    ["names files by a pattern", "cat src/*.ts"],
    ["names files by a variable", "cat $HOME/a"],
    ["puts a command into another", "cat $(ls)"],
    ["writes into a file", "cat a.ts > b.ts"],
    ["has an option that nobody knows", "head --bytes a.ts"],
    ["has an open quote", "cat 'a.ts"],
    ["is no reader", "constructor a.ts"],
    ["is too long", `cat ${"a".repeat(20_000)}`],
  ])("claims nothing of one that %s", (_why, command) => {
    expect(filesInCommand(command)).toEqual([]);
  });

  it("takes any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => Array.isArray(filesInCommand(text))));
    expect(filesInCommand(`cat ${"'".repeat(9_999)}`)).toEqual([]);
    expect(filesInCommand(`cat ${'"\\'.repeat(4_000)}`)).toEqual([]);
  });
});
