import type { Block } from "./block.ts";
import { findAllBlocks } from "./find-all-blocks.ts";
import type { Found } from "./find-blocks.ts";
import type { OwnOptions } from "./find-own-blocks.ts";
import type { Limits } from "./limits.ts";

/**
 * In a text without any handoff: a format of the team's own whose names are written in the same letters, but in another
 * Unicode form, as some editors and file systems write them. It is told, for nobody sees the difference.
 */
export function withOtherForm(text: string, found: Found, options: OwnOptions, limits: Limits): Found {
  if (found.crowded === true || found.blocks.some(({ container }) => container !== "legacy")) return found;
  for (const form of ["NFC", "NFD"] as const) {
    const other = text.normalize(form);
    if (other === text) continue;
    const own = findAllBlocks(other, options, limits).blocks.filter(({ dialect }) =>
      options.formats.some(({ name }) => name === dialect),
    );
    if (own.length > 0) return { ...found, blocks: own.map((block) => placedIn(text, other, block)) };
  }
  return found;
}

/** Lines are the same in every form: a block begins and ends in the line in which it does in the other one. */
function placedIn(text: string, other: string, block: Block): Block {
  const start = lineStart(text, lineOf(other, block.start));
  const end = Math.max(start, lineStart(text, lineOf(other, block.end - 1) + 1));
  const lacks = {
    message: `This is ${block.dialect} but for its names: they have the same letters in another Unicode form.`,
    hint: "Save the text in the form in which the format file has its names, mostly NFC (composed letters).",
    isUnread: true,
  } as const;
  return { ...block, start, end, containerEnd: end, lacks };
}

function lineOf(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let count = 0; count < line; count++) {
    const found = text.indexOf("\n", at);
    if (found === -1) return text.length;
    at = found + 1;
  }
  return at;
}
