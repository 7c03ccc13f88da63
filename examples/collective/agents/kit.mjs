// What all agents of this example need.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** What baton tells the agent. */
export const prompt = readFileSync(0, "utf8");
/** Why it is asked: first, forward, return, failure, ... */
export const reason = process.env.BATON_REASON;
/** Who has returned to this agent, if anybody has. */
export const returned = /^(\S+) has returned to you\.$/m.exec(prompt)?.[1] ?? null;

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function run(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return { passed: status === 0, output: stdout };
}

/** An attempt that comes after an interrupted one may find its work committed already. */
export function commit(message, ...paths) {
  execFileSync("git", ["add", ...paths]);
  if (run("git", "diff", "--cached", "--quiet").passed) return;
  execFileSync("git", ["commit", "--quiet", "--message", message]);
}

/** A summary for people, then the handoff; `fields` are lines of YAML. */
export function handOver(summary, phase, to, status, fields = []) {
  const handoff = [
    "handoff:",
    `  phase: ${phase}`,
    `  from: "@${process.env.BATON_AGENT}"`,
    `  to: "${to === null ? "None" : `@${to}`}"`,
    `  status: ${status}`,
    `  timestamp: "${new Date().toISOString()}"`,
    ...fields.map((line) => `  ${line}`),
  ];
  console.log(`${summary}\n\n\`\`\`yaml\n${handoff.join("\n")}\n\`\`\``);
}
