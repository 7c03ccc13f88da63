import type { FactPage } from "../../api/answers.ts";
import { confirmFact, judgeFact } from "../../runtime/operations/change-fact.ts";
import { showFact, graphAround, listFacts } from "../../runtime/operations/show-fact.ts";
import { type RouteRequest, type RouteHandlers, pathValue } from "../handler.ts";

/** Look at facts, and change them. */
export const FACT_HANDLERS = {
  "search-facts": async ({ query, context }) => {
    const { text, tag, type, file, task, status, since, limit } = query;
    const facts = await listFacts(context.engine, {
      ...(text !== undefined && { text }),
      ...(tag !== undefined && { tags: [tag] }),
      ...(type !== undefined && { kinds: [type] }),
      ...(file !== undefined && { file }),
      ...(task !== undefined && { task }),
      ...(status !== undefined && { status: [status] }),
      ...(since !== undefined && { since }),
      max: limit,
    });
    return { facts, total_shown: facts.length };
  },
  "show-fact": async (request) => factPage(request, pathValue(request, "fact")),
  "draw-fact": async (request) => graphAround(request.context.engine, pathValue(request, "fact"), request.query.depth),
  "change-fact": async (request) => {
    const { engine, user } = request.context;
    const [id, change] = [pathValue(request, "fact"), pathValue(request, "change")];
    const person = { by: user, why: request.body.reason };
    if (change === "confirm") await confirmFact(engine, id, person);
    else await judgeFact(engine, id, change === "promote" ? "promote" : "retire", person);
    return factPage(request, id);
  },
} as const satisfies Partial<RouteHandlers>;

async function factPage({ context }: Pick<RouteRequest, "context">, id: string): Promise<FactPage> {
  const { history, ...shown } = await showFact(context.engine, id);
  return { ...shown, history: history.map(({ at, by, what, why, other }) => ({ at, by, what, why, other })) };
}
