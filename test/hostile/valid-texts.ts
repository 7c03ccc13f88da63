import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { changeExample, renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { phaseExample } from "../../src/protocol/dialects/output-json/example.ts";
import { FORMS } from "../../src/protocol/dialects/issue-xml/example.ts";
import type { BuiltinDialect } from "../../src/protocol/handoff.ts";

/** A text that is accepted, and what it is accepted as. */
interface ValidText {
  readonly name: string;
  readonly dialect: BuiltinDialect;
  readonly path?: string;
  readonly text: string;
  /** Where its handoff is complete: a text cut off before here must never be accepted. */
  readonly complete?: number;
}

const blocks: Readonly<Record<BuiltinDialect, string>> = {
  "pipeline-json": DIALECTS["pipeline-json"].print(DIALECTS["pipeline-json"].example),
  "issue-xml": DIALECTS["issue-xml"].print(DIALECTS["issue-xml"].example),
  "phase-yaml": DIALECTS["phase-yaml"].print(DIALECTS["phase-yaml"].example),
  "task-yaml": DIALECTS["task-yaml"].print(DIALECTS["task-yaml"].example),
  "output-json": DIALECTS["output-json"].print(DIALECTS["output-json"].example),
};

const PROSE = "# What was done\n\nGift cards work; 31 tests pass. See `src/gift-card/redeem.ts`.\n\n";
const AFTER = "\nThat is all; ask me if anything is unclear.\n";

function fence(language: string, content: string, mark = "```"): string {
  return `${mark}${language}\n${content}${mark}\n`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

/** A text whose handoff ends where `ending` last ends. */
function cuttable(name: string, dialect: BuiltinDialect, text: string, ending: string, path?: string): ValidText {
  const complete = text.lastIndexOf(ending) + ending.length;
  return { name, dialect, text, complete, ...(path !== undefined && { path }) };
}

function inFences(dialect: BuiltinDialect, language: string, content: string): ValidText[] {
  const ending = language === "json" ? "}" : "```";
  const alone = fence(language, content);
  return [
    cuttable(`${dialect} in a fence`, dialect, alone, ending),
    cuttable(`${dialect} in a fence after prose`, dialect, PROSE + alone, ending),
    cuttable(
      `${dialect} in tildes`,
      dialect,
      PROSE + fence(language, content, "~~~~"),
      language === "json" ? "}" : "~~~~",
    ),
    cuttable(`${dialect} indented by a client`, dialect, indented(PROSE + alone), ending),
    { name: `${dialect} in a nested fence`, dialect, text: `${PROSE}${fence("markdown", `Report\n\n${alone}`)}` },
    { name: `${dialect} with prose after it`, dialect, text: PROSE + alone + AFTER },
  ];
}

function pipelineTexts(): ValidText[] {
  const own = blocks["pipeline-json"];
  const path = "handoff-BackendBuilder.json";
  const loop = JSON.stringify({
    ...DIALECTS["pipeline-json"].example,
    iteration: 2,
    extra: { deep: [1, "two", null] },
  });
  return [
    cuttable("pipeline file", "pipeline-json", own, "}", path),
    cuttable("pipeline file of a later round", "pipeline-json", loop, "}", "handoff-BackendBuilder-iteration-2.json"),
    cuttable("pipeline-json without a name", "pipeline-json", own, "}"),
    ...inFences("pipeline-json", "json", own),
    {
      name: "two pipeline handoffs",
      dialect: "pipeline-json",
      text: `${fence("json", own)}\nand\n\n${fence("json", own)}`,
    },
  ];
}

function issueTexts(): ValidText[] {
  const own = blocks["issue-xml"];
  const forms = Object.entries(FORMS).map(([rule, changes]) =>
    cuttable(
      `issue-xml of ${rule}`,
      "issue-xml",
      DIALECTS["issue-xml"].print(changeExample(DIALECTS["issue-xml"].example, changes)),
      rule === "001-R20" ? "</workflow-complete>" : "</handoff>",
    ),
  );
  return [
    cuttable("issue file", "issue-xml", `<?xml version="1.0"?>\n${own}`, "</handoff>", "handoff.xml"),
    cuttable("issue-xml in prose", "issue-xml", `I am done.\n\n${own}`, "</handoff>"),
    cuttable("issue-xml in a fence", "issue-xml", PROSE + fence("xml", own), "</handoff>"),
    cuttable("issue-xml indented by a client", "issue-xml", indented(`I am done.\n\n${own}`), "</handoff>"),
    { name: "issue-xml with prose after it", dialect: "issue-xml", text: `I am done.\n\n${own}${AFTER}` },
    { name: "two issue handoffs", dialect: "issue-xml", text: `${own}\nand\n\n${own}` },
    ...forms,
  ];
}

function phaseTexts(): ValidText[] {
  const own = blocks["phase-yaml"];
  return [
    ...inFences("phase-yaml", "yaml", own),
    { name: "phase-yaml without a fence", dialect: "phase-yaml", text: `${PROSE}---\n\n${own}` },
    { name: "phase-yaml file", dialect: "phase-yaml", text: own, path: "summary.yaml" },
    {
      name: "two phase blocks",
      dialect: "phase-yaml",
      text: `${fence("yaml", own)}\nand then\n\n${fence("yaml", own)}`,
    },
    {
      name: "summary without a block",
      dialect: "phase-yaml",
      text: "## TESTING COMPLETE\n\nTests passed: 25/25\n\n**Next Agent:** @qa-agent\n",
    },
  ];
}

function taskTexts(): ValidText[] {
  const own = blocks["task-yaml"];
  const title = "# Task 7: Gift cards\n\n## Objective\n\nSell them.\n\n";
  const section = `${title}## Handoff\n\n${fence("yaml", own)}`;
  return [
    cuttable("task file", "task-yaml", section, "```"),
    cuttable("task file in CRLF", "task-yaml", section.replaceAll("\n", "\r\n"), "```"),
    cuttable(
      "task file with the heading in the fence",
      "task-yaml",
      `${title}${fence("yaml", `## Handoff\n${own}`)}`,
      "```",
    ),
    cuttable("task file indented by a client", "task-yaml", indented(section), "```"),
    { name: "task file without a fence", dialect: "task-yaml", text: `${title}## Handoff\n\n${own}` },
    { name: "task file with a footer", dialect: "task-yaml", text: `${section}\n---\n*Task completed: today*\n` },
    { name: "task-yaml file", dialect: "task-yaml", text: own, path: "task-7.yaml" },
  ];
}

function outputTexts(): ValidText[] {
  const phase = JSON.stringify(changeExample(DIALECTS["output-json"].example, phaseExample), null, 2);
  return [
    cuttable("output file", "output-json", `${PROSE}${renderSample(DIALECTS["output-json"], { set: {} }).text}`, "}"),
    cuttable("output file of the phase layer", "output-json", `${PROSE}${fence("json", `${phase}\n`)}`, "}"),
    ...inFences("output-json", "json", blocks["output-json"]),
    cuttable("output-json alone", "output-json", blocks["output-json"], "}", "metadata.json"),
  ];
}

/** All five dialects in every container they are found in. */
export const validTexts: readonly ValidText[] = [
  ...pipelineTexts(),
  ...issueTexts(),
  ...phaseTexts(),
  ...taskTexts(),
  ...outputTexts(),
].flatMap(inOtherBytes);

/** The same with a byte order mark, and with the line endings of another system. */
function inOtherBytes(text: ValidText, index: number): ValidText[] {
  const { complete: _complete, ...whole } = text;
  const marked = { ...whole, name: `${text.name}, with a byte order mark`, text: `\uFEFF${text.text}` };
  const ended = { ...whole, name: `${text.name}, in CRLF`, text: text.text.replaceAll(/\r?\n/g, "\r\n") };
  return index % 2 === 0 ? [text, marked] : [text, ended];
}
