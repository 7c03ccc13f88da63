import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import type { Repository } from "../e2e/workflows/repository.ts";
import { type Served, hasNoBrowser, makeWaitingRun, repositories, serve, visitor } from "./browser-room.ts";

/** Everything a page can try; what it gets is told as text, `nothing` when that is all. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  "fetch with the cookie": `fetch(target + "/api/runs", { credentials: "include" }).then((answer) => answer.text(), () => "nothing")`,
  "fetch without answer": `fetch(target + "/api/runs", { mode: "no-cors", credentials: "include" }).then((answer) => answer.text(), () => "").then((text) => text || "nothing")`,
  "fetch the page": `fetch(target + "/", { credentials: "include" }).then((answer) => answer.text(), () => "nothing")`,
  "write as a simple request": `fetch(target + "/api/runs/" + run + "/cancel", { method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" }, body: JSON.stringify({ reason: "attack" }) }).then(() => "nothing", () => "nothing")`,
  "write with our header": `fetch(target + "/api/runs/" + run + "/cancel", { method: "POST", credentials: "include", headers: { "content-type": "application/json", "x-baton": "1" }, body: JSON.stringify({ reason: "attack" }) }).then((answer) => answer.text(), () => "nothing")`,
  "an event source": `new Promise((resolve) => { const source = new EventSource(target + "/api/events", { withCredentials: true }); source.onopen = () => resolve("opened"); source.addEventListener("entry", (event) => resolve(event.data)); source.onerror = () => { source.close(); resolve("nothing"); }; })`,
  "a web socket": `new Promise((resolve) => { const socket = new WebSocket(target.replace("http", "ws") + "/api/events"); socket.onopen = () => resolve("opened"); socket.onmessage = (event) => resolve(event.data); socket.onerror = () => resolve("nothing"); })`,
  "a picture": `new Promise((resolve) => { const picture = new Image(); picture.onload = () => resolve("loaded"); picture.onerror = () => resolve("nothing"); picture.src = target + "/favicon.svg"; })`,
  "a script": `new Promise((resolve) => { const script = document.createElement("script"); script.onload = () => resolve("loaded"); script.onerror = () => resolve("nothing"); script.src = target + "/api/runs"; document.body.append(script); })`,
  "a style sheet": `new Promise((resolve) => { const link = document.createElement("link"); link.rel = "stylesheet"; link.onload = () => resolve("loaded"); link.onerror = () => resolve("nothing"); link.href = target + "/api/runs"; document.head.append(link); })`,
  "a frame": `new Promise((resolve) => { const frame = document.createElement("iframe"); frame.onload = () => { try { resolve(frame.contentDocument?.body.textContent || "nothing"); } catch { resolve("nothing"); } }; frame.src = target + "/"; document.body.append(frame); })`,
  "a form": `new Promise((resolve) => { const frame = document.createElement("iframe"); frame.name = "hole"; document.body.append(frame); const form = document.createElement("form"); form.method = "post"; form.target = "hole"; form.enctype = "text/plain"; form.action = target + "/api/runs/" + run + "/cancel"; const field = document.createElement("input"); field.name = '{"reason":"attack","x":"'; field.value = '"}'; form.append(field); document.body.append(form); form.submit(); setTimeout(() => resolve("nothing"), 500); })`,
  "a window": `new Promise((resolve) => { const opened = window.open(target + "/"); setTimeout(() => { try { resolve(opened?.document?.body?.textContent || "nothing"); } catch { resolve("nothing"); } finally { opened?.close(); } }, 700); })`,
};

describe.skipIf(hasNoBrowser())("a page of another origin, in a browser that is let in,", () => {
  repositories();
  const browser = visitor();
  let world: { readonly repository: Repository; readonly waiting: string };
  let served: Served;
  let attacker: Server;

  beforeAll(async () => {
    world = await makeWaitingRun();
    served = await serve(world.repository);
    attacker = createServer((_request, response) => response.end("<!doctype html><title>attack</title><body></body>"));
    await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
    return async () => {
      attacker.close();
      await served.stop();
    };
  }, 120_000);

  // Another port of the same address counts as the same site: cookies that are strict go along.
  it.each(["127.0.0.1", "localhost"])("served from %s, gets nothing and changes nothing", async (host) => {
    const own = await browser.visit(served);
    await own.locator(".run-row").first().waitFor();
    const page = await own.context().newPage();
    await own.close();
    const given: string[] = [];
    page.context().on("response", (response) => {
      if (response.url().startsWith(served.origin) && response.status() < 400) given.push(response.url());
    });
    const { port } = attacker.address() as AddressInfo;
    await page.goto(`http://${host}:${port}/`);
    await page.evaluate(
      `window.target = ${JSON.stringify(served.origin)}; window.run = ${JSON.stringify(world.waiting)};`,
    );
    for (const [name, attempt] of Object.entries(ATTEMPTS)) {
      expect(await page.evaluate(attempt), name).toBe("nothing");
    }
    expect(given).toEqual([]);
    const { stdout } = await world.repository.baton("status", world.waiting, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ status: "waiting" });
  });

  it("and one without the token sees no more than how to get in", async () => {
    const page = await browser.browser.newPage();
    await page.goto(served.origin);
    expect(await page.textContent("body")).toContain("baton serve");
    expect(await page.textContent("body")).not.toContain(world.waiting);
    await page.close();
  });
});
