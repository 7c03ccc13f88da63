/** Words without a topic of their own. */
const STOP_WORDS = new Set(
  (
    "a an and any are as at be been being but by can could did do does done for from had has have if in into is it its " +
    "may might must no nor of on once only or our out over own shall should so some such than that the their them then " +
    "there these they this those through to too under up use used uses using very was we were what when where which while " +
    "who why will with within would you your also always each every just more most other"
  ).split(" "),
);

/** Words that negate a statement. */
const NEGATIONS = new Set([
  "not",
  "never",
  "no",
  "dont",
  "doesnt",
  "cannot",
  "cant",
  "avoid",
  "without",
  "isnt",
  "shouldnt",
  "mustnt",
  "wont",
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

/** The core words of a statement and whether it is negated: two facts with the same core are equal or opposite. */
export function statementOf(text: string): { readonly core: string; readonly isNegative: boolean } {
  const words = wordsIn(text);
  const isNegative = words.filter((word) => NEGATIONS.has(word)).length % 2 === 1;
  const core = words.filter((word) => !NEGATIONS.has(word) && !STOP_WORDS.has(word));
  // A text of stop words only keeps all of them.
  return { core: (core.length === 0 ? words : core).join(" "), isNegative };
}
