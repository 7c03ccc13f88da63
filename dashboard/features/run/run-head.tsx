import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RunPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, runLook } from "../../components/badge.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { counted } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { PageHead, Pairs } from "../../components/panel.tsx";
import { Took, When } from "../../components/time.tsx";
import { RunActions } from "./run-actions.tsx";

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
        <Badge look={runLook(item, view.remarks.length > 0)} />
        {view.reason !== null && <AgentText text={view.reason} lines={2} />}
        {view.retry_refused !== null && <span>{view.retry_refused}</span>}
        {item.status === "stalled" && (
          <span>
            It should be at work, and nothing has happened since <When at={item.updated_at} />.
          </span>
        )}
        {item.status === "watched" && item.failed_agents.length > 0 && (
          <AgentText text={`No valid handoff of ${item.failed_agents.join(", ")}.`} lines={2} />
        )}
        {item.idle_since !== null && (
          <span>
            No sign of it for a while: its client may be gone, or its agent works on. It ends when the client tells its
            end, or when you close it.
          </span>
        )}
      </p>
      <Remarks remarks={view.remarks} />
      <Pairs pairs={view.observed === null ? drivenFacts(item, view) : sessionFacts(item, view)} />
    </PageHead>
  );
}

type Facts = readonly (readonly [string, ReactNode])[];

function idFact(run: string): readonly [string, ReactNode] {
  return [
    "Run",
    <span key="run" className="row row--tight">
      <span className="mono">{run}</span>
      <CopyButton text={run} what="the run's id" />
    </span>,
  ];
}

function drivenFacts(item: RunPage["item"], view: RunPage["view"]): Facts {
  return [
    idFact(item.run),
    ["Started", <When key="started" at={view.started_at} />],
    [view.ended_at === null ? "Takes" : "Took", <Took key="took" from={view.started_at} to={view.ended_at} />],
    ["Round", view.iteration],
    ["Steps", view.steps],
    ...(item.tasks > 1 ? ([["Tasks done", `${item.tasks_done} of ${item.tasks}`]] as const) : []),
    openIssues(item),
    ...(view.ended_at === null
      ? ([["Driven", item.is_driven ? "by a process, now" : "by no process at this moment"]] as const)
      : []),
  ];
}

/** A session lasts as long as its client is open: that says nothing of the work. */
function sessionFacts(item: RunPage["item"], view: RunPage["view"]): Facts {
  const { client = "", session = "" } = view.observed ?? {};
  return [
    idFact(item.run),
    ["Session", <AgentText key="session" text={`${session} of ${client}`} />],
    ["Driven", "by its client; Baton watches"],
    ["First sign", <When key="first" at={view.started_at} />],
    view.ended_at === null
      ? ["Last sign", <When key="last" at={item.updated_at} />]
      : ["Ended", <When key="ended" at={view.ended_at} />],
    ["Handed over", item.tasks === 0 ? "no agent" : `${item.tasks_done} of ${counted(item.tasks, "agent")}`],
    openIssues(item),
  ];
}

function openIssues(item: RunPage["item"]): readonly [string, ReactNode] {
  return ["Open issues", item.open_issues === 0 ? "none" : counted(item.open_issues, "issue")];
}
