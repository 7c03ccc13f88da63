import { spawnSync } from "node:child_process";

/** A reason to leave a test out on somebody's machine. Where `CI` is set strace must be there, or the test fails. */
export function reasonToSkip(tool: "strace" | "mount"): string | null {
  const reason = tool === "strace" ? whyNoStrace() : whyNoMount();
  if (reason !== null) console.log(`left out: ${reason}`);
  return reason;
}

function whyNoStrace(): string | null {
  if (process.env["CI"] !== undefined) return null;
  const isThere = spawnSync("strace", ["-e", "trace=fsync", "true"]).status === 0;
  return isThere ? null : "strace is not installed (apt install strace)";
}

/** Without a disk of our own a full one is still simulated by `store-failing-disk.test.ts` (ENOSPC). */
function whyNoMount(): string | null {
  return process.getuid?.() === 0 ? null : "only root can mount a small disk";
}
