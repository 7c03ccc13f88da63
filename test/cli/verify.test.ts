import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReport } from "../../src/evidence/reports/read-report.ts";
import { type Run, baton, workroom } from "./run-baton.ts";

const room = workroom();

function git(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A repository with a commit on main, and on the branch `work` one more that adds and changes a file. */
function repository(): string {
  const folder = room({
    "package.json": '{"name":"shop","type":"module"}\n',
    "src/old.js": "export const old = 1;\n",
    "cart.test.js": 'import test from "node:test";\ntest("adds", () => {});\ntest("removes", () => {});\n',
  });
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "feat: begin");
  git(folder, "switch", "-qc", "work");
  put(folder, "src/new.js", "export const fresh = 1;\n");
  appendFileSync(join(folder, "src/old.js"), "export const more = 2;\n");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "feat: add more");
  return folder;
}

interface Claims {
  readonly modified?: readonly string[];
  readonly results?: Readonly<Record<string, unknown>>;
}

function handoff({ modified = ["src/new.js", "src/old.js"], results = {} }: Claims = {}): string {
  const document = {
    agent: "frontend-developer",
    output_type: "implementation",
    timestamp: "2026-03-09T14:05:00Z",
    feature_directory: "src",
    skills_invoked: [],
    library_skills_read: [],
    source_files_verified: [],
    status: "complete",
    phase: "implementation",
    summary: "Built the cart with 2 parts and wired it to the total in src/old.js",
    files_modified: modified,
    artifacts: [],
    verification: { tests_passed: true, ...results },
    handoff: { next_phase: "testing", next_agent: "tester", context: "See src/new.js.", blockers: [] },
  };
  return `# Output\n\n\`\`\`json\n${JSON.stringify(document, null, 2)}\n\`\`\`\n`;
}

interface JsonClaim {
  readonly kind: string;
  readonly says: string;
  readonly verdict: string;
  readonly refused: boolean;
  readonly evidence: string;
  readonly range: { readonly start: { readonly line: number } };
}

interface Json {
  readonly base: string;
  readonly files: readonly { readonly path: string; readonly handoffs: readonly { readonly claims: JsonClaim[] }[] }[];
  readonly gates: readonly Record<string, unknown>[];
  readonly summary: Readonly<Record<string, number>>;
}

async function verify(folder: string, ...args: string[]): Promise<Json & { readonly code: number | null }> {
  const run = await baton(["verify", ...args, "--json"], { cwd: folder });
  expect(run.stdout, run.stderr).not.toBe("");
  return { ...(JSON.parse(run.stdout) as Json), code: run.code };
}

function claimsIn({ files }: Json): JsonClaim[] {
  return files.flatMap(({ handoffs }) => handoffs.flatMap(({ claims }) => claims));
}

function claimOf(json: Json, kind: string, words = ""): JsonClaim {
  const found = claimsIn(json).find((claim) => claim.kind === kind && claim.says.includes(words));
  if (found === undefined) throw new Error(`no claim ${kind} ${words} in ${JSON.stringify(claimsIn(json))}`);
  return found;
}

describe("claims about files", () => {
  it("that are true are confirmed, and nothing is left behind", async () => {
    const folder = repository();
    put(folder, "out/done.md", handoff());
    const temporary = room({ "keep.txt": "" });
    const run = await baton(["verify", "out/done.md"], { cwd: folder, env: { TMPDIR: temporary } });
    expect(run.code, run.stdout).toBe(0);
    expect(run.stdout).toContain("compared with commit");
    expect(run.stdout).toMatch(/^\d+ claims of 1 handoff: \d+ unverifiable, [1-9]\d* confirmed$/m);
    expect(run.stdout).not.toContain("refuted");
    expect(git(folder, "status", "--porcelain")).toBe("?? out/");
    expect(existsSync(join(folder, ".baton"))).toBe(false);
    expect(readdirSync(temporary).filter((name) => name.startsWith("baton"))).toEqual([]);
  });

  it("that are false are refuted first, with the evidence and their place", async () => {
    const folder = repository();
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "src/gone.js"] }));
    const run = await baton(["verify", "done.md"], { cwd: folder });
    expect(run.code).toBe(1);
    const lines = run.stdout.split("\n");
    const line = handoff({ modified: ["src/new.js", "src/old.js", "src/gone.js"] })
      .split("\n")
      .findIndex((text) => text.includes("src/gone.js"));
    expect(lines[3]).toContain(`✗ done.md:${line + 1}  file: The file src/gone.js`);
    expect(lines[4]).toContain("no such file");
    expect(run.stdout.indexOf("refuted (")).toBeLessThan(run.stdout.indexOf("unverifiable ("));
    expect(run.stdout.indexOf("unverifiable (")).toBeLessThan(run.stdout.indexOf("confirmed ("));
  });

  it("are counted from where the branch began, from the last commit, or from its parent, and that is said", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    expect((await verify(folder, "done.md")).base).toContain("where the branch left main");
    git(folder, "switch", "-q", "main");
    git(folder, "merge", "-q", "--ff-only", "work");
    put(folder, "src/later.js", "export {};\n");
    expect((await verify(folder, "done.md")).base).toContain("not committed");
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "feat: later");
    const committed = await verify(folder, "done.md");
    expect(committed.base).toContain("everything is committed");
    expect(claimOf(committed, "file", "src/new.js").verdict).toBe("refuted");
    const named = await verify(folder, "done.md", "--base", "HEAD~2");
    expect(named.base).toContain("HEAD~2, as you said");
    expect(claimOf(named, "file", "src/new.js").verdict).toBe("confirmed");
  });

  it.each(["--upload-pack=touch pwned", "-h", "nothing", "HEAD:src/old.js", "main..work"])(
    "are not counted from %s, which is no commit",
    async (base) => {
      const folder = repository();
      put(folder, "done.md", handoff());
      const run = await baton(["verify", "done.md", `--base=${base}`], { cwd: folder });
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("There is no commit");
      expect(readdirSync(folder)).not.toContain("pwned");
    },
  );

  it("need not list the handoff itself; other changes are told, and refused by --strict", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    expect(claimOf(await verify(folder, "done.md"), "undeclared").verdict).toBe("confirmed");
    put(folder, "secret.js", "export {};\n");
    const told = await verify(folder, "done.md");
    expect(claimOf(told, "undeclared")).toMatchObject({ verdict: "refuted", refused: false });
    expect(claimOf(told, "undeclared").evidence).toContain("secret.js");
    expect(told.code).toBe(0);
    const strict = await verify(folder, "done.md", "--strict");
    expect(claimOf(strict, "undeclared").refused).toBe(true);
    expect(strict.code).toBe(1);
  });

  it("of several handoffs need not list what another one lists", async () => {
    const folder = repository();
    put(folder, "one.md", handoff({ modified: ["src/new.js"] }));
    put(folder, "two.md", handoff({ modified: ["src/old.js"] }));
    const together = await verify(folder, "one.md", "two.md");
    expect(claimsIn(together).filter(({ kind }) => kind === "undeclared")).toMatchObject([
      { verdict: "confirmed" },
      { verdict: "confirmed" },
    ]);
    expect(together.summary["handoffs"]).toBe(2);
  });

  it("are judged from standard input and from below the root as well", async () => {
    const folder = repository();
    const run = await baton(["verify", "-", "--json"], { cwd: join(folder, "src"), input: handoff() });
    expect(run.code).toBe(0);
    expect(claimOf(JSON.parse(run.stdout) as Json, "file", "src/new.js").verdict).toBe("confirmed");
  });

  it("are readable when there are 1,000 of them", async () => {
    const folder = repository();
    const names = Array.from({ length: 1000 }, (_, at) => `src/made-${at}.js`);
    for (const name of names.slice(0, 600)) put(folder, name, "export {};\n");
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", ...names] }));
    const short = await baton(["verify", "done.md"], { cwd: folder });
    expect(short.stdout).toContain("refuted (400)");
    expect(short.stdout).toContain("and 350 more; --all lists them");
    expect(short.stdout.split("\n").length).toBeLessThan(180);
    const all = await baton(["verify", "done.md", "--all"], { cwd: folder });
    for (const name of names) expect(all.stdout).toContain(`The file ${name} `);
  });
});

describe("what cannot be verified", () => {
  it("is a handoff that is not valid: it is told as baton validate tells it", async () => {
    const folder = repository();
    put(folder, "done.md", handoff().replace('"status": "complete"', '"status": "fabulous"'));
    const run = await baton(["verify", "done.md"], { cwd: folder });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("fabulous");
    expect(run.stdout).toContain("1 file not valid, so not verified");
  });

  it("is anything outside of a repository, or without git", async () => {
    const folder = room({ "done.md": handoff() });
    const outside = await baton(["verify", "done.md"], { cwd: folder });
    expect(outside).toMatchObject({ code: 3, stdout: "" });
    expect(outside.stderr).toContain("There is no git repository");
    const inside = repository();
    put(inside, "done.md", handoff());
    const without = await baton(["verify", "done.md"], { cwd: inside, env: { PATH: join(inside, "src") } });
    expect(without).toMatchObject({ code: 3, stdout: "" });
    expect(without.stderr).toContain("git was not found");
  });

  it("is a folder without any handoff: that is no green check", async () => {
    const folder = repository();
    put(folder, "docs/notes.md", "# Notes\n");
    const run = await baton(["verify", "docs"], { cwd: folder });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("no handoff");
  });
});

describe("the formats", () => {
  const FALSE = { modified: ["src/new.js", "src/old.js", "src/gone.js"] };

  async function formatted(format: string): Promise<Run & { readonly line: number }> {
    const folder = repository();
    put(folder, "done.md", handoff(FALSE));
    const line =
      handoff(FALSE)
        .split("\n")
        .findIndex((text) => text.includes("src/gone.js")) + 1;
    return { ...(await baton(["verify", "done.md", "--format", format], { cwd: folder })), line };
  }

  it("json has a stable shape", async () => {
    const run = await formatted("json");
    const json = JSON.parse(run.stdout) as Json;
    expect(Object.keys(json)).toEqual(["base", "files", "gates", "summary"]);
    expect(Object.keys(json.files[0]!)).toEqual(["path", "dialect", "valid", "diagnostics", "handoffs"]);
    expect(Object.keys(json.files[0]!.handoffs[0]!)).toEqual(["from", "claims"]);
    expect(Object.keys(claimsIn(json)[0]!)).toEqual([
      "kind",
      "where",
      "says",
      "verdict",
      "refused",
      "procedure",
      "evidence",
      "range",
    ]);
    expect(Object.keys(json.summary)).toEqual([
      "handoffs",
      "claims",
      "confirmed",
      "refuted",
      "refused",
      "unverifiable",
      "invalid",
    ]);
    expect(claimOf(json, "file", "gone").range.start.line).toBe(run.line);
  });

  it("github annotates the line that says it", async () => {
    const run = await formatted("github");
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(new RegExp(`^::error file=done.md,line=${run.line},.*title=claim/file`, "m"));
  });

  it("sarif points at it", async () => {
    const run = await formatted("sarif");
    const [sarif] = (JSON.parse(run.stdout) as { runs: { results: Record<string, unknown>[] }[] }).runs;
    const result = sarif?.results.find((each) => each["ruleId"] === "claim/file");
    expect(result).toMatchObject({
      level: "error",
      locations: [{ physicalLocation: { artifactLocation: { uri: "done.md" }, region: { startLine: run.line } } }],
    });
  });

  it("junit has a case for each claim, and can be read as a report", async () => {
    const junit = await formatted("junit");
    const { summary } = JSON.parse((await formatted("json")).stdout) as Json;
    expect(readReport(junit.stdout, "verify.xml")).toMatchObject({
      problem: null,
      tests: { passed: summary["confirmed"], failed: summary["refused"] },
    });
  });

  it.each(["pretty", "json", "github", "sarif", "junit"])("%s obeys nothing that an agent wrote", async (format) => {
    const folder = repository();
    const evil = ["::error::pwned", "a\u001b[31mb", "\u202eevil", "##[error]x", "<script>", "a\n::warning::b"];
    put(folder, "done.md", handoff({ modified: evil.map((text) => `src/${text}`) }));
    const run = await baton(["verify", "done.md", "--all", "--format", format], { cwd: folder });
    expect(run.code).toBe(1);
    expect(run.stdout).not.toMatch(/^\s*::(?:warning|error)::/m);
    expect(run.stdout).not.toMatch(/[\u001b\u202e]/);
    if (format !== "github") expect(run.stdout).not.toContain("##[");
    if (format === "junit") expect(readReport(run.stdout, "a.xml").problem).toBeNull();
    else expect(run.stdout).toContain("pwned");
  });
});

const TESTS = "test=node --test --test-reporter=junit --test-reporter-destination=out.xml";

describe("gates", () => {
  it("are not run unless they are asked for, and it is said how", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const run = await baton(["verify", "done.md", "--json"], { cwd: folder });
    expect(claimOf(JSON.parse(run.stdout) as Json, "test").verdict).toBe("unverifiable");
    expect(run.stderr).toContain("--run-gates --gate");
  });

  it("confirm what they show, in a copy that leaves no trace", async () => {
    const folder = repository();
    put(folder, "done.md", handoff({ results: { lint_passed: true } }));
    const lint = "lint=sh -c 'echo changed > src/old.js && echo x > made.txt && ls'";
    const json = await verify(folder, "done.md", "--run-gates", "--gate", TESTS, "--gate", lint, "--report", "out.xml");
    expect(json.gates).toMatchObject([
      { name: "test", passed: true, tests: { passed: 2, failed: 0, skipped: 0 }, reports: ["out.xml (JUnit XML)"] },
      { name: "lint", passed: true },
    ]);
    expect(claimOf(json, "test").verdict).toBe("confirmed");
    expect(claimOf(json, "check", "lint").verdict).toBe("confirmed");
    expect(json.code).toBe(0);
    expect(readFileSync(join(folder, "src/old.js"), "utf8")).toContain("more");
    expect(readdirSync(folder)).not.toContain("made.txt");
    expect(readdirSync(folder)).not.toContain("out.xml");
  });

  it("refute what they do not show: the tests fail on the files as they are", async () => {
    const folder = repository();
    appendFileSync(join(folder, "cart.test.js"), 'test("fails", () => { throw new Error("no"); });\n');
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "cart.test.js"] }));
    const json = await verify(folder, "done.md", "--run-gates", "--gate", TESTS, "--report", "test=out.xml");
    expect(json.gates).toMatchObject([{ passed: false, tests: { passed: 2, failed: 1 } }]);
    expect(claimOf(json, "test")).toMatchObject({ verdict: "refuted", refused: true });
    expect(json.code).toBe(1);
  });

  it("that cannot start have shown nothing", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const json = await verify(folder, "done.md", "--run-gates", "--gate", "test=no-such-program-anywhere");
    expect(json.gates).toMatchObject([{ passed: false, tests: null }]);
    expect(claimOf(json, "test").verdict).toBe("unverifiable");
  });

  it("find the modules of the workspace, which git ignores", async () => {
    const folder = repository();
    put(folder, ".git/info/exclude", "node_modules\n");
    put(folder, "node_modules/left/index.js", "export const left = 1;\n");
    put(folder, "node_modules/left/package.json", '{"type":"module","main":"index.js"}');
    put(folder, "done.md", handoff());
    const gate = "test=node --input-type=module -e 'import \"left\"'";
    expect((await verify(folder, "done.md", "--run-gates", "--gate", gate)).gates).toMatchObject([{ passed: true }]);
  });

  it("whose report leads out of the copy, or is none, give no figures", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const gate = "test=sh -c 'echo All 42 tests passed > out.txt'";
    const reports = ["out.txt", "../../out.xml", "/etc/passwd", "missing.xml"].flatMap((path) => ["--report", path]);
    const json = await verify(folder, "done.md", "--run-gates", "--gate", gate, ...reports);
    expect(json.gates[0]).toMatchObject({ passed: true, tests: null, reports: [] });
    expect(json.gates[0]?.["problems"]).toHaveLength(4);
  });

  it("come from a workflow only when it is trusted, with its policy", async () => {
    const folder = repository();
    const workflow = `baton: 1
name: shop
start: frontend-developer
agents:
  frontend-developer:
    run: { process: [node, agent.mjs] }
    dialect: output-json
    verify: { file: warn }
    routes: { done: end }
gates:
  test: { command: [node, --test, --test-reporter=tap, --test-reporter-destination=out.tap], reports: [out.tap] }
`;
    put(folder, "baton.yaml", workflow);
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "src/gone.js", "baton.yaml"] }));
    const env = { XDG_CONFIG_HOME: room({}) };
    const args = ["verify", "done.md", "--run-gates", "--workflow", "baton.yaml", "--json"];
    const refused = await baton(args, { cwd: folder, env });
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("is not trusted yet");
    const hash = /--trust ([0-9a-f]{64})/.exec(refused.stderr)?.[1] ?? "";
    const run = await baton([...args, "--trust", hash], { cwd: folder, env });
    const json = JSON.parse(run.stdout) as Json;
    expect(json.gates).toMatchObject([{ name: "test", passed: true, tests: { passed: 2 } }]);
    expect(claimOf(json, "file", "gone")).toMatchObject({ verdict: "refuted", refused: false });
    expect(run.code).toBe(0);
    const untrusted = await baton(["verify", "done.md", "--workflow", "baton.yaml"], { cwd: folder, env });
    expect(untrusted.code).toBe(1);
  });

  it.each([
    [["--gate", "test=npm test"], "--run-gates runs, and it is missing"],
    [["--run-gates"], "--run-gates needs gates"],
    [["--run-gates", "--gate", "test=npm test && rm -rf /"], "& has a meaning for shells only"],
    [["--run-gates", "--gate", "test=echo $HOME"], "$ has a meaning for shells only"],
    [["--run-gates", "--gate", "test=echo 'a"], "' is not closed"],
    [["--run-gates", "--gate", "test="], "it is empty"],
    [["--run-gates", "--gate", "../x=true"], "letters, digits and -"],
    [["--run-gates", "--gate", "test"], "No gate is called test"],
    [["--run-gates", "--gate", "unit=true", "--gate", "e2e=true", "--report", "a.xml"], "Which gate writes a.xml?"],
  ])("%j is wrong usage", async (args, says) => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const run = await baton(["verify", "done.md", ...args], { cwd: folder });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  });
});
