import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { type DrawnGraph, GRAPH_FORMATS, renderFactGraph } from "./print-graph.ts";

const graph: DrawnGraph = {
  nodes: [
    { id: "fact:pattern-001", label: "Use signed tokens" },
    { id: "tag:auth", label: "auth" },
  ],
  edges: [
    { from: "fact:pattern-001", to: "tag:auth", as: "tagged" },
    { from: "fact:pattern-001", to: "tag:left-out", as: "tagged" },
  ],
  isCut: false,
};

const HOSTILE = [
  `"]; click n0 "javascript:alert(1)" %%{init: {"theme":"x"}}%% \`md\` <img src=x onerror=alert(1)>`,
  '\\" ]; evil [label="\\N \\G"] } &lt;',
  "</data></node></graph><script>&#0; ]]> &amp; '",
  "two\nlines\u0000 \u001b[31m \u202e \ud800 \uffff",
];

describe("a printed graph", () => {
  it("is Mermaid", () => {
    expect(renderFactGraph(graph, "mermaid")).toBe(
      'graph LR\n  n0["pattern-001#58; Use signed tokens"]\n  n1["auth"]\n  n0 -->|"tagged"| n1\n',
    );
  });

  it("is DOT", () => {
    expect(renderFactGraph(graph, "dot")).toContain('  n0 [label="pattern-001: Use signed tokens"];\n');
    expect(renderFactGraph(graph, "dot")).toContain('  n0 -> n1 [label="tagged"];\n}');
  });

  it("is GraphML that a parser reads", () => {
    const texts = xmlTexts(renderFactGraph(graph, "graphml"));
    expect(texts).toEqual([
      "false",
      "fact:pattern-001",
      "pattern-001: Use signed tokens",
      "tag:auth",
      "auth",
      "tagged",
    ]);
  });

  it("is JSON", () => {
    expect(JSON.parse(renderFactGraph(graph, "json"))).toEqual({
      nodes: [
        { id: "fact:pattern-001", label: "pattern-001: Use signed tokens" },
        { id: "tag:auth", label: "auth" },
      ],
      edges: [{ from: "fact:pattern-001", to: "tag:auth", as: "tagged" }],
      isCut: false,
    });
  });

  it("says when it is a part only", () => {
    for (const format of GRAPH_FORMATS) {
      expect(renderFactGraph({ ...graph, isCut: true }, format), format).not.toBe(renderFactGraph(graph, format));
    }
  });

  it("lets no label out of its place", () => {
    for (const label of HOSTILE) {
      const drawn = { nodes: [{ id: `fact:${label}`, label }], edges: [], isCut: false };
      const [, node = ""] = renderFactGraph(drawn, "mermaid").split("\n");
      expect(node).toMatch(/^ {2}n0\["(?:[\w .-]|#\d+;)*"\]$/);
      expect(renderFactGraph(drawn, "mermaid").split("\n")).toHaveLength(3);
      const [, , , box = ""] = renderFactGraph(drawn, "dot").split("\n");
      expect(box).toMatch(/^ {2}n0 \[label="(?:[^"\\]|\\["\\])*"\];$/);
      expect(xmlTexts(renderFactGraph(drawn, "graphml"))).toHaveLength(3);
      expect(renderFactGraph(drawn, "json")).not.toMatch(/[\u001b\u202e\u0000]/);
    }
  });

  it("cuts long labels", () => {
    const drawn = { nodes: [{ id: "tag:x", label: "y".repeat(10_000) }], edges: [], isCut: false };
    for (const format of GRAPH_FORMATS) expect(renderFactGraph(drawn, format).length, format).toBeLessThan(1_000);
  });
});

/** The texts of all data elements; throws when it is not XML. */
function xmlTexts(text: string): string[] {
  const parser = new SaxesParser();
  const texts: string[] = [];
  let isData = false;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => (isData = name === "data"));
  parser.on("closetag", () => (isData = false));
  parser.on("text", (found) => {
    if (isData) texts.push(found);
  });
  parser.write(text).close();
  return texts;
}
