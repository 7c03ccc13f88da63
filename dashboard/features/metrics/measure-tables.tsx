import type { ReactNode } from "react";
import { Link } from "wouter";
import type { AgentMeasures, WorkflowMeasures } from "../../../src/api/answers.ts";
import { count, spanOf, UNKNOWN } from "../../components/format.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, ScrollTable } from "../../components/table.tsx";
import { medianOf, moneyOf, rateOf, shareOf, timeOf, tokensOf } from "./say.ts";

const TIGHT = "plain-table plain-table--tight";

function figure<Row>(title: string, cell: (row: Row) => string): Column<Row> {
  return { title, cell, isNumber: true };
}

const AGENT_COLUMNS: readonly Column<AgentMeasures>[] = [
  { title: "Agent", isHead: true, cell: ({ agent }) => agent },
  figure("Steps", ({ steps }) => count(steps)),
  figure("Handoffs accepted", ({ handoffs }) => count(handoffs)),
  figure("Handoffs sent back", ({ repairs }) => count(repairs)),
  figure("Claims that held", ({ confirmed, refuted }) => shareOf(confirmed, confirmed + refuted)),
  figure("Refuted", ({ refuted }) => count(refuted)),
  figure("Cannot be checked", ({ unverifiable }) => count(unverifiable)),
  figure("Retries", ({ retries }) => count(retries)),
  figure("Gates failed", ({ gates }) => `${count(gates.failed)} of ${count(gates.passed + gates.failed)}`),
  // The sum of all attempts, as tokens and cost are.
  figure("Worked", ({ agent_time }) => (agent_time === null ? UNKNOWN : spanOf(agent_time.sum))),
  figure("Tokens", ({ tokens }) => tokensOf(tokens)),
  figure("Cost", ({ money }) => moneyOf(money)),
  { title: "What was not true", className: "soft words", cell: kindsOf },
];

/** The agent with the most refuted claims comes first. */
export function AgentTable({ agents }: { readonly agents: readonly AgentMeasures[] }): ReactNode {
  return (
    <Panel title="By agent" flush>
      <ScrollTable
        label="By agent"
        className={TIGHT}
        columns={AGENT_COLUMNS}
        rows={agents}
        keyOf={({ agent }) => agent}
      />
    </Panel>
  );
}

function kindsOf({ refuted_kinds }: AgentMeasures): string {
  const kinds = Object.entries(refuted_kinds).map(([kind, number]) => `${kind} ×${number}`);
  return kinds.length === 0 ? "—" : kinds.join(", ");
}

const WORKFLOW_COLUMNS: readonly Column<WorkflowMeasures>[] = [
  {
    title: "Workflow",
    isHead: true,
    cell: ({ workflow }) => <Link href={`/?workflow=${encodeURIComponent(workflow)}`}>{workflow}</Link>,
  },
  figure("Runs", ({ runs }) => count(runs)),
  figure("Completed", ({ statuses }) => count(statuses.completed)),
  figure("Failed", ({ statuses }) => count(statuses.failed)),
  figure("Cancelled", ({ statuses }) => count(statuses.cancelled)),
  figure("Cycle time", ({ cycle_time }) => timeOf(cycle_time)),
  figure("Reviews", ({ review_iterations }) => medianOf(review_iterations)),
  figure("Loops", ({ loops }) => count(loops)),
  figure("Retries", ({ retries }) => count(retries)),
  figure("Refuted", ({ claims }) => count(claims.refuted)),
  figure("Merged alone", ({ merges }) => rateOf(merges.rate)),
  figure("Tokens", ({ tokens }) => tokensOf(tokens)),
  figure("Cost", ({ money }) => moneyOf(money)),
];

export function WorkflowTable({ workflows }: { readonly workflows: readonly WorkflowMeasures[] }): ReactNode {
  return (
    <Panel title="By workflow" flush>
      <ScrollTable
        label="By workflow"
        className={TIGHT}
        columns={WORKFLOW_COLUMNS}
        rows={workflows}
        keyOf={({ workflow }) => workflow}
      />
    </Panel>
  );
}
