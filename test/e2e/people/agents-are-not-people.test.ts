import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { userInfo } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { type AgentRoom, openAgentRoom, CALLED } from "./agent-room.ts";

const ACCOUNT = userInfo().username;

/** Everything that counts as a person's consent, raises a limit, or takes evidence away. */
const CONSENT = [
  "approve RUN",
  "reject RUN",
  "answer RUN q1 approve",
  "trust other.yaml",
  "knowledge promote f-1",
  "knowledge confirm f-1",
  "knowledge retire f-1",
  "knowledge merge f-1 --into f-2",
  "knowledge edit f-1 --text other",
  "knowledge import graph.json",
  "knowledge rebuild",
  "audit accept",
  "budget RUN --steps 99",
  "retry RUN",
  "state adopt",
  "prune --days 0",
  "init --force --yes",
  "run other.yaml --trust HASH",
];

/** Ways in which an agent could try to look like no agent. */
const DISGUISES = ["plain", "cleared", "daemon", "limited"] as const;

describe("an agent", () => {
  let room: AgentRoom;
  beforeAll(async () => {
    room = await openAgentRoom();
    const hash = createHash("sha256")
      .update(readFileSync(join(room.folder, "other.yaml")))
      .digest("hex");
    const lines = CONSENT.map((line) => line.replace("RUN", room.waiting).replace("HASH", hash));
    const disguised = DISGUISES.map((how) => ({ how, line: `approve ${room.waiting}` }));
    await room.work([...lines.map((line) => ({ how: "plain" as const, line })), ...disguised]);
  }, 120_000);

  it.each(CONSENT)("cannot call baton %s", (line) => {
    const { code, said } = room.answerTo("plain", CONSENT.indexOf(line));
    expect(said).toContain("only a person can");
    expect(said).toContain(`${room.sly}.`);
    expect(code).toBe(3);
  });

  it.each(DISGUISES)("cannot approve: %s", (how) => {
    const { code, said } = room.answerTo(how, CONSENT.length + DISGUISES.indexOf(how));
    expect(said).toContain("only a person can");
    expect(code).toBe(3);
  });

  it("has changed nothing by trying", async () => {
    expect(await room.inbox()).toEqual([]);
    expect(existsSync(join(room.folder, "baton.yaml"))).toBe(false);
    expect((await room.baton("run", "other.yaml")).code).toBe(3);
  });

  it("may look, and may cancel: the log says that an agent did", async () => {
    await room.work([
      { how: "plain", line: `status ${room.waiting} --json` },
      { how: "plain", line: `budget ${room.waiting}` },
      { how: "plain", line: `cancel ${room.cancelled} --reason enough` },
    ]);
    expect([0, 1, 2].map((index) => room.answerTo("plain", index).code)).toEqual([0, 0, 0]);
    const by = (await room.events(room.cancelled)).find(({ kind }) => kind === "run-cancelled")?.["by"];
    expect(by).toMatch(new RegExp(`^agent of attempt ${room.sly}\\.\\S+, as ${ACCOUNT}$`));
  });

  it("cannot approve by a gate either, in the sandbox or without it", async () => {
    const { said } = await room.gate(`approve ${room.waiting}`);
    expect(said).toContain("only a person can");
    expect(await room.inbox()).toEqual([]);
  });
});

describe("a person", () => {
  it("is named by the account, whatever the environment says", async () => {
    const room = await openAgentRoom();
    expect(await room.baton("approve", room.waiting)).toMatchObject({ code: 0 });
    expect(await room.inbox()).toMatchObject([{ kind: "answer", by: ACCOUNT }]);
    expect(CALLED).not.toBe(ACCOUNT);
  });
});
