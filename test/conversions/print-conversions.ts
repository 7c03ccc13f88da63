import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { type Conversion, convertTable } from "./table.ts";

/**
 * Prints what the table of conversions says: for each handoff and target the expected fields that were written, the share
 * of the text under `carried`, and the share of the content that stands only there. `--unmet` names the fields that are missing, `--text` prints what was written.
 */
const conversions = convertTable();

for (const conversion of conversions) {
  const { row, target, expected, unmet, text } = conversion;
  console.log(
    `${row.source.padEnd(13)} -> ${target.padEnd(13)} ${`${expected - unmet.length}/${expected}`.padStart(6)}  carried ${percent(conversion.carried, conversion.size).padStart(4)}, only there ${percent(conversion.onlyCarried, conversion.content).padStart(4)}  ${row.meaning}: ${row.name}`,
  );
  if (process.argv.includes("--unmet")) for (const line of unmet) console.log(`    missing: ${line}`);
  if (process.argv.includes("--text")) console.log(text);
}

console.log("");
for (const target of DIALECT_NAMES)
  console.log(
    totals(
      `to ${target}`,
      conversions.filter((one) => one.target === target),
    ),
  );
console.log(totals("all", conversions));

function totals(title: string, some: readonly Conversion[]): string {
  const expected = sum(some.map((one) => one.expected));
  const filled = expected - sum(some.map((one) => one.unmet.length));
  const carried = percent(sum(some.map((one) => one.carried)), sum(some.map((one) => one.size)));
  const only = percent(sum(some.map((one) => one.onlyCarried)), sum(some.map((one) => one.content)));
  return `${title.padEnd(17)} ${some.length} conversions, expected fields filled ${filled} of ${expected} (${percent(filled, expected)}), under carried ${carried}, only there ${only}`;
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((part * 100) / whole)}%`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
