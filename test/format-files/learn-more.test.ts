import { describe, expect, it } from "vitest";
import { learnFormat } from "../../src/protocol/format-file/learning/learn-format.ts";
import type { SampleFile } from "../../src/protocol/format-file/learning/sample-documents.ts";
import { tryFormat } from "../../src/protocol/format-file/learning/try-format.ts";

function learned(files: readonly SampleFile[]) {
  const { format } = learnFormat(files);
  if (format === null) throw new Error("nothing was learned");
  return format;
}

function samples(extension: string, textOf: (index: number) => string, many = 12): SampleFile[] {
  return Array.from({ length: many }, (_, index) => ({ path: `note-${index}.${extension}`, text: textOf(index) }));
}

describe("what is learned of a format", () => {
  it("proposes a field with a few recurring words as the outcome", () => {
    const lamp = ["gruen", "gelb", "rot"];
    const files = samples("json", (index) =>
      JSON.stringify({ worker: `w-${index % 3}`, ampel: lamp[index % 3], bericht: `Report ${index} of the day.` }),
    );
    const { questions, model, text } = learned(files);
    expect(questions[0]).toContain("Is it `ampel`, with the words `gruen`, `gelb`, `rot`?");
    expect(questions.join("\n")).not.toContain("every such handoff");
    expect(text).toContain("is: outcome");
    expect(model).not.toBeNull();
  });

  it("asks about words of which some were seen once, in any language, and takes whole numbers for such", () => {
    const words = ["hotovo", "hotovo", "hotovo", "k opravě", "k opravě", "selhalo", "čeká"];
    const yaml = (index: number): string =>
      `předává: řezník-agent\nvýsledek: ${words[index]}\nshrnutí: Práce ${index}.\npočty: { testů: ${index} }\n`;
    const { questions, text } = learned(
      samples("md", (index) => `# Úkol\n\n## Předávka\n\n\`\`\`yaml\n${yaml(index)}\`\`\`\n`, 7),
    );
    expect(questions[0]).toContain("Is it `výsledek`, with the words `hotovo`, `k opravě`, `selhalo`, `čeká`?");
    expect(text).toContain("type: integer");
  });

  it("takes names of agents for no words, whatever their field is called and wherever it stands", () => {
    const note = (worker: string, index: number): string =>
      JSON.stringify({ head: { worker }, status: index % 2 === 0 ? "done" : "failed", did: `Did ${index}.` });
    const files = samples("json", (index) => note(index % 2 === 0 ? "w-a" : "w-b", index));
    const { model, text } = learned(files);
    expect(text).toContain("is: from");
    expect(tryFormat(model!, [{ path: "new.json", text: note("w-new", 0) }])[0]).toMatchObject({ isAccepted: true });
  });

  it("takes one entry in an element for a list where its name says that there may be more", () => {
    const files = samples("xml", (index) => {
      const status = index % 2 === 0 ? "done" : "failed";
      return `<dispatch by="a-${index}" status="${status}"><changes><file>src/a${index}.ts</file></changes><open-items><item>Item ${index}</item></open-items></dispatch>`;
    });
    const two = `<dispatch by="b" status="done"><changes><file>a.ts</file><file>b.ts</file></changes><open-items><item>x</item><item>y</item></open-items></dispatch>`;
    const { model } = learned(files);
    expect(tryFormat(model!, [{ path: "two.xml", text: two }])[0]).toMatchObject({ isAccepted: true });
  });

  it("finds YAML without a fence below its heading", () => {
    const files = samples("md", (index) => {
      const status = index % 2 === 0 ? "done" : "failed";
      return `# Day ${index}\n\nSome words about it.\n\n## Shift end\n\nworker: w-${index}\nstatus: ${status}\nreport: Number ${index}\n`;
    });
    const { model, learned: from } = learned(files);
    expect(from).toHaveLength(12);
    expect(model?.stands).toMatchObject({ heading: "Shift end" });
    expect(tryFormat(model!, files).every(({ isAccepted }) => isAccepted)).toBe(true);
  });
});
