import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FactGraph } from "../../../src/api/answers.ts";
import { useAddressWord } from "../../components/address.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Panel } from "../../components/panel.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { factGraphQuery } from "../../data/queries.ts";
import { DrawnNeighbours } from "./drawn-neighbours.tsx";
import { linkOf } from "./node-link.ts";

/** What stands around a fact: other facts, tasks, runs, agents, files, tags. */
export function Neighbours({ fact }: { readonly fact: string }): ReactNode {
  const [depth, setDepth] = useAddressWord("depth");
  const reach = depth === "2" || depth === "3" ? depth : "1";
  const query = useQuery(factGraphQuery(fact, Number(reach)));
  return (
    <Panel
      title="Neighbours"
      flush
      aside={
        <SegmentedControl
          size="xs"
          aria-label="How far"
          value={reach}
          onChange={(value) => setDepth(value === "1" ? "" : value)}
          data={[
            { value: "1", label: "Next" },
            { value: "2", label: "Two steps" },
            { value: "3", label: "Three steps" },
          ]}
        />
      }
    >
      <Answer of={query} what="the neighbours">
        {(graph) =>
          graph.nodes.length < 2 ? (
            <Empty title="Nothing is linked to it yet" />
          ) : (
            <>
              <DrawnNeighbours graph={graph} root={`fact:${fact}`} />
              <NeighbourList graph={graph} />
            </>
          )
        }
      </Answer>
    </Panel>
  );
}

function NeighbourList({ graph }: { readonly graph: FactGraph }): ReactNode {
  const names = new Map(graph.nodes.map((node) => [node.id, node.label]));
  return (
    <div className="graph-foot">
      <details>
        <summary>As a list</summary>
        <ul className="neighbour-list">
          {graph.edges.map(({ from, to, as }) => (
            <li key={`${from} ${as} ${to}`}>
              <NodeName id={from} label={names.get(from) ?? from} /> {as}{" "}
              <NodeName id={to} label={names.get(to) ?? to} />
            </li>
          ))}
        </ul>
      </details>
      {graph.is_cut && <span className="soft">There is more than is drawn here.</span>}
    </div>
  );
}

function NodeName({ id, label }: { readonly id: string; readonly label: string }): ReactNode {
  const href = linkOf(id);
  const text = <AgentText text={label} />;
  return href === null ? text : <Link href={href}>{text}</Link>;
}
