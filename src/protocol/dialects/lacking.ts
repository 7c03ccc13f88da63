import type { JsonPath } from "../../shared/json-value.ts";
import type { ReportDetails } from "../dialect.ts";

/** What a rule adds when it tells of an absent field: where the field could stand. A misspelled one is found there. */
export function lacking(...places: readonly JsonPath[]): ReportDetails {
  return { code: "missing-field", lacks: places };
}
