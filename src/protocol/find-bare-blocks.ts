import { IntervalSet } from "../shared/line-table.ts";
import type { Block } from "./block.ts";
import type { Origin } from "./dialect.ts";
import { isSchema } from "./document-kind.ts";
import type { DialectName } from "./handoff.ts";
import { recognise } from "./recognise.ts";
import { nextToken, tokenEnd } from "./syntax/json-tokens.ts";
import type { MarkdownOutline } from "./syntax/markdown-outline.ts";

/** Each costs a walk to its end, so their number is bounded. */
const MAX_CANDIDATES = 20;

/**
 * Records in running text that are meant to be handoffs and stand in no container of their format: JSON, or the fields
 * of a task. They are judged, and refused for where they stand, so that none is passed over as prose.
 */
export function findBareBlocks(text: string, outline: MarkdownOutline, origin: Origin): Block[] {
  const taken = new IntervalSet([...outline.fences, ...outline.comments]);
  const blocks: Block[] = [];
  let end = 0;
  let looked = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    if (index < end || taken.has(index) || looked++ >= MAX_CANDIDATES) continue;
    const start = index + text.slice(index, index + 4).search(/\S/);
    const block = text[start] === "{" ? jsonAt(text, start) : yamlAt(text, start);
    if (block === null) continue;
    end = block.end;
    blocks.push({ ...block, start, container: "bare", origin, containerEnd: block.end });
  }
  return blocks;
}

/** A brace or the field `outcome` at the beginning of a line. */
const BEGINNING = /^(?: {0,3}\{[ \t]*(?:["\r\n]|$)|outcome[ \t]*:)/gm;

type Stretch = Pick<Block, "dialect" | "end" | "terminated">;

function jsonAt(text: string, start: number): Stretch | null {
  const closed = recordEnd(text, start);
  const end = closed ?? text.length;
  const content = text.slice(start, end);
  const dialect: DialectName | null = recognise(content, "json");
  return dialect === null || isSchema(content) ? null : { dialect, end, terminated: closed !== null };
}

/** Just after the bracket that closes the record; null when none does. */
function recordEnd(text: string, start: number): number | null {
  let depth = 0;
  let end = start;
  for (let at = start; at < text.length; at = nextToken(text, end)) {
    end = tokenEnd(text, at);
    if (text[at] === "{" || text[at] === "[") depth++;
    else if (text[at] === "}" || text[at] === "]") depth--;
    if (depth === 0) return end;
  }
  return null;
}

/** As long as lines are fields, entries, comments, indented or empty; with a second field of the format among them. */
function yamlAt(text: string, start: number): Stretch | null {
  const line = /[^\n]*(?:\n|$)/y;
  let end = start;
  line.lastIndex = start;
  for (let found = line.exec(text); found !== null && found[0] !== ""; found = line.exec(text)) {
    if (!/^(?:[ \t]|\r?\n|- |#|[\w-]+[ \t]*:(?:\s|$))/.test(found[0])) break;
    end = line.lastIndex;
  }
  return SECOND_FIELD.test(text.slice(start, end)) ? { dialect: "task-yaml", end, terminated: true } : null;
}

const SECOND_FIELD =
  /^(?:files_created|files_modified|patterns_discovered|gotchas|blockers|suggested_next_steps)[ \t]*:/m;
