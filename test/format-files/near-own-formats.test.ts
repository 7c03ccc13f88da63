import { describe, expect, it } from "vitest";
import { readHandoffs } from "../../src/index.ts";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import { printHandoff } from "../../src/protocol/write-handoff.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";
import { SPEC_FORMATS, specDialects } from "./spec-formats.ts";

const formats = specDialects();

function example(name: string): string {
  const dialect = formats.find((each) => each.name === name)!;
  return printHandoff(dialect.example, dialect, { dialect: name, outcome: "done" });
}

const json = example("relay-note").replace(/^```json\n|\n```\s*$/g, "");
const yaml = example("uebergabe");
const xml = example("visit-slip");

/** As a file that a scan of a folder comes upon. */
function scan(text: string, path: string) {
  return readHandoffs(text, { formats, path, scan: true });
}

describe("a handoff of an own format that lacks what it is recognised by", () => {
  it.each([
    ["a key in JSON", json.replace('"relay"', '"relai"'), "note.json", "relay-note", "`relai` is near to `relay`"],
    ["a key in another case", json.replace('"relay"', '"Relay"'), "note.json", "relay-note", "`Relay` is near to"],
    ["a key that is absent", json.replace(/"relay": 2,\s*/, ""), "note.json", "relay-note", "Add `relay`"],
    [
      "a key in a fence",
      `# Note\n\n\`\`\`json\n${json.replace('"relay"', '"rellay"')}\n\`\`\`\n`,
      "note.md",
      "relay-note",
      "`rellay`",
    ],
    [
      "a key and the heading in YAML",
      yaml.replace("Übergabe", "Schluss").replace("stand:", "stnad:"),
      "a.md",
      "uebergabe",
      "`stnad` is near to `stand`",
    ],
    [
      "a key of a YAML file",
      yaml.replace(/^[^]*```yaml\n|```\s*$/g, "").replace("schicht:", "schihct:"),
      "a.yaml",
      "uebergabe",
      "`schihct`",
    ],
    [
      "an element in another case",
      xml.replace("<slip", "<Slip").replace("</slip>", "</Slip>"),
      "a.xml",
      "visit-slip",
      "<slip>",
    ],
    [
      "an element with a near name",
      xml.replace("<slip", "<slips").replace("</slip>", "</slips>"),
      "a.xml",
      "visit-slip",
      "<slip>",
    ],
    [
      "an element in an answer",
      `Done.\n\n${xml.replace("<slip", "<Slip").replace("</slip>", "</Slip>")}\n`,
      "a.md",
      "visit-slip",
      "<slip>",
    ],
  ])("is told with the near name: %s", (_what, text, path, dialect, hint) => {
    const reading = scan(text, path);
    expect(reading).toMatchObject({ dialect, valid: false });
    expect(reading.handoffs.map(({ handoff }) => handoff)).toEqual([null]);
    const told = reading.diagnostics.find(({ code }) => code === "wrong-container");
    expect(told).toMatchObject({ severity: "error", message: expect.stringContaining("recognised") });
    expect(told?.hint).toContain(hint);
    expect(readHandoffs(text, { formats, path })).toMatchObject({ dialect, valid: false });
  });

  it.each([
    ["JSON", json.replace('"relay"', '"relai"').replace('",\n', '"\n'), "note.json", "`relai` is near to `relay`"],
    ["JSON that was cut off", json.replace('"relay"', '"relai"').slice(0, -30), "note.json", "`relai`"],
    [
      "JSON in a fence",
      `\`\`\`json\n${json.replace('"relay"', '"relai"').replace('",\n', '"\n')}\n\`\`\`\n`,
      "note.md",
      "`relai`",
    ],
    [
      "YAML",
      yaml
        .replace(/^[^]*```yaml\n|```\s*$/g, "")
        .replace("schicht:", "schihct:")
        .replace(/bericht: .*/, 'bericht: "a" b'),
      "a.yaml",
      "`schihct` is near to `schicht`",
    ],
    [
      "YAML in a fence",
      yaml
        .replace("Übergabe", "Schluss")
        .replace("stand:", "stnad:")
        .replace(/bericht: .*/, "bericht: @a"),
      "a.md",
      "`stnad`",
    ],
  ])("is told with the near name also where it cannot be parsed: %s", (_what, text, path, hint) => {
    const reading = scan(text, path);
    expect(reading.valid).toBe(false);
    expect(reading.diagnostics.find(({ code }) => code === "wrong-container")?.hint).toContain(hint);
    expect(reading.diagnostics.some(({ rule }) => rule?.endsWith("/syntax"))).toBe(true);
  });

  it("is told where only the heading recognises it", () => {
    const [format] = formats.filter(({ name }) => name === "uebergabe");
    const headed = { ...format!, stands: { ...format!.stands!, keys: [] }, isMeantBy: () => false };
    const reading = readHandoffs(yaml.replace("Übergabe", "Uebergabe"), {
      formats: [headed],
      path: "a.md",
      scan: true,
    });
    expect(reading).toMatchObject({ dialect: "uebergabe", valid: false });
    expect(reading.diagnostics[0]?.hint).toBe("`Uebergabe` is near to `Übergabe`.");
  });

  it("is listed as notes where prose stands below the heading, and named the error speaks of the format", () => {
    const text = "# Tag\n\n## Übergabe\n\nWir sind fertig geworden, morgen mehr.\n";
    expect(scan(text, "a.md")).toMatchObject({ dialect: null, document: "notes" });
    expect(readHandoffs(text, { formats, path: "a.md" }).diagnostics[0]).toMatchObject({
      message: "The section below this `Übergabe` heading is prose, so there is no uebergabe handoff to check.",
    });
  });

  it("is named among what was looked for", () => {
    const [told] = readHandoffs("<report><a>1</a></report>", { formats, path: "a.xml" }).diagnostics;
    expect(told?.message).toContain("<workflow-complete> or <slip> element: the root is <report>");
    const [other] = readHandoffs('{"a": 1}', { formats, path: "a.json" }).diagnostics;
    expect(other?.hint).toContain("relay-note: A fenced json code block with `relay` at its root");
  });

  it.each([
    ["package.json", '{ "name": "x", "version": "1.0.0", "author": "me", "scripts": {}, "numbers": {} }'],
    ["data.json", '{ "next": "b", "found": [], "items": [1], "total": 3, "page": 1 }'],
    ["ci.yaml", "name: x\nan: y\ndatum: z\non: push\njobs: {}\n"],
    ["pom.xml", "<project><slips>1</slips></project>"],
    ["a.xml", "<script><note>x</note></script>"],
    ["page.md", "# Install\n\n<Slip>\nRestart it first.\n</Slip>\n"],
    ["broken.json", '{ "name": "x", "relays": [1 2], "author": "me" }'],
    ["agents.json", '{ "relays": [1], "author": "me", "result": {} }'],
  ])("is not seen in %s, which is something else", (path, text) => {
    expect(scan(text, path)).toMatchObject({ dialect: null, handoffs: [] });
  });
});

describe("a misspelled optional key", () => {
  const strict = openFormat(`${SPEC_FORMATS["relay-note"]}  - says: A finished note has no findings.
    when: "result.state == 'finished'"
    forbid: [found]
`).dialect!;
  const note = (state: string) =>
    `{ "relay": 2, "author": "a-b", "next": "c-d", "result": { "state": "${state}", "headline": "x" }, "fuond": [{ "what": "y", "weight": "blocker" }] }`;

  it("is an error where it hides that the handoff contradicts itself, and no repair is promised", () => {
    const { valid, diagnostics } = readHandoffs(note("finished"), { formats: [strict], path: "relay-1.json" });
    expect(valid).toBe(false);
    expect(diagnostics).toMatchObject([{ code: "near-miss", severity: "error", fix: null }]);
    expect(diagnostics[0]?.message).toContain("`found` must not be here. A finished note has no findings.");
  });

  it("is a warning with a repair where it does not", () => {
    const { valid, diagnostics } = readHandoffs(note("broken"), { formats: [strict], path: "relay-1.json" });
    expect(valid).toBe(true);
    expect(diagnostics).toMatchObject([
      { code: "near-miss", severity: "warning", fix: { title: "Rename `fuond` to `found`" } },
    ]);
  });
});

describe("a near name by which a format is recognised", () => {
  it("is told once, at the key, and repaired", () => {
    const text = json.replace('"relay"', '"relai"');
    const { diagnostics } = readHandoffs(text, { formats, path: "note.json" });
    expect(diagnostics).toMatchObject([{ code: "wrong-container", fix: { title: "Rename `relai` to `relay`" } }]);
    expect(diagnostics[0]?.range.start.offset).toBe(text.indexOf("relai"));
    expect(fixHandoffs(text, { formats, path: "note.json" })).toMatchObject({ text: json, reading: { valid: true } });
  });

  it("is told once where it is an element", () => {
    const text = xml.replace("<slip", "<slips").replace("</slip>", "</slips>");
    expect(readHandoffs(text, { formats, path: "a.xml" }).diagnostics.map(({ message }) => message)).toEqual([
      "The element <slips> is not <slip>, by which visit-slip is recognised.",
    ]);
  });
});
