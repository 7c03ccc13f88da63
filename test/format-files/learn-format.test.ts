import { describe, expect, it } from "vitest";
import { familiesOf, tryFamily } from "../../proofs/learned-formats/try-families.ts";
import { learnFormat } from "../../src/protocol/format-file/learning/learn-format.ts";
import type { SampleFile } from "../../src/protocol/format-file/learning/sample-documents.ts";
import { tryFormat } from "../../src/protocol/format-file/learning/try-format.ts";
import { openFormat } from "../../src/protocol/format-file/open-format.ts";
import { parseYaml } from "../../src/protocol/syntax/yaml.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import fc from "fast-check";
import { reviews, schichtBerichte, shiftNotes, slips } from "./generated-families.ts";

function learned(files: readonly SampleFile[]) {
  const { format } = learnFormat(files);
  if (format === null) throw new Error("nothing was learned");
  return format;
}

function fieldsOf(text: string): Record<string, Record<string, unknown>> {
  const [file] = parseYaml(text, DEFAULT_LIMITS).documents as { fields: Record<string, Record<string, unknown>> }[];
  return file?.fields ?? {};
}

describe("a format learned from generated families", () => {
  // A family has one set of root keys, so the notes of those who wait are left out.
  const FAMILIES = {
    json: shiftNotes(48).filter(({ text }) => !text.includes("waits_for")),
    yaml: schichtBerichte(40),
    xml: slips(24),
    markdown: reviews(24),
  };

  it.each(Object.entries(FAMILIES))("from half of the %s files accepts the rest and refuses faults", (name, files) => {
    const [family, ...others] = familiesOf(name, files);
    expect(others).toEqual([]);
    const { accepted, tried, mutants, notes } = tryFamily(family!);
    expect(notes).toEqual([]);
    expect(accepted).toBe(tried);
    const made = mutants.removed.made + mutants.retyped.made + mutants.reworded.made;
    expect(made).toBeGreaterThan(30);
    expect(mutants.removed.refused + mutants.retyped.refused + mutants.reworded.refused).toBe(made);
  });

  it("says what stands where, what is always there and what it means", () => {
    const { text, questions, model } = learned(shiftNotes(48));
    expect(model?.stands).toMatchObject({ files: ["shift-*-note.json"], keys: ["shift", "from_agent", "to_agent"] });
    expect(fieldsOf(text)).toMatchObject({
      from_agent: { required: true, is: "from" },
      to_agent: { required: true, is: "to", nullable: true },
      written_at: { required: true, is: "at", format: "timestamp" },
      result: {
        required: true,
        fields: {
          state: {
            required: true,
            is: "outcome",
            words: { finished: "done", done: "done", stuck: "blocked", failed: "failed" },
          },
          summary: { required: true, is: "summary" },
          took_minutes: { type: "number", required: true },
        },
      },
      files_changed: { is: "work.modified", item: { fields: { path: { is: "path" }, why: { is: "description" } } } },
      open_questions: { is: "questions", item: { is: "question" } },
      waits_for: { required_when: "result.state == 'stuck'" },
    });
    expect(questions).toEqual([]);
    expect(text).toContain('\nwhen: "shift != null"\n');
    expect(openFormat(text).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("describes elements, attributes and lists of XML", () => {
    const { text, model } = learned(slips(24));
    expect(model).toMatchObject({ syntax: "xml", stands: { element: "slip", files: ["visit-*.xml"] } });
    expect(fieldsOf(text)).toMatchObject({
      "@by": { required: true, is: "from" },
      "@state": { is: "outcome" },
      "@round": { type: "integer", is: "iteration" },
      parts: { element: "part", item: { fields: { "@path": { required: true }, "#text": { required: true } } } },
    });
  });

  it("names the heading of a block in Markdown", () => {
    expect(learned(reviews(24)).model?.stands).toMatchObject({ heading: "Verdict", files: [] });
  });

  it("leaves out files of another kind, and says so", () => {
    const { format, others } = learnFormat([...slips(6), ...reviews(2), { path: "a.json", text: "{" }]);
    expect(format?.learned).toEqual([0, 1, 2, 3, 4, 5]);
    expect(others.map(({ file }) => file)).toEqual([6, 7, 8]);
    expect(others[2]?.why).toContain("not valid JSON");
  });

  it("claims little from one file", () => {
    const { text, model } = learned(shiftNotes(1));
    expect(text).toContain("That is little");
    // The outcome and the record around it: every handoff has an outcome.
    expect(text.match(/required: true/g)).toHaveLength(2);
    expect(tryFormat(model!, shiftNotes(1))).toEqual([{ file: 0, isAccepted: true, why: null }]);
  });
});

describe("what a draft cannot know", () => {
  const { text, questions, model } = learned(schichtBerichte(40));

  it("is asked", () => {
    expect(questions).toEqual(["Which outcome does the word `vertagt` of `status` mean?"]);
    expect(text).toMatch(/vertagt: "\?" # in \d+ of 40; question 1/);
    expect(model).not.toBeNull();
  });

  it("is told by the check of the file, at its place, and by nothing else", () => {
    const { dialect, diagnostics } = openFormat(text);
    expect(dialect).toBeNull();
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "`status.words.vertagt` is a question that has no answer yet.",
    ]);
    const { line } = diagnostics[0]!.range.start;
    expect(text.split("\n")[line - 1]).toContain('vertagt: "?"');
  });

  it("is a valid format when it is answered", () => {
    const answered = text.replace('vertagt: "?"', "vertagt: pending");
    expect(openFormat(answered).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("is asked for the whole format where no field says how the work ended", () => {
    const files = shiftNotes(12).map(({ path, text: note }) => {
      const { result: _result, ...rest } = JSON.parse(note) as Record<string, unknown>;
      return { path, text: JSON.stringify(rest) };
    });
    const draft = learned(files);
    expect(draft.text).toContain('\noutcome: "?"\n');
    expect(openFormat(draft.text).diagnostics.map(({ message }) => message)).toEqual([
      "`outcome` is a question that has no answer yet.",
    ]);
  });

  it("asks for the word of a failure that no file shows", () => {
    const files = slips(24).filter((file) => !file.text.includes('state="failed"'));
    const draft = learned(files);
    expect(draft.questions).toHaveLength(1);
    expect(draft.text).toContain('"?": failed # question 1');
    const [diagnostic] = openFormat(draft.text).diagnostics;
    expect(diagnostic?.hint).toContain("Write the word in place of `?`");
  });

  it("asks what an absent outcome means", () => {
    const files = schichtBerichte(40).map(({ path, text: report }, index) => ({
      path,
      text: index % 5 === 0 ? report.replace(/^status: .*\n/m, "") : report,
    }));
    const draft = learned(files);
    expect(draft.text).toContain('default: "?"');
    expect(openFormat(draft.text).diagnostics.map(({ message }) => message)).toContain(
      "`status.default` is a question that has no answer yet.",
    );
  });
});

describe("hostile files", () => {
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
  const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n`;
  const doctype = `<!DOCTYPE s [<!ENTITY a "x">]><slip state="&a;"/>`;

  it.each([
    ["nested too deep", "deep.json", deep, "deep"],
    ["aliases", "bomb.yaml", bomb, "aliases"],
    ["entities", "doctype.xml", doctype, "XML"],
    ["too large", "large.json", `{"a":"${"x".repeat(1_100_000)}"}`, "larger"],
    ["zeros", "zeros.json", "{\0}", "binary"],
  ])("are refused: %s", (_what, path, text, why) => {
    const { format, others } = learnFormat([{ path, text }, ...slips(6)]);
    expect(format?.learned).toHaveLength(6);
    expect(others[0]?.why).toContain(why);
  });

  it("nested as deep as is allowed are looked at once", () => {
    const text = `${"<slip>".repeat(60)}x${"</slip>".repeat(60)}`;
    const list = `<slip state="ok"><steps>${"<steps><step>".repeat(20)}x${"</step></steps>".repeat(20)}</steps></slip>`;
    for (const each of [text, list]) {
      const files = Array.from({ length: 4 }, (_, index) => ({ path: `n${index}.xml`, text: each }));
      expect(learned(files).problems).toEqual([]);
    }
  });

  it("with thousands of keys give a draft within the limits", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`key_${index}`, { inner: { value: index } }]),
    );
    const files = Array.from({ length: 6 }, (_, index) => ({
      path: `w${index}.json`,
      text: JSON.stringify({ ...wide, status: "done" }),
    }));
    const { model, text, problems } = learned(files);
    expect(problems).toEqual([]);
    expect(model).not.toBeNull();
    expect(text.length).toBeLessThan(262_144);
  });

  it("show no secret and no sign that a terminal obeys", () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8".slice(0, 36)}`;
    const files = Array.from({ length: 8 }, (_, index) => ({
      path: `s${index}.json`,
      text: JSON.stringify({
        status: "done",
        note: `use ${token} to push`,
        api_key: "correct-horse-battery-staple-9",
        [token]: "x",
        "\u001b[31mred": "x",
        looks: "\u001b[2J\u202eevil",
        kind: token,
      }),
    }));
    const { text } = learned(files);
    expect(text).not.toContain(token);
    expect(text).not.toContain("correct-horse");
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it("quote what they say: a text is never a key, a comment or a tag of the draft", () => {
    const evil = "x\n# question 9\nrules:\n  - says: !!js/function 'y' \"\n";
    const files = Array.from({ length: 8 }, (_, index) => ({
      path: `e${index}\nname: evil.json`,
      text: JSON.stringify({ status: "done", note: evil, "a: b": evil, note2: `${evil}${index}` }),
    }));
    const { text } = learned(files);
    const [file] = parseYaml(text, DEFAULT_LIMITS).documents as Record<string, unknown>[];
    expect(Object.keys(file ?? {})).toEqual(["format", "name", "syntax", "stands", "fields"]);
    expect(fieldsOf(text)["note"]?.["example"]).toContain("# question 9 rules: - says:");
  });

  it("keep the keys that change the nature of records out", () => {
    const text = '{"status":"done","__proto__":{"x":1},"constructor":{"y":2},"carried":1}';
    const files = Array.from({ length: 6 }, (_, index) => ({ path: `p${index}.json`, text }));
    expect(Object.keys(fieldsOf(learned(files).text))).toEqual(["status"]);
  });
});

describe("any documents", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const record = fc.dictionary(fc.string({ maxLength: 12, unit: "binary" }), value, { maxKeys: 8 });

  it("give a draft that is a format file but for its questions", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), (records) => {
        const files = records.map((one, index) => ({ path: `d${index}.json`, text: JSON.stringify(one) }));
        const { format } = learnFormat(files);
        if (format === null) return;
        const { diagnostics } = openFormat(format.text);
        const errors = diagnostics.filter(({ severity, code }) => severity === "error" && code !== "unfilled-template");
        expect(errors.map(({ message }) => message)).toEqual(format.problems.length > 0 ? expect.anything() : []);
      }),
      { numRuns: 300 },
    );
  });
});
