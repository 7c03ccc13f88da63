import type { ReactNode } from "react";
import type { AgentMeasures } from "../../../src/views/metrics.ts";
import { count, spanOf, UNKNOWN } from "../../components/format.ts";
import { Panel } from "../../components/panel.tsx";
import { moneyOf, shareOf, tokensOf } from "./say.ts";

const COLUMNS: readonly { readonly word: string; readonly say: (one: AgentMeasures) => string }[] = [
  { word: "Steps", say: ({ steps }) => count(steps) },
  { word: "Handoffs accepted", say: ({ handoffs }) => count(handoffs) },
  { word: "Handoffs sent back", say: ({ repairs }) => count(repairs) },
  { word: "Claims that held", say: ({ confirmed, refuted }) => shareOf(confirmed, confirmed + refuted) },
  { word: "Refuted", say: ({ refuted }) => count(refuted) },
  { word: "Nobody can check", say: ({ unverifiable }) => count(unverifiable) },
  { word: "Retries", say: ({ retries }) => count(retries) },
  { word: "Gates failed", say: ({ gates }) => `${count(gates.failed)} of ${count(gates.passed + gates.failed)}` },
  // All of it, as tokens and cost are.
  { word: "Worked", say: ({ agent_time }) => (agent_time === null ? UNKNOWN : spanOf(agent_time.sum)) },
  { word: "Tokens", say: ({ tokens }) => tokensOf(tokens) },
  { word: "Cost", say: ({ money }) => moneyOf(money) },
];

/** Whoever said most that is not true comes first. */
export function AgentTable({ agents }: { readonly agents: readonly AgentMeasures[] }): ReactNode {
  return (
    <Panel title="By agent" flush>
      <div className="scroll-x" role="group" aria-label="By agent" tabIndex={0}>
        <table className="plain-table plain-table--tight">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              {COLUMNS.map(({ word }) => (
                <th key={word} scope="col" className="number">
                  {word}
                </th>
              ))}
              <th scope="col">What was not true</th>
            </tr>
          </thead>
          <tbody>
            {agents.map((one) => (
              <tr key={one.agent}>
                <th scope="row">{one.agent}</th>
                {COLUMNS.map(({ word, say }) => (
                  <td key={word} className="number">
                    {say(one)}
                  </td>
                ))}
                <td className="soft words">{kindsOf(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function kindsOf({ refuted_kinds }: AgentMeasures): string {
  const kinds = Object.entries(refuted_kinds).map(([kind, number]) => `${kind} ×${number}`);
  return kinds.length === 0 ? "—" : kinds.join(", ");
}
