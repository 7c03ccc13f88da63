import { readPlace } from "../evidence/claims/read-range.ts";
import type { Packet } from "./packet.ts";

/** The facts that a packet tells, each once. What is to be fixed has ids of its own. */
export function factsIn({ sections }: Pick<Packet, "sections">): { readonly id: string; readonly text: string }[] {
  const facts = new Map<string, string>();
  for (const { title, lines } of sections) {
    if (title === "Issues to Fix") continue;
    for (const { source, knownAs, text } of lines) {
      const id = source.fact ?? knownAs ?? null;
      if (id !== null) facts.set(id, text);
    }
  }
  return [...facts].map(([id, text]) => ({ id, text }));
}

/** Which of the files that somebody read a packet had named, anywhere in its lines; without one, none. */
export function splitReads(
  packet: Pick<Packet, "sections"> | null,
  reads: readonly string[],
): { readonly named: readonly string[]; readonly unnamed: readonly string[] } {
  const names = packet === null ? new Set<string>() : namesIn(packet);
  return { named: reads.filter((path) => names.has(path)), unnamed: reads.filter((path) => !names.has(path)) };
}

function namesIn({ sections }: Pick<Packet, "sections">): Set<string> {
  const texts = sections.flatMap(({ lines }) => lines.flatMap(({ text, detail, place }) => [text, detail, place]));
  const names = new Set<string>();
  for (const text of texts) {
    if (text === null) continue;
    // Whole, because a file may have blanks in its name; and by words, because a sentence may name it.
    for (const name of [text, ...text.split(/[\s"'`(),;|<>[\]{}]+/)]) names.add(pathOf(name));
  }
  return names;
}

/** Without the lines, and without what ends a sentence. */
function pathOf(name: string): string {
  return readPlace(name.trim().replace(/[.:!?]{1,3}$/, "")).path.replace(/^\.\//, "");
}
