import "./neighbours.css";
import { type Edge, Handle, type Node, type NodeProps, type NodeTypes, Position } from "@xyflow/react";
import { memo, type ReactNode, useMemo } from "react";
import { navigate } from "wouter/use-browser-location";
import type { FactGraph } from "../../../src/api/answers.ts";
import { GraphCanvas } from "../../components/graph-canvas.tsx";
import { shownText } from "../../components/visible-characters.ts";
import { linkOf } from "./node-link.ts";
import { type PlacedNode, placeNeighbours } from "./place-neighbours.ts";

type Neighbour = Node<{ readonly node: PlacedNode; readonly isRoot: boolean }, "neighbour">;

/** The list below says the same. */
export function DrawnNeighbours({ graph, root }: { readonly graph: FactGraph; readonly root: string }): ReactNode {
  const flow = useMemo(() => flowOf(graph, root), [graph, root]);
  return (
    <GraphCanvas<Neighbour>
      look="neighbours"
      label="The neighbours, drawn; the list below says the same"
      height={flow.height}
      flow={{
        key: `${root} ${graph.nodes.length}`,
        nodes: flow.nodes,
        edges: flow.edges,
        nodeTypes,
        fitView: true,
        fitViewOptions: { padding: 0.03, maxZoom: 1 },
        minZoom: 0.1,
        onNodeClick: (_event, { id }) => {
          const href = linkOf(id);
          if (href !== null) navigate(href);
        },
      }}
    />
  );
}

const nodeTypes: NodeTypes = { neighbour: memo(DrawnNeighbour) };

function flowOf(graph: FactGraph, root: string) {
  const placed = placeNeighbours(graph, root);
  const nodes = placed.map((node): Neighbour => ({
    id: node.id,
    type: "neighbour",
    position: { x: node.x, y: node.y },
    data: { node, isRoot: node.id === root },
  }));
  const column = new Map(placed.map(({ id, x }) => [id, x]));
  // Drawn from left to right, whichever way it is said: what it says stands in the list.
  const edges = graph.edges.map(({ from, to, as }): Edge => {
    const isBackwards = (column.get(from) ?? 0) > (column.get(to) ?? 0);
    return {
      id: `${from} ${as} ${to}`,
      source: isBackwards ? to : from,
      target: isBackwards ? from : to,
      label: as,
      className: "link",
      labelShowBg: true,
      labelBgPadding: [4, 1],
    };
  });
  const tallest = Math.max(...placed.map(({ y }) => y)) - Math.min(...placed.map(({ y }) => y));
  return { nodes, edges, height: Math.max(200, Math.min(560, tallest + 140)) };
}

function DrawnNeighbour({ data: { node, isRoot } }: NodeProps<Neighbour>): ReactNode {
  return (
    <div
      className={isRoot ? "neighbour neighbour--root" : `neighbour neighbour--${node.kind}`}
      title={shownText(node.label)}
    >
      <Handle type="target" position={Position.Left} className="neighbour__handle" />
      <span className="neighbour__kind">{node.kind}</span>
      <span className="neighbour__label">{shownText(node.label)}</span>
      <Handle type="source" position={Position.Right} className="neighbour__handle" />
    </div>
  );
}
