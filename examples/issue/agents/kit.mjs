// What all agents of this example need.
import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What baton tells the agent. */
export const prompt = readFileSync(0, "utf8");

/**
 * What earlier agents delivered stays known to the run, in an envelope that nothing else can open or close: neither the
 * brief nor another handoff. One line each, such as `branch: fix/… (from prep-agent)`.
 */
const facts = /^<<<what is known (\S+)\n([^]*?)\n\1 end of what is known>>>$/m.exec(prompt)?.[2].split("\n") ?? [];

/** Empty when it is not known. A number is one: it becomes part of a path. */
export function known(name) {
  const line = facts.find((fact) => fact.startsWith(`${name}: `)) ?? "";
  const value = /^(.*) \(from .*\)$/.exec(line.slice(name.length + 2))?.[1] ?? "";
  if (name.endsWith(".number") && !/^\d*$/.test(value)) throw new Error(`${name} is no number: ${JSON.stringify(value)}`);
  return value;
}

/** The issues to fix stand in the prompt as JSON. */
export function issuesToFix() {
  const section = /^## Issues to fix\n\n<<<.*\n([\s\S]*?)\n.*>>>/m.exec(prompt);
  return section === null ? [] : JSON.parse(section[1]);
}

/** Which of the two issues of this example it is. */
export function isAboutReceipts() {
  return /receipt/i.test(`${prompt}`.split("## Where the run stands")[0]);
}

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** An attempt that comes after an interrupted one may find its work done already. */
export function append(path, text) {
  const before = readFileSync(path, "utf8");
  if (!before.includes(text)) writeFileSync(path, before + text);
}

export function git(...args) {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

export function commit(message, ...paths) {
  git("add", ...paths);
  if (spawnSync("git", ["diff", "--cached", "--quiet"]).status === 0) return;
  git(...(isGitTold() ? [] : SOMEBODY), "commit", "--quiet", "--message", message);
}

/** Git wants to know who commits; where nobody has told it, as on a new machine, it is this example. */
const SOMEBODY = ["-c", "user.name=baton example", "-c", "user.email=example@baton.localhost"];

function isGitTold() {
  return ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].every((who) => spawnSync("git", ["var", who]).status === 0);
}

/** The forge of this example is a folder of baton's state, in the git folder of the repository. */
const forge = join(resolve(git("rev-parse", "--git-common-dir")), "baton/forge/items");

/** Opens an issue or a pull request: a file under the next free number, made by a link, which only one can make. */
export function openItem(item) {
  mkdirSync(forge, { recursive: true });
  const key = `${item.kind}-${process.env.BATON_RUN}`;
  const numbers = readdirSync(forge).flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
  const isOurs = (number) => JSON.parse(readFileSync(join(forge, `${number}.json`), "utf8")).key === key;
  const made = numbers.find(isOurs);
  if (made !== undefined) return made;
  const temporary = join(forge, `.${process.pid}.tmp`);
  writeFileSync(temporary, JSON.stringify({ ...item, key, state: "open", opened_at: now() }, null, 2));
  for (let number = Math.max(0, ...numbers) + 1; ; number += 1) {
    try {
      linkSync(temporary, join(forge, `${number}.json`));
      rmSync(temporary);
      return number;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
  }
}

export function urlOf(kind, number) {
  return `http://forge.localhost/${kind}/${number}`;
}

/** The handoff is the end of the last message: what the agent prints. */
export function handOver(to, status, summary, data, numbers = {}) {
  const issue = numbers.issue ?? known("issue.number");
  const pull = numbers.pull ?? known("pull_request.number");
  const head = { from: process.env.BATON_AGENT, to, timestamp: now(), issue_number: issue };
  console.log(element("handoff", { ...head, ...(pull === "" ? {} : { pr_number: pull }), status, summary, data }));
}

function now() {
  return new Date().toISOString();
}

/** One XML element: of text, of an object's fields, or of elements made before. */
export function element(name, content, attributes = {}) {
  const marks = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`);
  return `<${name}${marks.join("")}>${inner(content)}</${name}>`;
}

function inner(content) {
  if (Array.isArray(content)) return content.join("");
  if (typeof content !== "object") return escape(content);
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join("");
}

function escape(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
