/** The addresses of the pages. */
export const links = {
  runs: "/",
  inbox: "/inbox",
  knowledge: "/knowledge",
  metrics: "/metrics",
  audit: "/audit",
  run: (run: string, words: Words = {}) => withWords(`/runs/${part(run)}`, words),
  handoff: (run: string, attempt: string, words: Words = {}) =>
    withWords(`/runs/${part(run)}/handoffs/${part(attempt)}`, words),
  ask: (run: string, ask: string) => `/inbox?ask=${part(`${run}/${ask}`)}`,
  fact: (fact: string) => `/knowledge/${part(fact)}`,
  facts: (words: Words) => withWords("/knowledge", words),
} as const;

type Words = Readonly<Record<string, string>>;

function part(text: string): string {
  return encodeURIComponent(text);
}

function withWords(path: string, words: Words): string {
  const text = new URLSearchParams(words).toString();
  return text === "" ? path : `${path}?${text}`;
}
