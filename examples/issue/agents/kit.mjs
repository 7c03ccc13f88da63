// What all agents of this example need.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const SITE = "https://git.example/till";
/** What baton tells the agent. */
export const prompt = readFileSync(0, "utf8");

/** What earlier agents delivered stays known to the run: `branch: fix/… (from prep-agent)`. */
export function known(name) {
  return new RegExp(`^(?:- )?${name}: (.*) \\(from .*\\)$`, "m").exec(prompt)?.[1] ?? "";
}

/** The issues to fix stand in the prompt as JSON. */
export function issuesToFix() {
  const section = /^## Issues to fix\n\n<<<.*\n([\s\S]*?)\n.*>>>/m.exec(prompt);
  return section === null ? [] : JSON.parse(section[1]);
}

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function run(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
  return { passed: status === 0, output: stdout };
}

export function git(...args) {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

/** An attempt that comes after an interrupted one may find its work committed already. */
export function commit(message, ...paths) {
  git("add", ...paths);
  if (run("git", "diff", "--cached", "--quiet").passed) return;
  git("commit", "--quiet", "--message", message);
}

/** The handoff is the end of the last message: what the agent prints. */
export function handOver(to, status, summary, data, numbers = {}) {
  const issue = numbers.issue ?? known("issue.number");
  const pull = numbers.pull ?? known("pull_request.number");
  const head = { from: process.env.BATON_AGENT, to, timestamp: now(), issue_number: issue };
  console.log(element("handoff", { ...head, ...(pull === "" ? {} : { pr_number: pull }), status, summary, data }));
}

export function now() {
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
