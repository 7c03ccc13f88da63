import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES } from "../../examples/prepare-example.mjs";
import type { AuditReport } from "../../src/runtime/operations/verify-audit.ts";
import { hasNoTerminal, onTerminal } from "../e2e/on-terminal.ts";
import { copyOf, examples, type Repository } from "../e2e/workflows/repository.ts";

const example = examples();
let repository: Repository;
let head: string;

beforeAll(async () => {
  repository = await runExample();
  head = (await repository.baton("audit", "head")).stdout;
});

async function runExample(made = example("tasks")): Promise<Repository> {
  for (const { args, code = 0 } of EXAMPLES["tasks"] ?? []) {
    const run = await made.baton(...args);
    expect(run, `baton ${args.join(" ")}`).toMatchObject({ code });
  }
  return made;
}

async function verified(where: Repository, ...more: readonly string[]): Promise<AuditReport> {
  return JSON.parse((await where.baton("audit", "verify", "--json", ...more)).stdout) as AuditReport;
}

describe("baton audit", () => {
  it("finds the log of a run intact, proven to its end", async () => {
    const { code, stdout } = await repository.baton("audit", "verify");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^intact: everything is as it was written\./);
    const report = await verified(repository);
    expect(report).toMatchObject({ verdict: "intact", tail: 0, findings: [] });
    expect(report.counts.entries).toBeGreaterThan(10);
    expect(report.counts.texts).toBeGreaterThan(0);
  });

  it("prints the head in one line, which verify takes", async () => {
    expect(head).toMatch(/^[0-9a-f]{64}@\d+ \S+Z [0-9a-f]{16} [0-9a-f]{128}\n$/);
    const [first = ""] = head.split(" ");
    expect((await repository.baton("audit", "verify", "--head", first)).code).toBe(0);
    const other = first.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    const { code, stdout } = await repository.baton("audit", "verify", "--head", other);
    expect(code).toBe(1);
    expect(stdout).toMatch(/wrong-head at position \d+: the hash/);
  });

  it("exports what can be verified elsewhere with the file and the key, and overwrites nothing", async () => {
    const file = join(repository.folder, "audit.jsonl");
    const key = join(repository.folder, "key.pem");
    expect((await repository.baton("audit", "export", "audit.jsonl")).code).toBe(0);
    expect((await repository.baton("audit", "export", "audit.jsonl")).code).toBe(2);
    expect((await repository.baton("backup", "audit.jsonl")).code).toBe(2);
    const copied = await repository.baton("backup", "copy.db");
    expect(copied.stderr + copied.stdout).toBe(
      "copy.db holds all runs. Knowledge is a file of its own, and not in it.\n",
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(key, (await repository.baton("audit", "key")).stdout);
    const elsewhere = example("tasks");
    expect(await verified(elsewhere, file, "--key", key)).toMatchObject({
      verdict: "intact",
      source: "export",
      findings: [],
    });
    const told = await elsewhere.baton("audit", "verify", file);
    expect(told).toMatchObject({ code: 1, stdout: expect.stringMatching(/^ {2}entries +\d+ of 1 run$/m) });
    expect(told.stdout).toContain("Texts of handoffs, workflows and inbox messages: an export does not hold them.");
    expect(await verified(elsewhere, file)).toMatchObject({ verdict: "unproven", findings: [] });
    const stranger = join(elsewhere.folder, "stranger.pem");
    writeFileSync(stranger, (await elsewhere.baton("audit", "key")).stdout);
    expect(await verified(elsewhere, file, "--key", stranger)).toMatchObject({ verdict: "broken" });
    const lines = readFileSync(file, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"position":5,'));
    writeFileSync(file, lines.toSpliced(at, 1).join("\n"));
    const { stdout } = await elsewhere.baton("audit", "verify", file, "--key", key);
    expect(stdout).toMatch(/entry-missing at position 6, run \w+, entry 5: entry 5 is missing/);
  });

  it("believes its own key in an export without being told to, and says whose it is", async () => {
    expect((await repository.baton("audit", "export", "own.jsonl")).code).toBe(0);
    const { code, stdout } = await repository.baton("audit", "verify", "own.jsonl");
    expect(code).toBe(0);
    expect(stdout).toMatch(/proven to +\d+, signed \S+ by \w{16} \(your own key, on this machine\)/);
    expect(await verified(repository, "own.jsonl")).toMatchObject({
      verdict: "intact",
      proven: { whose: "own", keyFile: null },
      counts: { texts: null, letters: null, workflows: null },
    });
    // Somebody who has a key, too, and has never heard of ours.
    const elsewhere = example("tasks");
    await elsewhere.baton("audit", "key");
    const file = join(repository.folder, "own.jsonl");
    const told = await elsewhere.baton("audit", "verify", file);
    expect(told).toMatchObject({ code: 1, stdout: expect.stringMatching(/^unproven: /) });
    expect(told.stdout).toContain("which is not known here: get the public key from its owner");
    const keys = join(elsewhere.environment["XDG_CONFIG_HOME"] ?? "", "baton/audit/keys");
    writeFileSync(join(keys, "ada.pem"), (await repository.baton("audit", "key")).stdout);
    const { stdout: known } = await elsewhere.baton("audit", "verify", file);
    expect(known).toMatch(/^intact: [^]*\(ada\.pem of the keys that you keep\)/);
    // To verify a file is to look, and so is to ask for a key: no log was made for it.
    expect(readdirSync(elsewhere.folder)).not.toContain(".baton");
  });

  it("has nothing to verify in an empty log, and says so", async () => {
    const { code, stdout } = await example("tasks").baton("audit", "verify");
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      "empty: the log has no entries yet, so there is nothing to verify. `baton run` writes the first ones.",
    ]);
    expect(await verified(example("tasks"))).toMatchObject({ verdict: "empty", findings: [] });
  });

  it("tells a file that is no export from one that was broken, and plainly why one cannot be read", async () => {
    writeFileSync(join(repository.folder, "notes.md"), "# Notes\n\nNothing of this is an export.\n");
    for (const [args, told] of [
      [["verify", "notes.md"], /notes\.md is not an audit export: .+\n +Name a file that `baton audit export FILE`/],
      [["verify", "missing.jsonl"], /missing\.jsonl cannot be read: there is no such file\./],
      [["verify", "notes.md/x"], /cannot be read: a part of its path is a file, not a folder\./],
      [["verify", "agents"], /cannot be read: it is a folder\./],
      [["verify", "--key", "notes.md/x"], /cannot be read: a part of its path is a file, not a folder\./],
      [["export", "nowhere/audit.jsonl"], /cannot be written: its folder is not there\./],
    ] as const) {
      const { code, stdout, stderr } = await repository.baton("audit", ...args);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toMatch(told);
      expect(stderr).not.toMatch(/ENO|EIS/);
    }
  });

  it("says aloud that a head is not signed, and why, and names no folder of the machine", async () => {
    const made = example("tasks");
    const audit = join(made.environment["XDG_CONFIG_HOME"] ?? "", "baton/audit");
    mkdirSync(audit, { recursive: true });
    writeFileSync(join(audit, "key.pem"), "", { mode: 0o644 });
    await runExample(made);
    const { code, stdout, stderr } = await made.baton("audit", "head");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{64}@\d+ \S+Z unsigned \(the key \(audit\/key\.pem .+ chmod 600 it/);
    expect(stderr).toMatch(/^NOT SIGNED: the key .+\nKept elsewhere, this head still shows/);
    const { stdout: json } = await made.baton("audit", "head", "--json");
    expect(JSON.parse(json)).toMatchObject({
      signed: false,
      signature: null,
      unsigned: expect.stringMatching(/chmod/),
    });
    expect(JSON.parse((await repository.baton("audit", "head", "--json")).stdout)).toMatchObject({ signed: true });
    const { stdout: exported } = await made.baton("audit", "export");
    expect(exported).toContain("chmod 600");
    const checkpoints = exported.split("\n").filter((line) => line.includes('"type":"checkpoint"'));
    expect(checkpoints.join("\n")).not.toContain(made.environment["HOME"] ?? "");
  });

  it("exports one run with the contents of that run only", async () => {
    const two = await runExample();
    for (const { args } of EXAMPLES["tasks"] ?? []) await two.baton(...args);
    const { runs } = JSON.parse((await two.baton("status", "--all", "--json")).stdout) as { runs: { run: string }[] };
    const [newest] = runs;
    const { stdout } = await two.baton("audit", "export", "--run", newest?.run ?? "");
    const entries = stdout.split("\n").filter((line) => line.includes('"type":"entry"'));
    const own = entries.filter((line) => line.includes(`"run":"${newest?.run ?? ""}"`));
    expect(own.length).toBeGreaterThan(0);
    expect(own.every((line) => line.includes('"state":"whole"'))).toBe(true);
    expect(entries.filter((line) => line.includes('"state":"whole"'))).toEqual(own);
    const file = join(two.folder, "one.jsonl");
    writeFileSync(file, stdout);
    const key = join(two.folder, "key.pem");
    writeFileSync(key, (await two.baton("audit", "key")).stdout);
    const report = await verified(two, file, "--key", key);
    expect(report).toMatchObject({ verdict: "intact", withheld: entries.length - own.length });
    const { stdout: none } = await two.baton("audit", "export", "--since", "1s");
    expect(none).toContain('"type":"end"');
  });

  it("tells what was edited, where, what it means and what to do", async () => {
    const edited = copyOf(repository);
    const database = new DatabaseSync(join(edited.folder, ".git/baton/baton.db"));
    database.exec(`UPDATE entries SET data = replace(data, '"kind"', '"Kind"') WHERE position = 3`);
    database.exec("UPDATE runs SET status = 'failed'");
    database.close();
    const { code, stdout } = await edited.baton("audit", "verify");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^broken: /);
    expect(stdout).toMatch(/entry-changed at position 3, run \w+, entry 3: the data were changed\n +means .+\n +do .+/);
    expect(stdout).toMatch(/run-changed at position \d+, run \w+/);
  });

  it.skipIf(hasNoTerminal())("is exported to a terminal such that nothing in it is obeyed", () => {
    const edited = copyOf(repository);
    const database = new DatabaseSync(join(edited.folder, ".git/baton/baton.db"));
    const hidden = "\u009b31m \u202e \u200b \u007f";
    database.prepare("UPDATE entries SET data = ? WHERE position = 3").run(JSON.stringify({ text: hidden }));
    database.close();
    const { code, sent } = onTerminal(edited, 80, "audit", "export");
    expect(code).toBe(0);
    for (const character of hidden.replaceAll(/[\x20-\x7e]/g, "")) expect(sent).not.toContain(character);
    expect(sent).toContain(String.raw`\u009b31m \u202e \u200b \u007f`);
  });

  it("refuses what it does not know, with a hint", async () => {
    for (const [args, told] of [
      [["audit"], /Say what to do: verify, export, head, key, accept/],
      [["audit", "verfy"], /Did you mean `baton audit verify`/],
      [["audit", "verify", "--head", "abc"], /--head takes a hash and a position/],
      [["audit", "head", "--run", "x"], /takes no --run/],
      [["audit", "verify", "--key", "package.json"], /holds no public key|cannot be read/],
      [["audit", "export", "--since", "soon"], /--since takes an age/],
    ] as const) {
      const { code, stderr } = await repository.baton(...args);
      expect(stderr).toMatch(told);
      expect([2, 3]).toContain(code);
    }
    expect((await repository.baton("audit", "verify", "missing.jsonl")).code).toBe(3);
  });
});
