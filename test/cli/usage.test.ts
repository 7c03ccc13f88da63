import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { type Run, baton } from "./run-baton.ts";

/** In this process, for the many lines that differ only in their words; the door itself is tested beside it. */
async function here(args: readonly string[]): Promise<Run> {
  const said = { out: "", note: "" };
  const code = await runCli(args, {
    out: (text) => (said.out += text),
    note: (text) => (said.note += text),
    stdin: () => new Uint8Array(),
    colour: { out: false, notes: false },
    columns: 100,
    room: { out: Infinity, notes: Infinity },
    version: "0.0.0",
    directory: process.cwd(),
    configFolder: "/nonexistent",
    isInteractive: () => false,
    canRedraw: () => false,
    hasScreen: () => false,
    ask: () => Promise.resolve(""),
    askKey: () => Promise.resolve(""),
    openEngine: () => Promise.reject(new Error("no engine is needed to be told of wrong usage")),
    openExisting: () => Promise.reject(new Error("no engine is needed to be told of wrong usage")),
    whereState: () => Promise.reject(new Error("no state is needed to be told of wrong usage")),
    findAdoptable: () => Promise.reject(new Error("no state is needed to be told of wrong usage")),
    moveState: () => Promise.reject(new Error("no state is needed to be told of wrong usage")),
    knownKeys: () => Promise.resolve([]),
    openServer: () => Promise.reject(new Error("nothing is served to be told of wrong usage")),
    prepareStore: () => Promise.reject(new Error("no store is needed to be told of wrong usage")),
    openWorker: () => Promise.reject(new Error("no worker is needed to be told of wrong usage")),
    serveMcp: () => Promise.reject(new Error("no client is served to be told of wrong usage")),
    openDemo: () => Promise.reject(new Error("no demo is needed to be told of wrong usage")),
    openBrowser: () => undefined,
    repositoryInfo: () => Promise.reject(new Error("nothing is looked at to be told of wrong usage")),
    gateMachine: () => Promise.reject(new Error("nothing is looked at to be told of wrong usage")),
    openInspection: () => Promise.reject(new Error("nothing is looked at to be told of wrong usage")),
    outliveReaders: () => undefined,
    interruption: () => new AbortController().signal,
    detach: () => 0,
    requestSource: () => Promise.resolve({ account: "ada", attempt: null }),
    doctorMachine: () => Promise.reject(new Error("nothing is looked at to be told of wrong usage")),
    hookMachine: () => Promise.reject(new Error("no hook is needed to be told of wrong usage")),
    searchPath: "",
    summaryFile: null,
  });
  return { code, stdout: said.out, stderr: said.note };
}

/** They print JSON anyway, or what only a shell or a client reads. */
const WITHOUT_JSON = ["schema", "hook", "mcp", "completion"];

it.each(Object.keys(COMMANDS).filter((name) => !WITHOUT_JSON.includes(name)))(
  "%s speaks JSON to programs",
  async (name) => {
    const { command } = await COMMANDS[name as keyof typeof COMMANDS]();
    expect(Object.keys(command.options)).toContain("json");
  },
);

describe("wrong usage", () => {
  it.concurrent.for([
    { line: "", says: "Usage: baton COMMAND" },
    { line: "validat x.md", says: "Did you mean `baton validate`?" },
    { line: "validate", says: "Name a file" },
    { line: "validate --strct x.md", says: "Did you mean --strict?" },
    { line: "schema morse", says: 'There is no dialect "morse".' },
    { line: "explain constructor", says: 'There is no code or rule "constructor".' },
  ])("of baton $line ends the process with 2 and says what is wrong", async ({ line, says }) => {
    const run = await baton(line === "" ? [] : line.split(" "));
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  });

  it.each([
    { line: "constructor", says: 'There is no command "constructor".' },
    { line: "validate --toString x.md", says: "There is no option --toString." },
    { line: "run --breif x", says: "Did you mean --brief?" },
    { line: "run --tasks tasks/task-1.md tasks/task-2.md", says: "Quote the pattern" },
    { line: "run --tasks a.md b.md c.md", says: "Quote the pattern" },
    { line: "run a.yaml b.yaml", says: "Name one workflow only." },
    { line: "cancel a1 b2", says: "Name one run only." },
    { line: "cancel a1 too slow", says: "To add a reason: --reason" },
    { line: "retry a1 b2", says: "To add a note: --note" },
    { line: "log a1 b2", says: "Name one run only." },
    { line: "replay a1 b2", says: "Name one run only." },
    { line: "chekc", says: "Did you mean `baton check`?" },
    { line: "validate -s x.md", says: "There is no option -s." },
    { line: "validate x.md --format", says: "--format needs a value" },
    { line: "validate x.md --format yaml", says: "--format is one of pretty, json" },
    { line: "validate x.md --strict=yes", says: "--strict takes no value." },
    { line: "validate x.md --max-warnings few", says: "--max-warnings is a whole number" },
    { line: "validate x.md --max-bytes 1e6", says: "--max-bytes is a whole number" },
    { line: "validate x.md --dialect morse", says: 'There is no dialect "morse"' },
    { line: "read", says: "Name a file" },
    { line: "read a.md b.md", says: "One file at a time" },
    { line: "convert x.md", says: "--to is missing" },
    { line: "convert x.md --to task-yaml --set colour=red", says: "--set takes NAME=VALUE" },
    { line: "fix", says: "Name a file" },
    { line: "migrate - --write", says: "--write needs a file" },
    { line: "explain 000-R99", says: 'There is no code or rule "000-R99".' },
    { line: "explain missing-feild", says: "Did you mean missing-field?" },
    { line: "explain 000-R01 000-R02", says: "Name one code or rule only." },
    { line: "schema", says: "The dialect is missing: one of pipeline-json," },
    { line: "schema hadnoff", says: "-json, handoff, workflow, http." },
    { line: "schema handoff --modeline x.json", says: "--modeline is for a dialect" },
    { line: "schema task-yaml phase-yaml", says: "One dialect at a time" },
    { line: "instructions toString", says: 'There is no dialect "toString".' },
    { line: "instructions task-yaml phase-yaml", says: "One dialect at a time" },
    { line: "completion tcsh", says: "Name the shell: bash, zsh, fish." },
    { line: "help validat", says: "Did you mean `baton validate`?" },
  ])("of baton $line is told", async ({ line, says }) => {
    const run = await here(line.split(" "));
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(says);
  });
});

describe("the version", () => {
  it.each(["version", "--version", "-V", "-v"])("is told for %s", async (spelling) => {
    expect(await here([spelling])).toEqual({ code: 0, stdout: "0.0.0\n", stderr: "" });
  });
});

describe("help", () => {
  it("lists every command", async () => {
    const run = await baton(["help"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    for (const name of Object.keys(COMMANDS)) expect(run.stdout).toContain(`\n  ${name} `);
    for (const line of ["--help", "-h", "help --help", "help -h"]) expect(await here(line.split(" "))).toEqual(run);
  });

  it.each(Object.keys(COMMANDS))("of %s is the same in front of it and behind it, long and short", async (name) => {
    const asked = await here(["help", name]);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(asked.stdout).toMatch(new RegExp(`^Usage: baton ${name}(?: \\S.*)?$`, "m"));
    expect(asked.stdout).not.toMatch(/ $/m);
    expect(await here([name, "--help"])).toEqual(asked);
    expect(await here([name, "-h"])).toEqual(asked);
  });
});
