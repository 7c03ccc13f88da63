import type { JsonRecord } from "../shared/json-value.ts";
import type { Dialect, Origin, Rule } from "./dialect.ts";

/** Says only whether every rule of a dialect is silent about a document, not what they say. */
export function keepsRules(document: JsonRecord, dialect: Dialect, origin: Origin): boolean {
  let silent = true;
  const report = (): void => {
    silent = false;
  };
  for (const rule of checkedRules(dialect)) rule.check(document, report, origin);
  return silent;
}

type CheckedRule = Rule & Required<Pick<Rule, "check">>;

const checkedRulesOf = new WeakMap<Dialect, readonly CheckedRule[]>();

function checkedRules(dialect: Dialect): readonly CheckedRule[] {
  let rules = checkedRulesOf.get(dialect);
  if (rules === undefined) {
    rules = dialect.rules.filter((rule): rule is CheckedRule => rule.check !== undefined);
    checkedRulesOf.set(dialect, rules);
  }
  return rules;
}
