import type { HttpBindings } from "@hono/node-server";
import type { AnswerOf } from "../api/answers.ts";
import type { BodyOf } from "../api/read-request.ts";
import type { RequestFields } from "../api/route.ts";
import type { RouteName, RouteOf } from "../api/routes.ts";
import type { RecordOf } from "../protocol/shape.ts";
import type { Engine } from "../runtime/engine.ts";
import type { MeasureFilter, Metrics } from "../runtime/operations/measure-runs.ts";
import type { ScheduleList } from "../runtime/operations/list-schedules.ts";
import type { HookStatus } from "../runtime/operations/look-at-hooks.ts";
import type { AuditReport } from "../runtime/operations/verify-audit.ts";
import type { RequestSource } from "../runtime/request-source.ts";
import type { Caller } from "./guard.ts";
import type { LiveFeed } from "./live-feed.ts";

/** What the handlers work with. */
export interface HandlerContext {
  readonly engine: Engine;
  readonly keeper: RunKeeper | null;
  readonly feed: LiveFeed;
  readonly longWork: LongWork;
  readonly mcp: McpDoor;
  /** Which hooks of clients were heard of. */
  readonly hooks: () => Promise<HookStatus>;
  /** When runs are started by schedules. */
  readonly schedules: () => Promise<ScheduleList>;
  readonly about: {
    readonly version: string;
    readonly root: string;
    readonly startedAt: number;
    readonly demo: boolean;
  };
  /** The account for the log, and whether an agent sent a request. */
  readonly sourceOf: (connection: { readonly localPort: number; readonly remotePort: number }) => RequestSource;
  /** Says whether an agent's token is good for this attempt. */
  readonly isAttemptToken: (given: string, run: string, attempt: string) => boolean;
}

/** Answers requests of the Model Context Protocol. They have passed the guard, and their body is read. */
export interface McpDoor {
  answer(request: McpRequest): Promise<Response>;
}

interface McpRequest {
  readonly request: Request;
  readonly body: unknown;
  /** Where it comes from; looked for only when it matters. */
  readonly source: () => RequestSource;
}

/** Questions over the whole log. They are answered in another thread, so that this one stays free for requests. */
export interface LongWork {
  measure(filter: MeasureFilter): Promise<Metrics>;
  verify(): Promise<AuditReport>;
}

/** Drives runs in this process. */
export interface RunKeeper {
  /** Whether the operator trusts its commands. */
  mayDrive(run: string): Promise<boolean>;
  /** Does nothing when another process drives it. */
  drive(run: string): Promise<unknown>;
}

type Body<B> = B extends RequestFields ? BodyOf<B> : B extends "handoff" ? string : null;

/** A request that has passed the guard and was read as its route describes it. */
export interface RouteRequest<N extends RouteName = RouteName> {
  /** By the names in the path; each of them fits its pattern. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: RecordOf<RouteOf<N>["query"]>;
  readonly body: Body<RouteOf<N>["body"]>;
  readonly caller: Caller;
  readonly raw: HttpBindings;
  readonly context: HandlerContext;
}

/** Returns the answer, or `SENT` when it has written the response itself, as streams do. */
export type Handler<N extends RouteName> = (
  request: RouteRequest<N>,
) => Promise<AnswerOf<RouteOf<N>["answer"]["schema"]> | typeof SENT>;

export type RouteHandlers = { readonly [N in RouteName]: Handler<N> };

export const SENT: unique symbol = Symbol("sent");

export function sourceOf({ raw, context }: Pick<RouteRequest, "raw" | "context">): RequestSource {
  const { localPort = 0, remotePort = 0 } = raw.incoming.socket;
  return context.sourceOf({ localPort, remotePort });
}

export function pathValue({ path }: Pick<RouteRequest, "path">, name: string): string {
  return path[name] ?? "";
}
