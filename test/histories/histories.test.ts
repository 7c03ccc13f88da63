import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { pemOf } from "../../src/audit/signature.ts";
import { openEngine } from "../../src/main/open-engine.ts";
import { isRecord } from "../../src/shared/json-value.ts";
import type { AuditReport } from "../../src/views/audit-report.ts";
import { codec } from "../../src/workflow/stored/codec.ts";
import { baton } from "../cli/run-baton.ts";
import { historyNames, presentAnswers, recordedAnswers, recordedInstructions, restoreHistory } from "./history.ts";

const room = mkdtempSync(join(tmpdir(), "baton-histories-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

describe("a recorded history", () => {
  it.each(historyNames())(
    "%s has the same state, views, prompts and decisions as when it was recorded",
    async (name) => {
      const present = withoutWording(await presentAnswers(restoreHistory(name, room), recordedInstructions(name)));
      // A later program may show more than was shown then.
      expect(present).toMatchObject(withoutWording(recordedAnswers(name)));
    },
  );

  it("is there for a loop, parallel tasks, a question to a person, a retry, pruning, and runs that were cut off", () => {
    expect(historyNames().filter((name) => name.startsWith("v1/"))).toEqual(
      expect.arrayContaining(
        ["loop", "parallel", "waiting", "retried", "pruned", "killed-loop"].map((name) => `v1/${name}`),
      ),
    );
  });

  it("was decided as this program decides, and its agents were told what it tells them", () => {
    for (const name of historyNames()) {
      const facts = JSON.stringify(recordedAnswers(name));
      expect(facts).not.toMatch(/"isSame":false|"prompt_is_exact":false/);
    }
  });
});

/** Sentences that views compose may be written better; that they are there stays. Stored ones stay word for word. */
function withoutWording(value: unknown): object {
  return wordless(value, "") as object;
}

function wordless(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => wordless(item, key));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const isSentence = typeof inner === "string" && (key === "effects" || (name === "text" && COMPOSED.includes(key)));
    return [name, isSentence ? "(a sentence)" : wordless(inner, name)];
  });
  return Object.fromEntries(entries);
}

const COMPOSED = ["events", "history", "notifications"];

/** What has to be done by hand until each of them is finished; the same in every version. */
const BY_HAND: Readonly<Record<string, readonly (readonly string[])[]>> = {
  waiting: [["approve"], ["resume"]],
  answered: [["resume"]],
  pruned: [["retry"]],
  "killed-loop": [["resume"]],
  "killed-parallel": [["resume"]],
  "killed-gate": [["resume"]],
  delayed: [["resume"]],
};
const UNFINISHED = Object.fromEntries(
  ["v1", "v2", "v3"].flatMap((version) =>
    Object.entries(BY_HAND).map(([name, steps]) => [`${version}/${name}`, steps]),
  ),
);

const HAD_ONE_CHAIN = /^v[12]\//;

describe("a run that was begun by the program of a history", () => {
  it.each(Object.keys(UNFINISHED))("%s is adopted and finished by this one", async (name) => {
    const folder = restoreHistory(name, mkdtempSync(join(room, "finish-")), ".baton");
    const environment = prepare(folder);
    const id = String(rowsOf(folder, "SELECT log FROM ledger", ".baton")[0]?.["log"]);
    const adopted = await baton(["state", "adopt", "--trust", id], { cwd: folder, env: environment });
    expect(adopted).toMatchObject({ code: 0 });
    const before = storedEntries(folder);
    const [run = ""] = newestRun(folder);
    let trust: string[] = [];
    for (const [command = "", ...more] of UNFINISHED[name] ?? []) {
      const go = (...args: string[]) => baton([command, run, ...args, ...more], { cwd: folder, env: environment });
      let ended = await go();
      // Its files were not recorded then: it is asked about once.
      if (ended.code === 3 && trust.length === 0) {
        trust = ["--trust", /--trust ([0-9a-f]{64})/.exec(ended.stderr)?.[1] ?? ""];
        ended = await go(...trust);
      }
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
    }
    const [, , status] = newestRun(folder);
    expect(status).toBe("completed");
    const after = storedEntries(folder);
    expect(after.slice(0, before.length)).toEqual(before);
    const added = after
      .slice(before.length)
      .map(({ data }) => JSON.parse(String(data)) as { readonly version: number });
    expect(added.length).toBeGreaterThan(0);
    expect(added.every(({ version }) => version === codec.version)).toBe(true);
    expect(await brokenAt(folder)).toBeNull();
    const audit = await baton(["audit", "verify", "--json", ...keysOf(folder)], { cwd: folder, env: environment });
    const { verdict, findings, proven, tail, head } = JSON.parse(audit.stdout) as AuditReport;
    expect({ verdict, findings, tail }).toEqual({ verdict: "intact", findings: [], tail: 0 });
    expect(proven?.position).toBe(head.position);
    // The one chain that all runs once had is closed and signed, and the runs continue in chains of their own.
    const [register] = rowsOf(folder, "SELECT body FROM register ORDER BY number LIMIT 1");
    const first = HAD_ONE_CHAIN.test(name) ? { kind: "closed", position: before.length } : { kind: "created" };
    expect(JSON.parse(String(register?.["body"]))).toMatchObject(first);
  });

  it("is every one of them that was not over", () => {
    const open = historyNames().filter((name) => /"status":"(?:running|stalled|waiting|failed)"/.test(runsOf(name)));
    expect(Object.keys(UNFINISHED).toSorted()).toEqual(open.toSorted());
  });
});

function runsOf(name: string): string {
  const answers = recordedAnswers(name);
  return JSON.stringify(isRecord(answers) ? answers["runs"] : null);
}

/** A repository that has what its agents waited for, and a home of its own. */
function prepare(folder: string): Readonly<Record<string, string>> {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
  const who = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"];
  writeFileSync(join(folder, ".gitignore"), ".baton\nmended\n");
  writeFileSync(join(folder, "mended"), "");
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git(...who, "commit", "--quiet", "--message", "Begin");
  const home = join(folder, "../home");
  return { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), USER: "tester" };
}

function storedEntries(folder: string): Record<string, unknown>[] {
  return rowsOf(folder, "SELECT position, run, sequence, at, kind, data, hash FROM entries ORDER BY position");
}

/** The keys that signed it where it was recorded. */
function keysOf(folder: string): string[] {
  const checkpoints = rowsOf(folder, "SELECT body FROM checkpoints");
  const keys = checkpoints.map(({ body }) => (JSON.parse(String(body)) as { readonly key: string | null }).key);
  return [...new Set(keys)].flatMap((key, index) => {
    if (key === null) return [];
    const file = join(folder, `../key-${index}.pem`);
    writeFileSync(file, pemOf(key));
    return ["--key", file];
  });
}

function newestRun(folder: string): string[] {
  const [row = {}] = rowsOf(folder, "SELECT run, workflow, status FROM runs ORDER BY number DESC LIMIT 1");
  return Object.values(row).map(String);
}

function rowsOf(folder: string, query: string, state = ".git/baton"): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, state, "baton.db"));
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

async function brokenAt(folder: string): Promise<unknown> {
  const engine = openEngine(folder);
  try {
    return await engine.ports.log.findBreak();
  } finally {
    await engine.close();
  }
}
