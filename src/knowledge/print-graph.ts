import { visibleLine } from "../shared/envelope.ts";
import { printJsonLines } from "../shared/printable.ts";

/** A part of the knowledge graph, as it is drawn. */
export interface DrawnGraph {
  readonly nodes: readonly { readonly id: string; readonly label: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly as: string }[];
  readonly isCut: boolean;
}

export const GRAPH_FORMATS = ["mermaid", "dot", "graphml", "json"] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** Labels are agents' text: every format escapes them, so that none can end its field or begin markup. */
export function renderFactGraph(graph: DrawnGraph, format: GraphFormat): string {
  return PRINTERS[format](withNumbers(graph));
}

const PRINTERS: Readonly<Record<GraphFormat, (graph: NumberedGraph) => string>> = {
  mermaid: printMermaid,
  dot: printDot,
  graphml: printGraphml,
  json: printJson,
};

interface NumberedGraph {
  readonly nodes: readonly NumberedNode[];
  readonly edges: readonly { readonly from: NumberedNode; readonly to: NumberedNode; readonly as: string }[];
  readonly isCut: boolean;
}

interface NumberedNode {
  /** `n7`: a name that is safe in every format. */
  readonly name: string;
  readonly id: string;
  readonly label: string;
}

const MAX_LABEL = 80;

function withNumbers({ nodes, edges, isCut }: DrawnGraph): NumberedGraph {
  const numbered = nodes.map(({ id, label }, at) => ({ name: `n${at}`, id: visibleLine(id), label: shown(id, label) }));
  const byId = new Map(nodes.map(({ id }, at) => [id, numbered[at]]));
  const linked = edges.flatMap(({ from, to, as }) => {
    const [source, target] = [byId.get(from), byId.get(to)];
    return source === undefined || target === undefined ? [] : [{ from: source, to: target, as: visibleLine(as) }];
  });
  return { nodes: numbered, edges: linked, isCut };
}

/** `pattern-001: Use the helper`, `auth`. */
function shown(id: string, label: string): string {
  const name = id.slice(id.indexOf(":") + 1);
  const text = visibleLine(name === label ? name : `${name}: ${label}`);
  const characters = [...text];
  return characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 1).join("")}…` : text;
}

function printMermaid({ nodes, edges, isCut }: NumberedGraph): string {
  return lines([
    "graph LR",
    ...nodes.map(({ name, label }) => `  ${name}["${mermaidText(label)}"]`),
    ...edges.map(({ from, to, as }) => `  ${from.name} -->|"${mermaidText(as)}"| ${to.name}`),
    ...(isCut ? ['  cut["there is more"]'] : []),
  ]);
}

/** Writes anything but plain characters as an entity, so that `%%{init}%%` and backticks have no effect. */
function mermaidText(text: string): string {
  return text.replaceAll(/[^\w .-]/gu, (character) => `#${character.codePointAt(0)};`);
}

function printDot({ nodes, edges, isCut }: NumberedGraph): string {
  return lines([
    "digraph knowledge {",
    "  rankdir=LR;",
    "  node [shape=box];",
    ...nodes.map(({ name, label }) => `  ${name} [label=${dotQuoted(label)}];`),
    ...edges.map(({ from, to, as }) => `  ${from.name} -> ${to.name} [label=${dotQuoted(as)}];`),
    ...(isCut ? ['  cut [label="there is more"];'] : []),
    "}",
  ]);
}

/** Graphviz interprets backslashes and entities, and logs of builds interpret `##`. */
function dotQuoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("&", "&amp;");
  return `"${escaped.replaceAll("#", "&#35;")}"`;
}

function printGraphml({ nodes, edges, isCut }: NumberedGraph): string {
  return lines([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    '  <key id="id" for="node" attr.name="id" attr.type="string"/>',
    '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
    '  <key id="as" for="edge" attr.name="as" attr.type="string"/>',
    '  <key id="cut" for="graph" attr.name="cut" attr.type="boolean"/>',
    '  <graph id="knowledge" edgedefault="directed">',
    `    <data key="cut">${isCut}</data>`,
    ...nodes.map(
      ({ name, id, label }) =>
        `    <node id="${name}"><data key="id">${inXml(id)}</data><data key="label">${inXml(label)}</data></node>`,
    ),
    ...edges.map(
      ({ from, to, as }) =>
        `    <edge source="${from.name}" target="${to.name}"><data key="as">${inXml(as)}</data></edge>`,
    ),
    "  </graph>",
    "</graphml>",
  ]);
}

/** Control characters and lone surrogates, which XML does not allow, were removed by `visibleLine`. */
function inXml(text: string): string {
  return text
    .replaceAll(/[\ufffe\uffff]/g, "")
    .replaceAll(/[&<>"'#]/g, (character) => `&#${character.codePointAt(0)};`);
}

function printJson({ nodes, edges, isCut }: NumberedGraph): string {
  const plain = {
    nodes: nodes.map(({ id, label }) => ({ id, label })),
    edges: edges.map(({ from, to, as }) => ({ from: from.id, to: to.id, as })),
    isCut,
  };
  return printJsonLines(plain);
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
