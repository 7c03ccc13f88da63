/** Words that say nothing about the matter. */
const EMPTY_WORDS = new Set(
  (
    "a an and any are as at be been being but by can could did do does done for from had has have if in into is it its " +
    "may might must no nor of on once only or our out over own shall should so some such than that the their them then " +
    "there these they this those through to too under up use used uses using very was we were what when where which while " +
    "who why will with within would you your also always each every just more most other"
  ).split(" "),
);

/** Words that turn a statement round. */
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

const LONGEST_WORD = 40;

/** The words of a text in lower case, in order. `parseUrl` is two words and one, `src/a.ts` is its parts. */
export function wordsIn(text: string): string[] {
  return (
    text
      .replaceAll(/[’']/g, "")
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words that a text is about, each once. */
export function keywordsIn(text: string): string[] {
  return [
    ...new Set(wordsIn(text).filter((word) => isTelling(word) && !EMPTY_WORDS.has(word) && !NEGATIONS.has(word))),
  ];
}

function isTelling(word: string): boolean {
  return word.length >= 3 && word.length <= LONGEST_WORD;
}

/** Fields of software, and the words by which they are known (003). */
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

const MOST_TAGS = 12;

/** Tags as they were given; where none were, the fields a text belongs to and the words it is about. */
export function tagsOf(given: readonly string[] | undefined, text: string): string[] {
  const said = (given ?? []).flatMap((tag) => normalTag(tag) ?? []);
  const found = said.length > 0 ? said : [...domainsIn(text), ...keywordsIn(text)];
  return [...new Set(found)].slice(0, MOST_TAGS);
}

/** `Auth Tokens` is `auth-tokens`; null when nothing is left of it. */
export function normalTag(text: string): string | null {
  const tag = wordsIn(text).join("-").slice(0, LONGEST_WORD);
  return tag === "" ? null : tag;
}

/** What a statement says and whether it says yes or no to it: by these it is known again, and its opposite too. */
export function statementOf(text: string): { readonly core: string; readonly isNegative: boolean } {
  const words = wordsIn(text);
  const isNegative = words.filter((word) => NEGATIONS.has(word)).length % 2 === 1;
  const core = words.filter((word) => !NEGATIONS.has(word) && !EMPTY_WORDS.has(word));
  // A text of nothing but small words is known by all of them.
  return { core: (core.length === 0 ? words : core).join(" "), isNegative };
}
