import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderWorkspace, isInside } from "../../src/agents/workspace.ts";
import { Random } from "../simulation/random.ts";

const COUNT = Number(process.env["BATON_PATHS"] ?? 500);
const SEED = Number(process.env["BATON_SEED"] ?? 5);
const base = mkdtempSync(join(tmpdir(), "baton-paths-"));
const root = join(base, "repository");
const workspace = folderWorkspace({
  root,
  mainRoot: root,
  stateFolder: join(root, ".baton"),
  workFolder: join(root, ".baton"),
});

beforeAll(() => {
  mkdirSync(join(root, "inside"), { recursive: true });
  mkdirSync(join(root, ".git"));
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside/secret.json"), "SECRET");
  writeFileSync(join(base, "secret.json"), "SECRET");
  writeFileSync(join(root, ".git/config"), "SECRET");
  symlinkSync(join(base, "outside"), join(root, "linked"));
  symlinkSync(join(base, "secret.json"), join(root, "link.json"));
  symlinkSync("../../secret.json", join(root, "inside/link.json"));
  symlinkSync("/proc/self", join(root, "proc"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("a file that a handoff is taken from", () => {
  it(`is never outside of the workspace: ${COUNT} hostile paths`, async () => {
    const random = new Random(SEED);
    const parts = [
      "..",
      ".",
      "inside",
      "linked",
      "link.json",
      "secret.json",
      "proc",
      "environ",
      "outside",
      "%2e%2e",
      "..%2f",
      "\0",
      "~",
      "C:",
      "\\",
      ".git",
      "config",
      "/",
      "//",
      "-rf",
      "repository",
    ];
    for (let count = 0; count < COUNT; count++) {
      const path = Array.from({ length: 1 + random.below(6) }, () => random.pick(parts)).join(
        random.pick(["/", "/", "\\", ""]),
      );
      expect(JSON.stringify(await workspace.readNew(root, [path], {}, 1_000)), path).not.toContain("SECRET");
    }
  });

  it.each(["../x", "/etc/passwd", "~/x", "a/../../x", ".git/config", "a\0b", "C:\\x", "-rf", "", "a\\..\\..\\x"])(
    "is refused by its name: %j",
    (path) => {
      expect(isInside(path)).toBe(false);
    },
  );

  it("is not followed out while a link is being swapped in", async () => {
    const path = join(root, "inside/racing.json");
    let running = true;
    const swap = (async () => {
      for (let turn = 0; running; turn++) {
        const temporary = join(root, `inside/next-${turn}`);
        if (turn % 2 === 0) writeFileSync(temporary, "fine");
        else symlinkSync(join(base, "secret.json"), temporary);
        renameSync(temporary, path);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let count = 0; count < COUNT; count++)
      expect(await workspace.readNew(root, ["inside/racing.json"], {}, 1_000)).not.toMatchObject({ text: "SECRET" });
    running = false;
    await swap;
  });

  it("counts only when it was written during the attempt", async () => {
    const path = join(root, "handoff-A.json");
    writeFileSync(path, "{}");
    const before = await workspace.look(root, ["handoff-A.json", "handoff-B.json"]);
    expect(await workspace.readNew(root, ["handoff-A.json", "handoff-B.json"], before, 1_000)).toBeNull();
    writeFileSync(path, "{}");
    utimesSync(path, 1_000, 1_000);
    expect(await workspace.readNew(root, ["handoff-A.json"], before, 1_000)).toMatchObject({ text: "{}" });
    writeFileSync(join(root, "handoff-B.json"), "new");
    expect(await workspace.readNew(root, ["handoff-B.json"], before, 1_000)).toMatchObject({ text: "new" });
  });
});
