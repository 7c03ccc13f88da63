import type { SampleFile } from "../../src/protocol/format-file/learning/sample-documents.ts";
import { printYaml } from "../../src/protocol/syntax/yaml.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const NOUNS = ["cart", "refund", "login", "export", "search", "invoice", "mailer", "upload"];
const AGENTS = ["planner", "builder", "checker", "writer"];

function pick<T>(list: readonly T[], next: (below: number) => number): T {
  return list[next(list.length)] as T;
}

/** JSON with nesting, and a field that is there where the work is stuck. */
export function shiftNotes(many: number): SampleFile[] {
  const next = numbers(7);
  return Array.from({ length: many }, (_, index) => {
    const state = pick(["finished", "done", "stuck", "failed"], next);
    const noun = pick(NOUNS, next);
    const note = {
      shift: index + 1,
      from_agent: pick(AGENTS, next),
      to_agent: next(5) === 0 ? null : pick(AGENTS, next),
      written_at: `2026-03-${String(1 + (index % 28)).padStart(2, "0")}T14:05:00Z`,
      result: { state, summary: `The ${noun} of order ${index} was looked at.`, took_minutes: next(90) + 0.5 },
      files_changed: Array.from({ length: 1 + next(3) }, () => ({ path: `src/${noun}.ts`, why: `Mends the ${noun}.` })),
      open_questions: next(2) === 0 ? [] : [`Who owns the ${noun}?`],
      ...(state === "stuck" && { waits_for: `Access to the ${noun}.` }),
    };
    return { path: `notes/shift-${index}-note.json`, text: JSON.stringify(note, null, 2) };
  });
}

/** YAML with words of another language. */
export function schichtBerichte(many: number): SampleFile[] {
  const next = numbers(11);
  return Array.from({ length: many }, (_, index) => {
    const bericht: JsonRecord = {
      schicht: pick(["früh", "spät", "nacht"], next),
      datum: `2026-04-${String(1 + (index % 28)).padStart(2, "0")}`,
      status: pick(["erledigt", "gescheitert", "blockiert", "vertagt"], next),
      bericht: `Der Vorgang ${index} wurde bearbeitet.`,
      mängel: Array.from({ length: next(3) }, () => ({
        was: "Ein Feld fehlt.",
        schwere: pick(["leicht", "schwer"], next),
      })),
    };
    return { path: `berichte/bericht-${index}.yaml`, text: printYaml(bericht) };
  });
}

/** XML with attributes and a list that sometimes has one entry. */
export function slips(many: number): SampleFile[] {
  const next = numbers(13);
  return Array.from({ length: many }, (_, index) => {
    const parts = Array.from(
      { length: 1 + next(3) },
      () => `    <part path="plans/${pick(NOUNS, next)}.svg">A drawing.</part>`,
    );
    const text = [
      `<slip by="${pick(AGENTS, next)}" state="${pick(["ok", "failed"], next)}" round="${1 + next(4)}">`,
      `  <note>Pump ${index} was visited.</note>`,
      "  <parts>",
      ...parts,
      "  </parts>",
      "</slip>",
      "",
    ].join("\n");
    return { path: `visits/visit-${index}.xml`, text };
  });
}

/** A fenced block below a heading. */
export function reviews(many: number): SampleFile[] {
  const next = numbers(17);
  return Array.from({ length: many }, (_, index) => {
    const verdict = {
      reviewed: pick(NOUNS, next),
      verdict: pick(["pass", "fail"], next),
      comments: [`Comment ${index}.`],
    };
    const block = JSON.stringify(verdict, null, 2);
    return {
      path: `reviews/r${index}.md`,
      text: `# Review ${index}\n\nIt was read.\n\n## Verdict\n\n\`\`\`json\n${block}\n\`\`\`\n`,
    };
  });
}
