import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readHandoffs } from "../../src/index.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";
import { readFormat } from "../../src/protocol/format-file/read-format.ts";
import { BUILD_REPORT_SCHEMA, SPEC_FORMATS } from "./spec-formats.ts";

const readSchema = (path: string): string | null =>
  path === "schemas/build-report.schema.json" ? JSON.stringify(BUILD_REPORT_SCHEMA) : null;

describe("the guide", () => {
  const page = readFileSync(new URL("../../docs/guide/12-own-formats.md", import.meta.url), "utf8");
  const [note = "", format = ""] = [...page.matchAll(/^```(?:json|yaml)\n([\s\S]*?)^```$/gm)].map(
    (found) => found[1] ?? "",
  );

  it("describes the note that it shows", () => {
    const { dialect, diagnostics } = openFormat(format);
    expect(diagnostics).toEqual([]);
    expect(readHandoffs(note, { formats: [dialect!] })).toMatchObject({
      dialect: "team-note",
      valid: true,
      diagnostics: [],
      handoffs: [{ handoff: { from: "api-agent", outcome: "done", work: { modified: [{ path: "src/orders.ts" }] } } }],
    });
  });
});

describe("a format file", () => {
  it.each(Object.keys(SPEC_FORMATS))("%s of the specification is read", (name) => {
    const { model, diagnostics } = readFormat(SPEC_FORMATS[name] ?? "", { readSchema });
    expect(diagnostics).toEqual([]);
    expect(model?.name).toBe(name);
  });

  it("has the four of the specification", () => {
    expect(Object.keys(SPEC_FORMATS)).toEqual(["relay-note", "uebergabe", "visit-slip", "build-report"]);
  });

  // The mark shows what is pointed at; each is a change of the first format of the specification.
  it.each([
    ["format: 1", "format: «2»", "format: 1"],
    ["name: relay-note", "name: «pipeline-json»", "Baton's own"],
    ["name: relay-note", "name: «Relay Note»", "relay-note"],
    ["syntax: json", "syntax: «toml»", "json, yaml or xml"],
    ["keys: [relay]", "keys: [«relais»]", "Did you mean relay"],
    ["author: {", "«__proto__»: {", "refused"],
    ["author: {", "«carried»: {", "conversions"],
    ["is: from,", "is: «form»,", "Did you mean from"],
    ["is: from,", "is: «status»,", "word of the field that is the outcome"],
    ["is: to,", "is: «from»,", "two fields cannot have one place"],
    ["is: metrics,", "is: «work.modified»,", "takes a list of records"],
    ["type: map,", "type: «mpa»,", "Did you mean map"],
    ["stuck: blocked", "stuck: blokced", "names no outcome"],
    ["broken: failed, stuck: blocked", "Finished: failed, stuck: blocked", "the same word"],
    [
      "look_again: needs-review, fix_first: needs-fixes, broken: failed, stuck: blocked",
      "look_again: needs-review",
      "fix_first",
    ],
    ["major: high", "major: critical", "both mean"],
    ["result.state == 'stuck'", "result.state == «'stukc'»", "Did you mean 'stuck'"],
    ["result.state == 'fix_first'", "«resalt.state» == 'fix_first'", "Did you mean result.state"],
    ["require: [found]", "require: [«fuond»]", "Did you mean found"],
    ["minimum: 2", "«minimun»: 2", "Did you mean minimum"],
    ["format: file-line,", "pattern: '^(a«\\1»)$',", "linear time"],
    ["format: file-line,", "format: «file-lien»,", "Did you mean file-line"],
    ["is: outcome", "about: x", "every handoff has an outcome"],
    ["title: Relay note", "«titel»: Relay note", "Did you mean title"],
    ["title: Relay note", "title: &a Relay note\nwhen: *a", "alias"],
    ["title: Relay note", "title: Relay note\n«title»: again", "twice"],
  ])("%s changed to %s", (before, marked, part) => {
    const original = SPEC_FORMATS["relay-note"] ?? "";
    expect(original).toContain(before);
    const text = original.replace(before, () => marked.replaceAll(/[«»]/g, ""));
    const { model, diagnostics } = readFormat(text);
    expect(model).toBeNull();
    const found = diagnostics.find(({ message, hint }) => `${message} ${hint ?? ""}`.includes(part));
    expect(found, JSON.stringify(diagnostics, null, 1)).toBeDefined();
    const at = original.indexOf(before) + marked.indexOf("«");
    if (marked.includes("«"))
      expect([found?.range.start.offset, text.slice(at)]).toEqual([at, text.slice(found!.range.start.offset)]);
  });
});
