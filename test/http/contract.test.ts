import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { ANSWER_SCHEMAS, type FactList, type Inbox, type RunPage } from "../../src/api/answers.ts";
import { openApi } from "../../src/api/openapi.ts";
import type { ApiRoute } from "../../src/api/route.ts";
import { ROUTES, type RouteName } from "../../src/api/routes.ts";
import { type Room, openRoom } from "./server-room.ts";

/** Every answer of a real server over a real run has the shape it is said to have, and no key more. */
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: "urn:baton:api", components: { schemas: ANSWER_SCHEMAS } });

function problemsOf(schema: string, answer: unknown): unknown {
  const validate = ajv.getSchema(`urn:baton:api#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`there is no schema ${schema}`);
  return validate(answer) === true ? [] : validate.errors;
}

let room: Room;
let run: string;
let fact: string;

beforeAll(async () => {
  room = await openRoom("pipeline");
  const { runs } = (await (await room.get("/api/runs")).json()) as { runs: { run: string }[] };
  run = runs[0]?.run ?? "";
  const { facts } = (await (await room.get("/api/knowledge")).json()) as FactList;
  fact = facts[0]?.fact.id ?? "";
}, 180_000);

/** What each route is asked for; one that has no entry here fails the test. */
function addresses(): Readonly<
  Record<Exclude<RouteName, "follow-events" | "export-audit">, readonly (readonly [string, unknown?])[]>
> {
  const beginning = run.slice(0, 6);
  return {
    about: [["/api/about"]],
    "show-hooks": [["/api/hooks"]],
    "list-schedules": [["/api/schedules"]],
    "list-runs": [["/api/runs"], ["/api/runs?status=completed,failed&text=discount&workflow=pipeline&since=1&limit=1"]],
    "show-run": [[`/api/runs/${run}`], [`/api/runs/${beginning}`]],
    "list-events": [[`/api/runs/${run}/events?limit=1000`], [`/api/runs/${run}/events?after=3&limit=2`]],
    "show-attempt": [[`/api/runs/${run}/attempts/s1.1`]],
    "show-handoff": [1, 2, 3, 4, 5].map((step) => [`/api/runs/${run}/handoffs/s${step}.1`] as const),
    "convert-handoff": ["issue-xml", "task-yaml", "output-json", "phase-yaml", "pipeline-json"].map(
      (dialect) => [`/api/runs/${run}/handoffs/s1.1/as/${dialect}`] as const,
    ),
    "submit-handoff": [],
    "answer-ask": [],
    "cancel-run": [],
    "retry-run": [],
    "resume-run": [],
    "show-inbox": [["/api/inbox"]],
    "search-facts": [["/api/knowledge"], ["/api/knowledge?text=cents&type=decision&limit=5"]],
    "show-fact": [[`/api/knowledge/${fact}`]],
    "draw-fact": [[`/api/knowledge/${fact}/graph?depth=2`]],
    "change-fact": [
      [`/api/knowledge/${fact}/confirm`, { reason: "It is so." }],
      [`/api/knowledge/${fact}/retire`, {}],
      [`/api/knowledge/${fact}/promote`, { reason: null }],
    ],
    "show-metrics": [["/api/metrics"], ["/api/metrics?workflow=pipeline&agent=TestAgent"]],
    "list-audit": [["/api/audit"], ["/api/audit?after=2&limit=3"]],
    "verify-audit": [["/api/audit/verification"]],
    "describe-api": [["/api/openapi.json"]],
  };
}

describe("the answers of the server", () => {
  it("have the shape of their schemas, all of them", async () => {
    for (const [name, asked] of Object.entries(addresses())) {
      const route: ApiRoute | undefined = (ROUTES as readonly ApiRoute[]).find((candidate) => candidate.name === name);
      for (const [path, body] of asked) {
        const response = body === undefined ? await room.get(path) : await room.post(path, body);
        const answer: unknown = await response.json();
        expect({ path, status: response.status, answer }).toMatchObject({ status: route?.answer.status });
        expect({ path, problems: problemsOf(route?.answer.schema ?? "", answer) }).toEqual({ path, problems: [] });
      }
    }
  });

  it("tell of a run what its events tell", async () => {
    const page = (await (await room.get(`/api/runs/${run}`)).json()) as RunPage;
    expect(page.item).toMatchObject({ workflow: "pipeline", status: "completed", iteration: 2, tasks_done: 1 });
    expect(page.steps.map(({ agent }) => agent)).toEqual([
      "BackendBuilder",
      "TestAgent",
      "BackendBuilder",
      "TestAgent",
      "CodeReviewer",
      "SecurityScanner",
      "DocumentationDynamo",
    ]);
    expect(page.rounds).toMatchObject([
      { iteration: 1, open: 2, opened: 2, fixed: 0 },
      { iteration: 2, open: 0, opened: 0, fixed: 2 },
    ]);
    const taken = page.graph.edges
      .filter((edge) => edge.taken > 0)
      .map(({ from, to, kind, taken: times }) => [from, to, kind, times]);
    expect(taken).toContainEqual(["TestAgent", "BackendBuilder", "loop", 1]);
    expect(taken).toContainEqual(["BackendBuilder", "TestAgent", "forward", 2]);
    expect(taken).toContainEqual(["DocumentationDynamo", "end", "forward", 1]);
    expect(new Set(page.graph.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(page.graph.nodes.length);
  });

  it("compare a handoff with the one of the round before", async () => {
    const page = (await (await room.get(`/api/runs/${run}/handoffs/s3.1`)).json()) as {
      previous: { attempt: string; diff: string };
    };
    expect(page.previous).toMatchObject({ attempt: "s1.1", iteration: 1 });
    expect(page.previous.diff).toContain("@@");
  });

  it("are not sent twice to whoever has them", async () => {
    const first = await room.get(`/api/runs/${run}/events`);
    const etag = first.headers.get("etag") ?? "";
    await first.text();
    const second = await room.get(`/api/runs/${run}/events`, { "if-none-match": etag });
    expect([second.status, await second.text()]).toEqual([304, ""]);
  });

  it("page through everything by their cursors, without a gap or a repetition", async () => {
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const response = await room.get(`/api/runs/${run}/events?after=${after}&limit=7`);
      const page = (await response.json()) as { events: { sequence: number }[]; next: number | null };
      seen.push(...page.events.map(({ sequence }) => sequence));
      after = page.next;
    }
    expect(seen).toEqual(seen.map((_, index) => index + 1));
  });

  it("export the log as lines", async () => {
    const response = await room.get("/api/audit/export");
    expect(response.headers.get("content-type")).toContain("application/jsonl");
    const lines = (await response.text()).trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(50);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it.each([
    ["/api/runs/nothing", 404],
    ["/api/runs?limit=0", 400],
    ["/api/runs?limit=201", 400],
    ["/api/runs?limit=1&limit=2", 400],
    ["/api/runs?status=dancing", 400],
    ["/api/runs?colour=red", 400],
    ["/api/runs?cursor=nothing", 400],
    ["/api/runs/x/attempts/1", 404],
    ["/api/knowledge/nothing-1", 404],
    ["/api/knowledge?type=rumour", 400],
    ["/api/nothing", 404],
    ["/api", 404],
  ])("say what is wrong with %s in one shape", async (path, status) => {
    const response = await room.get(path);
    const answer: unknown = await response.json();
    expect({ status: response.status, problems: problemsOf("ErrorAnswer", answer) }).toEqual({ status, problems: [] });
  });

  it("complain of nothing", () => {
    expect(room.notes).toEqual([]);
  });
});

describe("the answers about a run that waits for a person", () => {
  it("say of each choice what it does, in the inbox as on its page", { timeout: 60_000 }, async () => {
    const waiting = await openRoom("feature", { lines: 1 });
    const inbox = (await (await waiting.get("/api/inbox")).json()) as Inbox;
    const [item] = inbox.asks;
    const page = (await (await waiting.get(`/api/runs/${item?.run ?? ""}`)).json()) as RunPage;
    expect([problemsOf("Inbox", inbox), problemsOf("RunPage", page)]).toEqual([[], []]);
    expect(page.view.asks).toEqual([item?.ask]);
    expect(item?.ask.effects).toEqual({
      approve: "accepts the work, and the run goes on",
      reject: "backend-lead works on it again, with your words if you add some",
    });
  });
});

describe("the description", () => {
  it("has every route, and refers to nothing that is not there", () => {
    const description = openApi("1.0.0");
    const text = JSON.stringify(description);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
      expect(ANSWER_SCHEMAS).toHaveProperty(name ?? "");
    const paths = description["paths"] as Record<string, Record<string, { operationId: string }>>;
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.toSorted()).toEqual(ROUTES.map(({ name }) => name).toSorted());
    for (const [name, schema] of Object.entries(ANSWER_SCHEMAS))
      expect(() =>
        ajv.compile({ $id: `urn:baton:api:${name}`, ...schema, components: { schemas: ANSWER_SCHEMAS } }),
      ).not.toThrow();
  });
});
