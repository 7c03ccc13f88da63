import type { ReactNode } from "react";
import type { RunPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, gravityLook, type Look } from "../../components/badge.tsx";
import { counted } from "../../components/format.ts";
import { Empty } from "../../components/states.tsx";
import { When } from "../../components/time.tsx";

type Issue = RunPage["view"]["issues"][number];

const LOOKS: Readonly<Record<Issue["status"], Look>> = {
  open: { meaning: "warning", icon: "circle", word: "Open" },
  fixed: { meaning: "good", icon: "check", word: "Fixed" },
  wontfix: { meaning: "plain", icon: "stop", word: "Won't fix" },
};

/** The issue ledger: what reviews found, and what became of it. */
export function IssueTable({ issues }: { readonly issues: readonly Issue[] }): ReactNode {
  if (issues.length === 0) return <Empty title="No issue was raised">Reviews that find something list it here.</Empty>;
  return (
    <div className="scroll-x" role="group" aria-label="Issues" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Issue</th>
            <th scope="col">Status</th>
            <th scope="col">Severity</th>
            <th scope="col">What is wrong</th>
            <th scope="col">History</th>
          </tr>
        </thead>
        <tbody>
          {issues.map((issue) => (
            <IssueRow key={issue.id} issue={issue} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function IssueRow({ issue }: { readonly issue: Issue }): ReactNode {
  return (
    <tr>
      <th scope="row" className="mono">
        {issue.id}
      </th>
      <td>
        <Badge look={LOOKS[issue.status]} />
      </td>
      <td>
        <Badge look={gravityLook(issue.severity)} />
      </td>
      <td className="words">
        <AgentText text={issue.description} />
        <div className="soft">
          {issue.location !== null && (
            <span className="mono">
              <AgentText text={issue.location} />{" "}
            </span>
          )}
          {issue.remediation !== null && <AgentText text={issue.remediation} />}
        </div>
      </td>
      <td className="soft words">
        {issue.history.map(({ status, by, at }) => (
          <div key={`${status} ${at}`}>
            {status} by {by}, <When at={at} />
          </div>
        ))}
        {issue.reopened > 0 && <div className="ink--warning">reopened {counted(issue.reopened, "time")}</div>}
      </td>
    </tr>
  );
}
