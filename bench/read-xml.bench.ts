import { SaxesParser } from "saxes";
import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { cdataXml, flawless, textOf } from "./documents.ts";
import { measure } from "./measure.ts";

export function run(tell: (bar: Bar) => void): void {
  for (const size of [2_000, 500_000]) compare(`issue-xml, ${size / 1000} KB`, textOf("issue-xml", size), tell);
  for (const size of [2_000, 500_000])
    compare(`issue-xml, ${size / 1000} KB, left to the parser`, cdataXml(size), tell);
}

function compare(what: string, text: string, tell: (bar: Bar) => void): void {
  flawless(text);
  const [pass = 0, read = 0] = measure(
    [
      { name: "saxes", run: () => new SaxesParser().write(text).close() },
      { name: "ours", run: () => readHandoffs(text) },
    ],
    1_500,
  );
  tell(ratioBar(what, read, pass, 1.3, "saxes"));
}
