import { type Event, EVENT_ID, type ScalarEvent, SCALAR_STYLE, getScalarValue } from "js-yaml";
import type { JsonPath, JsonValue } from "../../shared/json-value.ts";
import type { Repair } from "../finding.ts";
import { MAX_DUPLICATES, type SourceMap, type Span, type SpanEdit, type SyntaxProblem, lineEndOf } from "./syntax.ts";

interface YamlNode extends Span {
  readonly kind: "scalar" | "sequence" | "mapping";
  readonly flow: boolean;
  readonly quoted: boolean;
  /** Of a scalar; read from the text when it is asked for. */
  readonly text: string;
  /** Where the `|` or `>` of a block of text stands: what is written in its place begins there. */
  readonly header?: number;
  readonly entries: readonly YamlEntry[];
  readonly items: readonly YamlNode[];
  /** The last entry of each name, made when it is first asked for. */
  fields?: ReadonlyMap<string, YamlEntry>;
}

interface YamlEntry {
  /** What the key is called in the document. */
  readonly name: string;
  readonly key: YamlNode;
  readonly value: YamlNode;
}

/** Places of the values of one document of a YAML text. */
export function mapYaml(text: string, events: readonly Event[], document: number): SourceMap {
  const root = new TreeBuilder(text, events).document(document);
  return {
    locate: (path, atKey) => locate(root, path, atKey),
    edit: (path, repair) =>
      repair.kind === "rename" ? renaming(text, root, path, repair.key) : writeRepair(text, find(root, path), repair),
    get duplicates() {
      return findDuplicates(root);
    },
  };
}

const NONE: readonly never[] = [];

/** Most nodes are scalars, so they are kept small. */
class Scalar implements YamlNode {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  readonly #source: string;
  readonly #event: ScalarEvent;

  constructor(source: string, event: ScalarEvent, start: number, end: number, quoted: boolean) {
    this.#source = source;
    this.#event = event;
    this.start = start;
    this.end = end;
    this.quoted = quoted;
  }

  get kind() {
    return "scalar" as const;
  }

  get flow() {
    return false;
  }

  get entries() {
    return NONE;
  }

  get items() {
    return NONE;
  }

  get text() {
    return getScalarValue(this.#source, this.#event);
  }

  get header() {
    const { style, valueStart } = this.#event;
    return isBlock(style) ? headerBefore(this.#source, valueStart) : this.start;
  }
}

function isBlock(style: number): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

/** The text begins in the line after its header, which may end with a comment. */
function headerBefore(source: string, content: number): number {
  const line = source.lastIndexOf("\n", content - 2) + 1;
  const at = source.slice(line, content).search(/[|>][-+\d]*(?:[ \t]+#.*)?[ \t]*\r?\n$/);
  return at === -1 ? content : line + at;
}

/** Rebuilds the tree from the parser's flat events, so that both see the same document. */
class TreeBuilder {
  #index = 0;
  readonly #text: string;
  readonly #events: readonly Event[];

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  document(wanted: number): YamlNode {
    let document = -1;
    for (const [index, event] of this.#events.entries()) {
      if (event.type === EVENT_ID.DOCUMENT && ++document === wanted) {
        this.#index = index + 1;
        break;
      }
    }
    return this.#node(0);
  }

  #node(after: number): YamlNode {
    const event = this.#events[this.#index++];
    if (event?.type === EVENT_ID.SCALAR) return this.#scalar(event, after);
    if (event?.type === EVENT_ID.SEQUENCE) return this.#sequence(event.start, event.style === 2);
    if (event?.type === EVENT_ID.MAPPING) return this.#mapping(event.start, event.style === 2);
    return emptyNode(after);
  }

  #scalar(event: ScalarEvent, after: number): YamlNode {
    if (event.valueStart < 0) return emptyNode(after);
    if (isBlock(event.style)) return this.#block(event);
    const quoted = event.style === SCALAR_STYLE.DOUBLE_QUOTED || event.style === SCALAR_STYLE.SINGLE_QUOTED;
    const start = event.valueStart - (quoted ? 1 : 0);
    const end = event.valueEnd + (quoted ? 1 : 0);
    return new Scalar(this.#text, event, start, end, quoted);
  }

  /** Its first and last word, without the indentation before and the line end behind them. */
  #block(event: ScalarEvent): YamlNode {
    const content = this.#text.slice(event.valueStart, event.valueEnd);
    const start = event.valueStart + (content.length - content.trimStart().length);
    const end = event.valueStart + content.trimEnd().length;
    return new Scalar(this.#text, event, start, Math.max(start, end), false);
  }

  #sequence(start: number, flow: boolean): YamlNode {
    const items: YamlNode[] = [];
    let end = start + 1;
    while (!this.#popped()) {
      const item = this.#node(end);
      items.push(item);
      end = Math.max(end, item.end);
    }
    return { kind: "sequence", flow, quoted: false, start, end, text: "", entries: NONE, items };
  }

  #mapping(start: number, flow: boolean): YamlNode {
    const entries: YamlEntry[] = [];
    let end = start + 1;
    while (!this.#popped()) {
      const key = this.#node(end);
      const value = this.#node(key.end);
      entries.push({ name: nameOf(key), key, value });
      end = Math.max(end, key.end, value.end);
    }
    return { kind: "mapping", flow, quoted: false, start, end, text: "", entries, items: NONE };
  }

  #popped(): boolean {
    const event = this.#events[this.#index];
    if (event !== undefined && event.type !== EVENT_ID.POP && event.type !== EVENT_ID.DOCUMENT) return false;
    this.#index++;
    return true;
  }
}

function emptyNode(at: number): YamlNode {
  return { kind: "scalar", flow: false, quoted: false, start: at, end: at, text: "", entries: NONE, items: NONE };
}

/** An unquoted `~` or `True` is not text, and is called what it stands for. */
function nameOf(key: YamlNode): string {
  if (key.quoted) return key.text;
  if (/^(?:~|null|Null|NULL)?$/.test(key.text)) return "null";
  return /^(?:true|True|TRUE|false|False|FALSE)$/.test(key.text) ? key.text.toLowerCase() : key.text;
}

function fieldOf(node: YamlNode, name: string): YamlEntry | undefined {
  node.fields ??= new Map(node.entries.map((entry) => [entry.name, entry]));
  return node.fields.get(name);
}

function locate(root: YamlNode, path: JsonPath, atKey: boolean): Span {
  let node = root;
  let best: Span = headOf(root);
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    const entry = typeof step === "string" ? fieldOf(node, step) : undefined;
    const next = entry?.value ?? (typeof step === "number" ? node.items[step] : undefined);
    if (next === undefined) return best;
    node = next;
    best = entry === undefined ? headOf(node) : entrySpan(entry, atKey && last);
  }
  return best;
}

/** A value that is large or absent is shown by its key. */
function entrySpan({ key, value }: YamlEntry, atKey: boolean): Span {
  const pointAtKey = atKey || value.kind !== "scalar" || value.start === value.end;
  return pointAtKey ? { start: key.start, end: key.end } : headOf(value);
}

/** A whole mapping would underline half the file: its first key says enough. */
function headOf(node: YamlNode): Span {
  if (node.kind === "scalar") return { start: node.start, end: node.end };
  const first = node.entries[0]?.key ?? node.items[0];
  if (first === undefined || node.flow) return { start: node.start, end: node.start + 1 };
  return { start: first.start, end: first.kind === "scalar" ? first.end : first.start + 1 };
}

function find(root: YamlNode, path: JsonPath): YamlNode | null {
  let node: YamlNode | undefined = root;
  for (const step of path) {
    if (node === undefined) return null;
    node = typeof step === "number" ? node.items[step] : fieldOf(node, step)?.value;
  }
  return node ?? null;
}

/** In the quotes it has: in a flow mapping the value may follow them without a space. */
function renaming(text: string, root: YamlNode, path: JsonPath, name: string): readonly SpanEdit[] | null {
  const record = find(root, path.slice(0, -1));
  const last = path.at(-1);
  const key = record === null || typeof last !== "string" ? undefined : fieldOf(record, last)?.key;
  if (key === undefined) return null;
  const quote = key.quoted ? (text[key.start] ?? "") : "";
  return [{ start: key.start, end: key.end, text: quote + name + quote }];
}

function writeRepair(
  text: string,
  node: YamlNode | null,
  repair: Exclude<Repair, { kind: "rename" }>,
): readonly SpanEdit[] | null {
  if (node === null) return null;
  const span = { start: node.start, end: node.end };
  switch (repair.kind) {
    case "replace":
      return [
        {
          start: node.header ?? span.start,
          end: span.end,
          text: (node.start === node.end ? " " : "") + printScalar(repair.value, node.quoted),
        },
      ];
    case "move":
      return null;
    case "quote":
      return [{ ...span, text: JSON.stringify(text.slice(span.start, span.end)) }];
    case "insert":
      return insertion(text, node, repair);
  }
}

function insertion(text: string, node: YamlNode, repair: Repair & { kind: "insert" }): readonly SpanEdit[] | null {
  if (node.kind !== "mapping") return null;
  const written = `${repair.key}: ${printScalar(repair.value, false)}`;
  const first = node.entries[0];
  if (first === undefined || node.flow) {
    return [{ start: node.start + 1, end: node.start + 1, text: first === undefined ? written : `${written}, ` }];
  }
  const column = first.key.start - (text.lastIndexOf("\n", first.key.start - 1) + 1);
  return [{ start: first.key.start, end: first.key.start, text: `${written}${lineEndOf(text)}${" ".repeat(column)}` }];
}

function printScalar(value: JsonValue, quoted: boolean): string {
  if (
    typeof value === "string" &&
    !quoted &&
    /^[A-Za-z][\w-]*$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(value)
  )
    return value;
  return JSON.stringify(value);
}

function findDuplicates(root: YamlNode): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined && problems.length < MAX_DUPLICATES; node = waiting.pop()) {
    const seen = new Set<string>();
    for (const { name, key, value } of node.entries) {
      if (seen.has(name)) problems.push(duplicate(key, name));
      seen.add(name);
      waiting.push(value);
    }
    for (const item of node.items) waiting.push(item);
  }
  return problems.slice(0, MAX_DUPLICATES);
}

function duplicate(key: YamlNode, name: string): SyntaxProblem {
  return {
    code: "duplicate-key",
    span: { start: key.start, end: key.end },
    message: `The field \`${name}\` is written twice in the same record.`,
    hint: "Keep one of them: which one counts must not be left to chance.",
  };
}
