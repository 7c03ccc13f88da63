import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { GraphNode, RunGraph } from "../../../src/api/answers.ts";
import { useAddressWord } from "../../components/address.ts";
import { Badge, stepLook } from "../../components/badge.tsx";
import { links } from "../../components/links.ts";
import { shownEdges } from "./shown-edges.ts";

/** The graph in words: for screen readers, and for who would rather read. */
export function GraphAsList({ run, graph }: { readonly run: string; readonly graph: RunGraph }): ReactNode {
  const [ways, setWays] = useAddressWord("ways");
  const hidden = graph.edges.length - shownEdges(graph, false).length;
  return (
    <div className="graph-foot">
      <details>
        <summary>The workflow as a list</summary>
        <ul className="graph-list">
          {graph.nodes.map((node) => (
            <li key={node.id}>
              <NodeName run={run} node={node} /> {node.status !== null && <Badge look={stepLook(node.status)} />}{" "}
              <span className="soft">
                {node.visits === 0 ? "not reached" : node.visits === 1 ? "once" : `${node.visits} times`}
              </span>
              <Ways graph={graph} from={node.id} />
            </li>
          ))}
        </ul>
      </details>
      {hidden > 0 && (
        <Checkbox
          size="xs"
          label="Show ways for failures and questions that were not taken"
          checked={ways === "all"}
          onChange={(event) => setWays(event.currentTarget.checked ? "all" : "")}
        />
      )}
    </div>
  );
}

function NodeName({ run, node: { id, kind } }: { readonly run: string; readonly node: GraphNode }): ReactNode {
  return kind === "agent" ? (
    <Link replace href={links.run(run, { agent: id })}>
      {id}
    </Link>
  ) : (
    <strong>{id}</strong>
  );
}

function Ways({ graph, from }: { readonly graph: RunGraph; readonly from: string }): ReactNode {
  const ways = graph.edges.filter((edge) => edge.from === from);
  if (ways.length === 0) return null;
  return (
    <ul>
      {ways.map(({ id, to, label, kind, taken }) => (
        <li key={id}>
          {kind === "forward" ? "to" : `${kind}, to`} {to}
          {label !== "" && ` when ${label}`}:{" "}
          {taken === 0 ? "not taken" : taken === 1 ? "taken once" : `taken ${taken} times`}
        </li>
      ))}
    </ul>
  );
}
