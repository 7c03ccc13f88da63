// What the agent of this example needs.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function run(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return { passed: status === 0, output: stdout };
}

/** Two agents work at a time and git lets one in: the other tries again. */
export async function commit(message, ...paths) {
  const save = () =>
    run("git", "add", "--", ...paths).passed &&
    (run("git", "diff", "--cached", "--quiet", "--", ...paths).passed ||
      run("git", "commit", "--quiet", "--message", message, "--", ...paths).passed);
  for (let tries = 0; !save(); tries++) {
    if (tries === 100) throw new Error("git does not let this agent commit");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function lineCount(text) {
  return text.trimEnd().split("\n").length;
}
