import { CLAIM_KINDS } from "../../evidence/claim.ts";
import { AGENT_KIND_NAMES, kindsWith, RUN_COMPANIONS } from "../agent-kinds.ts";
import { CLAIM_ANSWERS } from "../../evidence/policy.ts";
import { OUTCOMES } from "../../protocol/handoff-words.ts";
import { shapeSchema } from "../../protocol/json-schema.ts";
import type { RecordShape, Shape } from "../../protocol/shape.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { MAX_CONDITION } from "../../shared/parse-condition.ts";
import { BUILTIN_NAMES } from "../definition.ts";
import { BUILTIN_OPTIONS } from "./builtin-options.ts";
import { contentLevelShape, innerRuleShape } from "./content-rule.ts";
import type { FileField } from "./file-field.ts";
import {
  MAX_CHOICES,
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
import { ACTION_KEYS, MAX_RETRIES } from "./read-action.ts";
import { COMPLEXITIES, MAX_CONTEXT_TOKENS } from "./read-context.ts";
import { OFF, OTHERS } from "./read-verify.ts";
import { FORGE_KINDS, GITHUB_ONLY } from "./read-forge.ts";
import { ROUTE_WORDS, workflowAgentName, taskId } from "./words.ts";

/** The JSON Schema of a workflow file, for editors. It is derived from the shape that checks the file. */
export function workflowSchema(): JsonRecord {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:baton-handoff:schema:workflow",
    title: "Baton workflow",
    description: "Agents, what they run, and where work goes after each outcome.",
    ...schemaOf(workflowShape),
    $defs: {
      word,
      verify,
      context,
      condition,
      action: action(false),
      route: action(true),
      routes,
      content: schemaOf(contentLevelShape),
      blocked,
    },
  };
}

const word: JsonRecord = {
  title: "where to go",
  description: `An agent, or one of ${ROUTE_WORDS.join(", ")}.`,
  type: "string",
  pattern: workflowAgentName.pattern,
  examples: [...ROUTE_WORDS],
};

const condition: JsonRecord = { type: "string", pattern: "\\S", maxLength: MAX_CONDITION };

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
        tokens: { type: "integer", minimum: 0, maximum: MAX_CONTEXT_TOKENS },
        complexity: { enum: [...COMPLEXITIES] },
      },
      additionalProperties: false,
    },
  ],
};

const agent: JsonRecord = { type: "string", pattern: workflowAgentName.pattern };

/** The schema lists the reserved words. Only the reader knows which agents exist. */
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
            maximum: MAX_RETRIES,
          },
          then: { description: "What follows when it has tried so often.", $ref: "#/$defs/action" },
          choose: {
            description: "The handoff's own wish, as far as it is one of these.",
            type: "array",
            minItems: 1,
            maxItems: MAX_CHOICES,
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

const NAMED: ReadonlyMap<Shape, string> = new Map([
  [routesShape, "routes"],
  [actionShape, "action"],
  [verifyShape, "verify"],
  [conditionShape, "condition"],
  [contextShape, "context"],
  [blockedShape, "blocked"],
  [contentRuleShape as Shape, "content"],
  [innerRuleShape, "content"],
]);

function schemaOf(shape: Shape): JsonRecord {
  return shapeSchema(shape, { record: closedRecord, named });
}

function named(shape: Shape): JsonRecord | null {
  const name = NAMED.get(shape);
  return name === undefined ? null : { $ref: `#/$defs/${name}` };
}

/** An unknown key is an error. */
function closedRecord(shape: RecordShape): JsonRecord {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, fieldSchema(key, field)])),
    required: Object.keys(shape.fields).filter((key) => isRequired(key, shape.fields[key])),
    additionalProperties: false,
    ...(shape === gateShape && { anyOf: [{ required: ["command"] }, { required: ["require"] }] }),
  };
}

/** `done` is the only outcome without a default. */
function isRequired(key: string, field: FileField | undefined): boolean {
  return field?.required === true || (key === OUTCOMES[0] && field?.shape === routesShape);
}

function fieldSchema(key: string, field: FileField): JsonRecord {
  return {
    ...(field.about !== "" && { title: key.replaceAll("_", " "), description: field.about }),
    ...schemaOf(field.shape),
    ...FURTHER[key],
    ...(key === "run" && { allOf: builtinOptions() }),
    ...(field.fallback !== undefined && { default: field.fallback }),
  };
}

/** Constraints that the shape cannot express, by key. */
const FURTHER: Readonly<Record<string, JsonRecord>> = {
  agents: { propertyNames: { pattern: workflowAgentName.pattern } },
  blocked: { propertyNames: { pattern: taskId.pattern } },
  schedules: { propertyNames: { pattern: workflowAgentName.pattern } },
  human: { const: true },
  run: {
    oneOf: AGENT_KIND_NAMES.map((kind) => ({ required: [kind] })),
    dependentSchemas: Object.fromEntries(
      RUN_COMPANIONS.map((key) => [key, { anyOf: kindsWith(key).map((kind) => ({ required: [kind] })) }]),
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
