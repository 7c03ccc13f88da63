import { SaxesParser } from "saxes";
import { DIALECTS } from "../src/protocol/dialects/registry.ts";
import { DEFAULT_LIMITS } from "../src/protocol/limits.ts";
import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { readPlainXml } from "../src/protocol/syntax/plain-xml.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { annotatedXml, cdataXml, extendedXml, flawless, textOf } from "./documents.ts";
import { measure } from "./measure.ts";

export function run(tell: (bar: Bar) => void): void {
  for (const size of [2_000, 500_000]) compare(`issue-xml, ${size / 1000} KB`, textOf("issue-xml", size), tell);
  for (const size of [2_000, 500_000]) compare(`issue-xml, ${size / 1000} KB with CDATA`, cdataXml(size), tell);
  for (const size of [2_000, 500_000])
    compare(`issue-xml, ${size / 1000} KB with an unknown element`, extendedXml(size), tell);
  for (const size of [2_000, 500_000])
    compare(`issue-xml, ${size / 1000} KB, left to the parser`, annotatedXml(size), tell);
}

function compare(what: string, text: string, tell: (bar: Bar) => void): void {
  flawless(text);
  const isPlain = readPlainXml(text, DIALECTS["issue-xml"].shape, DEFAULT_LIMITS) !== null;
  if (isPlain !== !what.endsWith("parser")) throw new Error(`${what} is not read the way it is meant to show`);
  const [pass = 0, read = 0] = measure(
    [
      { name: "saxes", run: () => new SaxesParser().write(text).close() },
      { name: "ours", run: () => readHandoffs(text) },
    ],
    1_500,
  );
  tell(ratioBar(what, read, pass, 1.3, "saxes"));
}
