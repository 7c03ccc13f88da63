import { CLAIM_KINDS } from "../../evidence/claim.ts";
import { CLAIM_ANSWERS } from "../../evidence/policy.ts";
import { OUTCOMES } from "../../protocol/handoff-words.ts";
import { shapeSchema } from "../../protocol/json-schema.ts";
import type { RecordShape, Shape } from "../../protocol/shape.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { LONGEST_CONDITION } from "../parse-condition.ts";
import { BUILTIN_NAMES } from "../definition.ts";
import { BUILTIN_OPTIONS } from "./builtin-options.ts";
import { CONTENT_TYPES } from "./content-rule.ts";
import {
  type FileField,
  MOST_CHOICES,
  actionShape,
  conditionShape,
  contextShape,
  gateShape,
  verifyShape,
  blockedShape,
  contentRuleShape,
  routesShape,
  workflowShape,
} from "./file-shape.ts";
import { ACTION_KEYS, MOST_RETRIES } from "./read-action.ts";
import { COMPLEXITIES, MOST_CONTEXT_TOKENS } from "./read-context.ts";
import { OFF, OTHERS } from "./read-verify.ts";
import { FORGE_KINDS, GITHUB_ONLY } from "./read-forge.ts";
import { COMPANIONS, RUNNER_KINDS } from "./read-runner.ts";
import { ROUTE_WORDS, agentName, taskId } from "./words.ts";

/** The JSON Schema of a workflow file, for editors: made from the same shape that judges it. */
export function workflowSchema(): JsonRecord {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:baton-handoff:schema:workflow",
    title: "Baton workflow",
    description: "Agents, what they run, and where work goes after each outcome.",
    ...schemaOf(workflowShape),
    $defs: { word, verify, context, condition, action: action(false), route: action(true), routes, content, blocked },
  };
}

const word: JsonRecord = {
  title: "where to go",
  description: `An agent, or one of ${ROUTE_WORDS.join(", ")}.`,
  type: "string",
  pattern: agentName.pattern,
  examples: [...ROUTE_WORDS],
};

const condition: JsonRecord = { type: "string", pattern: "\\S", maxLength: LONGEST_CONDITION };

const claimAnswer: JsonRecord = { enum: [...CLAIM_ANSWERS] };
const verify: JsonRecord = {
  anyOf: [
    { enum: [...CLAIM_ANSWERS, OFF, false] },
    {
      type: "object",
      properties: Object.fromEntries([...CLAIM_KINDS, OTHERS].map((kind) => [kind, claimAnswer])),
      additionalProperties: false,
    },
  ],
};

const context: JsonRecord = {
  anyOf: [
    { enum: [OFF, false] },
    {
      type: "object",
      properties: {
        tokens: { type: "integer", minimum: 0, maximum: MOST_CONTEXT_TOKENS },
        complexity: { enum: [...COMPLEXITIES] },
      },
      additionalProperties: false,
    },
  ],
};

const agent: JsonRecord = { type: "string", pattern: agentName.pattern };

/** Which of the words can be told to an editor; which names exist only the reader knows. */
function action(conditional: boolean): JsonRecord {
  return {
    anyOf: [
      { $ref: "#/$defs/word" },
      {
        type: "object",
        properties: {
          ...(conditional && {
            when: {
              description: "The route is taken when this holds, for example open.blocking > 0.",
              $ref: "#/$defs/condition",
            },
          }),
          to: { description: "Go on to this agent, or to end, return, person or fail.", $ref: "#/$defs/word" },
          loop: {
            description: "Back to this agent, and forward again to the one who asked.",
            ...agent,
            not: { enum: [...ROUTE_WORDS] },
          },
          retry: {
            description: "The same agent again, so often at most.",
            type: "integer",
            minimum: 1,
            maximum: MOST_RETRIES,
          },
          then: { description: "What follows when it has tried so often.", $ref: "#/$defs/action" },
          choose: {
            description: "The handoff's own wish, as far as it is one of these.",
            type: "array",
            minItems: 1,
            maxItems: MOST_CHOICES,
            items: { ...agent, not: { enum: ["person", "fail"] } },
          },
          otherwise: { description: "What follows when it wishes something else.", $ref: "#/$defs/action" },
        },
        oneOf: ACTION_KEYS.map((key) => ({ required: [key] })),
        dependentRequired: { then: ["retry"], otherwise: ["choose"] },
        additionalProperties: false,
      },
    ],
  };
}

const routes: JsonRecord = {
  anyOf: [{ $ref: "#/$defs/route" }, { type: "array", minItems: 1, items: { $ref: "#/$defs/route" } }],
};

const blocked: JsonRecord = {
  anyOf: [
    { $ref: "#/$defs/word" },
    {
      type: "object",
      description: "By domain of the agent; `default` for any other.",
      propertyNames: { pattern: taskId.pattern },
      additionalProperties: { $ref: "#/$defs/word" },
    },
  ],
};

const count: JsonRecord = { type: "integer", minimum: 0 };
const content: JsonRecord = {
  type: "object",
  properties: {
    type: {
      anyOf: [{ enum: [...CONTENT_TYPES] }, { type: "array", minItems: 1, items: { enum: [...CONTENT_TYPES] } }],
    },
    required: { type: "array", items: { type: "string" } },
    properties: { type: "object", additionalProperties: { $ref: "#/$defs/content" } },
    items: { $ref: "#/$defs/content" },
    enum: { type: "array", minItems: 1 },
    const: {},
    minimum: { type: "number" },
    maximum: { type: "number" },
    minLength: count,
    minItems: count,
    description: { type: "string" },
  },
  additionalProperties: false,
};

const NAMED: ReadonlyMap<Shape, string> = new Map([
  [routesShape, "routes"],
  [actionShape, "action"],
  [verifyShape, "verify"],
  [conditionShape, "condition"],
  [contextShape, "context"],
  [blockedShape, "blocked"],
  [contentRuleShape as Shape, "content"],
]);

function schemaOf(shape: Shape): JsonRecord {
  return shapeSchema(shape, { record: closedRecord, named });
}

function named(shape: Shape): JsonRecord | null {
  const name = NAMED.get(shape);
  return name === undefined ? null : { $ref: `#/$defs/${name}` };
}

/** A key that means nothing is an error here. */
function closedRecord(shape: RecordShape): JsonRecord {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, fieldSchema(key, field)])),
    required: Object.keys(shape.fields).filter((key) => isRequired(key, shape.fields[key])),
    additionalProperties: false,
    ...(shape === gateShape && { anyOf: [{ required: ["command"] }, { required: ["require"] }] }),
  };
}

/** `done` is the one outcome without a default. */
function isRequired(key: string, field: FileField | undefined): boolean {
  return field?.required === true || (key === OUTCOMES[0] && field?.shape === routesShape);
}

function fieldSchema(key: string, field: FileField): JsonRecord {
  return {
    title: key.replaceAll("_", " "),
    description: field.about,
    ...schemaOf(field.shape),
    ...FURTHER[key],
    ...(key === "run" && { allOf: builtinOptions() }),
    ...(field.fallback !== undefined && { default: field.fallback }),
  };
}

/** What the shape cannot say, by key. */
const FURTHER: Readonly<Record<string, JsonRecord>> = {
  agents: { propertyNames: { pattern: agentName.pattern } },
  blocked: { propertyNames: { pattern: taskId.pattern } },
  human: { const: true },
  run: {
    oneOf: RUNNER_KINDS.map((kind) => ({ required: [kind] })),
    dependentSchemas: Object.fromEntries(
      Object.entries(COMPANIONS).map(([key, kinds]) => [key, { anyOf: kinds.map((kind) => ({ required: [kind] })) }]),
    ),
  },
  forge: {
    oneOf: FORGE_KINDS.map((kind) => ({ required: [kind] })),
    dependentRequired: Object.fromEntries(GITHUB_ONLY.map((key) => [key, ["github"]])),
  },
};

function builtinOptions(): JsonRecord[] {
  return BUILTIN_NAMES.map((name) => ({
    if: { properties: { builtin: { const: name } }, required: ["builtin"] },
    then: { properties: { options: schemaOf(BUILTIN_OPTIONS[name]) } },
  }));
}
