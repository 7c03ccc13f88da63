import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { ApiRoute } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { sessionOf } from "../../src/http/tokens.ts";
import { SPOILS, type Sound, WRONG_BODIES, soundRequest } from "./hostile-requests.ts";
import { printRequest, sendRaw } from "./raw-request.ts";
import { type Room, openRoom } from "./server-room.ts";

/** Each way to be wrong on each route; `BATON_REQUESTS=300` asks as often on every route. */
const EACH = Number(process.env["BATON_REQUESTS"] ?? 20);
const routes: readonly ApiRoute[] = ROUTES;

let room: Room;
let sound: Sound;
let before: unknown;

beforeAll(async () => {
  room = await openRoom("feature", { lines: 1, drives: false });
  const { runs } = (await (await room.get("/api/runs")).json()) as { runs: { run: string }[] };
  const port = Number(new URL(room.origin).port);
  sound = { port, token: room.token, cookie: sessionOf(room.token), run: runs[0]?.run ?? "" };
  before = await everything();
}, 180_000);

/** All that a request could have changed. */
async function everything(): Promise<unknown> {
  const { log } = room.engine.ports;
  return [await log.lastPosition(), await log.messages(sound.run), await log.run(sound.run)];
}

/** Words that stand in what is served: none of them may reach somebody who was not let in. */
const CONTENT = ["password", "forgot", "backend-lead", "run-started", '"openapi"', "created_at", "position", "<script"];

async function isRefused(bytes: Buffer): Promise<string | null> {
  const { status, text } = await sendRaw(sound.port, bytes);
  if (status !== 0 && (status < 400 || status >= 500)) return `was answered ${status}: ${text.slice(0, 300)}`;
  const leaked = CONTENT.find((word) => text.includes(word));
  return leaked === undefined ? null : `told ${leaked}: ${text.slice(0, 600)}`;
}

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, route) => {
  it("refuses every request that is wrong, and tells nothing", { timeout: 600_000 }, async () => {
    const spoils = Object.entries(SPOILS).filter(([name]) => isFit(name, route));
    const each = Math.max(1, Math.ceil(EACH / spoils.length));
    for (const [name, spoil] of spoils) {
      for (const request of fc.sample(spoil(sound, route), { numRuns: each })) {
        expect({
          name,
          head: printRequest({ ...request, body: "" }).toString(),
          wrong: await isRefused(printRequest(request)),
        }).toMatchObject({ wrong: null });
      }
    }
  });
});

/** A path that has both methods answers to the other one as well. */
function isFit(spoil: string, route: ApiRoute): boolean {
  const others = routes.filter(({ path, method }) => path === route.path && method !== route.method);
  if (others.length > 0 && spoil.startsWith("by a method")) return false;
  // Handing in by POST has the same path as nothing else, but a longer path may be another route.
  return true;
}

describe.each(routes.flatMap((route) => (route.method === "POST" ? [[route.path, route] as const] : [])))(
  "POST %s",
  (_, route) => {
    it("takes no body that is wrong", { timeout: 600_000 }, async () => {
      for (const [name, bodies] of Object.entries(WRONG_BODIES)) {
        for (const [type, body] of fc.sample(bodies(route), { numRuns: Math.ceil(EACH / 6) })) {
          const request = soundRequest(route, sound);
          const headers = request.headers.filter(([header]) => !["Content-Type", "Content-Length"].includes(header));
          const sent = {
            ...request,
            headers: [
              ...headers,
              ["Content-Type", type] as const,
              ["Content-Length", String(Buffer.byteLength(body))] as const,
            ],
            body,
          };
          const { status } = await sendRaw(sound.port, printRequest(sent));
          expect({ name, type, body: body.toString(), isRefused: status >= 400 && status < 500 }).toMatchObject({
            isRefused: true,
          });
        }
      }
    });

    it("takes the cookie only with the page's own header", async () => {
      const request = soundRequest(route, sound);
      const headers = request.headers.filter(([name]) => name !== "Authorization");
      const sent = { ...request, headers: [...headers, ["Cookie", `baton_session=${sound.cookie}`] as const] };
      expect((await sendRaw(sound.port, printRequest(sent))).status).toBe(403);
    });
  },
);

describe("after all of it", () => {
  it("nothing has changed, and the server answers", async () => {
    expect(await everything()).toEqual(before);
    expect((await room.get("/api/about")).status).toBe(200);
    expect(room.notes).toEqual([]);
  });
});
