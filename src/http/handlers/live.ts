import { findRun } from "../../runtime/operations/tell-run.ts";
import { type Handler, SENT } from "../asked.ts";
import { LIMITS, tooMany } from "../limits.ts";

export const followEvents: Handler<"follow-events"> = async ({ query, raw, around }) => {
  const { feed, engine } = around;
  if (feed.size >= LIMITS.liveClients) throw tooMany();
  const run = query.run === undefined ? null : (await findRun(engine.machine, query.run)).run;
  const { incoming, outgoing } = raw;
  const last = incoming.headers["last-event-id"];
  const after = typeof last === "string" && /^\d{1,15}$/.test(last) ? Number(last) : (query.after ?? null);
  // Its end is the end of the connection: chunks would cost three pieces for each one that is sent.
  outgoing.useChunkedEncodingByDefault = false;
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  if (incoming.method === "HEAD") outgoing.end();
  else {
    outgoing.write("retry: 1000\n\n");
    await feed.join(outgoing, run, after);
  }
  return SENT;
};
