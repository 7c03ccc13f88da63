import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/fit-text.ts";
import { hasNoTerminal, onTerminal } from "./on-terminal.ts";
import { type Repository, examples } from "./workflows/repository.ts";

const example = examples();
const COLUMNS = 80;

/** What whoever sits there reads, without colours. */
function linesOf(sent: string): string[] {
  return sent
    .replaceAll(/\u001b\[[\d;]*m/g, "")
    .replace(/code=\d+\r?\n?$/, "")
    .split(/\r?\n/);
}

const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const SCRIPT = "agents/a-script-with-a-rather-long-name-that-nobody-has-written-yet.mjs";
const COMMAND = `  builder: node ${SCRIPT}`;
const WORKFLOW = `baton: 1
name: sample
start: builder
agents:
  builder:
    run: { process: [node, ${SCRIPT}] }
    dialect: phase-yaml
    routes: { done: end }
`;

/** Names stay whole, and commands, which are to be judged as they stand. */
const mayBeWide = (line: string): boolean => !line.trim().includes(" ") || line === COMMAND;

describe.skipIf(hasNoTerminal())(`on a terminal of ${COLUMNS} columns`, () => {
  let repository: Repository;

  beforeAll(async () => {
    repository = example("pipeline");
    await repository.baton("trust", "pipeline");
    const ran = await repository.baton("run", "pipeline", "--brief", "A discount in percent.", "--quiet");
    if (ran.code !== 0) throw new Error(ran.stderr);
    writeFileSync(join(repository.folder, "sample.yaml"), WORKFLOW);
    await repository.baton("run", "pipeline", "--brief", "Once more.", "--quiet", "--mode", "supervised");
  });

  it.each([
    "check pipeline",
    "check sample.yaml",
    "run sample.yaml",
    "explain",
    "explain missing-script",
    "explain claim/workspace",
    "status",
    "log",
    "audit verify",
    "knowledge search",
    "knowledge show issue-001",
    "knowledge tasks",
    "knowledge search nothing-of-this-kind --tag nowhere --type gotcha --status trusted",
    "knowledge --help",
    "run --help",
    "help",
    "run no-such-workflow.yaml",
    "log no-such-run",
  ])("%s breaks its sentences between words, and says the same as elsewhere", async (line) => {
    const args = line.split(" ");
    const usual = await repository.baton(...args);
    const { code, sent } = onTerminal(repository, COLUMNS, ...args);
    expect(code).toBe(usual.code);
    const lines = linesOf(sent);
    expect(lines.filter((each) => widthOf(each) > COLUMNS && !mayBeWide(each))).toEqual([]);
    // Frames are cut to the screen; everything else is there, word for word.
    const whole = `${usual.stdout}${usual.stderr}`.split("\n").filter((each) => !isFrame(each));
    const shown = lines.filter((each) => !isFrame(each));
    expect(words(shown.join(" "))).toBe(words(whole.join(" ")));
  });

  it("lets stand what a person is to copy or to judge", async () => {
    const { sent } = onTerminal(repository, COLUMNS, "explain", "000-R07");
    expect(linesOf(sent)).toContain('      "status": "PASS_WITH_WARNINGS"');
    expect(linesOf(onTerminal(repository, COLUMNS, "check", "sample.yaml").sent)).toContain(COMMAND);
  });
});

function isFrame(line: string): boolean {
  return /^ *\d* \|/.test(line);
}
