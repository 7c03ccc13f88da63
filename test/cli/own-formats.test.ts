import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILD_REPORT_SCHEMA, SPEC_FORMATS, specDialects } from "../format-files/spec-formats.ts";
import { printHandoff } from "../../src/protocol/write-handoff.ts";
import { type Files, baton, workroom } from "./run-baton.ts";

const make = workroom();
const dialects = specDialects();

function example(name: string): string {
  const dialect = dialects.find((each) => each.name === name)!;
  return printHandoff(dialect.example, dialect, { dialect: name, outcome: "done" });
}

const FORMATS: Files = {
  "baton.format.yaml": SPEC_FORMATS["relay-note"] ?? "",
  "baton.formats/uebergabe.format.yaml": SPEC_FORMATS["uebergabe"] ?? "",
  "baton.formats/visit-slip.format.yaml": SPEC_FORMATS["visit-slip"] ?? "",
  "baton.formats/build-report.format.yaml": SPEC_FORMATS["build-report"] ?? "",
  "baton.formats/schemas/build-report.schema.json": JSON.stringify(BUILD_REPORT_SCHEMA),
  ".git/HEAD": "",
};

const HANDOFFS = {
  "relay-note": "relay-1.json",
  uebergabe: "schicht.md",
  "visit-slip": "slip.xml",
  "build-report": "build-report-7.json",
};

describe("formats of one's own on the command line", () => {
  const folder = make({
    ...FORMATS,
    ...Object.fromEntries(Object.entries(HANDOFFS).map(([name, file]) => [`notes/${file}`, example(name)])),
  });

  it("are proven and listed", async () => {
    const check = await baton(["format", "check"], { cwd: folder });
    expect([check.code, check.stderr]).toEqual([0, ""]);
    const list = await baton(["format", "list", "--json"], { cwd: join(folder, "notes") });
    expect(JSON.parse(list.stdout).formats.map(({ name }: { name: string }) => name)).toEqual([
      "relay-note",
      "build-report",
      "uebergabe",
      "visit-slip",
    ]);
  });

  it("are recognised in a scan, from a folder inside as well", async () => {
    const scan = await baton(["validate", ".", "--json"], { cwd: folder });
    const { files, summary } = JSON.parse(scan.stdout);
    const found = files.filter(({ dialect }: { dialect: string | null }) => dialect !== null);
    expect(found.map(({ dialect }: { dialect: string }) => dialect).toSorted()).toEqual(
      Object.keys(HANDOFFS).toSorted(),
    );
    expect([summary.invalid, scan.code]).toEqual([0, 0]);
    expect((await baton(["validate", "relay-1.json"], { cwd: join(folder, "notes") })).code).toBe(0);
  });

  it.each(Object.entries(HANDOFFS))("%s is read, converted, taught and described", async (name, file) => {
    const read = await baton(["read", `notes/${file}`, "--json"], { cwd: folder });
    expect(JSON.parse(read.stdout)).toMatchObject({ dialect: name, outcome: "done" });
    const there = await baton(["convert", `notes/${file}`, "--to", "phase-yaml"], { cwd: folder });
    expect(there.code).toBe(0);
    const back = await baton(["convert", "-", "--to", name], { cwd: folder, input: there.stdout });
    const again = await baton(["read", "-", "--dialect", name, "--json"], { cwd: folder, input: back.stdout });
    expect(JSON.parse(again.stdout)).toMatchObject(JSON.parse(read.stdout));
    const told = await baton(["instructions", name], { cwd: folder });
    expect(told.stdout).toContain("## Example");
    const schema = await baton(["schema", name], { cwd: folder });
    expect(JSON.parse(schema.stdout)).toMatchObject({ $id: `urn:baton-handoff:schema:${name}` });
  });

  it("are not skipped without a word when the key that recognises them is misspelled", async () => {
    const typo = make({ ...FORMATS, "notes/slip.xml": example("visit-slip").replaceAll(/(<\/?)slip/g, "$1Slip") });
    const scan = await baton(["validate", "notes"], { cwd: typo });
    expect(scan.code).toBe(1);
    expect(scan.stdout).toContain("The element <Slip> is not <slip>");
  });

  it("have instructions with the example of an outcome, where one can be made", async () => {
    const told = await baton(["instructions", "relay-note", "--outcome", "failed"], { cwd: folder });
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('"broken"')]);
    const none = await baton(["instructions", "relay-note", "--outcome", "skipped"], { cwd: folder });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("No example for skipped")]);
  });

  it("are explained, and repaired", async () => {
    const lesson = await baton(["explain", "relay-note/result.state"], { cwd: folder });
    expect(lesson.stdout).toContain("How the work ended.");
    writeFileSync(join(folder, "relay-2.json"), example("relay-note").replace('"finished"', '"Finished"'));
    const fix = await baton(["fix", "relay-2.json", "--write"], { cwd: folder });
    expect(fix.code).toBe(0);
    expect(readFileSync(join(folder, "relay-2.json"), "utf8")).toBe(example("relay-note"));
  });

  it("say where a format file is wrong, and are then not used", async () => {
    const broken = make({
      ...FORMATS,
      "baton.format.yaml": (SPEC_FORMATS["relay-note"] ?? "").replace("is: from", "is: form"),
    });
    const check = await baton(["format", "check"], { cwd: broken });
    expect(check.code).toBe(1);
    expect(check.stdout).toContain("baton.format.yaml:18:");
    const validate = await baton(["validate", "baton.formats"], { cwd: broken });
    expect([validate.code, validate.stdout]).toEqual([1, expect.stringContaining("baton.format.yaml:18:")]);
  });

  it("are looked for where the files stand, and each file has its own", async () => {
    const note = (SPEC_FORMATS["relay-note"] ?? "").replace("name: relay-note", "name: other-note");
    const nothing = make({
      "one/.git/HEAD": "",
      "one/baton.format.yaml": SPEC_FORMATS["relay-note"] ?? "",
      "one/notes/a.json": example("relay-note").replace(/^```json\n|\n```\s*$/g, ""),
      "two/.git/HEAD": "",
      "two/baton.format.yaml": note,
      "two/deep/er/b.json": example("relay-note").replace(/^```json\n|\n```\s*$/g, ""),
      "three/.git/HEAD": "",
      "three/c.json": example("relay-note").replace(/^```json\n|\n```\s*$/g, ""),
    });
    const scan = await baton(["validate", "one", "two/deep", "three", "--json"], { cwd: nothing });
    const found = JSON.parse(scan.stdout).files.map((file: { path: string; dialect: string | null }) => [
      file.path,
      file.dialect,
    ]);
    expect(found.filter(([path]: string[]) => path?.endsWith(".json"))).toEqual([
      ["one/notes/a.json", "relay-note"],
      ["two/deep/er/b.json", "other-note"],
    ]);
    const read = await baton(["read", join(nothing, "two/deep/er/b.json"), "--json"], { cwd: join(nothing, "one") });
    expect(JSON.parse(read.stdout)).toMatchObject({ dialect: "other-note" });
    const named = await baton(["validate", "three/c.json", "one", "--dialect", "relay-note"], { cwd: nothing });
    expect(named.stderr).toBe("");
    writeFileSync(join(nothing, "two/baton.format.yaml"), note.replace("is: from", "is: form"));
    const broken = await baton(["validate", "two/deep"], { cwd: nothing });
    expect([broken.code, broken.stdout]).toEqual([1, expect.stringContaining("two/baton.format.yaml:18:")]);
  });

  it("are told apart from the five and from each other", async () => {
    const both = make({
      ".git/HEAD": "",
      "baton.format.yaml": (SPEC_FORMATS["relay-note"] ?? "")
        .replace("keys: [relay]", "keys: [from_agent]")
        .replace("  author:", "  from_agent:"),
      "baton.formats/again.format.yaml": SPEC_FORMATS["visit-slip"] ?? "",
      "baton.formats/other.format.yaml": SPEC_FORMATS["visit-slip"] ?? "",
    });
    const { stdout, code } = await baton(["format", "check"], { cwd: both });
    expect(code).toBe(1);
    expect(stdout).toContain("both relay-note and pipeline-json");
    expect(stdout).toContain("Another format is called `visit-slip`");
  });

  it("refuse links and files that are too large", async () => {
    const linked = make({ ".git/HEAD": "", "elsewhere.yaml": SPEC_FORMATS["relay-note"] ?? "" });
    symlinkSync("elsewhere.yaml", join(linked, "baton.format.yaml"));
    expect((await baton(["validate", "elsewhere.yaml"], { cwd: linked })).stderr).toContain("it is a link");
    const large = make({ ".git/HEAD": "", "baton.format.yaml": `# ${"x".repeat(300_000)}\n` });
    expect((await baton(["format", "check"], { cwd: large })).stdout).toContain("larger than");
  });
});

const AGENT = `
const fs = require("node:fs");
let prompt = "";
process.stdin.on("data", (bytes) => (prompt += bytes)).on("end", () => {
  fs.writeFileSync("prompt.txt", prompt);
  process.stdout.write(fs.readFileSync("answer.txt", "utf8"));
});
`;

const workflow = (dialect: string): string => `baton: 1
name: relay
start: one
verify: off
agents:
  one:
    dialect: ${dialect}
    run: { process: [node, agent.cjs] }
    routes: { done: end }
`;

describe("a run with a format of one's own", () => {
  const room = (dialect: string, format: string, answer: string): { cwd: string; env: Record<string, string> } => {
    const cwd = make({
      "baton.yaml": workflow(dialect),
      "baton.format.yaml": format,
      "agent.cjs": AGENT,
      "answer.txt": answer,
    });
    execFileSync("git", ["init", "-q"], { cwd });
    return { cwd, env: { BATON_CONFIG_HOME: make({}), XDG_CONFIG_HOME: make({}), HOME: make({}) } };
  };

  it.each(["relay-note", "uebergabe", "visit-slip"])("takes a handoff in %s, pinned and trusted", async (name) => {
    const answer = example(name).replace(/one-agent|ledger-builder|frueh-schicht|pump-agent/, "one");
    const here = room(
      name,
      SPEC_FORMATS[name] ?? "",
      `Done.\n\n${name === "relay-note" ? `\`\`\`json\n${answer}\n\`\`\`\n` : answer}`,
    );
    const untrusted = await baton(["run", "--brief", "x"], here);
    expect([untrusted.code, untrusted.stderr]).toEqual([expect.any(Number), expect.stringContaining("not trusted")]);
    const check = JSON.parse((await baton(["check", "--json"], here)).stdout);
    const started = await baton(["run", "--trust", check.trust, "--json"], here);
    expect([started.code, started.stdout]).toEqual([0, expect.stringContaining("completed")]);
    const prompt = readFileSync(join(here.cwd, "prompt.txt"), "utf8");
    expect(prompt).toMatch(new RegExp(`<<<format ${name} (\\S+)\\n[\\s\\S]*\\n\\1 end of format ${name}>>>`));
    // The words of the file stand inside of the envelope only.
    const [sentence = ""] =
      /(?:How the work ended|Wie es steht|How the visit ended)\./.exec(SPEC_FORMATS[name] ?? "") ?? [];
    const outside = prompt.replace(/<<<format [\s\S]* end of format \S+>>>/, "");
    expect([prompt.includes(sentence), outside.includes(sentence)]).toEqual([true, false]);
    // Another content of the file is another thing to trust.
    writeFileSync(join(here.cwd, "baton.format.yaml"), `${SPEC_FORMATS[name] ?? ""}# changed\n`);
    const changed = await baton(["run", "--trust", check.trust], here);
    expect(changed.stderr).toContain("another hash");
  });

  it("stays with the format that the run began with, and checks what it claims", async () => {
    const relay = SPEC_FORMATS["relay-note"] ?? "";
    const here = room(
      "relay-note",
      relay,
      `\`\`\`json\n${example("relay-note").replace("ledger-builder", "one")}\`\`\`\n`,
    );
    writeFileSync(
      join(here.cwd, "baton.yaml"),
      workflow("relay-note")
        .replace("verify: off", "verify: { default: record, file: ask }")
        .replace("    routes:", "    approve: before\n    routes:"),
    );
    const { trust } = JSON.parse((await baton(["check", "--json"], here)).stdout);
    const waiting = JSON.parse((await baton(["run", "--trust", trust, "--json"], here)).stdout);
    expect(waiting.status).toBe("waiting");
    writeFileSync(join(here.cwd, "baton.format.yaml"), relay.replaceAll("finished", "fertig"));
    await baton(["approve", waiting.run], here);
    const resumed = JSON.parse((await baton(["resume", waiting.run, "--json"], here)).stdout);
    // The handoff was read by the old words, and its untrue claim about a file was found.
    const log = (await baton(["log", waiting.run, "--json"], here)).stdout;
    expect(log).toContain('"dialect":"relay-note"'.replace(":", log.includes('"dialect": ') ? ": " : ":"));
    expect(log).toContain("refuted");
    expect(resumed.status).toBe("waiting");
  });

  it("names the formats that there are when a dialect is unknown", async () => {
    const here = room("relay-notes", SPEC_FORMATS["relay-note"] ?? "", "");
    const { code, stdout } = await baton(["check"], here);
    expect(code).toBe(1);
    expect(stdout).toContain("Did you mean relay-note?");
  });
});
