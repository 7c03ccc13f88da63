import { CLAIM_KINDS, type Judgement, judgementShape } from "../../evidence/claim.ts";
import type { Figures, TestFigures } from "../../evidence/observations.ts";
import type { JudgedClaim } from "../state.ts";
import { stored } from "./describe.ts";

const { inferred, isTrue, list, number, oneOf, optional, orNull, partialTable, record, text } = stored;

export const judgement = inferred<Judgement>(judgementShape);

export const refutedClaim = record<JudgedClaim>({
  kind: oneOf(CLAIM_KINDS),
  says: text,
  evidence: text,
  isImplied: optional(isTrue),
});

export const gateFigures = record<Figures>({
  tests: orNull(record<TestFigures>({ passed: number, failed: number, skipped: number, empty: optional(number) })),
  coverage: orNull(partialTable(["lines", "branches", "functions", "statements"], number)),
  sources: list(text),
  problems: list(text),
});
