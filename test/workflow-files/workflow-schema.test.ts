import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printYaml, yamlDocuments, yamlEvents } from "../../src/protocol/syntax/yaml.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { workflowSchema } from "../../src/workflow/file/workflow-schema.ts";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";
import { mutated } from "../schema/mutate-document.ts";
import { compileSchema, schemaErrors } from "../schema/two-judgements.ts";

const seed = Number(process.env["BATON_SEED"] ?? 20_260_309);
const validate = compileSchema(workflowSchema());
const documents = Object.values(READY_WORKFLOWS).map(
  ({ text }) => yamlDocuments(text, yamlEvents(text, DEFAULT_LIMITS))[0] as JsonRecord,
);

/** Codes for what an editor can see; names, conditions and the graph are the reader's. */
const SEEN_BY_EDITORS = new Set(["unknown-key", "missing-field", "wrong-type", "not-allowed"]);

describe("the schema of workflow files", () => {
  it.each(Object.keys(READY_WORKFLOWS).map((name, index) => ({ name, document: documents[index] })))(
    "accepts $name",
    ({ document }) => {
      expect(schemaErrors(validate, document)).toEqual([]);
    },
  );

  it("describes every key", () => {
    const properties = workflowSchema()["properties"] as Record<string, JsonRecord>;
    expect(Object.values(properties).filter(({ title, description }) => !title || !description)).toEqual([]);
    expect(properties["mode"]).toMatchObject({ enum: ["autonomous", "semi", "supervised"], default: "semi" });
  });

  it("agrees with the reader on documents with one change", () => {
    fc.assert(
      fc.property(mutated(fc.constantFrom(...documents)), ({ document }) => {
        const text = printYaml(document);
        const { diagnostics } = readWorkflow(text, { path: "x.yaml", hash: "hash" });
        const errors = diagnostics.filter(({ severity }) => severity === "error");
        const said = schemaErrors(validate, document);
        if (said.length > 0) expect(errors, said.join("\n")).not.toEqual([]);
        const seen = errors.filter(({ code }) => SEEN_BY_EDITORS.has(code));
        if (seen.length > 0) expect(said, seen.map(({ message }) => message).join("\n")).not.toEqual([]);
      }),
      { seed, numRuns: Number(process.env["BATON_SCHEMA_RUNS"] ?? 500) },
    );
  });
});
