import { describe, expect, it } from "vitest";
import { readHandoffs } from "../../src/index.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";

const PREDAVKA = `format: 1
name: predavka
syntax: yaml
stands: { heading: Předávka }
fields:
  předává: { required: true, is: from, example: řezník }
  výsledek: { required: true, is: outcome, words: { hotovo: done, spadlo: failed }, example: hotovo }
  shrnutí: { required: true, is: summary, example: Košík počítá. }
  vady: { type: list, is: findings.issues, item: { fields: { popis: { required: true, is: description } } } }
  místa: { type: list, is: work.modified, item: { is: path } }
`;

const JSON_FORMAT = `format: 1
name: denik
syntax: json
stands: { keys: [číslo] }
fields:
  číslo: { type: integer, required: true, example: 1 }
  stav: { required: true, is: outcome, words: { hotovo: done, spadlo: failed }, example: hotovo }
`;

function open(text: string) {
  const { dialect, diagnostics } = openFormat(text);
  if (dialect === null) throw new Error(JSON.stringify(diagnostics));
  return dialect;
}

const formats = [open(PREDAVKA), open(JSON_FORMAT)];
const decomposed = [open(PREDAVKA.normalize("NFD"))];
const handoff =
  "# Úkol\n\n## Předávka\n\n```yaml\npředává: řezník\nvýsledek: hotovo\nshrnutí: Košík počítá.\nmísta: [a.txt]\n```\n";

const SAYS = "have the same letters in another Unicode form";

describe("a handoff whose names are written in another Unicode form", () => {
  it.each([
    ["a heading and keys", handoff, "a.md", "predavka"],
    ["a key", '{ "číslo": 1, "stav": "hotovo" }\n', "a.json", "denik"],
  ])("is told, also in a scan: %s", (_what, text, path, dialect) => {
    expect(readHandoffs(text, { formats, path })).toMatchObject({ dialect, valid: true });
    for (const scan of [true, false]) {
      const reading = readHandoffs(text.normalize("NFD"), { formats, path, scan });
      expect(reading).toMatchObject({ dialect, valid: false, handoffs: [{ handoff: null }] });
      expect(reading.diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining(SAYS)]);
    }
  });

  it("is told where the format file has the decomposed form", () => {
    const { valid, diagnostics } = readHandoffs(handoff, { formats: decomposed, path: "a.md" });
    expect(valid).toBe(false);
    expect(diagnostics[0]?.message).toContain(SAYS);
  });

  it("is told of a single key, which can be renamed", () => {
    const text = handoff.replace("místa", "místa".normalize("NFD"));
    const { diagnostics } = readHandoffs(text, { formats, path: "a.md" });
    expect(diagnostics).toMatchObject([
      { code: "near-miss", message: expect.stringContaining("the same letters in another Unicode form") },
    ]);
    expect(diagnostics[0]?.fix).not.toBeNull();
    const missing = readHandoffs(handoff.replace("shrnutí", "shrnutí".normalize("NFD")), { formats, path: "a.md" });
    expect(missing.valid).toBe(false);
    expect(missing.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("the same letters in another Unicode form"),
    ]);
  });

  it("is no matter of what the fields say", () => {
    const text = handoff.replace("Košík", "Košík".normalize("NFD"));
    expect(readHandoffs(text, { formats, path: "a.md" })).toMatchObject({ valid: true, diagnostics: [] });
  });
});
