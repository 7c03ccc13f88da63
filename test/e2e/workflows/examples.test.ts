import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../cli/run-baton.ts";
import { describeExamples } from "./describe-examples.ts";
import { examples } from "./repository.ts";

describeExamples({ name: "in files", prepare: examples() });

describe("an example as it is started by hand", () => {
  it("runs on the Node that came with npm ci, whichever is first on the PATH", () => {
    const folder = mkdtempSync(join(tmpdir(), "baton-old-node-"));
    try {
      writeFileSync(join(folder, "node"), "#!/bin/sh\necho 'this Node is too old' >&2\nexit 3\n", { mode: 0o755 });
      const env = { ...process.env, HOME: folder, PATH: [folder, process.env["PATH"]].join(delimiter) };
      const script = join(projectRoot, "examples/run-example.mjs");
      const run = spawnSync(process.execPath, [script, "tasks"], { env, encoding: "utf8" });
      expect(run.stderr).not.toContain("too old");
      expect(run.status).toBe(0);
      // As it can be copied: no shell is to find the files.
      expect(run.stdout).toMatch(/\$ baton run tasks --trust [0-9a-f]{64} --tasks "tasks\/\*\.md"/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
