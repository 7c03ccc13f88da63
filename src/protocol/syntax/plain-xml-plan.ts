import type { RecordShape, Shape } from "../shape.ts";

/** How the elements of a shape are read, worked out once for each shape. */
export interface Plan {
  readonly kind: "record" | "list" | "map" | "text";
  /** Whether the text of the element is part of its value. */
  readonly takesText: boolean;
  /** Keys of the attributes, by name. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, Child>;
  /** Name of the items' elements. */
  readonly element: string;
  readonly item: Plan | null;
}

export interface Child {
  readonly key: string;
  readonly plan: Plan;
}

const NOTHING = new Map<string, never>();
const TEXT_PLAN: Plan = {
  kind: "text",
  takesText: true,
  attributes: NOTHING,
  fields: NOTHING,
  element: "",
  item: null,
};

/** For an element that the shape does not name. */
export const UNKNOWN_PLAN: Plan = { ...TEXT_PLAN, kind: "record" };

const plans = new WeakMap<Shape, Plan>();

export function planOf(shape: Shape): Plan {
  let plan = plans.get(shape);
  if (plan === undefined) {
    plan = makePlan(shape);
    plans.set(shape, plan);
  }
  return plan;
}

function makePlan(shape: Shape): Plan {
  switch (shape.kind) {
    case "record":
      return planRecord(shape);
    case "list":
      return { ...TEXT_PLAN, kind: "list", takesText: false, element: shape.element ?? "", item: planOf(shape.item) };
    case "map":
      return { ...TEXT_PLAN, kind: "map", takesText: false };
    default:
      return TEXT_PLAN;
  }
}

function planRecord({ fields }: RecordShape): Plan {
  const keys = Object.keys(fields);
  return {
    ...TEXT_PLAN,
    kind: "record",
    takesText: "#text" in fields,
    attributes: new Map(keys.filter((key) => key.startsWith("@")).map((key) => [key.slice(1), key])),
    fields: new Map(Object.entries(fields).map(([key, field]) => [key, { key, plan: planOf(field.shape) }])),
  };
}

export function childOf(plan: Plan, name: string): Child | undefined {
  if (plan.kind !== "map") return plan.fields.get(name);
  return name === "__proto__" ? undefined : { key: name, plan: TEXT_PLAN };
}
