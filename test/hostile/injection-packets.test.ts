import { parseXml, XmlElement, XmlText } from "@rgrove/parse-xml";
import { Parser } from "commonmark";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { buildPacket, type PacketRequest } from "../../src/knowledge/build-packet.ts";
import type { Fact } from "../../src/knowledge/fact.ts";
import { learnFacts } from "../../src/knowledge/learn-facts.ts";
import type { PacketLine } from "../../src/knowledge/packet.ts";
import { PACKET_LAYOUTS, renderPacket } from "../../src/knowledge/render-packet.ts";
import type { BuiltinDialect, Handoff } from "../../src/protocol/handoff.ts";
import { Random } from "../simulation/random.ts";
import { INJECTIONS, MARK, type Words, anyTwins, harmlessWords, hostileWords } from "./hostile-handoffs.ts";
import { expectVisible } from "./opened-prompt.ts";

const LAYOUTS = Object.keys(PACKET_LAYOUTS) as BuiltinDialect[];
const HASH = "1a2b3c4d".repeat(8);
const SOURCE = { run: "r1", task: "task-1", agent: "builder", handoff: HASH, fact: null };
/** Nobody but us can write it: in all the tricks the agent is another one. */
const OURS = /^\[task-1, builder(?:, [^[\],|]+){0,2}\]$/;

/** Everything that a packet can hold, out of one handoff and some words. */
function requestOf(handoff: Handoff, words: Words): Omit<PacketRequest, "layout"> {
  const line = (fact: string | null): PacketLine => ({
    text: words.text(),
    detail: words.text(),
    place: words.name(),
    severity: "high",
    source: { ...SOURCE, fact },
  });
  return {
    predecessors: [{ task: "task-1", name: "Tokens", handoff, source: SOURCE }],
    issues: [line(words.name()), line(words.name())],
    fields: [line(null)],
    facts: factsOf(words).map((fact) => ({ fact, freshness: null, score: 1 })),
    places: new Map(),
    complexity: "complex",
    budget: 1_000_000,
  };
}

function factsOf(words: Words): Fact[] {
  const handoff: Handoff = {
    dialect: "task-yaml",
    outcome: "done",
    context: { decisions: [words.text(), words.text()], limitations: [words.text()] },
    knowledge: {
      patterns: [{ pattern: words.text(), location: `src/${words.name()}.ts:1-2`, applies_to: [words.name()] }],
      gotchas: [{ issue: words.text(), mitigation: words.text(), severity: "high" }],
    },
  };
  return learnFacts(handoff).map(({ where, place: _place, ...learned }, at) => ({
    ...learned,
    answer: null,
    id: `${learned.kind}-00${at}`,
    files: [],
    citation: null,
    status: "trusted",
    witnesses: [{ ...SOURCE, step: "s1", where, at: 0 }],
    opposes: [],
    helped: 0,
  }));
}

describe("words of an agent in a packet", () => {
  it(`stand beside their source, in every layout: ${INJECTIONS} injections`, { timeout: 3_600_000 }, () => {
    const random = new Random(17);
    for (let at = 0; at < INJECTIONS; at += 1) {
      const twins = anyTwins(random, at);
      const hostile = requestOf(twins.hostile, hostileWords(random, 10_000_000));
      const harmless = requestOf(twins.harmless, harmlessWords(10_000_000));
      for (const layout of LAYOUTS) {
        const [evil = "", good = ""] = [hostile, harmless].map((request) =>
          renderPacket(buildPacket({ ...request, layout })),
        );
        expect(evil).toContain(MARK);
        expectVisible(evil.replaceAll("⚠️", ""));
        expect(CHECKS[layout](evil)).toEqual(CHECKS[layout](good));
      }
    }
  });

  it(`that are names of tasks, agents and facts end no line, heading or source: ${INJECTIONS} injections`, () => {
    const random = new Random(19);
    for (let at = 0; at < INJECTIONS; at += 1) {
      const words = hostileWords(random);
      const source = { run: "r1", task: words.name(), agent: words.name(), handoff: HASH, fact: words.name() };
      const handoff: Handoff = { dialect: "task-yaml", outcome: "done", context: { decisions: ["Use cents"] } };
      const predecessors = [{ task: words.name(), name: words.text(), handoff, source }];
      const request = { ...requestOf(handoff, harmlessWords()), predecessors, issues: [], fields: [], facts: [] };
      for (const layout of ["task-yaml", "output-json"] as const) {
        const lines = renderPacket(buildPacket({ ...request, layout })).split("\n");
        const [said = "", ...others] = lines.filter((line) => line.includes("Use cents"));
        expect(others).toEqual([]);
        expect(/ \[([^[\]]*)\]$/.exec(said)?.[1]?.split(", ").length, said).toBeLessThanOrEqual(4);
        expect(said.length).toBeLessThan(500);
        expect(lines.length).toBe(layout === "task-yaml" ? 5 : 4);
      }
    }
  });
});

/** The packet read as what it is, each with its own reader: what it is made of, without the words of agents. */
const CHECKS: Readonly<Record<BuiltinDialect, (text: string) => unknown>> = {
  "pipeline-json": (text) => bones(JSON.parse(text), null),
  "phase-yaml": (text) => bones(load(text), null),
  "issue-xml": (text) => xmlBones(parseXml(text).root),
  "task-yaml": markdownBones,
  "output-json": lineBones,
};

/** Names and how many there are; each text of an agent stands in a record with its source. */
function bones(value: unknown, source: string | null): unknown {
  if (Array.isArray(value)) return value.map((one) => bones(one, source));
  if (typeof value !== "object" || value === null) return leaf(String(value), source);
  const own = Object.hasOwn(value, "source") ? String((value as { source: unknown }).source) : source;
  if (own !== null && !OURS.test(own)) expect.fail(`not its source: ${own}`);
  return Object.entries(value).map(([name, one]) => (name === "source" ? [name] : [name, bones(one, own)]));
}

function leaf(text: string, source: string | null): string {
  if (source === null && text.includes(MARK)) expect.fail(`no source: ${text}`);
  expectInert(text);
  return source === null ? text : "said";
}

function xmlBones(element: XmlElement | null): unknown {
  if (element === null) return null;
  const source = element.attributes["source"] ?? null;
  if (source !== null && !OURS.test(source)) expect.fail(`not its source: ${source}`);
  const named = Object.entries(element.attributes).map(([name, value]) =>
    name === "source" ? name : [name, leaf(value, source)],
  );
  const inner = element.children.map((child) => {
    if (child instanceof XmlElement) return xmlBones(child);
    return child instanceof XmlText ? leaf(child.text.trim(), source) : child.type;
  });
  return [element.name, named, inner];
}

/** Lines that end with a source, and the others word for word. */
function lineBones(text: string): string[] {
  return text.split("\n").map((line) => {
    const said = line.endsWith(" |") ? line.slice(0, -2) : line;
    const source = said.slice(said.lastIndexOf("["));
    if (!OURS.test(source)) return line;
    expectInert(said);
    // A row of a table stays one.
    return line.startsWith("|") ? `row of ${line.split("|").length}` : "said";
  });
}

const MARKDOWN = ["document", "heading", "list", "item", "paragraph", "text", "softbreak", "emph", "strong"];

function markdownBones(text: string): string[] {
  const walker = new Parser().parse(text).walker();
  for (let step = walker.next(); step !== null; step = walker.next())
    if (!MARKDOWN.includes(step.node.type)) expect.fail(`${step.node.type} in ${text}`);
  return lineBones(text);
}

function expectInert(text: string): void {
  if (/[<>`]|\]\(|https?:|javascript:|\bwww\./i.test(text)) expect.fail(`it acts: ${text}`);
}
