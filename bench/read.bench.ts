import { load } from "js-yaml";
import { SaxesParser } from "saxes";
import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { type Bar, ratioBar } from "./bar.ts";
import {
  annotatedXml,
  bracketedYaml,
  cdataXml,
  extendedXml,
  flowYaml,
  textOf,
  validText,
  wrappedYaml,
} from "./documents.ts";
import { measure } from "./measure.ts";

/** What a text of each syntax is compared with, and how many times its time reading may take, every guard on. */
const BASELINES = {
  json: { name: "JSON.parse", run: (text: string): unknown => JSON.parse(text), max: 2 },
  yaml: { name: "js-yaml", run: (text: string): unknown => load(text), max: 1 },
  xml: { name: "saxes", run: (text: string): unknown => new SaxesParser().write(text).close(), max: 2.5 },
};

const MEBIBYTE = 1_048_576;

/** Valid texts, each in a small and a large size. */
const TEXTS: readonly (readonly [
  keyof typeof BASELINES,
  string,
  (bytes: number) => string,
  readonly [number, number],
])[] = [
  ["json", "pipeline-json", (bytes) => textOf("pipeline-json", bytes), [2_000, MEBIBYTE]],
  ["json", "output-json", (bytes) => textOf("output-json", bytes), [2_000, MEBIBYTE]],
  ["yaml", "phase-yaml", (bytes) => textOf("phase-yaml", bytes), [2_000, 200_000]],
  ["yaml", "task-yaml", (bytes) => textOf("task-yaml", bytes), [2_000, 200_000]],
  ["yaml", "task-yaml with wrapped lines", wrappedYaml, [2_000, 200_000]],
  ["yaml", "task-yaml with records in brackets", flowYaml, [2_000, 200_000]],
  ["yaml", "task-yaml outside the plain subset", bracketedYaml, [2_000, 200_000]],
  ["xml", "issue-xml", (bytes) => textOf("issue-xml", bytes), [2_000, 500_000]],
  ["xml", "issue-xml with CDATA", cdataXml, [2_000, 500_000]],
  ["xml", "issue-xml with an unknown element", extendedXml, [2_000, 500_000]],
  ["xml", "issue-xml with an attribute", annotatedXml, [2_000, 500_000]],
];

/** Each syntax in a process of its own. */
export const parts = Object.keys(BASELINES);

export function run(report: (bar: Bar) => void, part: string): void {
  for (const [syntax, what, make, sizes] of TEXTS.filter(([of]) => of === part)) {
    const { name, run: baseline, max } = BASELINES[syntax];
    for (const size of sizes) {
      const text = validText(make(size));
      const [parse = 0, read = 0] = measure(
        [
          { name, run: () => baseline(text) },
          { name: "ours", run: () => readHandoffs(text) },
        ],
        1_500,
      );
      report(ratioBar(`${what}, ${size === MEBIBYTE ? "1 MiB" : `${size / 1000} KB`}`, read, parse, max, name));
    }
  }
}
