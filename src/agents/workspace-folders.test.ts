import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fingerprintFolder, writtenInFolder } from "./workspace-folders.ts";

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

it("tells what was written in a folder since a time, also when its times were set back, and no caches", async () => {
  const folder = join(room, "packages");
  const files = ["a/index.js", "b/index.js", "b/lib/deep.js", ".vite/results.json"];
  for (const file of files) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), "1");
  }
  mkdirSync(join(room, "prepared"));
  writeFileSync(join(room, "prepared/index.js"), "0");
  const since = statSync(join(room, "prepared/index.js")).ctimeMs;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await writtenInFolder(folder, since)).toEqual({ count: 0, sample: [] });

  writeFileSync(join(folder, ".vite/results.json"), "2");
  expect(await writtenInFolder(folder, since)).toEqual({ count: 0, sample: [] });

  writeFileSync(join(folder, "b/lib/deep.js"), "2");
  utimesSync(join(folder, "b/lib/deep.js"), 1, 1);
  expect(await writtenInFolder(folder, since)).toEqual({ count: 1, sample: ["b/lib/deep.js"] });

  rmSync(join(folder, "a"), { recursive: true });
  renameSync(join(room, "prepared"), join(folder, "a"));
  expect(await writtenInFolder(folder, since)).toEqual({ count: 2, sample: ["a", "b/lib/deep.js"] });
  expect(await writtenInFolder(join(room, "none"), since)).toBeNull();
});
