import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderWorkspace } from "../../src/agents/workspace.ts";
import { aFolder, removeFolders } from "./gates.ts";

const RACES = Number(process.env["BATON_RACES"] ?? (process.env["CI"] === undefined ? 1000 : 300));
const SECRET = '"SECRET"';
const PATHS = ["file.json", "folder/handoff.json"];

const base = aFolder("sandbox-races-");
const [root, outside] = [join(base, "repository"), join(base, "outside")];
mkdirSync(root);
mkdirSync(outside);
writeFileSync(join(outside, "handoff.json"), SECRET);
const workspace = folderWorkspace({
  root,
  mainRoot: root,
  stateFolder: join(root, ".baton"),
  workFolder: join(root, ".baton"),
});
const hash = createHash("sha256").update(SECRET).digest("hex");
const swappers: ChildProcess[] = [];

afterAll(() => {
  for (const swapper of swappers) swapper.kill("SIGKILL");
  removeFolders();
});

/** Only where an opened file can be asked for its real path no race is left. */
describe.skipIf(process.platform !== "linux")("the workspace, while somebody swaps links into its paths,", () => {
  it(`neither reads nor writes outside: ${RACES} races`, { timeout: 600_000 }, async () => {
    const swapper = spawn(process.execPath, [join(import.meta.dirname, "link-swapper.ts"), root, outside], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    swappers.push(swapper);
    await once(swapper.stdout, "data");
    const counts = { read: 0, refused: 0, written: 0 };
    for (let race = 0; race < RACES; race++) {
      const path = PATHS[race % PATHS.length] ?? "";
      const found = await workspace.readNew(root, [path], {}, 1_000);
      counts[found === null ? "refused" : "read"] += 1;
      expect(found?.text ?? "").not.toContain("SECRET");
      expect(JSON.stringify(await workspace.look(root, [path]))).not.toContain(hash);
      await workspace.rewrite(root, path, (text) => rewritten(text, counts)).catch(() => undefined);
      expect(readdirSync(outside)).toEqual(["handoff.json"]);
      expect(readFileSync(join(outside, "handoff.json"), "utf8")).toBe(SECRET);
    }
    expect(swapper.exitCode, "it has swapped to the end").toBeNull();
    console.log(`${RACES} races: ${counts.read} read inside, ${counts.refused} refused, ${counts.written} rewritten`);
    expect(Math.min(counts.read, counts.refused, counts.written)).toBeGreaterThan(0);
  });
});

function rewritten(text: string | null, counts: { written: number }): string {
  expect(text ?? "").not.toContain("SECRET");
  counts.written += 1;
  return "rewritten";
}
