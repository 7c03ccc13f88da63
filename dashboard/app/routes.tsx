import { type ReactNode, Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { links } from "../components/links.ts";
import { PageHead } from "../components/panel.tsx";
import { part } from "../components/part.ts";
import { Loading } from "../components/states.tsx";
import { RunPage } from "../features/run/run-page.tsx";
import { RunsPage } from "../features/runs/runs-page.tsx";
import { PageCrash } from "./page-crash.tsx";

// The pages that links lead to come at once, the others when they are opened.
const HandoffPage = part(async () => (await import("../features/handoff/handoff-page.tsx")).HandoffPage);
const InboxPage = part(async () => (await import("../features/inbox/inbox-page.tsx")).InboxPage);
const FactsPage = part(async () => (await import("../features/knowledge/facts-page.tsx")).FactsPage);
const FactPage = part(async () => (await import("../features/knowledge/fact-page.tsx")).FactPage);
const MetricsPage = part(async () => (await import("../features/metrics/metrics-page.tsx")).MetricsPage);
const AuditPage = part(async () => (await import("../features/audit/audit-page.tsx")).AuditPage);

export function Routes(): ReactNode {
  const [place] = useLocation();
  return (
    <PageCrash key={place}>
      <Suspense fallback={<Loading what="the page" rows={8} />}>
        <Switch>
          <Route path={links.runs} component={RunsPage} />
          <Route path="/runs/:run">{({ run }) => <RunPage key={run} run={run} />}</Route>
          <Route path="/runs/:run/handoffs/:attempt">
            {({ run, attempt }) => <HandoffPage key={`${run}/${attempt}`} run={run} attempt={attempt} />}
          </Route>
          <Route path={links.inbox} component={InboxPage} />
          <Route path={links.knowledge} component={FactsPage} />
          <Route path="/knowledge/:fact">{({ fact }) => <FactPage key={fact} fact={fact} />}</Route>
          <Route path={links.metrics} component={MetricsPage} />
          <Route path={links.audit} component={AuditPage} />
          <Route>
            <NoPage />
          </Route>
        </Switch>
      </Suspense>
    </PageCrash>
  );
}

function NoPage(): ReactNode {
  return (
    <>
      <PageHead title="There is no such page" />
      <p>
        The address leads nowhere. <Link href={links.runs}>All runs</Link> are a good place to go on.
      </p>
    </>
  );
}
