import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Cheat, User } from "./cheat.ts";
import { addDiscount, artifact } from "./kit.ts";

const state = (user: User): string => join(user.repository, ".git/baton");

function sql(user: User, file: string, ...lines: readonly string[]): void {
  const database = new DatabaseSync(join(state(user), file));
  try {
    database.exec("PRAGMA foreign_keys = OFF");
    for (const line of lines) database.exec(line);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

/** What `baton audit verify` says after this. */
function tampered(change: (user: User, newest: string) => Promise<void> | void): Pick<Cheat, "user" | "shows"> {
  return {
    async user(user) {
      await user.runWorkflow();
      const older = join(user.room, "older");
      cpSync(state(user), older, { recursive: true });
      const { run } = await user.runWorkflow();
      const before = await user.baton("audit", "verify");
      await change(user, run);
      const { code, text } = await user.baton("audit", "verify");
      const isNew = before.code === 0 && code !== 0;
      return { stopped: "", asked: "", told: isNew ? text : "" };
    },
    shows: /./,
  };
}

function putBack(user: User, from: string, isOurs: (name: string) => boolean): void {
  for (const name of readdirSync(state(user)).filter(isOurs)) rmSync(join(state(user), name));
  for (const name of readdirSync(from).filter(isOurs)) cpSync(join(from, name), join(state(user), name));
}

const isLog = (name: string): boolean => name.startsWith("baton.db");
const NUMBER = (run: string): string => `(SELECT number FROM runs WHERE run = '${run}')`;

export const AUDIT: Readonly<Record<string, Cheat>> = {
  A01: tampered((user) => appendFileSync(join(state(user), "baton.db"), "x".repeat(5_000))),
  A02: tampered((user) => putBack(user, join(user.room, "older"), isLog)),
  A03: tampered((user, run) =>
    sql(
      user,
      "baton.db",
      ...["entries", "effects", "letters"].map((table) => `DELETE FROM ${table} WHERE run = ${NUMBER(run)}`),
      `DELETE FROM runs WHERE run = '${run}'`,
    ),
  ),
  A04: tampered((user) =>
    sql(
      user,
      "baton.db",
      "UPDATE entries SET data = data || ' ' WHERE position = (SELECT max(position) - 5 FROM entries)",
    ),
  ),
  A05: tampered((user) =>
    sql(user, "baton.db", "DELETE FROM entries WHERE position > (SELECT max(position) - 3 FROM entries)"),
  ),
  A06: {
    builder(kit) {
      addDiscount(kit);
      kit.handOver({
        artifacts: [artifact("src/cart.mjs")],
        context: {
          design_decisions: ["A discount is taken off before taxes are added in src/cart.mjs"],
          known_limitations: [],
          assumptions: [],
        },
      });
    },
    ...tampered((user) =>
      sql(user, "knowledge.db", "UPDATE facts SET status = 'trusted', body = replace(body, 'before', 'after')"),
    ),
  },
  A07: tampered(async (user) => {
    const other = join(user.room, "other");
    cpSync(user.repository, other, { recursive: true });
    rmSync(join(other, ".git/baton"), { recursive: true, force: true });
    await user.elsewhere(other, "trust", "baton.yaml");
    await user.elsewhere(other, "run", "baton.yaml");
    putBack(user, join(other, ".git/baton"), isLog);
  }),
  A08: {
    async user(user) {
      cpSync(join(user.root, "examples/issue"), user.repository, { recursive: true });
      const text = user
        .read("issue.yaml")
        .replace("mode: autonomous", "mode: semi")
        .replaceAll("    approve: after\n", "");
      user.write("issue.yaml", text);
      user.git("add", "--all");
      user.git("commit", "--quiet", "--message", "Add agents");
      await user.baton("trust", "issue.yaml");
      await user.baton("run", "issue.yaml", "--brief", "5 cents are shown as 0.5");
      const list = JSON.parse((await user.baton("status", "--json")).text) as {
        runs: { run: string; status: string }[];
      };
      const { run, status } = list.runs[0] ?? { run: "", status: "" };
      const worktree = join(user.repository, ".baton/worktrees", run);
      if (status !== "waiting" || !existsSync(worktree))
        return { stopped: "", asked: "", told: `does not wait: ${status}` };
      const git = (...args: string[]): string => execFileSync("git", args, { cwd: worktree, encoding: "utf8" });
      user.write(`.baton/worktrees/${run}/src/late.mjs`, "export const late = true;\n");
      git("add", "src/late.mjs");
      git("commit", "--quiet", "--message", "Come late");
      await user.baton("approve", run);
      const ended = await user.baton("resume", run);
      const forge = join(state(user), "forge/repository.git");
      const merged = execFileSync("git", ["--git-dir", forge, "ls-tree", "-r", "--name-only", "main"], {
        encoding: "utf8",
      });
      return merged.includes("src/late.mjs")
        ? { stopped: "", asked: "", told: "" }
        : { stopped: `not merged: ${ended.text}`, asked: "", told: "" };
    },
    shows: /not merged/,
  },
  A10: {
    async user(user) {
      await user.runWorkflow();
      const pruned = await user.baton("prune", "--days", "0");
      await user.runWorkflow();
      const { code, text } = await user.baton("audit", "verify");
      return { stopped: code === 0 && pruned.code === 0 ? "" : `${pruned.text}${text}`, asked: "", told: "(honest)" };
    },
  },
  A09: {
    async user(user) {
      await user.runWorkflow();
      const { told } = await user.runWorkflow();
      return { stopped: readFileSync(`${user.room}/said`, "utf8"), asked: "", told };
    },
    builder(kit) {
      addDiscount(kit);
      kit.write(`${kit.room}/said`, kit.baton("prune", "--days", "0"));
      kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    },
    shows: /prune.*only a person can ask for it: nothing was changed/,
  },
};
