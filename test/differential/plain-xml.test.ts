import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { readPlainXml } from "../../src/protocol/syntax/plain-xml.ts";
import { readXmlDocument } from "../../src/protocol/syntax/xml-document.ts";
import { XmlRefusal, parseXml } from "../../src/protocol/syntax/xml.ts";
import { arbitraryDocument } from "../round-trip/arbitrary-document.ts";
import { differentialRuns, mutated } from "./mutations.ts";

/** The short way through XML against the parser: whatever it accepts, it must read the same. */

const { shape, example, print } = DIALECTS["issue-xml"];
const SIGNS = [
  "<",
  ">",
  "/",
  "/>",
  "&",
  "&amp;",
  "&x;",
  "&#65;",
  "&#x42;",
  "&#13;",
  "&#0;",
  "<![CDATA[",
  "<![CDATA[a < b &amp; <c>]]>",
  "<!DOCTYPE x>",
  "\r\n",
  "]]>",
  "<!-- x -->",
  "<![CDATA[x]]>",
  "<?x?>",
  "=",
  '"',
  "'",
  " ",
  "\n",
  "\t",
  "\r",
  "\u0001",
  "\ufffe",
  "\ud800",
  "\u{1F600}",
  "<data>",
  "</data>",
  "<from>a</from>",
  "<metrics><n>007</n><m>7</m></metrics>",
  "<issue/>",
  ' severity="critical"',
  ' role="x"',
  "<note>n</note>",
  "<note a='1 &lt; 2'>n &amp; <b><!-- c -->o</b> <![CDATA[<p>]]></note>",
  "<__proto__/>",
  "<constructor a='1'/>",
  "<data@x/>",
  "x",
  "--",
  ":",
];
const SAMPLES = [
  print(example),
  `<?xml version="1.0" encoding="UTF-8"?>\n${print(example)}`,
  print(example).replaceAll("\n  <", "\n  <!-- note -->\n  <"),
  print(example).replaceAll("\n", "\r\n"),
  print(example).replaceAll(/>([^<\n]+)<\//g, "><![CDATA[$1]]></"),
  print(example).replaceAll(/>([^<\n]+)<\//g, "><!-- x -->$1<![CDATA[ & <b> \r\n]]>&#33;\u{1F680}</"),
  print(example).replaceAll("\n  <", "\n  <note a='1'>n <b/> <c>&gt;</c></note>\n  <"),
  print(example).replaceAll(/<(issue|data|handoff)\b/g, "<$1 kind='x' constructor=\"y\""),
  `<?xml version='1.0' encoding='utf-8' standalone="yes"?>\r\n${print(example)}`,
  "<handoff><from>a</from><from>b</from></handoff>",
  "<handoff><metrics><a>1</a><__proto__>2</__proto__></metrics></handoff>",
  "<handoff><data>\n  <blocking_issues><issue location='a:1' severity=\"critical\">x &lt; y</issue></blocking_issues>\n</data></handoff>",
  "<workflow-complete><metrics><lead_time>15.10</lead_time><n>7</n></metrics><actions_taken/></workflow-complete>",
];
const documents = fc.oneof(
  arbitraryDocument(DIALECTS["issue-xml"]).map((document) => print(document)),
  fc.constantFrom(...SAMPLES),
);
const settings = { seed: 20261116, numRuns: differentialRuns(6000) };
vi.setConfig({ testTimeout: 60_000 + settings.numRuns * 10 });

describe("the short way through XML", () => {
  it("reads what it accepts as the parser does", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(documents, mutated(documents, SIGNS)), (text) => {
        const plain = readPlainXml(text, shape, DEFAULT_LIMITS);
        if (plain === null) return;
        accepted++;
        expect({ document: plain.document, repeated: [] }).toEqual(parsed(text));
        expect(text.slice(plain.end).trim()).toBe("");
        expect(text.slice(plain.start, plain.end)).toMatch(/^<[a-z_][^]*>$/i);
      }),
      settings,
    );
    expect(accepted).toBeGreaterThan(settings.numRuns / 10);
  });

  it("accepts the example of the dialect", () => {
    expect(readPlainXml(print(example), shape, DEFAULT_LIMITS)?.document).toEqual(example);
  });

  it.each([
    "<handoff><!-- x -- y --></handoff>",
    "<handoff><!-- <!DOCTYPE --></handoff>",
    "<handoff><!-- x</handoff>",
    '<?xml version="1.1"?><handoff/>',
    "<handoff><from><![CDATA[x</from></handoff>",
    "<handoff><from><![cdata[x]]></from></handoff>",
    "<handoff><from><![CDATA[<!DOCTYPE x>]]></from></handoff>",
    "<handoff><data><![CDATA[ ]]></data></handoff>",
    "<handoff><![CDATA[x]]></handoff>",
    "<handoff><from><?x y?></from></handoff>",
    "<!DOCTYPE handoff><handoff/>",
    "<handoff><from>&#0;</from></handoff>",
    "<handoff><from>&#13;</from></handoff>",
    "<handoff><from>&#xd800;</from></handoff>",
    "<handoff><from>\ud83d</from></handoff>",
    "<handoff><from>\ude80</from></handoff>",
    "<handoff><from>a]]>b</from></handoff>",
    "<handoff><from a='1'>x</from></handoff>",
    "<handoff></handoff><handoff/>",
    "<handoff><unknown></handoff>",
    "<handoff><unknown><x></unknown></x></handoff>",
    "<handoff><unknown a='1' a='2'/></handoff>",
    "<handoff><unknown \u00e9='1'/></handoff>",
    "<handoff><metrics><n><b/></n></metrics></handoff>",
    "<handoff>",
    "<handoff",
    "<",
    "",
  ])("leaves %j to the parser", (text) => {
    expect(readPlainXml(text, shape, DEFAULT_LIMITS)).toBeNull();
  });

  it.each([
    ["<handoff><from><!-- x --></from></handoff>", ""],
    ["<handoff><from>a<!-- x -->b</from></handoff>", "ab"],
    ["<handoff><from> <![CDATA[ a < b & <i> ]]></from></handoff>", "a < b & <i>"],
    ["<handoff><from><![CDATA[x]]]]></from></handoff>", "x]]"],
    ["<handoff><from><![CDATA[a]]>b<![CDATA[c]]></from></handoff>", "abc"],
    ["<handoff><from>a\r\nb\rc</from></handoff>", "a\nb\nc"],
    ["<handoff>\r\n<from>&#65;&#x42;&amp;#67;</from>\r\n</handoff>\r\n", "AB&#67;"],
    ["<handoff><from>\u{1F680} up</from></handoff>", "\u{1F680} up"],
  ])("reads %j without the parser", (text, from) => {
    expect(readPlainXml(text, shape, DEFAULT_LIMITS)?.document["from"]).toBe(from);
    expect(parsed(text)).toMatchObject({ document: { from } });
  });

  it("never takes more elements than the limit", () => {
    const text = "<handoff><metrics><a>1</a><b>2</b></metrics></handoff>";
    expect(readPlainXml(text, shape, { ...DEFAULT_LIMITS, nodes: 4 })).not.toBeNull();
    expect(readPlainXml(text, shape, { ...DEFAULT_LIMITS, nodes: 3 })).toBeNull();
    expect(readPlainXml(text, shape, { ...DEFAULT_LIMITS, depth: 3 })).not.toBeNull();
    expect(readPlainXml(text, shape, { ...DEFAULT_LIMITS, depth: 2 })).toBeNull();
  });
});

function parsed(text: string): unknown {
  try {
    const root = parseXml(text, DEFAULT_LIMITS);
    const { value, repeated } = readXmlDocument(root, shape);
    return { document: { "#root": root.name, ...value }, repeated };
  } catch (error) {
    if (error instanceof XmlRefusal) return error.message;
    throw error;
  }
}
