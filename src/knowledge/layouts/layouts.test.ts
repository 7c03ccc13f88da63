import { estimateTokens } from "../estimate-tokens.ts";
import fc from "fast-check";
import { load } from "js-yaml";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import type { DialectName, Handoff } from "../../protocol/handoff.ts";
import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { buildPacket } from "../build-packet.ts";
import { type Packet, SECTION_TITLES, type SectionTitle } from "../packet.ts";
import { renderPacket } from "../render-packet.ts";
import { orderWith } from "./page.ts";

/** A handoff that says this wherever a handoff can say something. */
function saying(text: string): Handoff {
  return {
    dialect: "pipeline-json",
    outcome: "done",
    phase: text,
    status: text,
    summary: text,
    context: { text, decisions: [text], limitations: [text], assumptions: [text], data: { [text]: text } },
    work: { created: [{ path: text, purpose: text }], artifacts: [{ path: text }] },
    knowledge: {
      patterns: [{ pattern: text, location: text }],
      gotchas: [{ issue: text, mitigation: text, discovered_in: text, severity: "high" }],
    },
    files_to_read: [{ file: text, reason: text }],
    questions: [{ question: text, recommendation: text, blocking: true }],
    next_steps: [{ step: text, priority: "high" }],
    test_requirements: { coverage: 90, critical_paths: [text], edge_cases_to_test: [text] },
    metrics: { [text]: text },
  };
}

function asking(text: string): Handoff {
  return { dialect: "task-yaml", outcome: "done", questions: [{ question: text, blocking: true }] };
}

function packetOf(text: string, layout: DialectName, budget = 100_000): Packet {
  const source = { run: "r1", task: "task-1", agent: "builder", handoff: "1a2b3c4d5e6f", fact: null };
  const line = { text, detail: text, place: text, severity: "low", source: { ...source, fact: text } } as const;
  return buildPacket({
    predecessors: [
      { task: "task-1", name: "Cart", handoff: saying(text), source },
      { task: "task-2", name: "Till", handoff: asking(text), source, answer: text },
    ],
    issues: [line],
    fields: [line],
    facts: [],
    places: new Map(),
    complexity: "normal",
    layout,
    budget,
  });
}

function parseXml(text: string): void {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(text).close();
}

/** Layouts whose text is a document of their own. */
const DOCUMENTS = { "pipeline-json": JSON.parse, "phase-yaml": load, "issue-xml": parseXml } as const;

const anything = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      "'",
      "\\",
      "<",
      ">",
      "&",
      "]]>",
      "-->",
      "\n",
      ": ",
      "{",
      "}",
      "#",
      "|",
      "- ",
      "a",
      "\ufffe",
      "\uffff",
    ),
  }),
);

describe("whatever agents say", () => {
  it.each(Object.entries(DOCUMENTS))("%s stays a document", (layout, parse) => {
    fc.assert(
      fc.property(anything, (text) => {
        const printed = renderPacket(packetOf(text, layout));
        if (printed !== "") parse(printed);
      }),
      { numRuns: 200 },
    );
  });

  it.each(DIALECT_NAMES)("%s names the source of each line that has words of theirs", (layout) => {
    const words = fc.array(fc.constantFrom("PLANTED", "\n", "PLANTED\n## PLANTED", "]", "[", '"', ",", "|", "<b>"), {
      minLength: 1,
    });
    fc.assert(
      fc.property(words, (parts) => {
        for (const line of renderPacket(packetOf(parts.join(" "), layout)).split("\n"))
          if (line.includes("PLANTED")) expect(line).toMatch(/\[task-1, builder, (?:1a2b3c4d\]|[^\]]*\])/);
      }),
      { numRuns: 200 },
    );
  });

  it.each(DIALECT_NAMES)("%s keeps within its budget, counts what it prints, and is the same each time", (layout) => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 0, max: 800 }), (text, budget) => {
        const packet = packetOf(text, layout, budget);
        const printed = renderPacket(packet);
        expect(packet.estimatedTokens).toBe(estimateTokens(printed));
        expect(packet.estimatedTokens).toBeLessThanOrEqual(budget);
        expect(renderPacket(packetOf(text, layout, budget))).toBe(printed);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the order of sections", () => {
  const rest = (...named: readonly SectionTitle[]): SectionTitle[] =>
    SECTION_TITLES.filter((title) => !named.includes(title));

  it("is that of all packets, but for what a layout puts first or last", () => {
    const first: SectionTitle[] = ["Files to Review", "Patterns to Follow", "Warnings", "Blocking Questions"];
    const headings = renderPacket(packetOf("x", "task-yaml")).match(/(?<=^### ).+$/gm) ?? [];
    const all = ["Issues to Fix", "Fields of the Run", ...first, "Next Steps"] as const;
    expect(headings).toEqual([...all, ...rest(...all, "Answered Questions"), "Answered Questions"]);
    expect(orderWith(["Warnings"], ["Context"])).toEqual(["Warnings", ...rest("Warnings", "Context"), "Context"]);
  });
});
