import type { ReactNode } from "react";
import { Link } from "wouter";
import type { WorkflowMeasures } from "../../../src/views/metrics.ts";
import { count } from "../../components/format.ts";
import { Panel } from "../../components/panel.tsx";
import { medianOf, moneyOf, rateOf, timeOf, tokensOf } from "./say.ts";

const COLUMNS: readonly { readonly word: string; readonly say: (one: WorkflowMeasures) => string }[] = [
  { word: "Runs", say: ({ runs }) => count(runs) },
  { word: "Completed", say: ({ statuses }) => count(statuses.completed) },
  { word: "Failed", say: ({ statuses }) => count(statuses.failed) },
  { word: "Cancelled", say: ({ statuses }) => count(statuses.cancelled) },
  { word: "Cycle time", say: ({ cycle_time }) => timeOf(cycle_time) },
  { word: "Reviews", say: ({ review_iterations }) => medianOf(review_iterations) },
  { word: "Loops", say: ({ loops }) => count(loops) },
  { word: "Retries", say: ({ retries }) => count(retries) },
  { word: "Refuted", say: ({ claims }) => count(claims.refuted) },
  { word: "Merged alone", say: ({ merges }) => rateOf(merges.rate) },
  { word: "Tokens", say: ({ tokens }) => tokensOf(tokens) },
  { word: "Cost", say: ({ money }) => moneyOf(money) },
];

export function WorkflowTable({ workflows }: { readonly workflows: readonly WorkflowMeasures[] }): ReactNode {
  return (
    <Panel title="By workflow" flush>
      <div className="scroll-x" role="group" aria-label="By workflow" tabIndex={0}>
        <table className="plain-table plain-table--tight">
          <thead>
            <tr>
              <th scope="col">Workflow</th>
              {COLUMNS.map(({ word }) => (
                <th key={word} scope="col" className="number">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {workflows.map((one) => (
              <tr key={one.workflow}>
                <th scope="row">
                  <Link href={`/?workflow=${encodeURIComponent(one.workflow)}`}>{one.workflow}</Link>
                </th>
                {COLUMNS.map(({ word, say }) => (
                  <td key={word} className="number">
                    {say(one)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
