import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../cli/run-baton.ts";
import type { Repository } from "./workflows/repository.ts";

/** What a terminal of this width would be sent; `script` of util-linux is one. */
export function onTerminal(
  { folder, environment }: Pick<Repository, "folder" | "environment">,
  columns: number,
  ...args: string[]
): { code: number; sent: string } {
  const command = [process.execPath, join(projectRoot, "dist/cli/baton.cjs"), ...args]
    .map((word) => `'${word}'`)
    .join(" ");
  const { NO_COLOR: _no, FORCE_COLOR: _force, COLUMNS: _columns, ...own } = process.env;
  const sent = execFileSync(
    "script",
    ["-qec", `stty cols ${columns} rows 24; ${command}; echo "code=$?"`, "/dev/null"],
    {
      cwd: folder,
      encoding: "utf8",
      env: { ...own, TERM: "xterm", ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  return { code: Number(/code=(\d+)/.exec(sent)?.[1]), sent };
}

/** A reason to leave a test out on somebody's machine. */
export function hasNoTerminal(): boolean {
  try {
    execFileSync("script", ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    if (process.env["CI"] !== undefined) return false;
    console.log("left out: there is no program script (util-linux), so no terminal can be had");
    return true;
  }
}
