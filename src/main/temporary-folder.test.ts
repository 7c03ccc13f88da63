import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const room = mkdtempSync(join(tmpdir(), "baton-sweep-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

/** Killed while it has a folder; gives the name of that. */
function leave(): string {
  const code = `import { temporaryFolder } from ${JSON.stringify(join(import.meta.dirname, "temporary-folder.ts"))};
    process.stdout.write(temporaryFolder("baton-state-").path, () => process.kill(process.pid, "SIGKILL"));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    env: { TMPDIR: room },
    encoding: "utf8",
  });
  return basename(stdout);
}

it.runIf(existsSync("/proc/self/stat"))(
  "what a killed process has left goes with the next, and nothing else",
  async () => {
    vi.stubEnv("TMPDIR", room);
    const living = temporaryFolder("baton-state-");
    const left = leave();
    expect(readdirSync(room)).toContain(left);
    const elsewhere = join(room, "elsewhere");
    mkdirSync(elsewhere);
    const link = `${left.slice(0, -6)}linked`;
    symlinkSync(elsewhere, join(room, link));
    mkdirSync(join(room, "baton-state-Ab3dEf"));
    mkdirSync(join(room, left.replace("baton-state-", "other-")));
    const next = temporaryFolder("baton-state-");
    expect(readdirSync(room)).not.toContain(left);
    expect(readdirSync(room).toSorted()).toEqual(
      [
        basename(living.path),
        basename(next.path),
        "baton-state-Ab3dEf",
        "elsewhere",
        link,
        left.replace("baton-state-", "other-"),
      ].toSorted(),
    );
    await Promise.all([living.remove(), next.remove()]);
  },
);
