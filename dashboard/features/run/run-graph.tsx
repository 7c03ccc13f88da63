import "./run-graph.css";
import {
  BaseEdge,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  type EdgeTypes,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  type NodeTypes,
  Position,
  type Viewport,
} from "@xyflow/react";
import { memo, type ReactNode, useMemo, useState } from "react";
import type { GraphNode, RunGraph } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { stepLook } from "../../components/badge.tsx";
import { GraphCanvas } from "../../components/graph-canvas.tsx";
import { Icon, type IconName } from "../../components/icons.tsx";
import type { Box } from "./drawn-way.ts";
import { NODE, placeOf, type RoutedEdge, routeEdges } from "./route-edges.ts";
import { shownEdges } from "./shown-edges.ts";

type AgentNode = Node<{ readonly node: GraphNode }, "agent">;
type WayEdge = Edge<{ readonly route: RoutedEdge }, "way">;

/** Smaller than this it cannot be read: a larger graph can be moved instead. */
const LEAST_ZOOM = 0.74;
const MARGIN = 20;

/** The workflow with the live position. What is in it stands in a list below, too. */
export function RunGraphView({ graph }: { readonly graph: RunGraph }): ReactNode {
  const [words, change] = useAddressWords();
  const isAll = words.get("ways") === "all";
  const flow = useMemo(() => flowOf(graph, shownEdges(graph, isAll)), [graph, isAll]);
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const view = viewOf(flow, graph, box?.clientWidth ?? 0);
  return (
    <GraphCanvas<AgentNode, WayEdge>
      boxRef={setBox}
      look="run-graph"
      label="The workflow, drawn; the list below says the same"
      height={view.height}
      flow={
        box === null
          ? null
          : {
              key: String(isAll),
              nodes: flow.nodes,
              edges: flow.edges,
              nodeTypes,
              edgeTypes,
              defaultViewport: view.viewport,
              minZoom: 0.3,
              maxZoom: 1.6,
              onNodeClick: (_event, { data }) => {
                if (data.node.kind === "agent") change({ tab: "", agent: data.node.id, step: "" });
              },
            }
      }
    />
  );
}

interface View {
  readonly viewport: Viewport;
  readonly height: number;
}

/** As large as it fits; what does not fit is shown from where the run stands. */
function viewOf({ bounds }: Flow, graph: RunGraph, width: number): View {
  const fits = (width - 2 * MARGIN) / bounds.width;
  const zoom = Math.max(LEAST_ZOOM, Math.min(1, fits));
  const height = Math.max(170, Math.min(620, bounds.height * zoom + 2 * MARGIN));
  const y = (height - bounds.height * zoom) / 2 - bounds.y * zoom;
  if (fits >= LEAST_ZOOM)
    return { height, viewport: { x: (width - bounds.width * zoom) / 2 - bounds.x * zoom, y, zoom } };
  const present = graph.nodes.find(({ status }) => status === "working" || status === "asking");
  const least = width - MARGIN - (bounds.x + bounds.width) * zoom;
  const wanted = present === undefined ? MARGIN : width / 2 - (placeOf(present).x + NODE.width / 2) * zoom;
  const x = Math.min(MARGIN - bounds.x * zoom, Math.max(least, wanted));
  return { height, viewport: { x, y, zoom } };
}

const nodeTypes: NodeTypes = { agent: memo(DrawnNode) };
const edgeTypes: EdgeTypes = { way: memo(DrawnWay) };

interface Flow {
  readonly nodes: AgentNode[];
  readonly edges: WayEdge[];
  readonly bounds: Box;
}

/** Told, so that a node is not kept hidden until it was measured. */
const SIZE = { initialWidth: NODE.width, initialHeight: NODE.height } as const;

function flowOf(graph: RunGraph, shown: RunGraph["edges"]): Flow {
  const { edges, bounds } = routeEdges(graph.nodes, shown);
  return {
    nodes: graph.nodes.map((node) => ({
      id: node.id,
      type: "agent",
      position: placeOf(node),
      data: { node },
      ...SIZE,
    })),
    // Those that were taken lie on top.
    edges: edges
      .toSorted((left, right) => left.edge.taken - right.edge.taken)
      .map((route) => ({
        id: route.edge.id,
        source: route.edge.from,
        target: route.edge.to,
        type: "way",
        data: { route },
        className: `way way--${route.edge.kind}${route.edge.taken > 0 ? " way--taken" : ""}`,
        markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: "currentColor" },
      })),
    bounds,
  };
}

function endLook(icon: IconName, word: string) {
  return ({ visits }: GraphNode) => ({ meaning: "end", icon, word, status: visits > 0 ? "reached" : "not reached" });
}

const LOOKS: Readonly<Record<GraphNode["kind"], (node: GraphNode) => NodeLook>> = {
  agent: ({ id, status }) => {
    const { meaning, icon, word } = stepLook(status ?? "waiting");
    return { meaning, icon, word: id, status: word };
  },
  start: endLook("play", "Start"),
  end: endLook("check", "End"),
  person: endLook("person", "A person"),
  fail: endLook("cross", "Failed"),
};

interface NodeLook {
  readonly meaning: string;
  readonly icon: IconName;
  readonly word: string;
  readonly status: string;
}

function DrawnNode({ data: { node } }: NodeProps<AgentNode>): ReactNode {
  const { meaning, icon, word, status } = LOOKS[node.kind](node);
  return (
    <div className={`node node--${meaning}${node.status === "working" ? " node--working" : ""}`}>
      <Handle type="target" position={Position.Left} className="node__handle" />
      <span className="node__name">{word}</span>
      <span className="node__status">
        <Icon name={icon} size={12} />
        {status}
        {node.visits > 1 && <strong className="node__visits">×{node.visits}</strong>}
      </span>
      <Handle type="source" position={Position.Right} className="node__handle" />
    </div>
  );
}

function DrawnWay({ id, data, markerEnd }: EdgeProps<WayEdge>): ReactNode {
  if (data === undefined) return null;
  const { path, label, text, edge } = data.route;
  return (
    <>
      <BaseEdge id={id} path={path} {...(markerEnd === undefined ? {} : { markerEnd })} />
      {text !== "" && (
        <EdgeLabelRenderer>
          <span
            className={`way-label way-label--${edge.kind}${edge.taken > 0 ? " way-label--taken" : ""}`}
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
          >
            {text}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
