import { expect, it } from "vitest";
import { readHandoffs } from "../protocol/read-handoff.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { type Contribution, completeManifest, updateManifest } from "./update-manifest.ts";

const at = "2026-03-01T10:00:00Z";
const directory = ".claude/.output/features/2026-03-01-cart-discount";
const contribution = (agent: string, more: Partial<Handoff> = {}): Contribution => ({
  agent,
  at,
  directory,
  handoff: {
    dialect: "output-json",
    outcome: "done",
    phase: "architecture",
    at,
    work: { artifacts: [{ path: "architecture.md" }] },
    ...more,
  },
});

it("a manifest is begun by the first output and keeps every later one", () => {
  const first = updateManifest(null, contribution("backend-lead", { summary: "Discounts" })) ?? "";
  const second =
    updateManifest(first, contribution("backend-developer", { phase: "implementation", at: "2026-03-01T11:00:00Z" })) ??
    "";
  expect(second).toContain("feature_slug: 2026-03-01-cart-discount");
  expect(second).toContain("agent: backend-lead");
  expect(second).toContain("agent: backend-developer");
  expect(second).toContain("current_phase: implementation");
  expect(
    readHandoffs(second, { path: "MANIFEST.yaml" }).diagnostics.filter(({ severity }) => severity !== "info"),
  ).toEqual([]);
});

it("told twice, an output is written once", () => {
  const once = updateManifest(null, contribution("backend-lead")) ?? "";
  expect(updateManifest(once, contribution("backend-lead"))).toBe(once);
});

it("what others wrote stays, and a file that cannot be read is left alone", () => {
  const text = "feature_name: Cart\nstatus: in-progress\nowner: ada\nagents_contributed: []\n";
  expect(updateManifest(text, contribution("backend-lead"))).toContain("owner: ada");
  expect(updateManifest("{ broken", contribution("backend-lead"))).toBeNull();
});

it("a blocked output blocks the feature, the last phase completes it", () => {
  expect(updateManifest(null, contribution("x", { outcome: "blocked" }))).toContain("status: blocked");
  expect(updateManifest(null, contribution("x", { routing: { next_phase: "complete" } }))).toContain(
    "status: complete",
  );
});

it("work that goes on is called so, and completes neither its phase nor the feature", () => {
  const first = updateManifest(null, contribution("lead")) ?? "";
  const open = { outcome: "in-progress", phase: "testing", routing: { next_phase: "complete" } } as const;
  const text = updateManifest(first, contribution("tester", { ...open, at: "2026-03-01T11:00:00Z" })) ?? "";
  expect(text).toMatch(/^status: in-progress$/m);
  expect(text).toMatch(/agent: tester[^-]*\n[^]*status: in-progress/);
  expect(text).toMatch(/architecture:\s+status: complete[^]*testing:\s+status: in_progress/);
  expect(updateManifest(text, contribution("tester", { phase: "testing", final: true }))).toMatch(
    /^status: complete$/m,
  );
});

it("in a run the feature is complete when the run is, whatever its handoffs say", () => {
  const final = { routing: { next_phase: "complete" } } as const;
  const early = updateManifest(null, { ...contribution("x", final), isOver: false }) ?? "";
  expect(early).toMatch(/^status: in-progress$/m);
  expect(updateManifest(null, { ...contribution("x"), isOver: true })).toMatch(/^status: complete$/m);
  expect(completeManifest(early)).toMatch(/^status: complete$/m);
  expect(completeManifest(completeManifest(early) ?? "")).toBeNull();
});

it("names only files that exist", () => {
  const artifacts = [{ path: "ghost.md" }, { path: "plan.md" }, { path: "docs/notes.md" }];
  const made = contribution("lead", { work: { artifacts } });
  const there = new Set([`${directory}/plan.md`, "docs/notes.md", "out/lead.md"]);
  const isThere = (path: string): boolean => there.has(path);
  const text = updateManifest(null, { ...made, isThere }) ?? "";
  expect(text).toContain("artifact: plan.md");
  expect(text).toContain("path: docs/notes.md");
  expect(text).not.toContain("ghost.md");
  const spoken = contribution("lead", { work: {} });
  expect(updateManifest(null, { ...spoken, isThere, ownFiles: ["out/lead.md"] })).toContain("artifact: out/lead.md");
  expect(updateManifest(null, { ...spoken, isThere: () => false })).toContain('artifact: ""');
});

it("writes numbers of the manifest back as they are", () => {
  const text = "feature_name: Cart\nstatus: in-progress\nestimate: 7.50\nschema_version: 1.10\n";
  expect(updateManifest(text, contribution("lead"))).toMatch(/^estimate: 7\.50$/m);
});
