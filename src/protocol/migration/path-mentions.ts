import { type NoteSpan, hide, quotedSpans } from "./note-text.ts";

/** A file named in a note. */
export interface PathMention extends NoteSpan {
  readonly path: string;
  /** Lines given with it, `12-40` or `all`; null when none are. */
  readonly lines: string | null;
}

const MAX_PATH = 260;

const EXTENSIONS = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs json jsonc json5 yaml yml toml xml html htm css scss sass less vue svelte astro md mdx " +
    "rst txt csv tsv sql py pyi ipynb rb php java kt kts scala go rs c h cc cpp cxx hpp cs fs swift m mm dart lua r jl ex exs " +
    "erl hs clj sh bash zsh fish ps1 bat cmd tf hcl proto graphql gql prisma lock ini cfg conf env properties gradle cmake mk " +
    "svg png jpg snap patch diff log tmpl tpl hbs ejs j2 jinja pug sol zig nix"
  ).split(" "),
);

const BARE_NAMES = /^(?:Makefile|Dockerfile|Justfile|Procfile|Gemfile|Rakefile|Jenkinsfile|CODEOWNERS|LICENSE)$/;
const DOT_FILES =
  /^\.(?:env|git[a-z]|npm|nvm|eslint|oxlint|oxfmt|prettier|docker|editor|babel|stylelint|mocha)[\w.-]*$/;
const HOSTS = /\.(?:com|org|net|io|dev|ai|app|local)$/i;

/** The files named between the two offsets, in order. What stands in double quotes is a quotation. */
export function findPaths(text: string, { start, end }: NoteSpan): PathMention[] {
  const raw = text.slice(start, end);
  const quoted = quotedSpans(raw);
  const mentions: PathMention[] = [];
  for (const span of quoted) {
    if (raw[span.start] === "`") addMention(mentions, raw.slice(span.start + 1, span.end - 1).trim(), span, true);
  }
  for (const token of hide(raw, quoted).matchAll(/[\p{L}\p{N}_.@+~/\\:#-]+/gu)) {
    const word = token[0].replace(/[.:#-]{1,8}$/, "");
    addMention(mentions, word, { start: token.index, end: token.index + word.length }, false);
  }
  const merged = mergeLinks(
    raw,
    mentions.sort((left, right) => left.start - right.start),
  );
  return withStatedLines(merged, hide(raw, merged)).map((mention) => ({
    ...mention,
    start: mention.start + start,
    end: mention.end + start,
  }));
}

function addMention(mentions: PathMention[], word: string, span: NoteSpan, inCode: boolean): void {
  if (word.length < 3 || word.length > MAX_PATH) return;
  const place = /(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?(?::\d{1,9})?$/.exec(word);
  const named = place === null ? word : word.slice(0, place.index);
  const path = named.startsWith("./") ? named.slice(2) : named;
  if (!isFileName(path, inCode)) return;
  const lines = place?.[2] === undefined ? null : `${place[1]}-${place[2]}`;
  mentions.push({ ...span, path, lines });
}

/** `[src/a.ts](src/a.ts)` names one file, once. */
function mergeLinks(raw: string, mentions: readonly PathMention[]): PathMention[] {
  const merged: PathMention[] = [];
  for (const mention of mentions) {
    const text = merged.at(-1);
    const isTarget = text !== undefined && raw.slice(text.end, mention.start) === "](" && raw[mention.end] === ")";
    if (!isTarget) merged.push(mention);
    else merged[merged.length - 1] = { ...text, start: Math.max(0, text.start - 1), end: mention.end + 1 };
  }
  return merged;
}

function isFileName(path: string, inCode: boolean): boolean {
  if (!/^(?:[A-Za-z]:)?[\p{L}\p{N}_.@+~/\\[\]()-]+$/u.test(path) || isAddress(path)) return false;
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const name = path.slice(slash + 1);
  const isPlain = !inCode && slash === -1;
  if (DOT_FILES.test(name)) return true;
  if (BARE_NAMES.test(name)) return !isPlain;
  const dot = name.lastIndexOf(".");
  if (dot < 1) return false;
  const extension = name.slice(dot + 1).toLowerCase();
  if (inCode && slash !== -1) return /^[a-z][a-z0-9]{0,7}$/.test(extension);
  return EXTENSIONS.has(extension) && !(isPlain && isProduct(name));
}

function isAddress(path: string): boolean {
  return path.startsWith("//") || /^www\./i.test(path) || HOSTS.test(/^[^/\\]*(?=[/\\])/.exec(path)?.[0] ?? "");
}

/** Node.js and Vue.js are no files. */
function isProduct(name: string): boolean {
  return /^[A-Z][a-z]+\.(?:js|py|rs)$/.test(name);
}

const STATED_LINES =
  /\b(?:lines?:?[ ]{0,2}|L)(\d{1,9})[ ]?[-\u2013][ ]?L?(\d{1,9})\b|\blines?: ?all\b|\b(?:all lines|whole file|entire file)\b/gi;

/** `lines 12-40`, `L12-L40` and `lines: all` belong to the file named before them. */
function withStatedLines(mentions: readonly PathMention[], shown: string): PathMention[] {
  const completed = [...mentions];
  let index = -1;
  for (const match of shown.matchAll(STATED_LINES)) {
    while ((completed[index + 1]?.start ?? Infinity) < match.index) index++;
    const mention = completed[index];
    if (mention === undefined || mention.lines !== null) continue;
    completed[index] = { ...mention, lines: match[1] === undefined ? "all" : `${match[1]}-${match[2]}` };
  }
  return completed;
}
