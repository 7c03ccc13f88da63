import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const PROCESSES = 4;
const EACH = 25;

it("processes that trust workflows at the same time forget none of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-trust-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `
    const { trustWorkflow } = await import(${JSON.stringify(join(import.meta.dirname, "trust-workflow.ts"))});
    const [folder, name] = process.argv.slice(1);
    for (let number = 0; number < ${EACH}; number++)
      trustWorkflow({ hash: name + "-" + number, path: "baton.yaml" }, folder, 0);`;
  const names = Array.from({ length: PROCESSES }, (_, index) => `process${index}`);
  await Promise.all(
    names.map((name) => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, folder, name])),
  );
  const trusted = JSON.parse(readFileSync(join(folder, "trusted.json"), "utf8")) as object;
  expect(Object.keys(trusted)).toHaveLength(PROCESSES * EACH);
});
