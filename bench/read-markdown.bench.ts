import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { type Bar, printTime } from "./bar.ts";
import { validText, prose, textOf } from "./documents.ts";
import { measure } from "./measure.ts";

const BLOCKS = [
  ["pipeline-json", "json"],
  ["phase-yaml", "yaml"],
  ["issue-xml", "xml"],
] as const;

/** One block at the end of a text, against the same block with nothing but its heading before it. */
export function run(report: (bar: Bar) => void): void {
  for (const [dialect, language] of BLOCKS) {
    const block =
      dialect === "issue-xml" ? textOf(dialect, 1_200) : `\`\`\`${language}\n${textOf(dialect, 1_200)}\`\`\`\n`;
    for (const size of [100_000, 1_000_000]) compare(`${dialect} in ${size / 1000} KB of prose`, block, size, report);
  }
}

function compare(what: string, block: string, size: number, report: (bar: Bar) => void): void {
  const alone = validText(`# Report\n\n${block}`);
  const around = validText(`# Report\n\n${prose(size)}${block}`);
  const [short = 0, long = 0] = measure(
    [
      { name: "block", run: () => readHandoffs(alone) },
      { name: "in prose", run: () => readHandoffs(around) },
    ],
    1_200,
  );
  const figure = (long - short) / (around.length - alone.length);
  report({ what, ours: printTime(long), baseline: `${printTime(short)} the block`, figure, max: 0.7, unit: "ns/byte" });
}
