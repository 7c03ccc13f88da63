import { describe, expect, it } from "vitest";
import { fixHandoffs } from "./fix-handoff.ts";
import type { DialectName } from "./handoff.ts";
import { instructionsFor } from "./instructions.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { migrateNotes } from "./migrate-notes.ts";
import { readHandoffs } from "./read-handoff.ts";
import { writeHandoff } from "./write-handoff.ts";

describe("a caller without types", () => {
  it.each<unknown>([undefined, null, 7, {}, new Uint8Array([123, 125])])("is told that %j is no text", (value) => {
    const text = value as string;
    for (const ask of [readHandoffs, fixHandoffs, migrateNotes])
      expect(() => ask(text)).toThrow("The text must be a string.");
  });

  it.each<unknown>(["phase", "toString", null])("is told that %j is no dialect", (value) => {
    const name = value as DialectName;
    const told = `There is no dialect ${String(value)}.`;
    expect(() => readHandoffs("handoff: 1", { dialect: name })).toThrow(told);
    expect(() => writeHandoff({ dialect: "phase-yaml", outcome: "done" }, name)).toThrow(told);
    expect(() => instructionsFor(name)).toThrow(told);
    expect(() => jsonSchemaOf(name)).toThrow(told);
  });
});
