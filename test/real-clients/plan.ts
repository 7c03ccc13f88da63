/** What an agent of the fake model does: it calls tools, then starts other agents, then says what it has to say. */
export interface Plan {
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
  readonly start?: Plan | readonly Plan[];
  readonly how?: How;
  readonly type?: string;
  /** Whether it starts an agent again that has ended without a handoff. */
  readonly retries?: boolean;
  /** One after the other, the last one for ever. "make it" makes the file first; a record answers by a schema. */
  readonly says?: readonly (string | object)[];
}

/** `leave` does not wait until the agent in the background has ended. */
type How = "wait" | "background" | "leave" | "workflow" | "schema";

export function promptOf(plan: Plan, words = ""): string {
  return `${words}PLAN${JSON.stringify(plan)}NALP`;
}

/** The file that a handoff claims and that is made only at last. */
const MADE = "files_created: [{ path: made.txt, purpose: shows it, lines: all }]";

export const SAYS = {
  missing: "All done.",
  invalid: handoff("outcome: finished with luck"),
  untrue: handoff("outcome: completed", MADE),
  mended: `make it${handoff("outcome: completed", MADE)}`,
} as const;

export function handoff(...lines: readonly string[]): string {
  return ["I am done.", "", "## Handoff", "", "```yaml", ...lines, "```", ""].join("\n");
}
