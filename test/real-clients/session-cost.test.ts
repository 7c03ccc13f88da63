import { afterAll, describe, expect, it } from "vitest";
import type { HookClient } from "../../src/runtime/hooks/hook-call.ts";
import { removeRunFolders, whyAbsent } from "./offline-runs.ts";
import { handoff } from "./plan.ts";
import { PLUGIN_CLIENTS, batonIn, session } from "./plugin-clients.ts";

/** What the transcripts of real clients say of their cost, beside what each client counts itself, and what they tell of their session. */
afterAll(removeRunFolders);

const EVERYONE = '  main: { format: task-yaml }\n  agents: { "*": { format: task-yaml } }\n';
const VALID = handoff("outcome: completed");

interface Counting {
  /** Options with which it prints what it has used. */
  readonly more?: string;
  /** Tokens of the whole session in what it has printed; null where that does not say. */
  counted(printed: string): number | null;
  /** By how much the printed sum may be rounded. */
  readonly rounding: number;
}

/** OpenCode has no transcript: what it has used is not known. */
const COUNTING: Readonly<Partial<Record<HookClient, Counting>>> = {
  claude: {
    more: "--output-format json",
    rounding: 0,
    counted(printed) {
      const names = ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
      const models = /"modelUsage":(\{"[^{]*\{[^}]*\}[^}]*\})/.exec(printed)?.[1] ?? "";
      const found = names.map((name) => Number(new RegExp(`"${name}":(\\d+)`).exec(models)?.[1] ?? Number.NaN));
      return found.reduce((sum, each) => sum + each, 0);
    },
  },
  codex: {
    more: "--json",
    rounding: 0,
    counted(printed) {
      const usage = /"turn\.completed","usage":(\{[^}]*\})/.exec(printed)?.[1] ?? "{}";
      const { input_tokens: input = 0, output_tokens: output = 0 } = JSON.parse(usage) as Record<string, number>;
      return input + output;
    },
  },
  gemini: {
    more: "-o json",
    rounding: 0,
    counted: (printed) => Number(/"tokens": \{[^}]*"total": (\d+)/.exec(printed)?.[1] ?? Number.NaN),
  },
  copilot: {
    rounding: 100,
    counted(printed) {
      const [, up = "", down = ""] = /↑ ([\d.]+k?)[^•]*• ↓ ([\d.]+k?)/.exec(printed) ?? [];
      const amount = (text: string): number => Number(text.replace("k", "")) * (text.endsWith("k") ? 1_000 : 1);
      return amount(up) + amount(down);
    },
  },
};

for (const tested of PLUGIN_CLIENTS) {
  const absence = whyAbsent(tested.client);
  const place = `${tested.client.name}${absence === null ? "" : ` (${absence})`}`;
  describe.skipIf(absence !== null)(`a session of ${place}`, () => {
    it("has the tokens that its client counts, or says that they are unknown", { timeout: 180_000 }, () => {
      const counting = COUNTING[tested.name];
      const { folder, runs, printed } = session(tested, {
        sessions: EVERYONE,
        plans: [{ plan: { says: ["All done.", VALID] } }],
        ...(counting?.more !== undefined && { more: counting.more }),
      });
      const view = JSON.parse(batonIn(folder)("status", runs[0]?.run ?? "", "--json")) as RunAnswer;
      if (counting === undefined) {
        expect(view, printed).toMatchObject({ spent: { tokens: 0 }, observed: { usage: null } });
        return;
      }
      const counted = counting.counted(printed) ?? Number.NaN;
      expect(view.spent, printed).toMatchObject({ unknownTokens: 0, money: 0 });
      expect(
        Math.abs(view.spent.tokens - counted),
        `${view.spent.tokens} and ${counted}: ${printed}`,
      ).toBeLessThanOrEqual(counting.rounding);
      if (tested.name === "claude")
        expect(view.observed.usage).toMatchObject({ covers: "session", tokens: counted, money: expect.any(Number) });
    });

    it("hands in by the tool submit_handoff, where the client tells its session", { timeout: 180_000 }, () => {
      const tools = [{ name: "submit_handoff", input: { text: VALID } }];
      const { heard, asked, printed } = session(tested, {
        sessions: "  main: { format: task-yaml }\n",
        plans: [{ plan: { tools, says: ["I have submitted it.", VALID] } }],
      });
      const answers = asked.flatMap(({ messages }) => messages.flatMap(({ toolResults }) => toolResults));
      const said = answers.map(({ text }) => text).join("\n");
      const sentBack = asked.some(({ messages }) => JSON.stringify(messages).includes("Baton sends you back"));
      if (["claude", "codex", "copilot"].includes(tested.name)) {
        // Codex shows its model what is structured, the others the text.
        expect(said, printed).toMatch(/Taken for main in session|"accepted":true/);
        expect(sentBack).toBe(false);
        expect(heard.find(({ event }) => event === "Stop")).toMatchObject({ result: "accepted", says: "main: done" });
      } else expect(said, printed).toContain("your client does not tell which session it is");
    });
  });
}

interface RunAnswer {
  readonly spent: { readonly tokens: number; readonly unknownTokens: number };
  readonly observed: { readonly usage: object | null };
}
