// What all agents of this example need.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const me = process.env.BATON_AGENT;
export const round = Number(process.env.BATON_ITERATION);
/** The last handoff came back: the prompt says what is wrong with it. */
export const isRepair = process.env.BATON_REASON === "repair";
/** What baton tells the agent. */
export const prompt = readFileSync(0, "utf8");

/** The issues to fix stand in the prompt as JSON; there are none in the first round. */
export function issuesToFix() {
  const section = /^## Issues to fix\n\n<<<.*\n([\s\S]*?)\n.*>>>/m.exec(prompt);
  return section === null ? [] : JSON.parse(section[1]);
}

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Runs a command and gives what it printed, and whether it succeeded. */
export function run(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return { passed: status === 0, output: stdout };
}

/** An attempt that comes after an interrupted one may find its work committed already. */
export function commit(message, ...paths) {
  execFileSync("git", ["add", ...paths]);
  if (run("git", "diff", "--cached", "--quiet").passed) return;
  execFileSync("git", ["commit", "--quiet", "--message", message]);
  console.log(`committed: ${message}`);
}

export function handOver(to, fields) {
  const handoff = {
    from_agent: me,
    to_agent: to,
    timestamp: new Date().toISOString(),
    status: "PASS",
    iteration: round,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    context: {},
    ...fields,
  };
  writeFileSync(`handoff-${me}.json`, JSON.stringify(handoff, null, 2));
  console.log(`${me}: ${handoff.status}, to ${to}`);
}
