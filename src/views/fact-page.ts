import { FACT_STATUSES, factShape } from "../knowledge/fact.ts";
import { FACT_STANDINGS, freshnessShape } from "../knowledge/freshness.ts";
import { type Infer, data } from "../protocol/shape.ts";

const factNowShape = data.record({
  fact: factShape,
  /** Whether the cited lines still match the files; null when the fact cites nothing. */
  freshness: data.nullable(freshnessShape),
  standing: data.oneOf(FACT_STANDINGS),
});

const factItemShape = data.extend(factNowShape, { score: data.nullable(data.number()) });
export type FactItem = Infer<typeof factItemShape>;

export const factListShape = data.record({ facts: data.list(factItemShape), total_shown: data.count() });
export type FactList = Infer<typeof factListShape>;

const factChangeShape = data.record({
  at: data.count(),
  by: data.text(),
  what: data.text(),
  why: data.nullable(data.text()),
  other: data.nullable(data.text()),
});

export const factPageShape = data.extend(factNowShape, {
  opposes: data.list(data.record({ id: data.text(), text: data.text(), status: data.oneOf(FACT_STATUSES) })),
  history: data.list(factChangeShape),
});
/** One fact in its present form, with its history. */
export type FactPage = Infer<typeof factPageShape>;

export const factGraphShape = data.record({
  nodes: data.list(
    data.record({
      id: data.text(),
      label: data.text(),
      kind: data.oneOf(["fact", "task", "run", "agent", "file", "tag"]),
    }),
  ),
  edges: data.list(data.record({ from: data.text(), to: data.text(), as: data.text() })),
  /** True when there are more nodes than are listed. */
  is_cut: data.boolean(),
});
/** The neighbourhood of a fact in the knowledge graph. */
export type FactGraph = Infer<typeof factGraphShape>;
