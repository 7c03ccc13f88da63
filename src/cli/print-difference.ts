import type { ReplayStep } from "../runtime/operations/replay-run.ts";
import { eventLine } from "../runtime/operations/view-run.ts";
import { cutText } from "../shared/envelope.ts";
import { sameJson } from "../shared/json-value.ts";
import { printable } from "../shared/printable.ts";

type Events = ReplayStep["recorded"];

/** What was decided then and is not now (-), and what is decided now and was not then (+). */
export function printDifference({ sequence, input, recorded, decided }: ReplayStep): string {
  const [before, after] = [toldLines(recorded), toldLines(decided)];
  const told = [
    ...before.filter((line) => !after.includes(line)).map((line) => `  - ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `  + ${line}`),
  ];
  const lines = told.length === 0 ? fieldLines(recorded, decided) : told;
  return `${sequence}: ${input.kind}\n${lines.join("\n")}\n\n`;
}

function toldLines(events: Events): string[] {
  return events.flatMap((event) => {
    const line = eventLine(event);
    return line === null ? [] : [printable(line.text.replaceAll(/\s+/g, " "))];
  });
}

/** Events may differ in what the log never tells, such as a time limit: then their fields are told. */
function fieldLines(recorded: Events, decided: Events): string[] {
  const places = Array.from({ length: Math.max(recorded.length, decided.length) }, (_, index) => index);
  return places.flatMap((index) => {
    const [then, now] = [asRecord(recorded[index]), asRecord(decided[index])];
    return [...new Set([...Object.keys(then), ...Object.keys(now)])]
      .filter((key) => !sameJson(then[key], now[key]))
      .flatMap((key) => [...fieldLine("-", then, key), ...fieldLine("+", now, key)]);
  });
}

function asRecord(event: Events[number] | undefined): Readonly<Record<string, unknown>> {
  return { ...event };
}

function fieldLine(sign: string, event: Readonly<Record<string, unknown>>, key: string): string[] {
  if (event[key] === undefined) return [];
  return [`  ${sign} ${String(event["kind"])}.${key} ${printable(cutText(JSON.stringify(event[key]), LONGEST_VALUE))}`];
}

const LONGEST_VALUE = 200;
