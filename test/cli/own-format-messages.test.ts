import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SPEC_FORMATS } from "../format-files/spec-formats.ts";
import { baton, workroom } from "./run-baton.ts";

const make = workroom();
const RELAY = SPEC_FORMATS["relay-note"] ?? "";
const SLIP = SPEC_FORMATS["visit-slip"] ?? "";
const BROKEN = RELAY.replace("is: from", "is: form");

describe("rules of a format of one's own", () => {
  it("are described in the SARIF of validate and of verify", async () => {
    const cwd = make({ "baton.format.yaml": RELAY, "relay-1.json": '{ "relay": 2, "author": "one" }' });
    execFileSync("git", ["init", "-q"], { cwd });
    for (const command of ["validate", "verify"]) {
      const { stdout } = await baton([command, "relay-1.json", "--format", "sarif"], { cwd });
      const { rules } = JSON.parse(stdout).runs[0].tool.driver;
      const missing = rules.find(({ id }: { id: string }) => id === "relay-note/result");
      expect([command, missing?.shortDescription.text]).toEqual([command, expect.stringContaining("How it ended")]);
    }
  });
});

describe("baton format", () => {
  const cwd = make({
    ".git/HEAD": "",
    "baton.format.yaml": BROKEN,
    "baton.formats/visit-slip.format.yaml": SLIP,
  });

  it("list lists a format with errors, and says so by its exit code", async () => {
    const list = await baton(["format", "list"], { cwd });
    expect(list.code).toBe(1);
    expect(list.stdout).toContain("baton.format.yaml: has errors, see baton format check");
    expect(list.stdout).toContain("visit-slip");
    const json = await baton(["format", "list", "--json"], { cwd });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout).formats.map(({ usable }: { usable: boolean }) => usable)).toEqual([false, true]);
  });

  it("list prints nothing but a note where there is no format", async () => {
    const none = await baton(["format", "list"], { cwd: make({ ".git/HEAD": "" }) });
    expect([none.code, none.stdout]).toEqual([0, ""]);
    expect(none.stderr).toContain("There is no format of your own here.");
  });

  it.each(["list", "check"])("%s tells a file that is not read because of its name", async (word) => {
    const stray = make({ ".git/HEAD": "", "baton.formats/relay.yaml": RELAY });
    expect((await baton(["format", word], { cwd: stray })).stderr).toContain("baton.formats/relay.yaml is not read");
  });

  it.each([
    ["list", "--write"],
    ["list", "--name", "x"],
    ["list", "--format", "sarif"],
    ["check", "--write"],
    ["check", "--name", "x"],
    ["learn", "baton.formats", "--format", "sarif"],
  ])("%s refuses %s, which is for another subcommand", async (...args) => {
    const run = await baton(["format", ...args], { cwd });
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/--\w+ is for `baton format (?:check|learn)`/);
  });
});

describe("the help", () => {
  it.each([
    ["help"],
    ["validate", "--help"],
    ["verify", "--help"],
    ["read", "--help"],
    ["fix", "--help"],
    ["convert", "--help"],
    ["schema", "--help"],
    ["instructions", "--help"],
    ["context", "--help"],
    ["explain", "--help"],
  ])("%s says that formats of your own are taken, too", async (...args) => {
    expect((await baton(args)).stdout.replaceAll(/\s+/g, " ")).toContain("format of your own");
  });
});

describe("baton context --layout", () => {
  const cwd = make({ "baton.format.yaml": RELAY, "handoff.txt": "" });
  const env = { BATON_CONFIG_HOME: make({}), XDG_CONFIG_HOME: make({}), HOME: make({}) };
  execFileSync("git", ["init", "-q"], { cwd });

  it("takes an own format, whose agents read Markdown, and names all it takes otherwise", async () => {
    const wrong = await baton(["context", "--about", "rounding", "--layout", "relay-notes"], { cwd, env });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("output-json, relay-note")]);
    const shown = await baton(["context", "--about", "rounding", "--layout", "relay-note", "--json"], { cwd, env });
    expect([shown.code, shown.stderr]).not.toEqual([2, expect.anything()]);
  });
});

const AGENT = `
const fs = require("node:fs");
let prompt = "";
process.stdin.on("data", (bytes) => (prompt += bytes)).on("end", () => {
  const at = fs.existsSync("prompt-1.txt") ? 2 : 1;
  fs.writeFileSync("prompt-" + at + ".txt", prompt);
  process.stdout.write("All is done, in my own words.\\n");
});
`;

describe("the repair prompt of a format of one's own", () => {
  it.each([
    ["relay-note", RELAY],
    ["uebergabe", SPEC_FORMATS["uebergabe"] ?? ""],
    ["visit-slip", SLIP],
  ])("sends an agent of %s to the description below, and to no command", async (name, format) => {
    const cwd = make({
      "baton.yaml": `baton: 1
name: relay
start: one
verify: off
agents:
  one:
    dialect: ${name}
    run: { process: [node, agent.cjs] }
    repairs: 1
    routes: { done: end, failed: fail }
`,
      "baton.format.yaml": format,
      "agent.cjs": AGENT,
    });
    execFileSync("git", ["init", "-q"], { cwd });
    const env = { BATON_CONFIG_HOME: make({}), XDG_CONFIG_HOME: make({}), HOME: make({}) };
    const { trust } = JSON.parse((await baton(["check", "--json"], { cwd, env })).stdout);
    await baton(["run", "--brief", "x", "--trust", trust, "--json"], { cwd, env });
    const prompt = readFileSync(join(cwd, "prompt-2.txt"), "utf8");
    expect(prompt).toContain("There is no handoff in this text");
    expect(prompt).toContain("Write one in the format described below.");
    expect(prompt).not.toMatch(/baton (?:instructions|migrate)/);
  });

  it("and the command line names the format itself, without migrate", async () => {
    const cwd = make({
      ".git/HEAD": "",
      "baton.format.yaml": SPEC_FORMATS["uebergabe"] ?? "",
      "a.md": "All is done.\n",
      "b.md": "## Übergabe\n\nAlles ist erledigt.\n",
    });
    const named = await baton(["validate", "a.md", "--dialect", "uebergabe"], { cwd });
    expect(named.stdout).toContain("`baton instructions uebergabe`");
    expect(named.stdout).not.toContain("migrate");
    const prose = await baton(["validate", "b.md"], { cwd });
    expect(prose.stdout).toContain("`baton instructions uebergabe`");
    expect(prose.stdout).not.toContain("migrate");
  });
});
