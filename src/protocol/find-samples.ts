import { IntervalSet, lastStartingAt } from "../shared/line-table.ts";
import type { Block } from "./block.ts";
import { METADATA_SIGNS } from "./dialects/output-json/layers.ts";
import { type Formats, dialectNamed } from "./dialects/registry.ts";
import type { DiagnosticCode } from "./diagnostic.ts";
import { type DocumentKind, isPrompt, isSchema } from "./document-kind.ts";
import { type Found, proseSection } from "./find-blocks.ts";
import { ownProse } from "./find-near-blocks.ts";
import { judgeBlock } from "./judge-block.ts";
import type { Limits } from "./limits.ts";
import type { ReadOptions } from "./reading.ts";
import { findRootKey } from "./recognise.ts";
import { scanMarkdown } from "./syntax/markdown-blocks.ts";
import type { Heading, MarkdownOutline } from "./syntax/markdown-outline.ts";
import { isUnfilledText, listsChoices } from "./unfilled-template.ts";

/**
 * What a scan of folders makes of a text. Repositories hold prompts, skills, documentation, schemas and templates that
 * show handoffs: what is only shown is no handoff, and neither is a setting that is called so.
 */
export function withoutSamples(text: string, found: Found, options: ReadOptions, limits: Limits): Found {
  if (found.crowded === true) return found;
  const candidates = found.blocks.filter((block) => isMeant(text, block, options));
  const page = new Page(text, found, options, limits);
  const blocks = candidates.filter((block) => page.whyShown(block, candidates) === null);
  if (blocks.length > 0) return { ...found, blocks };
  const [shown] = candidates;
  const document =
    (shown && page.whyShown(shown, candidates)) ??
    (found.commented === undefined ? documentKind(text, found, options) : "comment");
  return document === null ? { ...found, blocks } : { ...found, blocks, document };
}

function documentKind(text: string, { kind }: Found, { formats }: ReadOptions): DocumentKind | null {
  if (kind === "json" || kind === "yaml") return isSchema(text) ? "schema" : null;
  if (kind !== "markdown") return null;
  if (isPrompt(text)) return "prompt";
  return proseSection(text) === null && ownProse(text, formats) === null ? null : "notes";
}

/** Words that other files use, too: in a text that nobody named they have to stand where the format has them. */
function isMeant(text: string, { dialect, container, start, end }: Block, { path = "" }: ReadOptions): boolean {
  if (container === "legacy" || container === "element") return true;
  // It describes handoffs, and may have a key of one.
  if (/\.format\.ya?ml$/i.test(path)) return false;
  const content = text.slice(start, end);
  if (dialect === "phase-yaml") return PHASE_FIELD.test(content);
  if (dialect === "task-yaml") return container !== "file" || TASK_FIELD.test(content);
  if (dialect !== "output-json" || /(?:^|[/\\])handoff[^/\\]*$/i.test(path)) return true;
  return container !== "file" || METADATA_SIGNS.some((keys) => keys.every((key) => hasRootKey(content, key)));
}

const PHASE_FIELD = /(?:^[ \t]+|[{,][ \t]*)["']?(?:phase|from|to|status)["']?[ \t]*:/m;
const TASK_FIELD =
  /^[ \t]*(?:outcome[ \t]*:[ \t]*["']?(?:completed?|done|succe|partial|fail|block|\[)|(?:files_created|files_modified|patterns_discovered|gotchas|blockers|suggested_next_steps)[ \t]*:)/im;
function hasRootKey(text: string, key: string): boolean {
  const quoted = JSON.stringify(key);
  return findRootKey(text, (at, end) => end - at === quoted.length && text.startsWith(quoted, at)) !== null;
}

/** A text that may show handoffs, and what tells so. */
class Page {
  readonly #text: string;
  readonly #limits: Limits;
  readonly #path: string;
  readonly #formats: Formats | undefined;
  readonly #outline: MarkdownOutline;
  readonly #inFence: IntervalSet;
  readonly #isPrompt: boolean;

  constructor(text: string, { kind }: Found, { path = "", formats }: ReadOptions, limits: Limits) {
    this.#text = text;
    this.#formats = formats;
    this.#limits = limits;
    this.#path = path;
    this.#outline = kind === "markdown" ? scanMarkdown(text) : NO_OUTLINE;
    this.#inFence = new IntervalSet(this.#outline.fences);
    this.#isPrompt = kind === "markdown" && (isPrompt(text) || speaksToAgent(text) || PROMPT_PATH.test(path));
  }

  /** What makes a block a thing that is only shown; null when it is a handoff. */
  whyShown(block: Block, all: readonly Block[]): DocumentKind | null {
    if (block.container === "legacy") return null;
    const isFenced = this.#inFence.has(block.start);
    if (this.#isPrompt) return this.#countsInPrompt(block, isFenced) ? null : "prompt";
    if (this.#isTemplate(block)) return "template";
    if (TEMPLATE_PATH.test(this.#path) && !this.#isComplete(block)) return "template";
    if (!isFenced) return null;
    return this.#isQuoted(block) || this.#isLabelled(block) || this.#isAmongSamples(all) ? "samples" : null;
  }

  #countsInPrompt(block: Block, isFenced: boolean): boolean {
    const isLast = this.#text.slice(block.containerEnd).trim() === "";
    return (!isFenced || isLast) && this.#isComplete(block);
  }

  /** Everything that the format demands is there, and nothing is left to be filled in. */
  #isComplete(block: Block): boolean {
    const { document, problems, findings } = judgeBlock(
      this.#text.slice(block.start, block.end),
      dialectNamed(block.dialect, this.#formats),
      block,
      this.#limits,
    );
    if (document === null || !block.terminated) return false;
    return ![...problems, ...findings.map(({ finding }) => finding)].some(({ code }) => INCOMPLETE.has(code));
  }

  /** A third of its values are placeholders: an agent that forgot one field has filled in the others. */
  #isTemplate({ start, end }: Block): boolean {
    const content = this.#text.slice(start, end);
    let values = 0;
    let placeholders = 0;
    for (const [, json, line, element] of content.matchAll(VALUES)) {
      const value = (json ?? line ?? element ?? "").trim().replaceAll(/^["']|["'],?$/g, "");
      if (value === "" || /^[|>][+-]?$/.test(value)) continue;
      values++;
      if (isPlaceholder(value)) placeholders++;
    }
    return placeholders >= 2 && placeholders * 3 >= values;
  }

  /** In a fence that quotes a whole text. */
  #isQuoted(block: Block): boolean {
    const fence = this.#outline.fences[lastStartingAt(this.#outline.fences, block.start)];
    return fence !== undefined && fence.contentStart !== block.start && block.container === "fence";
  }

  /** Under a heading, or after a line, that says that a sample follows. */
  #isLabelled(block: Block): boolean {
    const { headings, fences } = this.#outline;
    const chain = enclosing(headings, block.start);
    if (chain.some(({ level, text }) => (level === 1 ? SAMPLE_TITLE : SAMPLE_HEADING).test(text.slice(0, MAX_LABEL))))
      return true;
    const fence = fences[lastStartingAt(fences, block.start)];
    const before = this.#text.slice(Math.max(0, (fence?.start ?? 0) - MAX_LABEL), fence?.start ?? 0).trimEnd();
    const line = before.slice(before.lastIndexOf("\n") + 1);
    return !/^#{1,6} /.test(line) && SAMPLE_LINE.test(line);
  }

  /** One of several in fences, not all of them complete, in a text that goes on with other sections: documentation. */
  #isAmongSamples(all: readonly Block[]): boolean {
    const fenced = all.filter((block) => this.#inFence.has(block.start));
    const last = fenced.at(-1);
    if (fenced.length < 2 || last === undefined) return false;
    const goesOn = this.#outline.headings.some(({ start }) => start > last.containerEnd);
    return goesOn && fenced.some((block) => !this.#isComplete(block));
  }
}

/** In YAML a list or a record on one line looks like a placeholder in brackets. */
function isPlaceholder(value: string): boolean {
  if (value.startsWith("[")) return /^\[[^[\]"',]{1,80}\]$/.test(value) || listsChoices(value);
  if (value.startsWith("{")) return /^\{\{?[\w .|-]{1,80}\}?\}$/.test(value);
  return value === "..." || isUnfilledText(value) || listsChoices(value);
}

const NO_OUTLINE: MarkdownOutline = { fences: [], headings: [], breaks: [], handoffs: [], comments: [], whole: true };
const INCOMPLETE: ReadonlySet<DiagnosticCode> = new Set(["missing-field", "unfilled-template", "truncated"]);
const MAX_LABEL = 300;

const PROMPT_PATH =
  /(?:^|[/\\])(?:(?:README|AGENTS|CLAUDE|GEMINI|SKILL|CONTRIBUTING|CHANGELOG)\.\w+$|(?:skills|prompts|templates|\.claude[/\\](?:agents|commands))[/\\])/i;
const TEMPLATE_PATH =
  /(?:^|[/\\])[\w.-]*(?:templates?|samples?|examples?)[/\\]|(?:^|[/\\._-])(?:template|sample|example)s?\.[\w.]+$|(?:^|[/\\])(?:template|sample|example)[._-][^/\\]*$/i;

/** `"key": "value"`, `key: value` or `- value` alone on its line, `<tag>value</tag>`. */
const VALUES =
  /"[^"\n]{1,80}"[ \t]*:[ \t]*("[^"\n]*"|[^\s"{[][^\n]*|[[{][^\n]{1,200}[\]}],?)[ \t]*$|^[ \t]*(?:- )?[\w-]{1,60}:[ \t]+(\S[^\n]*)$|<[\w-]+>([^<>\n]{1,300})<\//gm;

const SAMPLE_TITLE =
  /\bhand-?offs?\b.*\b(?:schemas?|formats?|protocols?|specifications?|spec|templates?|examples?|samples?|guide|reference)\b|\b(?:templates?|examples?|samples?) of\b/i;
const SAMPLE_HEADING = /\b(?:examples?|samples?|templates?|formats?|placeholders?)\b|^(?:\w+ )?(?:schema|syntax)$/i;
const SAMPLE_LINE =
  /\b(?:for example|e\.g\.|examples?|samples?|templates?|formats?|looks? like|as follows|like this|(?:must|should|always) (?:end|contain|write|return|output)|(?:return|output|write|emit|produce))\b[^\n]*:[*_]{0,3}$/i;

/** The words of a prompt without front matter. */
function speaksToAgent(text: string): boolean {
  return /^(?:\uFEFF?\s*#[^\n]*\n)?\s*You are (?:a|an|the)\b/.test(text.slice(0, 600));
}

/** The headings above a place, each of a lower level than the one before it. */
function enclosing(headings: readonly Heading[], at: number): Heading[] {
  const chain: Heading[] = [];
  let level = Infinity;
  for (let index = lastStartingAt(headings, at); index >= 0 && level > 1; index--) {
    const heading = headings[index];
    if (heading === undefined || heading.level >= level) continue;
    chain.push(heading);
    level = heading.level;
  }
  return chain;
}
