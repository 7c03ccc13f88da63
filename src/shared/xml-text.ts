import { printable } from "./printable.ts";

export function attributes(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Printable text has no control characters left; of what XML 1.0 forbids, only U+FFFE and U+FFFF remain. */
export function escapeXml(text: string): string {
  return printable(text)
    .replace(/[\ufffe\uffff]/g, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/##(\w*)\[/g, "##$1&#91;");
}
