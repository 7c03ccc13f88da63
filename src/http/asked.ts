import type { HttpBindings } from "@hono/node-server";
import type {
  AttemptTexts,
  AuditList,
  ConvertedHandoff,
  EventList,
  FactGraph,
  FactList,
  FactPage,
  HandoffPage,
  Inbox,
  RunList,
  RunPage,
} from "../api/answers.ts";
import type { BodyFields, BodyOf } from "../api/body.ts";
import type { Values } from "../api/parameters.ts";
import type { RouteName, RouteOf } from "../api/routes.ts";
import type { Engine } from "../runtime/engine.ts";
import type { MeasureFilter } from "../runtime/operations/measure-runs.ts";
import type { Caller } from "./gate.ts";
import type { LiveFeed } from "./live-feed.ts";

/** What the handlers work with. */
export interface Surroundings {
  readonly engine: Engine;
  readonly keeper: RunKeeper | null;
  readonly feed: LiveFeed;
  readonly longWork: LongWork;
  readonly about: {
    readonly version: string;
    readonly root: string;
    readonly startedAt: number;
    readonly demo: boolean;
  };
  /** Who the person at the browser is in the log. */
  readonly user: string;
  /** Says whether an agent's token is good for this attempt. */
  readonly isAttemptToken: (given: string, run: string, attempt: string) => boolean;
}

/** Questions over the whole log, answered elsewhere: this process has others to serve. */
export interface LongWork {
  measure(filter: MeasureFilter): Promise<object>;
  verify(): Promise<object>;
}

/** Moves runs on in this process, if they may. */
export interface RunKeeper {
  /** Whether the operator trusts its commands. */
  mayDrive(run: string): Promise<boolean>;
  /** Unless another process drives it. */
  drive(run: string): Promise<unknown>;
}

type Body<B> = B extends BodyFields ? BodyOf<B> : B extends "handoff" ? string : null;

/** A request that was let in and read, as its route describes it. */
export interface Asked<N extends RouteName = RouteName> {
  /** By the names in the path; each of them fits its pattern. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Values<RouteOf<N>["query"]>;
  readonly body: Body<RouteOf<N>["body"]>;
  readonly caller: Caller;
  readonly raw: HttpBindings;
  readonly around: Surroundings;
}

/** What each route answers with; streams send by themselves. */
interface Answers {
  readonly about: {
    readonly version: string;
    readonly root: string;
    readonly started_at: number;
    readonly demo: boolean;
  };
  readonly "list-runs": RunList;
  readonly "show-run": RunPage;
  readonly "list-events": EventList;
  readonly "show-attempt": AttemptTexts;
  readonly "show-handoff": HandoffPage;
  readonly "convert-handoff": ConvertedHandoff;
  readonly "show-inbox": Inbox;
  readonly "search-facts": FactList;
  readonly "show-fact": FactPage;
  readonly "draw-fact": FactGraph;
  readonly "change-fact": FactPage;
  readonly "list-audit": AuditList;
}

type AnswerOf<N extends RouteName> = N extends keyof Answers ? Answers[N] : object;

/** Gives the answer, or sends it itself. */
export type Handler<N extends RouteName> = (asked: Asked<N>) => Promise<AnswerOf<N> | typeof SENT>;

/** The handler has written the answer by itself. */
export const SENT: unique symbol = Symbol("sent");

export function pathValue({ path }: Pick<Asked, "path">, name: string): string {
  return path[name] ?? "";
}
