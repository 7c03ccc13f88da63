import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { Sample } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";

export const projectRoot = join(import.meta.dirname, "../..");
const command = join(projectRoot, "dist/cli/baton.cjs");

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  /** Standard input; empty when not given. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the built command as a user would: its own process, its own pipes. */
export async function baton(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  buildWhenMissing();
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...env } = process.env;
  const child = spawn(process.execPath, [command, ...args], {
    cwd: options.cwd ?? projectRoot,
    env: { ...env, ...options.env },
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
  // A command that never reads its input closes the pipe early.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") };
}

/** The command with an input that stays open. */
export function startBaton(args: readonly string[]): ChildProcess {
  buildWhenMissing();
  return spawn(process.execPath, [command, ...args], { cwd: projectRoot, stdio: "pipe" });
}

/** The same inside a shell line; `baton` is the command. */
export function shellLine(line: string, cwd: string): Run {
  buildWhenMissing();
  const quoted = `${JSON.stringify(process.execPath)} ${JSON.stringify(command)}`;
  const run = spawnSync("bash", ["-c", `baton() { ${quoted} "$@"; }; ${line}`], { cwd, encoding: "utf8" });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** `npm test` builds first; whoever starts a test file by itself gets it here. */
function buildWhenMissing(): void {
  if (existsSync(command)) return;
  const build = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: projectRoot, encoding: "utf8" });
  // Another test file may have built it in the same moment.
  if (!existsSync(command)) throw new Error(`the command could not be built\n${build.stdout}${build.stderr}`);
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Makes folders with files in them; all of them are gone when the test file ends. */
export function workroom(): (files: Files) => string {
  const room = mkdtempSync(join(tmpdir(), "baton-cli-"));
  afterAll(() => rmSync(room, { recursive: true, force: true }));
  return (files) => {
    const folder = mkdtempSync(join(room, "case-"));
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    return folder;
  };
}

/** The example of each dialect as the file it belongs into. */
export const EXAMPLES: Readonly<Record<BuiltinDialect, { readonly file: string; readonly text: string }>> = {
  "pipeline-json": { file: "handoff-BackendBuilder.json", text: sample("pipeline-json") },
  "issue-xml": { file: "handoff.xml", text: sample("issue-xml") },
  "phase-yaml": { file: "summary.md", text: `# Tests\n\nAll pass.\n\n${sample("phase-yaml")}` },
  "task-yaml": { file: "task-7.md", text: `# Task 7: Cards\n\n${sample("task-yaml")}` },
  "output-json": { file: "output.md", text: `# Output\n\n${sample("output-json")}` },
};

/** The example of a dialect with changes, in its container. */
export function sample(name: BuiltinDialect, changes: Extract<Sample, { set: unknown }>["set"] = {}): string {
  return renderSample(DIALECTS[name], { set: changes }).text;
}
