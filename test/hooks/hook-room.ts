import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { readHeard } from "../../src/runtime/hooks/heard-of.ts";
import type { HeardCall } from "../../src/views/hook-notices.ts";
import { type Run, baton } from "../cli/run-baton.ts";

/** A repository in which clients work, and the home of its user. */
export interface HookRoom {
  readonly root: string;
  readonly home: string;
  readonly stateFolder: string;
  /** Calls a hook as a client does. */
  hook(event: string, client: string, input: unknown, env?: Readonly<Record<string, string>>): Promise<HookReply>;
  run(...args: string[]): Promise<Run>;
  write(path: string, text: string): void;
  git(...args: string[]): string;
  /** What was noted of the last call of an event. */
  heard(event: string): HeardCall | undefined;
}

interface HookReply {
  readonly code: number | null;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly stderr: string;
}

/** Makes repositories; all of them are gone when the test file ends. */
export function hookRooms(): (files?: Readonly<Record<string, string>>) => HookRoom {
  const folder = mkdtempSync(join(tmpdir(), "baton-hooks-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (files = {}) => {
    const place = mkdtempSync(join(folder, "case-"));
    const [root, home] = [join(place, "repository"), join(place, "home")];
    mkdirSync(root);
    mkdirSync(home);
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, ".state") };
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: root, encoding: "utf8" });
    git("init", "-q");
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    for (const [path, text] of Object.entries(files)) write(path, text);
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", "first");
    const stateFolder = join(root, ".git/baton");
    return {
      root,
      home,
      stateFolder,
      git,
      write,
      run: (...args) => baton(args, { cwd: root, env }),
      heard: (event) => readHeard(stateFolder).find((call) => call.event === event),
      async hook(event, client, input, more = {}) {
        const text = typeof input === "string" ? input : JSON.stringify(input);
        const { code, stdout, stderr } = await baton(["hook", event, "--client", client], {
          cwd: root,
          env: { ...env, ...more },
          input: text,
        });
        const answer = JSON.parse(stdout) as Record<string, unknown>;
        const { reason } = answer;
        return { code, answer, reason: typeof reason === "string" ? reason : "", stderr };
      },
    };
  };
}

/** A section in which `reviewer` owes a handoff. */
export function sessionsFile(more = ""): string {
  return `baton: 1\nsessions:\n  agents:\n    reviewer: { format: task-yaml }\n${more}`;
}

/** The fields that every client gives. */
export function stopOf(
  { root }: Pick<HookRoom, "root">,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  return {
    session_id: "session-1",
    cwd: root,
    transcript_path: join(root, "no-transcript.jsonl"),
    agent_id: "agent-1",
    agent_type: "reviewer",
    stop_hook_active: false,
    last_assistant_message: message,
    ...more,
  };
}

/** A task-yaml handoff at the end of a message. */
export function taskHandoff(lines: readonly string[] = []): string {
  const own = ["outcome: completed", ...lines];
  const has = (key: string): boolean => lines.some((line) => line.startsWith(key));
  const lists = ["files_created", "files_modified"].filter((key) => !has(key)).map((key) => `${key}: []`);
  return ["I am done.", "", "## Handoff", "", "```yaml", ...own, ...lists, "```", ""].join("\n");
}

/** An answer of every client: whatever it holds, an agent is let go or sent back with a reason. */
export function isValidAnswer(answer: Readonly<Record<string, unknown>>): boolean {
  const { decision, reason, systemMessage, hookSpecificOutput, additionalContext, ...others } = answer;
  if (Object.keys(others).length > 0) return false;
  if (decision !== undefined)
    return (decision === "block" || decision === "deny") && typeof reason === "string" && /\S/.test(reason);
  return (
    reason === undefined &&
    (systemMessage === undefined || typeof systemMessage === "string") &&
    (additionalContext === undefined || typeof additionalContext === "string") &&
    (hookSpecificOutput === undefined || typeof hookSpecificOutput === "object")
  );
}
