// Serves the page of one repository and prints the link to its newest run.
import { spawn, spawnSync } from "node:child_process";

/** Where the link is the same each time, if nobody else is there. */
const PORT = 4500;

/**
 * @param {string} command
 * @param {string} cwd
 * @param {boolean} stays Until Ctrl-C; else it is only seen to work.
 */
export async function openPage(command, cwd, stays) {
  const page = (await serve(command, cwd, PORT)) ?? (await serve(command, cwd, 0));
  if (page === null) throw new Error("the page cannot be served");
  const link = new URL(page.link);
  link.pathname = `/runs/${newestRun(command, cwd)}`;
  process.stdout.write(`\nThe run on a page, with every handoff and what became of its claims:\n  ${link.href}\n`);
  if (stays) {
    process.stdout.write("Ctrl-C ends it.\n");
    await page.ended;
    process.stdout.write("\nThe page is closed; npm run page opens it again.\n");
    return;
  }
  const answer = await fetch(link, { redirect: "manual" });
  page.stop();
  await page.ended;
  if (answer.status !== 303) throw new Error(`the link answers with ${answer.status}`);
  process.stdout.write("It was served and is closed now, as there is no terminal: npm run page opens it again.\n");
}

/**
 * @param {string} command
 * @param {string} cwd
 */
function newestRun(command, cwd) {
  const args = [command, "status", "--json"];
  const { stdout } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  return JSON.parse(stdout).runs[0].run;
}

/**
 * Null when it cannot listen there.
 * @param {string} command
 * @param {string} cwd
 * @param {number} port
 * @returns {Promise<{ link: string, ended: Promise<void>, stop: () => void } | null>}
 */
function serve(command, cwd, port) {
  const args = [command, "serve", "--json", "--no-drive", "--port", String(port)];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", port === 0 ? "inherit" : "ignore"] });
  // Ctrl-C reaches the server, too: this process waits for its end.
  process.on("SIGINT", () => undefined);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => child.once("close", () => resolve()));
  return new Promise((resolve) => {
    let said = "";
    child.stdout.on("data", (text) => {
      said += String(text);
      if (said.includes("\n")) resolve({ ...JSON.parse(said), ended, stop: () => child.kill("SIGTERM") });
    });
    void ended.then(() => resolve(null));
  });
}
