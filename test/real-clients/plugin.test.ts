import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { serveRoom } from "../http/serve-room.ts";
import { CLAUDE, GEMINI } from "./clients.ts";
import { removeRunFolders, whyAbsent } from "./offline-runs.ts";
import { SAYS, handoff } from "./plan.ts";
import { type Asked, PLUGIN_CLIENTS, batonIn, homeOf, inRun, session } from "./plugin-clients.ts";

/** What of the plugin is not about gating: it loads, its tools answer, context arrives, and a session is a run. */
const root = join(import.meta.dirname, "../..");
const { serve } = serveRoom();

afterAll(removeRunFolders);

const EVERYONE = '  main: { format: task-yaml }\n  agents: { "*": { format: task-yaml } }\n';
const LESSON = "The price cache keeps old prices";
const TEACHES = handoff(
  "outcome: completed",
  `gotchas: [{ id: gotcha-001, issue: ${LESSON}, discovered_in: src/old.ts, mitigation: Clear it first, severity: high }]`,
);

/** Shell: a person lets the only fact count. */
const PROMOTE =
  "baton knowledge promote $(baton knowledge search prices --json | node -p 'JSON.parse(require(\"fs\").readFileSync(0)).facts[0].id')";

for (const tested of PLUGIN_CLIENTS) {
  const absence = whyAbsent(tested.client);
  const place = `${tested.client.name}${absence === null ? "" : ` (${absence})`}`;
  describe.skipIf(absence !== null)(`the plugin in ${place}`, () => {
    it("loads unmodified, and its tools are called by the model", { timeout: 300_000 }, () => {
      const tools = [
        { name: "validate_handoff", input: { text: handoff("outcome: finished with luck"), dialect: "task-yaml" } },
        { name: "submit_handoff", input: { text: SAYS.mended } },
        { name: "get_context", input: { about: "prices" } },
      ];
      const plans = [{ plan: { tools, says: [handoff("outcome: completed")] } }];
      const { heard, asked, printed } = session(tested, { sessions: EVERYONE, plans });
      expect(new Set(heard.map(({ client }) => client)), printed).toEqual(new Set([tested.name]));
      const [validated = "", submitted = "", context] = answersIn(asked);
      expect(validated, printed).toContain("outcome");
      expect(validated).toContain("finished with luck");
      // Where the client tells the server its session, the handoff is judged; elsewhere nothing is taken.
      expect(submitted).toMatch(
        /This session was not started by a run of Baton|Not true: The file made\.txt was created/,
      );
      expect(context).toBeDefined();
    });

    it("gives agents what earlier sessions have taught, and how to hand over", { timeout: 300_000 }, () => {
      const { asked, printed } = session(tested, {
        sessions: EVERYONE,
        between: PROMOTE,
        plans: [
          { plan: { how: "wait", start: { says: [TEACHES] }, says: [handoff("outcome: completed")] } },
          {
            words: "Mend the price cache in src/old.ts. ",
            plan: { how: "wait", start: { says: [SAYS.mended] }, says: [SAYS.mended] },
          },
        ],
      });
      const later = asked.filter(({ messages, system }) =>
        `${system}${textOf(messages)}`.includes("Mend the price cache"),
      );
      const [main] = later.filter(({ plan }) => plan.start !== undefined);
      expect(main, printed).toBeDefined();
      expect(givenTo(main)).toMatch(
        /<<<context [0-9a-f]{32}\n[^]*The price cache keeps old prices[^]*end of context>>>/,
      );
      const [subagent] = asked
        .filter(({ plan }) => plan.start === undefined)
        .filter((one) => givenTo(one).includes(LESSON));
      expect(givenTo(subagent), printed).toContain("# How to hand over");
    });

    it("makes the session a run, with its claims, on every surface", { timeout: 300_000 }, async () => {
      const plan = {
        how: "wait",
        start: { says: [SAYS.untrue, SAYS.mended] },
        retries: tested.name === "opencode",
      } as const;
      const { folder, runs, printed } = session(tested, { sessions: EVERYONE.replace(/.*\n/, ""), plans: [{ plan }] });
      expect(runs, printed).toMatchObject([{ workflow: `${tested.name}-session`, status: "completed", done: 1 }]);
      const run = runs[0]?.run ?? "";
      const baton = batonIn(folder);
      expect(baton("status", run)).toMatch(new RegExp(`session \\S+ of ${tested.name}, watched`));
      expect(baton("report", run)).toContain("made.txt");
      const { get, child, ended } = await serve(join(folder, "proj"), [], homeOf(folder));
      const page = (await (await get(`/api/runs/${run}`)).json()) as RunAnswer;
      expect(page).toMatchObject({ item: { status: "completed" }, view: { observed: { client: tested.name } } });
      const attempt = page.steps.at(-1)?.attempts.at(-1)?.attempt;
      const given = (await (await get(`/api/runs/${run}/handoffs/${attempt}`)).json()) as HandoffAnswer;
      expect(given.claims.map(({ verdict }) => verdict)).toContain("confirmed");
      expect(JSON.stringify(given.claims)).toContain("made.txt");
      child.kill("SIGTERM");
      await ended;
    });
  });
}

interface RunAnswer {
  readonly steps: readonly { readonly attempts: readonly { readonly attempt: string }[] }[];
}

interface HandoffAnswer {
  readonly claims: readonly { readonly verdict: string }[];
}

/** What tools have answered, as the model sees it last, in their order. */
function answersIn(asked: readonly Asked[]): string[] {
  const last = asked.findLast(({ plan }) => plan.tools !== undefined);
  return last?.messages.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)) ?? [];
}

/** Gemini escapes what it is told at a prompt. */
function givenTo(asked: Asked | undefined): string {
  return asked === undefined
    ? ""
    : `${asked.system}\n${textOf(asked.messages)}`.replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}

function textOf(messages: Asked["messages"]): string {
  return messages.map(({ text }) => text).join("\n");
}

describe.skipIf(whyAbsent(CLAUDE) !== null)("claude plugin validate", () => {
  it("finds nothing to report about the plugin and the marketplace", { timeout: 60_000 }, () => {
    const run = inRun(
      CLAUDE,
      `PROGRAM plugin validate ${root}/plugin --profile directory && PROGRAM plugin validate ${root}`,
    );
    expect(run.printed).toContain("These checks found nothing to report");
    expect(run.printed.match(/Validation passed$/gm)).toHaveLength(2);
  });
});

describe.skipIf(whyAbsent(GEMINI) !== null)("gemini extensions validate", () => {
  it("finds nothing wrong with the extension", { timeout: 60_000 }, () => {
    const run = inRun(GEMINI, `PROGRAM extensions validate ${root}/extensions/gemini`);
    expect(run.printed).toContain("has been successfully validated");
  });
});
