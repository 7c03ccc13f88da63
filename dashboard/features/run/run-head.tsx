import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RunPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, type Look, RUN_LOOKS } from "../../components/badge.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { counted } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { PageHead, Pairs } from "../../components/panel.tsx";
import { Took, When } from "../../components/time.tsx";
import { RunActions } from "./run-actions.tsx";

const NOT_PROVEN: Look = { meaning: "warning", icon: "warning", word: "Completed, with remarks" };

function Remarks({ remarks }: { readonly remarks: RunPage["view"]["remarks"] }): ReactNode {
  if (remarks.length === 0) return null;
  return (
    <ul className="run-head__remarks" aria-label="Not proven">
      {remarks.map(({ kind, text }) => (
        <li key={`${kind} ${text}`}>
          <strong>{kind}</strong>: <AgentText text={text} />
        </li>
      ))}
    </ul>
  );
}

export function RunHead({ page: { item, view } }: { readonly page: RunPage }): ReactNode {
  const title = item.brief.trim() === "" ? item.workflow : <AgentText text={item.brief} lines={3} />;
  return (
    <PageHead
      title={title}
      above={
        <>
          <Link href={links.runs}>Runs</Link> /{" "}
          <Link href={`/?workflow=${encodeURIComponent(item.workflow)}`}>{item.workflow}</Link>
        </>
      }
      aside={<RunActions item={item} mayRetry={view.retry_refused === null} />}
    >
      <p className="run-head__status" role="status">
        <Badge look={item.status === "completed" && view.remarks.length > 0 ? NOT_PROVEN : RUN_LOOKS[item.status]} />
        {view.reason !== null && <AgentText text={view.reason} lines={2} />}
        {view.retry_refused !== null && <span>{view.retry_refused}</span>}
        {item.status === "stalled" && (
          <span>
            It should be at work, and nothing has happened since <When at={item.updated_at} />.
          </span>
        )}
      </p>
      <Remarks remarks={view.remarks} />
      <Pairs
        pairs={[
          [
            "Run",
            <span key="run" className="row row--tight">
              <span className="mono">{item.run}</span>
              <CopyButton text={item.run} what="the run's id" />
            </span>,
          ],
          ["Started", <When key="started" at={view.started_at} />],
          [view.ended_at === null ? "Takes" : "Took", <Took key="took" from={view.started_at} to={view.ended_at} />],
          ["Round", view.iteration],
          ["Steps", view.steps],
          ...(item.tasks > 1 ? ([["Tasks done", `${item.tasks_done} of ${item.tasks}`]] as const) : []),
          ["Open issues", item.open_issues === 0 ? "none" : counted(item.open_issues, "issue")],
          ...(view.ended_at === null
            ? ([["Driven", item.is_driven ? "by a process, now" : "by no process at this moment"]] as const)
            : []),
        ]}
      />
    </PageHead>
  );
}
