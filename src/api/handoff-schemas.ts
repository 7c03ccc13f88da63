import { CLAIM_KINDS } from "../evidence/claim.ts";
import { FACT_KINDS } from "../knowledge/fact.ts";
import { STANDINGS } from "../knowledge/standing.ts";
import { DIALECT_NAMES } from "../protocol/handoff-words.ts";
import { canonicalSchema } from "../protocol/json-schema.ts";
import {
  type Schema,
  anyOf,
  constant,
  count,
  figure,
  flag,
  hash,
  list,
  named,
  oneOf,
  orNull,
  record,
  text,
  time,
  whole,
} from "./schema.ts";

const POSITION = record({ line: count, column: count, offset: count });
const RANGE = record({ start: POSITION, end: POSITION });
const FACT_STATUS = oneOf(["trusted", "quarantined", "retired"]);
const STANDING = oneOf(STANDINGS);
const LINES = orNull(record({ first: whole, last: whole }));
const FRESHNESS = orNull(
  anyOf(
    record({ is: oneOf(["unchanged", "changed", "gone"]) }),
    record({ is: constant("moved"), path: text, first: whole }),
  ),
);

function handoff(): Schema {
  const { $schema: _schema, $id: _id, ...schema } = canonicalSchema();
  return schema;
}

/** Answers about handoffs and what was learned from them. */
export const HANDOFF_SCHEMAS: Readonly<Record<string, Schema>> = {
  AttemptTexts: record({
    attempt: text,
    agent: text,
    prompt: orNull(text),
    prompt_is_exact: orNull(flag),
    packet: orNull(text),
    output: orNull(text),
  }),
  Handoff: handoff(),
  Diagnostic: record({
    code: text,
    rule: orNull(text),
    severity: oneOf(["error", "warning", "info"]),
    message: text,
    range: RANGE,
    hint: orNull(text),
    fix: orNull(record({ title: text, edits: list(record({ range: RANGE, text })) })),
  }),
  Judgement: record({
    kind: oneOf(CLAIM_KINDS),
    where: text,
    says: text,
    verdict: oneOf(["confirmed", "refuted", "unverifiable"]),
    procedure: text,
    evidence: text,
  }),
  HandoffPage: record({
    run: text,
    attempt: text,
    step: text,
    task: text,
    agent: text,
    at: time,
    dialect: orNull(oneOf(DIALECT_NAMES)),
    accepted: flag,
    problems: list(record({ message: text, hint: orNull(text), where: orNull(text) })),
    source: orNull(text),
    diagnostics: list(named("Diagnostic")),
    handoff: orNull(named("Handoff")),
    claims: list(named("Judgement")),
    previous: orNull(record({ attempt: text, iteration: count, diff: text })),
  }),
  ConvertedHandoff: record({ dialect: oneOf(DIALECT_NAMES), text, losses: list(named("Diagnostic")) }),
  SubmittedHandoff: record({
    accepted: constant(true),
    run: text,
    attempt: text,
    dialect: oneOf(DIALECT_NAMES),
    outcome: text,
    sha256: hash,
    warnings: list(named("Diagnostic")),
  }),
  Fact: record({
    id: text,
    kind: oneOf(FACT_KINDS),
    text,
    detail: orNull(text),
    severity: orNull(oneOf(["critical", "high", "medium", "low"])),
    isBlocking: flag,
    answer: orNull(text),
    tags: list(text),
    files: list(text),
    citation: orNull(record({ path: text, lines: LINES, text: list(text), commit: orNull(text) })),
    status: FACT_STATUS,
    witnesses: list(record({ run: text, task: text, step: text, agent: text, handoff: text, where: text, at: time })),
    opposes: list(text),
    helped: count,
  }),
  FactList: record({
    facts: list(record({ fact: named("Fact"), freshness: FRESHNESS, standing: STANDING, score: orNull(figure) })),
    total_shown: count,
  }),
  FactPage: record({
    fact: named("Fact"),
    freshness: FRESHNESS,
    standing: STANDING,
    opposes: list(record({ id: text, text, status: FACT_STATUS })),
    history: list(record({ at: time, by: text, what: text, why: orNull(text), other: orNull(text) })),
  }),
  FactGraph: record({
    nodes: list(record({ id: text, label: text, kind: oneOf(["fact", "task", "run", "agent", "file", "tag"]) })),
    edges: list(record({ from: text, to: text, as: text })),
    is_cut: flag,
  }),
  ErrorAnswer: record(
    { error: record({ code: text, message: text, hint: text }) },
    { diagnostics: list(named("Diagnostic")) },
  ),
};
