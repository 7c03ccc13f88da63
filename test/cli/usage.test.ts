import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { baton } from "./run-baton.ts";

describe.concurrent("wrong usage", () => {
  it.for([
    { line: "", says: "Usage: baton COMMAND" },
    { line: "validat x.md", says: "Did you mean `baton validate`?" },
    { line: "constructor", says: 'There is no command "constructor".' },
    { line: "validate", says: "Name a file" },
    { line: "validate --strct x.md", says: "Did you mean --strict?" },
    { line: "validate --toString x.md", says: "There is no option --toString." },
    { line: "validate -s x.md", says: "There is no option -s." },
    { line: "validate x.md --format", says: "--format needs a value" },
    { line: "validate x.md --format yaml", says: "--format is one of pretty, json" },
    { line: "validate x.md --strict=yes", says: "--strict takes no value." },
    { line: "validate x.md --max-warnings few", says: "--max-warnings is a whole number" },
    { line: "validate x.md --max-bytes 1e6", says: "--max-bytes is a whole number" },
    { line: "validate x.md --dialect morse", says: "--dialect is one of" },
    { line: "read", says: "Name a file" },
    { line: "read a.md b.md", says: "One file at a time" },
    { line: "convert x.md", says: "--to is missing" },
    { line: "convert x.md --to task-yaml --set colour=red", says: "--set takes NAME=VALUE" },
    { line: "fix", says: "Name a file" },
    { line: "migrate - --write", says: "--write needs a file" },
    { line: "explain 000-R99", says: 'There is no code or rule "000-R99".' },
    { line: "explain constructor", says: 'There is no code or rule "constructor".' },
    { line: "explain missing-feild", says: "Did you mean missing-field?" },
    { line: "schema", says: "The dialect is missing" },
    { line: "schema morse", says: 'There is no dialect "morse".' },
    { line: "schema handoff --modeline x.json", says: "--modeline" },
    { line: "schema task-yaml phase-yaml", says: "One dialect at a time" },
    { line: "instructions toString", says: 'There is no dialect "toString".' },
    { line: "instructions task-yaml phase-yaml", says: "One dialect at a time" },
    { line: "completion tcsh", says: "Name the shell: bash, zsh, fish." },
    { line: "help validat", says: "Did you mean `baton validate`?" },
  ])("baton $line ends with 2 and says what is wrong", async ({ line, says }) => {
    const run = await baton(line === "" ? [] : line.split(" "));
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  });
});

describe.concurrent("help", () => {
  it("lists every command", async () => {
    const runs = await Promise.all([["help"], ["--help"], ["-h"]].map((args) => baton(args)));
    for (const run of runs) {
      expect(run).toMatchObject({ code: 0, stderr: "" });
      for (const name of Object.keys(COMMANDS)) expect(run.stdout).toContain(`\n  ${name} `);
    }
  });

  it.for(Object.keys(COMMANDS))("tells about %s", async (name) => {
    const run = await baton(["help", name]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(`Usage: baton ${name} `);
    expect(run.stdout).toContain("--help");
  });

  it("is the same behind the command, in its long and its short form", async () => {
    const [asked, long, short] = await Promise.all(
      [["help", "fix"], ["fix", "--help"], ["fix", "-h"]].map((args) => baton(args)),
    );
    expect(long).toEqual(asked);
    expect(short).toEqual(asked);
  });
});
