import { describe, expect, it } from "vitest";
import { DIALECTS } from "../dialects/registry.ts";
import { fixHandoffs } from "../fix-handoff.ts";
import { readHandoffs } from "../read-handoff.ts";

const { print, example } = DIALECTS["issue-xml"];
const right = print(example);

function told(text: string): { at: string; message: string; hint: string; start: number }[] {
  return readHandoffs(text, { path: "handoff.xml" }).diagnostics.map(({ range, message, hint }) => ({
    at: text.slice(range.start.offset, range.end.offset),
    start: range.start.offset,
    message,
    hint: hint ?? "",
  }));
}

describe("an XML element that is never closed", () => {
  const closings = [...right.matchAll(/<\/([\w-]+)>/g)].filter(({ 1: name }) => name !== "handoff");

  it.each(closings.map(({ 0: tag, index }) => [tag, index] as const))(
    "is told at its opening tag: %s at %i",
    (tag, index) => {
      const text = right.slice(0, index) + right.slice(index + tag.length);
      const name = tag.slice(2, -1);
      const [first, ...others] = told(text);
      expect(others).toEqual([]);
      expect(first?.at).toBe(`<${name}`);
      expect(first?.start).toBe(openingOf(name, index));
      expect(first?.message).toMatch(new RegExp(`^\`<${name}>\` is opened here and never closed: \`</`));
      expect(first?.hint).toBe(`Add \`</${name}>\` where the element ends.`);
    },
  );

  it.each([
    ["<handoff><data><port>4</data></handoff>", "in the same line"],
    ["<handoff><data><port>4\n</data></handoff>", "in the next line"],
    ["<handoff>\n<data><port>4\n\n\n</data></handoff>", "3 lines below"],
  ])("says in words where the tag stands that does not fit: %j", (text, where) => {
    expect(told(text)[0]?.message).toBe(
      `\`<port>\` is opened here and never closed: \`</data>\`, ${where}, closes an element around it.`,
    );
  });

  it("is told beside what can be mended, and past comments, empty elements and signs in quotes", () => {
    const text =
      "<handoff><from>a & b</from><!-- <x> --><![CDATA[<y>]]><e/><p q='>'></p><data a='/'><port\n>4</data></handoff>";
    expect(told(text).map(({ at }) => at)).toEqual(["&", "<port"]);
  });
});

describe("a closing tag that closes nothing", () => {
  it("is told itself, with the element that is open", () => {
    expect(told("<handoff>\n  <from>a-agent</form>\n</handoff>")).toMatchObject([
      {
        at: "</form>",
        message: "`</form>` closes nothing: the element that is open here is `<from>`.",
        hint: "Write `</from>`, or remove the tag.",
      },
    ]);
  });
});

describe("a sign that XML has a use for", () => {
  it.each([
    ["a &mdash; b", "&mdash;", "`&mdash;` is no entity that XML knows."],
    ["1 < 2", "<", "In XML a bare < begins a tag."],
  ])("is told as it was written: %s", (summary, at, message) => {
    const text = `<handoff>\n  <from>a-agent</from>\n  <summary>${summary}</summary>\n</handoff>`;
    expect(told(text)).toMatchObject([{ at, message }]);
  });
});

/** The one that the closing tag at this place belongs to: none of the same name stand in each other. */
function openingOf(name: string, closing: number): number {
  return Math.max(right.lastIndexOf(`<${name}>`, closing), right.lastIndexOf(`<${name} `, closing));
}

describe("a sign & that begins no entity", () => {
  const withSummary = (summary: string): string => right.replace(/<summary>[^<]*</, `<summary>${summary}<`);

  it.each([
    ["R&D", "&", "R&D"],
    ["R&amp D", "&amp", "R& D"],
    ["a &lt; b &lt c", "&lt", "a < b < c"],
    ["/x?a=1&lt=2", "&", "/x?a=1&lt=2"],
    ["AT&ampere", "&", "AT&ampere"],
  ])("is repaired as it was meant: %s", (summary, at, meant) => {
    const text = withSummary(summary);
    expect(told(text).map((problem) => problem.at)).toEqual([at]);
    const { reading } = fixHandoffs(text, { path: "handoff.xml" });
    expect(reading.diagnostics).toEqual([]);
    expect(reading.handoffs[0]?.handoff?.summary).toBe(meant);
  });
});
