import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { countJsonKeys } from "../src/protocol/syntax/json.ts";
import { hasEscapedKey } from "../src/protocol/syntax/json-escaped-keys.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { flawless, textOf } from "./documents.ts";
import { measure } from "./measure.ts";

const MEBIBYTE = 1_048_576;

export function run(tell: (bar: Bar) => void): void {
  for (const dialect of ["pipeline-json", "output-json"] as const) {
    for (const size of [2_000, MEBIBYTE]) compare(dialect, size, tell);
  }
}

/** The guard against keys written twice cannot be turned off: its own time is measured and taken away. */
function compare(dialect: "pipeline-json" | "output-json", size: number, tell: (bar: Bar) => void): void {
  const text = flawless(textOf(dialect, size));
  const [parse = 0, read = 0, guard = 0] = measure(
    [
      { name: "JSON.parse", run: () => JSON.parse(text) as unknown },
      { name: "ours", run: () => readHandoffs(text) },
      { name: "guard", run: () => countJsonKeys(text) + Number(hasEscapedKey(text)) },
    ],
    1_800,
  );
  const what = `${dialect}, ${size === MEBIBYTE ? "1 MiB" : `${(text.length / 1000).toFixed(1)} KB`}`;
  tell(ratioBar(`${what}, every guard`, read, parse, 2, "JSON.parse"));
  tell(ratioBar(`${what}, without the duplicate-key guard`, read - guard, parse, 1.25, "JSON.parse"));
}
