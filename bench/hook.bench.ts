import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lastLines } from "../src/runtime/hooks/find-message.ts";
import type { Bar } from "./bar.ts";
import { median } from "./measure.ts";

const command = join(import.meta.dirname, "../dist/cli/baton.cjs");

const CALLS = 30;
const TAIL_BYTES = 100_000;
const TRANSCRIPT_BYTES = 500 * 1_048_576;

/** The hook as whole processes, from the second call on, against a process that does nothing. */
export function run(report: (bar: Bar) => void): void {
  if (!existsSync(command)) throw new Error("dist/cli is missing: npm run build makes it");
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-"));
  try {
    measureCalls(folder, "validates", "  record: false\n  verify: false\n", 25, report);
    measureCalls(folder, "validates, verifies and records", "", 60, report);
    measureTail(folder, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A subagent stops with a valid handoff after 100 KB of text; each call is of another session. */
function measureCalls(folder: string, what: string, more: string, max: number, report: (bar: Bar) => void): void {
  const place = mkdtempSync(join(folder, "case-"));
  const [root, home] = [join(place, "repository"), join(place, "home")];
  for (const made of [root, home]) mkdirSync(made);
  const { NODE_EXTRA_CA_CERTS: _certificates, XDG_CONFIG_HOME: _config, ...others } = process.env;
  const env = { ...others, HOME: home };
  const git = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  execFileSync("git", ["init", "-q"], { cwd: root });
  writeFileSync(join(root, "old.ts"), "export const one = 1;\n");
  writeFileSync(
    join(root, "baton.yaml"),
    `baton: 1\nsessions:\n  agents:\n    reviewer: { format: task-yaml }\n${more}`,
  );
  execFileSync("git", [...git, "add", "-A"], { cwd: root });
  execFileSync("git", [...git, "commit", "-q", "-m", "first"], { cwd: root });
  const start = (args: readonly string[], input = ""): number => {
    const before = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [...args], { cwd: root, env, input });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr.toString("utf8")}`);
    return performance.now() - before;
  };
  start([command, "trust"]);
  const handoff = "## Handoff\n\n```yaml\noutcome: completed\nfiles_created: []\nfiles_modified: []\n```\n";
  const message = `${"What an agent writes about its work.\n".repeat(TAIL_BYTES / 37)}\n${handoff}`;
  const [bare, ours]: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS; call++) {
    const about = { session_id: `session-${call}`, cwd: root, agent_id: "a", agent_type: "reviewer" };
    // What the agent began with is noted before, in a call that is not measured.
    start([command, "hook", "SubagentStart", "--client", "claude"], JSON.stringify(about));
    bare.push(start(["-e", "0"]));
    const input = JSON.stringify({ ...about, last_assistant_message: message });
    ours.push(start([command, "hook", "SubagentStop", "--client", "claude"], input));
  }
  const [nothing, whole] = [median(bare.slice(1)), median(ours.slice(1))];
  report({
    what: `baton hook that ${what}, 100 KB`,
    ours: `${whole.toFixed(1)} ms`,
    baseline: `${nothing.toFixed(1)} ms node -e 0`,
    figure: whole - nothing,
    max,
    unit: "ms more",
  });
}

function measureTail(folder: string, report: (bar: Bar) => void): void {
  const path = join(folder, "transcript.jsonl");
  const file = openSync(path, "w");
  ftruncateSync(file, TRANSCRIPT_BYTES);
  writeSync(file, '\n{"type":"assistant.turn_end"}\n', TRANSCRIPT_BYTES);
  let bytes = 0;
  const before = performance.now();
  const lines = lastLines(path, (read) => (bytes += read));
  if (lines?.length !== 1) throw new Error("the last line was not found");
  report({
    what: "the end of a transcript of 500 MB",
    ours: `${(performance.now() - before).toFixed(1)} ms`,
    baseline: `${TRANSCRIPT_BYTES} bytes`,
    figure: bytes / 1_048_576,
    max: 4,
    unit: "MiB read",
  });
}
