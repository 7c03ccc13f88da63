import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../engine.ts";
import { submitHandoff } from "./submit-handoff.ts";

it("one key is good for one text, also of two that come at once", async () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "baton-submit-"));
  onTestFinished(() => rmSync(stateFolder, { recursive: true }));
  const ports = { redact: (text: string) => text, workspace: { scratch: async () => stateFolder } };
  const engine = { stateFolder, ports } as unknown as Engine;
  const texts = ["one", "two"].map(
    (purpose) =>
      `## Handoff\n\n\`\`\`yaml\noutcome: completed\nfiles_created:\n  - path: a.ts\n    purpose: ${purpose}\n    lines: 1-3\n\`\`\`\n`,
  );
  const given = texts.map((text) =>
    submitHandoff(engine, { run: "r", attempt: "s1.1", key: "k", agents: [], formats: [], dialect: null, text }),
  );
  expect((await Promise.all(given)).map((submission) => submission.is)).toEqual(["accepted", "other-text"]);
  expect(readFileSync(join(stateFolder, "submitted-handoff"), "utf8")).toBe(texts[0]);
});
