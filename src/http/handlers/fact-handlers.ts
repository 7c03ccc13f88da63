import type { FactPage } from "../../api/answers.ts";
import { confirmFact, judgeFact } from "../../runtime/operations/change-fact.ts";
import { showFact, graphAround, findFacts } from "../../runtime/operations/show-fact.ts";
import { personOf } from "../../runtime/request-source.ts";
import { type RouteRequest, type RouteHandlers, pathValue, sourceOf } from "../handler.ts";

/** Look at facts, and change them. */
export const FACT_HANDLERS = {
  "search-facts": async ({ query, context }) => {
    const facts = await findFacts(context.engine, query);
    return { facts, total_shown: facts.length };
  },
  "show-fact": async (request) => factPage(request, pathValue(request, "fact")),
  "draw-fact": async (request) => graphAround(request.context.engine, pathValue(request, "fact"), request.query.depth),
  "change-fact": async (request) => {
    const { engine } = request.context;
    const [id, change] = [pathValue(request, "fact"), pathValue(request, "change")];
    const by = personOf(sourceOf(request), "The change of a fact");
    const person = { by, why: request.body.reason };
    if (change === "confirm") await confirmFact(engine, id, person);
    else await judgeFact(engine, id, change === "promote" ? "promote" : "retire", person);
    return factPage(request, id);
  },
} as const satisfies Partial<RouteHandlers>;

async function factPage({ context }: Pick<RouteRequest, "context">, id: string): Promise<FactPage> {
  const { history, ...shown } = await showFact(context.engine, id);
  return { ...shown, history: history.map(({ at, by, what, why, other }) => ({ at, by, what, why, other })) };
}
