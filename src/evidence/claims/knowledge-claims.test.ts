import { describe, expect, it } from "vitest";
import type { Handoff } from "../../protocol/handoff.ts";
import { listClaims } from "../list-claims.ts";

describe("places that knowledge names", () => {
  const places = (knowledge: Handoff["knowledge"], files: readonly string[] = []): string[] =>
    listClaims({
      dialect: "task-yaml",
      outcome: "done",
      knowledge,
      files_to_read: files.map((file) => ({ file })),
    })
      .filter(({ kind }) => kind === "place")
      .map(({ where }) => where);

  it("are claims where they look like a path", () => {
    const patterns = ["src/cart.ts:3-9", "src/cart", "all over the code", "src/**/*.ts"];
    const gotchas = ["src/cart.ts:7", "Reading the code", "src/a.ts, src/b.ts", "task-3"];
    expect(
      places(
        {
          patterns: patterns.map((location) => ({ location })),
          gotchas: gotchas.map((discovered_in) => ({ discovered_in })),
        },
        ["src/next.ts"],
      ),
    ).toEqual([
      "knowledge.patterns.0.location",
      "knowledge.patterns.1.location",
      "knowledge.gotchas.0.discovered_in",
      "files_to_read.0.file",
    ]);
  });
});
