import { CATALOG } from "../protocol/diagnostic-catalog.ts";
import { DIALECTS } from "../protocol/dialects/registry.ts";
import type { Rule } from "../protocol/dialect.ts";
import type { RuleDescription } from "./formats/report.ts";

export function findRule(id: string): Rule | null {
  return (
    Object.values(DIALECTS)
      .find((dialect) => id.startsWith(`${dialect.number}-`))
      ?.rules.find((rule) => rule.id === id) ?? null
  );
}

export function describeRule(id: string): RuleDescription | null {
  const rule = findRule(id);
  if (rule !== null) return { title: rule.says, help: rule.hint ?? rule.says };
  const entry = Object.entries(CATALOG).find(([code]) => code === id)?.[1];
  return entry === undefined ? null : { title: entry.title, help: entry.about };
}
