/**
 * One short piece of text, repeated until the text is full, in every place where a handoff can stand.
 * Nothing here is a handoff: each must be refused, and in time that grows with the text and no faster.
 */
interface RepeatedText {
  readonly name: string;
  /** The place it stands in. */
  readonly frame: string;
  readonly path?: string;
  readonly make: () => string;
}

const PIECES: readonly string[] = [
  [
    "'",
    '"',
    "[",
    "{",
    "]",
    "}",
    "[}",
    "{]",
    "[},",
    "{],",
    "(",
    "@",
    "&",
    "&a ",
    "*a ",
    "!",
    "%",
    "=",
    "$",
    "?",
    "? ",
    "|",
    ">",
  ],
  ["<", "<!--", "<![CDATA[", "]]>", "-->", "<handoff", "<handoff ", "<handoff>", "</handoff>", "<a/>", "<a>", "<?"],
  ["<handoff/>", "<handoff></handoff>\n", "<workflow-complete>", "<handoff><from>A</from></handoff>\n", "&amp;"],
  ["## Handoff\n", "## Handoff\na\n", "## Handoff\noutcome: [\n", "# ", "#", "#\n", "# Task 1: a\n", "# COMPLETE\n"],
  ["```\n", "~~~\n", "```json\n", "```yaml\n", "```markdown\n", "`", "~", "- ```\n", "    ```\n"],
  ["```json\n{}\n```\n", '```json\n{"from_agent":1}\n```\n', '```json\n{"output_type":\n```\n'],
  ["```yaml\nhandoff:\n```\n", "handoff:\n", "handoff: a\n", "HANDOFF:\n  a: @b\n", "outcome: a\n", "---\n", "...\n"],
  ["\n", " ", "\t", "\r", "\r\n", "a", "\u00e9", "\u{1f600}", "\ufeff", "\ud800", "a ", "a\n", " a\n", "- a\n"],
  [",", ":", ": ", "a: ", "a: 1\n", "- ", "-", "- @a\n", "- a: @b\n", "[@a,", "#a\n", "*", "_", "**", "%TAG\n"],
  ["\\", '\\"', "\\\\", "/", "//\n", "/**/", "/*", ",]", "1,", "[1,],", '"a":1,', '{"from_agent":1},', "null "],
  ["COMPLETE ", "Next Agent: ", "a | ", "..", "../", ".", "1", "0", "1e", "9007199254740993,", "<<: {}\n", "&a *a\n"],
].flat();

const FRAMES: readonly {
  readonly name: string;
  readonly path?: string;
  readonly around: (filling: string) => string;
}[] = [
  { name: "alone", around: (filling) => filling },
  { name: "pipeline file", path: "handoff-A.json", around: (filling) => filling },
  { name: "YAML file", path: "a.yaml", around: (filling) => `outcome: finished\n${filling}` },
  { name: "XML file", path: "a.xml", around: (filling) => filling },
  { name: "JSON value", around: (filling) => `{"from_agent": ${filling}` },
  { name: "JSON list", around: (filling) => `{"from_agent": [${filling}]}` },
  { name: "JSON record", around: (filling) => `{"output_type": 1, ${filling}}` },
  { name: "JSON text", around: (filling) => `{"from_agent": "${filling}", "status": 1,}` },
  { name: "YAML block", around: (filling) => `handoff:\n${filling}` },
  { name: "YAML value", around: (filling) => `\`\`\`yaml\nhandoff:\n  status: ${filling}\n\`\`\`\n` },
  { name: "YAML text", around: (filling) => `\`\`\`yaml\nhandoff:\n  status: "${filling}"\n  to: @a\n\`\`\`\n` },
  { name: "YAML list", around: (filling) => `\`\`\`yaml\nhandoff:\n  status: [${filling}]\n  to: @a\n\`\`\`\n` },
  { name: "YAML comment", around: (filling) => `handoff:\n  to: @a # ${filling}\n  from: b: ${filling}` },
  { name: "after a separator", around: (filling) => `---\n${filling}x` },
  { name: "section", around: (filling) => `## Handoff\n\n${filling}` },
  { name: "section with a fence", around: (filling) => `## Handoff\n\n\`\`\`yaml\n${filling}\n\`\`\`\n` },
  { name: "element", around: (filling) => `<handoff>${filling}</handoff>` },
  { name: "element and data", around: (filling) => `<handoff><from>a</from><data>${filling}</data></handoff>` },
  { name: "open element", around: (filling) => `<handoff><a>${filling}` },
  { name: "attribute", around: (filling) => `<handoff a="${filling}"><from b="${filling}">A</from></handoff>` },
  { name: "character data", around: (filling) => `<handoff>& <![CDATA[${filling}]]></b></handoff>` },
  { name: "XML comment", around: (filling) => `<handoff>& <!--${filling}--></b></handoff>` },
  {
    name: "fence in a fence",
    around: (filling) => `\`\`\`markdown\n\`\`\`yaml\nhandoff:\n${filling}\n\`\`\`\n\`\`\`\n`,
  },
  { name: "heading", around: (filling) => `# COMPLETE${filling}x\n` },
  { name: "title", around: (filling) => `# Task ${filling}[\n` },
  { name: "before the next agent", around: (filling) => `${filling}Next ${filling}` },
];

/** Every piece in every frame, each text of about `length` UTF-16 units. */
export function repeatedTexts(length: number): RepeatedText[] {
  return FRAMES.flatMap(({ name, path, around }) =>
    PIECES.map((piece) => ({
      name: `${JSON.stringify(piece)} over and over: ${name}`,
      frame: name,
      ...(path !== undefined && { path }),
      make: () => around(piece.repeat(Math.floor(length / piece.length / fillings(around)))),
    })),
  );
}

function fillings(around: (filling: string) => string): number {
  return around("\u0001").split("\u0001").length - 1;
}
