import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { formatSarif } from "./sarif.ts";
import { plainOptions, sampleFile, sampleReport, skippedFile } from "../../../test/cli/sample-report.ts";

const closed = (properties: Record<string, object>, required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object, minItems = 0) => ({ type: "array", items, minItems });
const text = closed({ text: { type: "string" } }, ["text"]);
const place = { type: "integer", minimum: 1 };
const region = closed({ startLine: place, startColumn: place, endLine: place, endColumn: place }, ["startLine"]);
const artifactLocation = closed({ uri: { type: "string", pattern: "^[A-Za-z0-9%/._~!*'()-]*$|^file:///" } }, ["uri"]);
const level = { enum: ["none", "note", "warning", "error"] };

/** The part of the SARIF 2.1.0 schema that we write, closed: a misspelt property is refused. */
const validate = new Ajv().compile(
  closed(
    {
      $schema: { const: "https://json.schemastore.org/sarif-2.1.0.json" },
      version: { const: "2.1.0" },
      runs: list(
        closed(
          {
            tool: closed(
              {
                driver: closed(
                  {
                    name: { const: "baton" },
                    semanticVersion: { type: "string" },
                    rules: {
                      ...list(closed({ id: { type: "string" }, shortDescription: text, help: text }, ["id"])),
                      uniqueItems: true,
                    },
                  },
                  ["name"],
                ),
              },
              ["driver"],
            ),
            columnKind: { const: "utf16CodeUnits" },
            invocations: list(
              closed(
                {
                  executionSuccessful: { type: "boolean" },
                  toolExecutionNotifications: list(closed({ level, message: text }, ["message"])),
                },
                ["executionSuccessful"],
              ),
            ),
            results: list(
              closed(
                {
                  ruleId: { type: "string" },
                  ruleIndex: { type: "integer", minimum: 0 },
                  level,
                  message: text,
                  locations: list(
                    closed({ physicalLocation: closed({ artifactLocation, region }, ["artifactLocation"]) }, []),
                  ),
                  fixes: list(
                    closed(
                      {
                        description: text,
                        artifactChanges: list(
                          closed(
                            {
                              artifactLocation,
                              replacements: list(
                                closed({ deletedRegion: region, insertedContent: text }, ["deletedRegion"]),
                                1,
                              ),
                            },
                            ["artifactLocation", "replacements"],
                          ),
                          1,
                        ),
                      },
                      ["artifactChanges"],
                    ),
                  ),
                },
                ["message"],
              ),
            ),
          },
          ["tool"],
        ),
      ),
    },
    ["version", "runs"],
  ),
);

function readRun(sarif: string) {
  const log = JSON.parse(sarif);
  validate(log);
  expect(validate.errors).toBeNull();
  expect(log.runs).toHaveLength(1);
  return log.runs[0];
}

const place1 = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 };

describe("formatSarif", () => {
  it("writes a result with rule, level, message, place and fix", () => {
    const range = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 2, offset: 1 } };
    const fix = { title: "Write y", edits: [{ range, text: "y\u202e" }] };
    const file = sampleFile("dir/a b.json", "x", [{ at: "x", hint: "Use y.", fix }]);
    const describeRule = (id: string) =>
      id === "000-R07" ? { title: "Allowed words", help: "Use one of them." } : null;
    const run = readRun(formatSarif(sampleReport(file, skippedFile), { describeRule, version: "1.2.3" }));
    const location = { uri: "dir/a%20b.json" };
    expect(run).toEqual({
      tool: {
        driver: {
          name: "baton",
          semanticVersion: "1.2.3",
          rules: [{ id: "000-R07", shortDescription: { text: "Allowed words" }, help: { text: "Use one of them." } }],
        },
      },
      columnKind: "utf16CodeUnits",
      invocations: [{ executionSuccessful: true }],
      results: [
        {
          ruleId: "000-R07",
          ruleIndex: 0,
          level: "error",
          message: { text: "Not allowed here.\nhint: Use y." },
          locations: [{ physicalLocation: { artifactLocation: location, region: place1 } }],
          fixes: [
            {
              description: { text: "Write y" },
              artifactChanges: [
                {
                  artifactLocation: location,
                  replacements: [{ deletedRegion: place1, insertedContent: { text: "y\u202e" } }],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it("names each rule once, falls back to the code, and points into the list", () => {
    const file = sampleFile("a", "x", [
      { at: "x", rule: null, code: "syntax-error" },
      { at: "x", severity: "warning" },
      { at: "x", severity: "info" },
    ]);
    const run = readRun(formatSarif(sampleReport(file), plainOptions));
    expect(run.tool.driver.rules.map((rule: { id: string }) => rule.id).toSorted()).toEqual([
      "000-R07",
      "syntax-error",
    ]);
    for (const result of run.results) expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
    expect(run.results.map((result: { level: string }) => result.level)).toEqual(["error", "warning", "note"]);
  });

  it.each([
    ["a:b/ü#?.json", "a%3Ab/%C3%BC%23%3F.json"],
    ["/tmp/a b", "file:///tmp/a%20b"],
    ["../a", "../a"],
    ["\ud800", "%EF%BF%BD"],
  ])("encodes the path %j", (path, uri) => {
    const run = readRun(formatSarif(sampleReport(sampleFile(path, "x", [{ at: "x" }])), plainOptions));
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(uri);
  });

  it("lets no text of an agent become a link", () => {
    const file = sampleFile("a", "x", [{ at: "x", message: "see [this](https://evil.example)" }]);
    const run = readRun(formatSarif(sampleReport(file), plainOptions));
    expect(run.results[0].message.text).toBe("see [this] (https://evil.example)");
  });

  it("keeps the worst results when there are more than an upload may hold, and says so", () => {
    const warnings = Array.from({ length: 25_000 }, () => ({ at: "x", severity: "warning" as const }));
    const files = [sampleFile("a", "x", warnings), sampleFile("b", "x", [{ at: "x" }])];
    const run = readRun(formatSarif(sampleReport(...files), plainOptions));
    expect(run.results).toHaveLength(25_000);
    expect(run.results[0].level).toBe("error");
    expect(run.invocations[0].toolExecutionNotifications[0].message.text).toContain("1 more result left out");
  });

  it("has a run without results when there was nothing to check", () => {
    expect(readRun(formatSarif(sampleReport(), plainOptions)).results).toEqual([]);
  });
});
