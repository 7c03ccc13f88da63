import type { ReactNode } from "react";
import type { RunPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, gravityLook, type Look, stepLook } from "../../components/badge.tsx";
import { counted } from "../../components/format.ts";
import { Empty } from "../../components/states.tsx";
import { type Column, ScrollTable } from "../../components/table.tsx";
import { When } from "../../components/time.tsx";

type Issue = RunPage["view"]["issues"][number];

const LOOKS: Readonly<Record<Issue["status"], Look>> = {
  open: { meaning: "warning", icon: "circle", word: "Open" },
  fixed: { meaning: "good", icon: "check", word: "Fixed" },
  wontfix: { meaning: "plain", icon: "stop", word: "Won't fix" },
};

const ISSUE_COLUMNS: readonly Column<Issue>[] = [
  { title: "Issue", isHead: true, className: "mono", cell: ({ id }) => id },
  { title: "Status", cell: (issue) => <Badge look={lookOf(issue)} /> },
  { title: "Severity", cell: ({ severity }) => <Badge look={gravityLook(severity)} /> },
  { title: "What is wrong", className: "words", cell: (issue) => <Description issue={issue} /> },
  { title: "History", className: "soft words", cell: (issue) => <History issue={issue} /> },
];

/** An issue is open until the agent that reported it has looked again, whatever others say. */
function lookOf({ status, claimed }: Issue): Look {
  if (claimed === undefined) return LOOKS[status];
  return { ...LOOKS[status], word: claimed.status === "fixed" ? "Open, said to be fixed" : "Open, not to be fixed" };
}

/** The issue ledger: what reviews found, and what became of it. */
export function IssueTable({ issues }: { readonly issues: readonly Issue[] }): ReactNode {
  if (issues.length === 0) return <Empty title="No issue was raised">Reviews that find something list it here.</Empty>;
  return <ScrollTable label="Issues" columns={ISSUE_COLUMNS} rows={issues} keyOf={({ id }) => id} />;
}

function Description({ issue: { description, location, remediation } }: { readonly issue: Issue }): ReactNode {
  return (
    <>
      <AgentText text={description} />
      <div className="soft">
        {location !== null && (
          <span className="mono">
            <AgentText text={location} />{" "}
          </span>
        )}
        {remediation !== null && <AgentText text={remediation} />}
      </div>
    </>
  );
}

function History({ issue: { history, reopened } }: { readonly issue: Issue }): ReactNode {
  return (
    <>
      {history.map(({ status, by, at }) => (
        <div key={`${status} ${at}`}>
          {status === "claimed" ? "called settled" : status} by {by}, <When at={at} />
        </div>
      ))}
      {reopened > 0 && <div className="ink--warning">reopened {counted(reopened, "time")}</div>}
    </>
  );
}

type Task = RunPage["view"]["tasks"][number];

const TASK_COLUMNS: readonly Column<Task>[] = [
  {
    title: "Task",
    isHead: true,
    cell: ({ id, name }) => (
      <>
        <span className="mono">{id}</span> {name !== id && <AgentText text={name} />}
      </>
    ),
  },
  { title: "Status", cell: ({ status }) => <Badge look={stepLook(status)} /> },
  { title: "Agent", cell: ({ agent }) => agent ?? "—" },
  {
    title: "Needs first",
    className: "mono",
    cell: ({ depends_on }) => (depends_on.length === 0 ? "—" : depends_on.join(", ")),
  },
  { title: "Why", cell: ({ reason }) => (reason === null ? "—" : <AgentText text={reason} lines={3} />) },
];

export function TaskTable({ tasks }: { readonly tasks: readonly Task[] }): ReactNode {
  return <ScrollTable label="Tasks" columns={TASK_COLUMNS} rows={tasks} keyOf={({ id }) => id} />;
}
