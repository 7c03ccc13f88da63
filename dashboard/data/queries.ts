import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  AttemptTexts,
  AuditReport,
  ConvertedHandoff,
  FactGraph,
  FactList,
  FactPage,
  HandoffPage,
  HookStatus,
  Inbox,
  Metrics,
  RunPage,
  ScheduleList,
} from "../../src/api/answers.ts";
import { part, read } from "./ask-server.ts";

/** What every page reads, by the key under which it is kept. Keys begin with what they are about. */

interface About {
  readonly version: string;
  readonly root: string;
  readonly started_at: number;
  readonly demo: boolean;
}

export const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: async ({ signal }) => read<About>("about", {}, signal),
});

/** Hooks and schedules write no events, so nothing tells when these have changed. */
const HOOKS_EVERY = 30_000;

export const hooksQuery = queryOptions({
  queryKey: ["hooks"],
  queryFn: async ({ signal }) => read<HookStatus>("hooks", {}, signal),
  refetchInterval: HOOKS_EVERY,
});

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: async ({ signal }) => read<ScheduleList>("schedules", {}, signal),
  refetchInterval: HOOKS_EVERY,
});

export const inboxQuery = queryOptions({
  queryKey: ["inbox"],
  queryFn: async ({ signal }) => read<Inbox>("inbox", {}, signal),
});

/** How many wait for a person; the others wait for a process that drives the run. */
export function unanswered({ asks }: Inbox): number {
  return asks.filter(({ answered }) => answered === null).length;
}

export function runQuery(run: string) {
  return queryOptions({
    queryKey: ["run", run],
    queryFn: async ({ signal }) => read<RunPage>(`runs/${part(run)}`, {}, signal),
  });
}

export function attemptQuery(run: string, attempt: string) {
  return queryOptions({
    queryKey: ["run", run, "attempt", attempt],
    queryFn: async ({ signal }) => read<AttemptTexts>(`runs/${part(run)}/attempts/${part(attempt)}`, {}, signal),
  });
}

export function handoffQuery(run: string, attempt: string) {
  return queryOptions({
    queryKey: ["run", run, "handoff", attempt],
    queryFn: async ({ signal }) => read<HandoffPage>(`runs/${part(run)}/handoffs/${part(attempt)}`, {}, signal),
  });
}

export function conversionQuery(run: string, attempt: string, dialect: string) {
  return queryOptions({
    queryKey: ["run", run, "handoff", attempt, "as", dialect],
    queryFn: async ({ signal }) =>
      read<ConvertedHandoff>(`runs/${part(run)}/handoffs/${part(attempt)}/as/${part(dialect)}`, {}, signal),
  });
}

type Filter = Readonly<Record<string, string>>;

export function factsQuery(filter: Filter) {
  return queryOptions({
    queryKey: ["facts", "list", filter],
    queryFn: async ({ signal }) => read<FactList>("knowledge", filter, signal),
    placeholderData: keepPreviousData,
  });
}

export function factQuery(fact: string) {
  return queryOptions({
    queryKey: ["facts", "one", fact],
    queryFn: async ({ signal }) => read<FactPage>(`knowledge/${part(fact)}`, {}, signal),
  });
}

export function factGraphQuery(fact: string, depth: number) {
  return queryOptions({
    queryKey: ["facts", "graph", fact, depth],
    queryFn: async ({ signal }) => read<FactGraph>(`knowledge/${part(fact)}/graph`, { depth }, signal),
    placeholderData: keepPreviousData,
  });
}

/** `since` is asked when it is read: a period that ends now has another beginning each time. */
export function metricsQuery(filter: Filter, since: () => number | null) {
  return queryOptions({
    queryKey: ["metrics", filter],
    queryFn: async ({ signal }) => {
      const { workflow, agent } = filter;
      return read<Metrics>("metrics", { workflow, agent, since: since() }, signal);
    },
    placeholderData: keepPreviousData,
  });
}

export const verificationQuery = queryOptions({
  queryKey: ["verification"],
  queryFn: async ({ signal }) => read<AuditReport>("audit/verification", {}, signal),
});
