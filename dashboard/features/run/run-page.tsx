import "./run.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RunPage as RunAnswer } from "../../../src/api/answers.ts";
import { HookNotices } from "../../components/hook-notices.tsx";
import { links } from "../../components/links.ts";
import { PageHead, Panel } from "../../components/panel.tsx";
import { Answer } from "../../components/states.tsx";
import { useTitle } from "../../components/title.ts";
import { hooksQuery, runQuery } from "../../data/queries.ts";
import { Asks } from "./asks.tsx";
import { Budget } from "./budget.tsx";
import { Convergence } from "./convergence.tsx";
import { GraphAsList } from "./graph-as-list.tsx";
import { RunGraphView } from "./run-graph.tsx";
import { RunHead } from "./run-head.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { Deviations, SessionAgents, SessionCost } from "./session.tsx";

/** One run: where it stands, how it came there, what it cost. */
export function RunPage({ run }: { readonly run: string }): ReactNode {
  const query = useQuery(runQuery(run));
  useTitle(query.data === undefined ? `Run ${run}` : `${query.data.item.workflow} ${query.data.item.run}`);
  return (
    <>
      {query.data === undefined && <PageHead above={<Link href={links.runs}>Runs</Link>} title={`Run ${run}`} />}
      <Answer of={query} what="the run">
        {(page) => <RunContent page={page} />}
      </Answer>
    </>
  );
}

function RunContent({ page }: { readonly page: RunAnswer }): ReactNode {
  return page.view.observed === null ? <DrivenRun page={page} /> : <WatchedSession page={page} />;
}

function Graph({ page, title }: { readonly page: RunAnswer; readonly title: string }): ReactNode {
  return (
    <Panel title={title} flush>
      <RunGraphView graph={page.graph} />
      <GraphAsList run={page.item.run} graph={page.graph} />
    </Panel>
  );
}

/** Nothing of it was started here: what would be about driving it is left out. */
function WatchedSession({ page }: { readonly page: RunAnswer }): ReactNode {
  const { client, follows } = page.view.observed ?? { client: "", follows: null };
  const hooks = useQuery(hooksQuery);
  return (
    <div className="stack">
      <RunHead page={page} />
      {page.view.ended_at === null && <HookNotices hooks={hooks.data} client={client} />}
      <Asks page={page} />
      {follows !== null && <Graph page={page} title={`The workflow ${follows}, with which it is compared`} />}
      {follows !== null && <Deviations page={page} />}
      <div className="run-figures">
        <SessionCost page={page} />
        <SessionAgents page={page} />
      </div>
      {page.view.issues.length > 0 && <Convergence rounds={page.rounds} issues={page.view.issues} />}
      <RunTabs page={page} />
    </div>
  );
}

function DrivenRun({ page }: { readonly page: RunAnswer }): ReactNode {
  return (
    <div className="stack">
      <RunHead page={page} />
      <Asks page={page} />
      <Graph page={page} title="Workflow" />
      <div className="run-figures">
        <Budget page={page} />
        <Convergence rounds={page.rounds} issues={page.view.issues} />
      </div>
      <RunTabs page={page} />
    </div>
  );
}
