/** `@test-agent`, `TestAgent` and `test_agent` are one: dialects write names in their own way. */
export function sameAgent(left: string, right: string): boolean {
  return left === right || plain(left) === plain(right);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The agent of a workflow that a text means; null when there is none. */
export function findAgent(name: string, agents: Readonly<Record<string, unknown>>): string | null {
  if (Object.hasOwn(agents, name)) return name;
  return Object.keys(agents).find((known) => sameAgent(known, name)) ?? null;
}
