import type { FactPage } from "../../api/answers.ts";
import { confirmFact, judgeFact } from "../../runtime/operations/change-fact.ts";
import { graphAround, listFacts } from "../../runtime/operations/list-facts.ts";
import { showFact } from "../../runtime/operations/show-fact.ts";
import type { Asked, Handler } from "../asked.ts";
import { pathValue } from "../asked.ts";

export const searchFacts: Handler<"search-facts"> = async ({ query, around }) => {
  const { text, tag, type, file, task, status, since, limit } = query;
  const facts = await listFacts(around.engine, {
    ...(text !== undefined && { text }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(type !== undefined && { kinds: [type] }),
    ...(file !== undefined && { file }),
    ...(task !== undefined && { task }),
    ...(status !== undefined && { status: [status] }),
    ...(since !== undefined && { since }),
    most: limit,
  });
  return { facts, total_shown: facts.length };
};

export const showOneFact: Handler<"show-fact"> = async (asked) => factPage(asked, pathValue(asked, "fact"));

async function factPage({ around }: Pick<Asked, "around">, id: string): Promise<FactPage> {
  const { history, ...shown } = await showFact(around.engine, id);
  return { ...shown, history: history.map(({ at, by, what, why, other }) => ({ at, by, what, why, other })) };
}

export const drawFact: Handler<"draw-fact"> = async (asked) => {
  const { nodes, edges, isCut } = await graphAround(asked.around.engine, pathValue(asked, "fact"), asked.query.depth);
  const kinds = nodes.map(({ id, label }) => ({ id, label, kind: id.slice(0, id.indexOf(":")) }));
  return { nodes: kinds, edges: edges.map(({ from, to, as }) => ({ from, to, as })), is_cut: isCut };
};

export const changeFact: Handler<"change-fact"> = async (asked) => {
  const { engine, user } = asked.around;
  const [id, change] = [pathValue(asked, "fact"), pathValue(asked, "change")];
  const person = { by: user, why: asked.body.reason };
  if (change === "confirm") await confirmFact(engine, id, person);
  else await judgeFact(engine, id, change === "promote" ? "promote" : "retire", person);
  return factPage(asked, id);
};
