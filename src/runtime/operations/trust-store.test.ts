import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { type TrustEntry, addTrusted, readTrusted, readTrustedRuns, seenTexts } from "./trust-store.ts";

const PROCESSES = 4;
const EACH = 25;

function configFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-trust-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const ENTRY: TrustEntry = {
  hash: "h",
  repository: "/r",
  mark: "m",
  workflow: "baton.yaml",
  content: "c",
  files: [{ path: "agents/a.mjs", hash: "a" }],
  at: "2026-03-09T14:05:00.000Z",
};

it("processes that trust at the same time forget nothing of each other", async () => {
  const folder = configFolder();
  const script = `
    const { addTrusted, addTrustedRun } = await import(${JSON.stringify(join(import.meta.dirname, "trust-store.ts"))});
    const [folder, name] = process.argv.slice(1);
    for (let number = 0; number < ${EACH}; number++) {
      const hash = name + "-" + number;
      addTrusted({ ...${JSON.stringify(ENTRY)}, hash, workflow: hash }, [], folder);
      addTrustedRun({ run: hash, pin: "p", hash }, folder);
    }`;
  const names = Array.from({ length: PROCESSES }, (_, index) => `process${index}`);
  await Promise.all(
    names.map((name) => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, folder, name])),
  );
  expect(readTrusted(folder)).toHaveLength(PROCESSES * EACH);
  expect(readTrustedRuns(folder)).toHaveLength(PROCESSES * EACH);
});

it("keeps the last twenty of one workflow, and all of the others", () => {
  const folder = configFolder();
  addTrusted({ ...ENTRY, mark: "other" }, [], folder);
  for (let number = 0; number < 30; number++) addTrusted({ ...ENTRY, hash: `h${number}` }, [], folder);
  const kept = readTrusted(folder);
  expect(kept.filter(({ mark }) => mark === "m")).toHaveLength(21);
  expect(kept.at(-1)?.hash).toBe("h29");
  expect(kept.some(({ mark }) => mark === "other")).toBe(true);
});

it.each([
  ["nothing", ""],
  ["another version", JSON.stringify({ version: 3, entries: [ENTRY] })],
  ["the hashes of older versions", JSON.stringify({ h: { path: "baton.yaml", at: "2026" } })],
  ["half an entry", JSON.stringify({ version: 2, entries: [{ ...ENTRY, mark: 7 }] })],
])("trusts nothing where the file holds %s", (_what, text) => {
  const folder = configFolder();
  writeFileSync(join(folder, "trusted.json"), text);
  expect(readTrusted(folder)).toEqual([]);
});

it("keeps texts that can be compared, and believes none that was changed", () => {
  const folder = configFolder();
  const texts = ["one", "a\0b", "x".repeat(100_000)].map((text) => Buffer.from(text));
  addTrusted(ENTRY, texts, folder);
  const [one = "", binary = "", large = ""] = texts.map((text) => hash("sha256", text, "hex"));
  const { find } = seenTexts(folder);
  expect(find(one)).toBe("one");
  expect([find(binary), find(large)]).toEqual([null, null]);
  writeFileSync(join(folder, "trusted-files", one), "two");
  expect(find(one)).toBeNull();
  expect(find("../trusted.json")).toBeNull();
  expect(existsSync(join(folder, "trusted.json"))).toBe(true);
});

it("knows no run of an older version, whose files were not trusted", () => {
  const folder = configFolder();
  writeFileSync(join(folder, "trusted-runs"), "4f2a pin\n5b1c pin hash\n");
  expect(readTrustedRuns(folder)).toEqual([{ run: "5b1c", pin: "pin", hash: "hash" }]);
});
