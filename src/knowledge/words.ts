/** Words without a topic of their own. */
const STOP_WORDS = new Set(
  (
    "a an and any are as at be been being but by can could did do does done for from had has have if in into is it its " +
    "may might must no nor of on once only or our out over own shall should so some such than that the their them then " +
    "there these they this those through to too under up use used uses using very was we were what when where which while " +
    "who why will with within would you your also always each every just more most other"
  ).split(" "),
);

/** Words that negate a statement, and what is left of them. */
const NEGATIONS: ReadonlyMap<string, string> = new Map([
  ...[
    "not",
    "never",
    "no",
    "avoid",
    "dont",
    "doesnt",
    "didnt",
    "isnt",
    "arent",
    "wasnt",
    "werent",
    "hasnt",
    "havent",
    "wont",
  ].map((word) => [word, ""] as const),
  ["without", "with"],
  ["cannot", "can"],
  ["cant", "can"],
  ["couldnt", "could"],
  ["shouldnt", "should"],
  ["mustnt", "must"],
  ["wouldnt", "would"],
]);

const MAX_WORD = 40;

/** The words of a text in lower case, in order. `parseUrl` gives `parse` and `url`, `src/a.ts` its three parts. */
export function wordsIn(text: string): string[] {
  return (
    text
      .replaceAll(/[’']/g, "")
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words that tell what a text is about, each once. */
export function keywordsIn(text: string): string[] {
  return [
    ...new Set(wordsIn(text).filter((word) => hasKeywordLength(word) && !STOP_WORDS.has(word) && !NEGATIONS.has(word))),
  ];
}

function hasKeywordLength(word: string): boolean {
  return word.length >= 3 && word.length <= MAX_WORD;
}

/** Fields of software, and the words that stand for them (003). */
const DOMAINS: Readonly<Record<string, ReadonlySet<string>>> = {
  api: new Set(["api", "endpoint", "endpoints", "route", "routes", "rest", "graphql", "request", "response", "http"]),
  auth: new Set([
    "auth",
    "authentication",
    "authorization",
    "login",
    "logout",
    "token",
    "tokens",
    "jwt",
    "session",
    "password",
    "oauth",
  ]),
  database: new Set([
    "database",
    "db",
    "sql",
    "query",
    "queries",
    "migration",
    "migrations",
    "schema",
    "table",
    "index",
    "transaction",
  ]),
  ui: new Set(["ui", "component", "components", "button", "form", "css", "layout", "page", "screen", "react", "view"]),
  testing: new Set([
    "test",
    "tests",
    "testing",
    "coverage",
    "mock",
    "fixture",
    "fixtures",
    "flaky",
    "assertion",
    "e2e",
  ]),
};

export function domainsIn(text: string): string[] {
  const words = new Set(wordsIn(text));
  return Object.keys(DOMAINS).filter((name) => [...(DOMAINS[name] ?? [])].some((word) => words.has(word)));
}

const MAX_TAGS = 12;

/** The given tags; without any, the fields that a text belongs to and its keywords. */
export function tagsOf(given: readonly string[] | undefined, text: string): string[] {
  const normal = (given ?? []).flatMap((tag) => normalTag(tag) ?? []);
  const found = normal.length > 0 ? normal : [...domainsIn(text), ...keywordsIn(text)];
  return [...new Set(found)].slice(0, MAX_TAGS);
}

/** `Auth Tokens` gives `auth-tokens`; null when the text has no letter or digit. */
export function normalTag(text: string): string | null {
  const tag = wordsIn(text).join("-").slice(0, MAX_WORD);
  return tag === "" ? null : tag;
}

/** The words of a text without stop words; a text of stop words only keeps all of them. */
export function meaningfulWords(text: string): string[] {
  const words = wordsIn(text);
  const kept = words.filter((word) => !NEGATIONS.has(word) && !STOP_WORDS.has(word));
  return kept.length === 0 ? words : kept;
}

/** Words that change nothing in a statement. Prepositions, modal verbs and quantifiers do: `over` is not `under`. */
const NEUTRAL_WORDS = new Set(
  (
    "a an the is are am was were be been being do does did done has have had will it its this that these those there they " +
    "them their we our you your also always just so such then too very use used uses using"
  ).split(" "),
);

/** Words for a state, and the opposite state. */
const OPPOSITE_STATES: ReadonlyMap<string, string> = new Map(
  (
    "disabled:enabled disable:enable disables:enables disabling:enabling deactivated:activated inactive:active off:on " +
    "unsafe:safe insecure:secure cleared:kept discarded:kept forbidden:allowed disallowed:allowed denied:allowed " +
    "invalid:valid unsupported:supported incompatible:compatible impossible:possible unavailable:available " +
    "absent:present closed:open false:true private:public optional:required immutable:mutable async:sync " +
    "asynchronous:synchronous unsigned:signed unencrypted:encrypted uncached:cached rejected:accepted rejects:accepts " +
    "reject:accept excluded:included excludes:includes exclude:include"
  )
    .split(" ")
    .flatMap((pair) => {
      const [word = "", opposite = ""] = pair.split(":");
      return [[word, opposite] as const];
    }),
);

/** After these a negation says something about another part of the sentence. */
const CLAUSE_BREAKS = new Set(
  ", ; . and or but while whereas although because if when unless except instead".split(" "),
);

/** Numbers with their sign, words, signs that compare or calculate, and marks between clauses. */
const STATEMENT_PARTS =
  /(?<![\p{L}\p{N}_)\]])[-+\u2212]?\d+(?:\.\d+)*|[\p{L}\p{N}]+|[<>]=?|[!=]=+|[\u2260\u2264\u2265%\u2030\u20ac$\u00a3]|&&|\|\||(?<=\s)[-+*/^](?=\s)|[,;](?=\s)|\.(?=\s)/gu;

/**
 * The core words of a statement and whether it is negated: two facts with the same core are equal or opposite. Only one
 * negation, in the first clause, makes a statement the opposite of another one. Others stay words of the core: what
 * they negate cannot be told.
 */
export function statementOf(text: string): { readonly core: string; readonly isNegative: boolean } {
  const parts = statementParts(text);
  const negated = parts.filter((part) => NEGATIONS.has(part) || OPPOSITE_STATES.has(part)).length;
  const end = parts.findIndex((part) => CLAUSE_BREAKS.has(part));
  const at = parts.findIndex((part) => NEGATIONS.has(part) || OPPOSITE_STATES.has(part));
  const isNegative = negated === 1 && (end < 0 || at < end);
  const words = parts.map((part) => (isNegative ? (NEGATIONS.get(part) ?? OPPOSITE_STATES.get(part) ?? part) : part));
  const core = words.filter((word) => word !== "" && !NEUTRAL_WORDS.has(word) && !/^[,;.]$/.test(word));
  // A text of neutral words only keeps all of them.
  return { core: (core.length === 0 ? wordsIn(text) : core).join(" "), isNegative };
}

function statementParts(text: string): string[] {
  const plain = text
    .replaceAll(/[\u2019']/g, "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .toLowerCase()
    .replaceAll(/\bno longer\b/g, "not")
    .replaceAll(
      /\b(not|never|cannot|(?:do|does|did|is|are|was|were|has|have|wo|ca)nt)\b(.*?)\s+any ?(?:more|longer)\b/gu,
      "$1$2",
    );
  return plain.match(STATEMENT_PARTS) ?? [];
}
