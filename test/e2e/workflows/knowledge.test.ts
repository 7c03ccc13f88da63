import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ACCOUNT, type Repository, copyOf, examples } from "./repository.ts";

const example = examples();

interface Found {
  readonly facts: readonly {
    id: string;
    kind: string;
    status: string;
    text: string;
    tags: string[];
    witnesses: object[];
  }[];
}

async function json<T>(repository: Repository, ...args: readonly string[]): Promise<T> {
  const { stdout, stderr, code } = await repository.baton(...args, "--json");
  if (code !== 0) throw new Error(`baton ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

async function knowledge<T = Found>(repository: Repository, ...args: readonly string[]): Promise<T> {
  return json<T>(repository, "knowledge", ...args);
}

async function idOf(repository: Repository, ...words: readonly string[]): Promise<string> {
  const { facts } = await knowledge(repository, "search", ...words);
  return facts[0]?.id ?? "none";
}

/** Four tasks, of which one is tried twice; what they teach is the same each time. */
let done: Repository;
beforeAll(async () => {
  done = example("tasks");
  await done.baton("trust", "tasks");
  const ran = await done.baton("run", "tasks", "--tasks", "tasks/*.md", "--quiet");
  if (ran.code !== 0) throw new Error(ran.stderr);
});

describe("an empty repository", () => {
  it("says what to do, and is no failure", async () => {
    const repository = example("pipeline");
    for (const line of ["knowledge search", "knowledge tasks", "knowledge graph", "knowledge rebuild", "journal"]) {
      const { code, stdout, stderr } = await repository.baton(...line.split(" "));
      expect([line, code, stdout]).toEqual([line, 0, ""]);
      expect(stderr.trim()).not.toBe("");
    }
    expect(await json(repository, "journal")).toEqual({ journal: null });
    expect(await repository.baton("context")).toMatchObject({ code: 2, stdout: "" });
  });

  it("names the nearest word for a wrong one", async () => {
    const repository = example("pipeline");
    const wrong = async (line: string): Promise<string> => {
      const { code, stderr, stdout } = await repository.baton(...line.split(" "));
      expect([code, stdout]).toEqual([2, ""]);
      return stderr;
    };
    expect(await wrong("knowledge serch auth")).toContain("Did you mean `baton knowledge search`?");
    expect(await wrong("knowledge search --type patern")).toContain("Did you mean --type pattern?");
    expect(await wrong("knowledge show")).toContain("takes the id of one fact");
    expect(await wrong("knowledge show pattern-001")).toContain("There is no fact pattern-001.");
    expect(await wrong("knowledge show x --into y")).toContain("takes no --into");
    expect(await wrong("knowledge graph nothing")).toContain("Nothing is known under the name nothing.");
    expect(await wrong("knowledge merge pattern-001")).toContain("--into ID");
    expect(await wrong("context --about x --task y")).toContain("--about is for the whole repository");
    expect((await repository.baton("completion", "bash")).stdout).toMatch(
      /knowledge\) words="search show tasks graph /,
    );
  });
});

describe("what a run has taught", () => {
  it("is found by words, kinds, tags, files, tasks and time, with one witness for what was repeated from packets", async () => {
    const { facts } = await knowledge(done, "search", "whole", "cents");
    expect(facts).toMatchObject([{ kind: "pattern", status: "trusted", tags: ["money"] }]);
    expect(facts[0]?.witnesses).toHaveLength(1);
    const texts = async (...args: string[]): Promise<string[]> =>
      (await knowledge(done, "search", ...args)).facts.map(({ text }) => text);
    expect(await texts("--tag", "money")).toEqual(["Amounts are whole cents"]);
    expect(await texts("--type", "gotcha")).toEqual(["A rate that is missing gives NaN, not an error"]);
    expect(await texts("--file", "src/read.mjs")).toEqual(["Amounts are whole cents"]);
    expect(await texts("--task", "task-1", "--since", "1h")).toEqual(["Amounts are whole cents"]);
    expect(await texts("--status", "retired")).toEqual([]);
    expect(await texts("--limit", "1")).toHaveLength(1);
    expect((await done.baton("knowledge", "search", "cents")).stdout).toMatch(/^pattern-001 {2}trusted {2}Amounts/);
  });

  it("tells all tasks that found patterns about something, in one command", async () => {
    const { tasks } = await knowledge<{ tasks: { id: string }[] }>(
      done,
      "tasks",
      "--type",
      "pattern",
      "--tag",
      "money",
    );
    expect(tasks.map(({ id }) => id).sort()).toEqual(["task-1", "task-2", "task-3", "task-4"]);
    const gotchas = await knowledge<{ tasks: { id: string }[] }>(done, "tasks", "--type", "gotcha");
    expect(gotchas.tasks.map(({ id }) => id)).toEqual(["task-2"]);
  });

  it("is drawn around a node, in every format", async () => {
    const drawn = async (...args: string[]): Promise<string> =>
      (await done.baton("knowledge", "graph", ...args)).stdout;
    expect(await drawn("pattern-001")).toMatch(/^graph LR\n {2}n0\["pattern-001#58; Amounts are whole cents"\]/);
    expect(await drawn("task-1", "--format", "dot")).toMatch(/^digraph /);
    expect(await drawn("money", "--format", "graphml")).toMatch(/^<\?xml /);
    const { nodes } = JSON.parse(await drawn("src/read.mjs", "--format", "json")) as { nodes: { id: string }[] };
    expect(nodes.map(({ id }) => id)).toContain("fact:pattern-001");
    expect(await drawn()).toContain("implementer");
  });

  it("stands in the journal, which is the same each time", async () => {
    const { stdout } = await done.baton("journal");
    expect(stdout).toContain("| Progress | 4/4 |");
    expect(stdout).toContain("| read.mjs | src/read.mjs:1-4 | created: Reads a booking from a line | task-1 |");
    expect(stdout).toContain("| A rate that is missing gives NaN, not an error | Look the rate up first");
    expect(stdout).toContain("task-4 is held up by task-2");
    expect((await done.baton("journal")).stdout).toBe(stdout);
    const { journal } = await json<{ journal: { blockers: object[]; runs: object[] } }>(done, "journal");
    expect(journal).toMatchObject({ blockers: [], runs: [{ number: 1, status: "completed" }] });
  });

  it("is given to the next agent, with what is left out and why", async () => {
    const { stdout } = await done.baton("context", "--task", "task-4", "--agent", "implementer");
    expect(stdout).toContain("## From Task task-3: Sum by account");
    expect(stdout).toMatch(
      /\*\*Amounts are whole cents\*\* \(see: src\/\w+\.mjs\) \[task-3, implementer, [0-9a-f]{8}\]/,
    );
    const about = await done.baton("context", "--about", "a missing rate for a currency");
    expect(about.stdout).toContain("⚠️ A rate that is missing gives NaN, not an error");
    const tight = await done.baton("context", "--about", "a missing rate", "--budget", "5");
    expect(tight.stdout).toBe("");
    expect(tight.stderr).toMatch(/^left out: gotcha-001, Warnings: .* \(there was no room\)$/m);
    const told = await json<{ left_out: { why: string }[]; given: boolean }>(done, "context", "--task", "task-4");
    expect(told).toMatchObject({ given: true, budget: 4000, complexity: "normal", task: "task-4" });
    expect(await done.baton("context", "--task", "task-9")).toMatchObject({ code: 2 });
  });
});

describe("what a person changes", () => {
  it("a fact whose citation has changed is not passed on until a person confirms it", async () => {
    const repository = copyOf(done);
    const id = await idOf(repository, "missing", "rate");
    const about = ["context", "--about", "a missing rate"] as const;
    expect((await repository.baton("knowledge", "show", id)).stdout).toContain("test/convert.test.mjs  (unchanged)");
    writeFileSync(join(repository.folder, "test/convert.test.mjs"), "// nothing of it is left\n");
    expect((await repository.baton("knowledge", "show", id)).stdout).toContain("(changed since: not passed on");
    const left = await repository.baton(...about);
    expect(left.stdout).not.toContain("NaN");
    expect(left.stderr).toContain("(what it cites has changed since)");

    expect(await repository.baton("knowledge", "confirm", id, "--why", "still so")).toMatchObject({ code: 0 });
    expect((await repository.baton(...about)).stdout).toContain("NaN");
    const { stdout } = await repository.baton("knowledge", "show", id);
    expect(stdout).toMatch(new RegExp(`history .* confirm by ${ACCOUNT}: still so`));

    await repository.baton("knowledge", "retire", id);
    expect((await repository.baton(...about)).stdout).not.toContain("NaN");
    await repository.baton("knowledge", "promote", id);
    expect((await repository.baton(...about)).stdout).toContain("NaN");
  });

  it("says of every change what was before and what is now", async () => {
    const repository = copyOf(done);
    const [id, other] = [await idOf(repository, "missing", "rate"), await idOf(repository, "cents")];
    const told = async (...args: readonly string[]): Promise<string> =>
      (await repository.baton("knowledge", ...args)).stderr;
    expect(await told("retire", id)).toMatch(new RegExp(`^${id}: .+\\n {4}status {4}trusted -> retired\\n$`));
    expect(await told("retire", id)).toMatch(
      /\n {4}it was retired before: nothing has changed, but its history has this\n$/,
    );
    expect(await knowledge(repository, "promote", id)).toMatchObject({
      fact: { id, status: "trusted" },
      changes: [{ id, what: "status", before: "retired", after: "trusted" }],
    });
    writeFileSync(join(repository.folder, "test/convert.test.mjs"), "// nothing of it is left\n");
    expect(await told("confirm", id)).toMatch(
      /\n {4}citation {2}\S+, as it stands now\nWhat it cited is changed since; it cites/,
    );
    expect(await knowledge(repository, "confirm", id)).toMatchObject({ changes: [], found: { is: "unchanged" } });
    expect(await told("edit", id, "--severity", "low", "--tag", "Money")).toMatch(
      /severity +high -> low\n +tags +.+ -> money/,
    );
    expect(await knowledge(repository, "merge", id, "--into", other)).toMatchObject({
      fact: { id: other },
      changes: expect.arrayContaining([
        { id, what: "status", before: "trusted", after: "retired" },
        { id, what: "merged_into", before: null, after: other },
        { id: other, what: "witnesses", before: 1, after: 2 },
      ]),
    });
  });

  it("says how many there are when none of them fits", async () => {
    const repository = copyOf(done);
    const { facts } = await knowledge(repository, "search");
    const known = `${facts.length} facts are known`;
    for (const [args, says] of [
      [["--tag", "nope", "--type", "gotcha"], `No fact fits --tag nope --type gotcha. ${known}.\n`],
      [["zzz"], `No fact has these words. ${known}.\n`],
      [["zzz", "--status", "trusted"], `No fact has these words and fits --status trusted. ${known}.\n`],
    ] as const)
      expect(await repository.baton("knowledge", "search", ...args)).toEqual({ code: 0, stdout: "", stderr: says });
    await repository.baton("knowledge", "retire", facts[0]?.id ?? "");
    expect((await repository.baton("knowledge", "search", "--tag", "nope")).stderr).toBe(
      `No fact fits --tag nope. ${facts.length - 1} facts are known; what was retired is found with --status retired.\n`,
    );
    expect((await example("pipeline").baton("knowledge", "search", "--tag", "x")).stderr).toMatch(
      /^There are no facts yet\./,
    );
  });

  it("decides between two facts that contradict each other", async () => {
    const repository = example("pipeline");
    const node = (id: string, summary: string): object => ({
      id,
      type: "pattern",
      tags: ["cache"],
      summary,
      created: "2026-01-01",
    });
    const nodes = [node("pattern-1", "Flush the cache by hand"), node("pattern-2", "Never flush the cache by hand")];
    writeFileSync(join(repository.folder, "graph.json"), JSON.stringify({ version: 1, nodes, tag_index: {} }));
    await repository.baton("knowledge", "import", "graph.json");
    for (const id of ["pattern-1", "pattern-2"]) await repository.baton("knowledge", "promote", id);
    expect((await repository.baton("knowledge", "show", "pattern-1")).stdout).toContain("pattern-2 (trusted): Never");
    const about = ["context", "--about", "flush the cache"] as const;
    expect((await repository.baton(...about)).stderr).toContain("(something else says the opposite)");
    await repository.baton("knowledge", "retire", "pattern-2");
    expect((await repository.baton(...about)).stdout).toContain("**Flush the cache by hand**");
  });

  it("is edited and merged, with its history", async () => {
    const repository = copyOf(done);
    const [gotcha, pattern] = [await idOf(repository, "missing", "rate"), await idOf(repository, "cents")];
    const fields = ["--text", "Rates may\nbe missing", "--severity", "low", "--tag", "Money", "--detail", ""];
    expect(await repository.baton("knowledge", "edit", gotcha, ...fields)).toMatchObject({ code: 0 });
    const { fact, history } = await knowledge<{ fact: object; history: object[] }>(repository, "show", gotcha);
    expect(fact).toMatchObject({ text: "Rates may be missing", severity: "low", tags: ["money"], detail: null });
    expect(history.at(-1)).toMatchObject({ what: "edit", by: ACCOUNT, before: { severity: "high" } });
    expect(await repository.baton("knowledge", "edit", gotcha)).toMatchObject({ code: 2 });
    expect(await repository.baton("knowledge", "merge", gotcha, "--into", pattern)).toMatchObject({ code: 0 });
    expect(await knowledge(repository, "show", gotcha)).toMatchObject({ fact: { status: "retired" } });
    expect(await repository.baton("knowledge", "promote", gotcha)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`change ${pattern}`),
    });
  });

  it("stays as it is when everything is learned again, and is learned from the log when it was lost", async () => {
    const repository = copyOf(done);
    const before = (await repository.baton("knowledge", "search", "--json")).stdout;
    expect(await knowledge(repository, "rebuild")).toMatchObject({ runs: 1, handoffs: 5, sayings: 7, pruned: [] });
    expect((await repository.baton("knowledge", "search", "--json")).stdout).toBe(before);
    for (const end of ["", "-wal", "-shm"])
      rmSync(join(repository.folder, `.git/baton/knowledge.db${end}`), { force: true });
    expect((await knowledge(repository, "search")).facts).toEqual([]);
    await knowledge(repository, "rebuild");
    const again = await knowledge(repository, "search");
    const brief = ({ facts }: Found): string[] => facts.map(({ id, text, status }) => `${id} ${status} ${text}`).sort();
    expect(brief(again)).toEqual(brief(JSON.parse(before) as Found));
    // What stood there when it was cited is not known any more.
    const { stdout } = await repository.baton("knowledge", "show", again.facts[0]?.id ?? "");
    expect(stdout).toContain("(changed since: not passed on until a person confirms it)");
  });
});

it("what a pruned run has taught stays known, and cannot be learned again", async () => {
  const repository = copyOf(done);
  await repository.baton("prune", "--days", "0");
  expect((await knowledge(repository, "search", "cents")).facts).toHaveLength(1);
  const rebuilt = await knowledge<{ runs: number; pruned: string[] }>(repository, "rebuild");
  expect([rebuilt.runs, rebuilt.pruned.length]).toEqual([0, 1]);
  const { run } = (JSON.parse((await repository.baton("status", "--json")).stdout) as { runs: { run: string }[] })
    .runs[0] ?? { run: "" };
  for (const command of [["journal"], ["context"], ["status", run], ["log"], ["replay"], ["report", run]])
    expect(await repository.baton(...command)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("was pruned"),
    });
  // The hashes are still there.
  const [entry = ""] = (await repository.baton("log", "--json")).stdout.split("\n");
  expect(JSON.parse(entry)).toMatchObject({ sequence: 1, data: null });
});

describe("knowledge_graph.json", () => {
  it("is written, never over another file, and read elsewhere: quarantined, with the file as its witness", async () => {
    const [from, to] = [copyOf(done), example("pipeline")];
    const path = join(from.folder, "knowledge_graph.json");
    expect(await from.baton("knowledge", "export", "knowledge_graph.json")).toMatchObject({ code: 0, stdout: "" });
    expect(await from.baton("knowledge", "export", "knowledge_graph.json")).toMatchObject({ code: 2 });
    const text = readFileSync(path, "utf8");
    expect((await from.baton("knowledge", "export")).stdout).toBe(text);
    expect(JSON.parse(text)).toMatchObject({ version: 1, tag_index: { money: ["pattern-001"] } });

    writeFileSync(join(to.folder, "graph.json"), text);
    expect(await to.baton("knowledge", "import", "graph.json")).toMatchObject({ code: 0, stdout: "" });
    const { facts } = await knowledge(to, "search", "whole", "cents");
    expect(facts).toMatchObject([{ status: "quarantined", witnesses: [{ agent: "graph.json" }] }]);
    const known = (await to.baton("knowledge", "search", "--json")).stdout;
    await to.baton("knowledge", "import", "graph.json");
    expect((await to.baton("knowledge", "search", "--json")).stdout).toBe(known);
    const about = await to.baton("context", "--about", "whole cents, money");
    expect(about.stdout).not.toContain("Amounts");
    expect(about.stderr).toContain("(nobody has proven it)");
    await to.baton("knowledge", "promote", facts[0]?.id ?? "");
    expect((await to.baton("context", "--about", "whole cents, money")).stdout).toContain("Amounts are whole cents");
  });

  it("of our own changes nothing here, and is the same when it comes from where it was taken", async () => {
    const [from, to] = [copyOf(done), example("pipeline")];
    await from.baton("knowledge", "export", "graph.json");
    const text = readFileSync(join(from.folder, "graph.json"), "utf8");
    const all = async (): Promise<string[]> =>
      Promise.all(
        [["search"], ["tasks"]].map(async (what) => (await from.baton("knowledge", ...what, "--json")).stdout),
      );
    const before = await all();
    const { stderr } = await from.baton("knowledge", "import", "graph.json");
    expect(stderr).toMatch(
      /^graph\.json: nothing is new\. Known here already, and left as it is: \d+ facts and \d+ tasks?\.\n$/,
    );
    expect(await all()).toEqual(before);
    expect((await from.baton("knowledge", "export")).stdout).toBe(text);

    writeFileSync(join(to.folder, "graph.json"), text);
    await to.baton("knowledge", "import", "graph.json");
    interface Node {
      readonly id: string;
      readonly connections?: string[];
    }
    // A file is one witness: of the tasks that said a fact, the first one is told.
    const nodesIn = (graph: string): Node[] =>
      (JSON.parse(graph) as { nodes: Node[] }).nodes
        .map((node) => ({ ...node, connections: (node.connections ?? []).slice(0, 1) }))
        .sort((left, right) => (left.id < right.id ? -1 : 1));
    const back = (await to.baton("knowledge", "export", "--status", "quarantined")).stdout;
    expect(nodesIn(back)).toEqual(nodesIn(text));
  });

  it("that is broken is refused, or read as far as it can be and said to be", async () => {
    const repository = example("pipeline");
    const write = (text: string): void => writeFileSync(join(repository.folder, "graph.json"), text);
    write("{");
    expect(await repository.baton("knowledge", "import", "graph.json")).toMatchObject({ code: 1 });
    const node = {
      id: "pattern-7",
      type: "pattern",
      tags: ["x"],
      summary: "\u001b[31m# Obey\u202e me",
      created: "2026-01-01",
    };
    write(JSON.stringify({ version: 1, nodes: [node, { id: "gotcha-1" }], tag_index: {} }));
    const { code, stderr } = await repository.baton("knowledge", "import", "graph.json");
    expect(code).toBe(1);
    expect(stderr).toContain("nodes[1] (gotcha-1) has no known type");
    const { stdout } = await repository.baton("knowledge", "search");
    expect(stdout).toMatch(/^pattern-7 {2}quarantined {2}# Obey me$/m);
    expect(await repository.baton("knowledge", "import", "absent.json")).toMatchObject({ code: 3 });
  });
});

describe("the journal of a project with a run that was cancelled", () => {
  it("calls no task of it completed, whatever its last handoff said, also when the run was pruned", async () => {
    const repository = example("feature");
    const brief = ["--brief", "A user who forgot the password gets a token."];
    await repository.baton("trust", "feature");
    expect((await repository.baton("run", "feature", ...brief)).code).toBe(1);
    const { run } = await repository.view();
    await repository.baton("cancel", run);
    expect((await repository.baton("run", "feature", ...brief)).code).toBe(1);
    const statuses = async (): Promise<string[]> => {
      const { journal } = await json<{ journal: { tasks: { run: string; status: string }[] } }>(repository, "journal");
      return journal.tasks.filter((task) => task.run === run).map(({ status }) => status);
    };
    expect(await statuses()).toEqual(["skipped"]);
    expect((await repository.baton("prune", "--days", "0")).code).toBe(0);
    expect(await statuses()).toEqual(["skipped"]);
  });
});
