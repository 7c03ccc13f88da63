// What all agents of this example need.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const me = process.env.BATON_AGENT;
/** Why it is asked: first, forward, unblock, return, loop, ... */
export const reason = process.env.BATON_REASON;
export const FEATURE = "features/reset-tokens";

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function run(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return { passed: status === 0, output: stdout };
}

/** Writes the output file with its metadata, commits everything and prints it: the last message. */
export function handOver(file, body, fields, message) {
  const metadata = {
    agent: me,
    output_type: file.replace(".md", ""),
    timestamp: new Date().toISOString(),
    feature_directory: FEATURE,
    skills_invoked: [],
    library_skills_read: [],
    source_files_verified: ["src/users.mjs:1-2"],
    status: "complete",
    artifacts: [`${FEATURE}/${file}`],
    ...fields,
  };
  const text = `${body}\n\n---\n\n## Metadata\n\n\`\`\`json\n${JSON.stringify(metadata, null, 2)}\n\`\`\`\n`;
  write(`${FEATURE}/${file}`, text);
  execFileSync("git", ["add", "--all"]);
  execFileSync("git", ["commit", "--quiet", "--message", message]);
  console.log(text);
}
