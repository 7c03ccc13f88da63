import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fingerprintFolder } from "./workspace-folders.ts";

const room = mkdtempSync(join(tmpdir(), "baton-folders-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

it("a folder has another fingerprint when anything deep in it was written, and the same one when nothing was", async () => {
  mkdirSync(join(room, "modules/a/bin"), { recursive: true });
  const runner = join(room, "modules/a/bin/run");
  writeFileSync(runner, "exit 1");
  const before = await fingerprintFolder(join(room, "modules"));
  expect(await fingerprintFolder(join(room, "modules"))).toBe(before);
  writeFileSync(runner, "exit 0");
  expect(await fingerprintFolder(join(room, "modules"))).not.toBe(before);
  expect(await fingerprintFolder(join(room, "none"))).toBe(await fingerprintFolder(join(room, "neither")));
});
