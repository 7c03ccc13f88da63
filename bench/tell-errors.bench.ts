import { formatPretty } from "../src/cli/formats/pretty.ts";
import { reportFiles } from "../src/cli/formats/report.ts";
import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { brokenJson, brokenRules, looseJson, textOf } from "./documents.ts";
import { measure } from "./measure.ts";

/** All errors of a text, printed with their frames, against JSON.parse of the text without them. */
export function run(report: (bar: Bar) => void): void {
  for (const [size, errors] of [
    [2_000, 3],
    [2_000, 6],
    [100_000, 20],
  ] as const) {
    const valid = textOf("pipeline-json", size);
    const name = size === 2_000 ? "2 KB" : "100 KB";
    compare(`${name} of JSON, ${errors} rules broken`, valid, brokenRules(valid, errors), errors, report);
    compare(`${name} of JSON, ${errors} comments and commas too many`, valid, looseJson(valid, errors), errors, report);
    compare(`${name} of JSON, ${errors} commas and quotes missing`, valid, brokenJson(valid, errors), errors, report);
  }
}

function compare(what: string, valid: string, broken: string, errors: number, report: (bar: Bar) => void): void {
  const found = readHandoffs(broken).diagnostics.length;
  if (found < errors * 0.7) throw new Error(`${what}: ${found} reported`);
  const [parse = 0, told = 0] = measure(
    [
      { name: "JSON.parse", run: () => JSON.parse(valid) as unknown },
      { name: "ours", run: () => print(broken) },
    ],
    1_500,
  );
  report(ratioBar(what, told, parse, 12, "JSON.parse"));
}

function print(text: string): string {
  const { dialect, valid, handoffs, diagnostics } = readHandoffs(text);
  const files = [
    { path: "handoff.json", dialect, valid, skipped: false, handoffs: handoffs.length, diagnostics, text },
  ];
  return formatPretty(reportFiles(files), { colour: false, width: 100 });
}
