import { load } from "js-yaml";
import { readHandoffs } from "../src/protocol/read-handoff.ts";
import { readPlainYaml } from "../src/protocol/syntax/plain-yaml.ts";
import { DEFAULT_LIMITS } from "../src/protocol/limits.ts";
import { type Bar, ratioBar } from "./bar.ts";
import { bracketedYaml, flawless, flowYaml, textOf, wrappedYaml } from "./documents.ts";
import { measure } from "./measure.ts";
import { loadPeer } from "./peers.ts";

interface JsYaml4 {
  load(text: string): unknown;
}

export async function run(tell: (bar: Bar) => void): Promise<void> {
  const peer = await loadPeer<JsYaml4>("js-yaml", "4.3.2");
  for (const dialect of ["phase-yaml", "task-yaml"] as const) {
    for (const size of [2_000, 200_000]) compare(`${dialect}, ${size / 1000} KB`, textOf(dialect, size), peer, tell);
  }
  for (const size of [2_000, 200_000])
    compare(`task-yaml, ${size / 1000} KB with wrapped lines`, wrappedYaml(size), null, tell);
  for (const size of [2_000, 200_000])
    compare(`task-yaml, ${size / 1000} KB with records in brackets`, flowYaml(size), null, tell);
  for (const size of [2_000, 200_000])
    compare(`task-yaml, ${size / 1000} KB, left to the parser`, bracketedYaml(size), null, tell);
}

function compare(what: string, text: string, peer: JsYaml4 | null, tell: (bar: Bar) => void): void {
  flawless(text);
  const isPlain = readPlainYaml(text, DEFAULT_LIMITS) !== null;
  if (isPlain !== !what.endsWith("parser")) throw new Error(`${what} is not read the way it is meant to show`);
  const subjects = [
    { name: "js-yaml 5", run: () => load(text) },
    { name: "ours", run: () => readHandoffs(text) },
    ...(peer === null ? [] : [{ name: "js-yaml 4", run: () => peer.load(text) }]),
  ];
  const [five = 0, read = 0, four = 0] = measure(subjects, 1_500);
  tell(ratioBar(what, read, five, 1.1, "js-yaml 5"));
  if (peer !== null) tell({ ...ratioBar(what, read, four, 0.7, "js-yaml 4"), stretch: true });
}
