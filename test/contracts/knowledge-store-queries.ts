import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KnowledgeStore, NodeId } from "../../src/ports/knowledge-store.ts";
import { change, fact, ids, lesson, place, type OpenKnowledge } from "./knowledge-store-lessons.ts";

/** What every knowledge store finds, and in which order. */
export function describeKnowledgeQueries(name: string, open: OpenKnowledge): void {
  let store: KnowledgeStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  describe(`${name}: what a handoff taught`, () => {
    it("is found by where it was said, as people have left it since, however much it was", async () => {
      const many = Array.from({ length: 150 }, (_, at) => `Rule number ${at} holds`);
      await store.learn(lesson(1, ["Count in cents", "Use whole cents", "Round up", "Say it aloud"]));
      await store.learn(lesson(2, many, { status: "quarantined" }));
      await store.change(change("pattern-001", { kind: "merge", into: "pattern-002" }));
      await store.change(change("pattern-003", { kind: "retire" }));
      await store.change(change("pattern-004", { kind: "edit", fields: { text: "Write it down" } }));
      const { run, task, handoff } = lesson(1, []).source;
      const taught = await store.taught({ run, task, handoff });
      expect(taught.map(({ where, fact: { id, text, status } }) => [where, id, text, status])).toEqual([
        ["knowledge.patterns.0", "pattern-002", "Use whole cents", "trusted"],
        ["knowledge.patterns.1", "pattern-002", "Use whole cents", "trusted"],
        ["knowledge.patterns.2", "pattern-003", "Round up", "retired"],
        ["knowledge.patterns.3", "pattern-004", "Write it down", "trusted"],
      ]);
      expect(await store.taught({ run, task: "task-2", handoff: "handoff-2" })).toHaveLength(many.length);
      for (const other of [{ run: "other" }, { task: "task-3" }, { handoff: "handoff-3" }]) {
        expect(await store.taught({ run, task, handoff, ...other })).toEqual([]);
      }
    });
  });

  describe(`${name}: an answer`, () => {
    const question = fact("Which issuer signs?", { kind: "question", isBlocking: true, detail: "The first" });
    const answer = { run: "run", step: "step-1", answer: "ada answered: the second", by: "ada", at: 50 };
    const answers = async (): Promise<unknown> => (await store.find("question-001"))?.answer;

    it("stands with the blocking questions of its step, once, until one is asked again", async () => {
      await store.learn(lesson(1, [question, fact("By the way?", { kind: "question" }), "Sign once"]));
      expect(await store.answer(answer)).toBe(1);
      expect(await store.answer(answer)).toBe(0);
      expect(await answers()).toBe(answer.answer);
      expect(await store.history("question-001")).toMatchObject([{ what: "learned" }, { what: "answered", by: "ada" }]);
      expect(await ids(store.search({ text: "second", max: 9 }))).toEqual(["question-001"]);
      expect(await store.find("question-002")).toMatchObject({ answer: null });

      await store.learn(lesson(2, [question]));
      expect(await answers()).toBeNull();
      // The old one, told again, is not an answer to the new one.
      expect([await store.answer(answer), await answers()]).toEqual([0, null]);
      expect(await store.answer({ ...answer, step: "step-2", at: 51 })).toBe(1);
      expect(await answers()).toBe(answer.answer);
    });

    it("is kept when what it answers is proven afterwards", async () => {
      await store.learn(lesson(1, [question], { status: "quarantined" }));
      await store.answer(answer);
      await store.trust("run", "step-1", 60);
      expect(await store.find("question-001")).toMatchObject({ status: "trusted", answer: answer.answer });
    });
  });

  describe(`${name}: searching`, () => {
    it("finds words in any order, words that begin so, and parts of names", async () => {
      await store.learn(lesson(1, ["Refresh authentication tokens early", "Call parseUrl on src/http/client.ts"]));
      for (const text of ["tokens refresh", "auth tok", "AUTHENTICATION", "refresh, tokens!"]) {
        expect(await ids(store.search({ text, max: 9 })), text).toEqual(["pattern-001"]);
      }
      for (const text of ["parseUrl", "url parse", "client.ts", "http client"]) {
        expect(await ids(store.search({ text, max: 9 })), text).toEqual(["pattern-002"]);
      }
      for (const text of ["uth", "zebra", "???", "x".repeat(500)]) {
        expect(await ids(store.search({ text, max: 9 })), text).toEqual([]);
      }
    });

    it("finds by what stands in the detail, in tags and in the names of files", async () => {
      await store.learn(
        lesson(1, [fact("Say it", { detail: "with a megaphone", tags: ["loud"], place: place("src/street.ts") })]),
      );
      for (const text of ["megaphone", "loud", "street"]) {
        expect(await ids(store.search({ text, max: 9 })), text).toEqual(["pattern-001"]);
      }
    });

    it("wants all the words; where no fact has them, some will do", async () => {
      await store.learn(lesson(1, ["Rotate keys", "Rotate logs", "Keep keys offline"]));
      expect(await ids(store.search({ text: "rotate keys", max: 9 }))).toEqual(["pattern-001"]);
      expect(await ids(store.search({ text: "offline logs", max: 9 }))).toEqual(["pattern-002", "pattern-003"]);
    });

    it("ranks rare words, whole words, own words, trust, witnesses and then ids", async () => {
      await store.learn(lesson(1, ["Common zebra", "Common apple", "Common pear", "Common plum"]));
      expect((await ids(store.search({ text: "zebra apple plums", max: 9 }))).slice(0, 2)).toEqual([
        "pattern-001",
        "pattern-002",
      ]);
      await store.learn(lesson(2, [fact("Other rules", { tags: ["token"] }), "Tokenizer rules", "Token rules"]));
      expect(await ids(store.search({ text: "token", max: 9 }))).toEqual(["pattern-007", "pattern-005", "pattern-006"]);
      await store.learn(lesson(3, ["Quiet owl here"], { status: "quarantined" }));
      await store.learn(lesson(4, ["Grey owl here", "Brown owl here"]));
      await store.learn(lesson(5, ["Brown owl here"]));
      const owls = await store.search({ text: "owl", max: 9 });
      expect(owls.map(({ fact: { text } }) => text)).toEqual(["Brown owl here", "Grey owl here", "Quiet owl here"]);
      expect(owls.map(({ score }) => score)).toEqual(owls.map(({ score }) => score).toSorted((a, b) => b - a));
    });

    it("finds the word itself also where very many begin so", async () => {
      const texts = Array.from({ length: 40 }, (_, at) => `Tok${String.fromCodePoint(97 + (at % 20))}x is ${at}n`);
      await store.learn(lesson(1, [...texts, "Tok alone"]));
      expect((await store.search({ text: "tok", max: 1 }))[0]?.fact.text).toBe("Tok alone");
    });

    it("gives equal facts in the order of their ids, and the same every time", async () => {
      await store.learn(
        lesson(
          1,
          Array.from({ length: 30 }, (_, at) => `Same word ${at}q`),
        ),
      );
      const found = await store.search({ text: "same", max: 30 });
      const names = found.map(({ fact: { id } }) => id);
      expect(names).toEqual(names.toSorted());
      expect(await store.search({ text: "same", max: 30 })).toEqual(found);
      expect(await store.search({ text: "same", max: 3 })).toEqual(found.slice(0, 3));
    });

    it("narrows by tag, kind, file, task, run, status and time, alone and together", async () => {
      await store.learn(lesson(1, [fact("Sign tokens", { tags: ["auth"], place: place("src/a.ts") })]));
      await store.learn(lesson(2, [fact("Check tokens", { kind: "gotcha", tags: ["auth", "api"] })]));
      const elsewhere = { run: "other", task: "task-1", step: "s", agent: "Tester", handoff: "h", at: 50 };
      await store.learn(lesson(3, ["Log tokens"], { source: elsewhere, status: "quarantined" }));
      const found = (query: object): Promise<string[]> => ids(store.search({ max: 9, ...query }));
      expect(await found({ tags: ["AUTH"] })).toEqual(["gotcha-001", "pattern-001"]);
      expect(await found({ tags: ["auth", "api"] })).toEqual(["gotcha-001"]);
      expect(await found({ kinds: ["pattern"] })).toEqual(["pattern-001", "pattern-002"]);
      expect(await found({ kinds: [] })).toEqual([]);
      expect(await found({ file: "src/a.ts" })).toEqual(["pattern-001"]);
      expect(await found({ task: "task-1" })).toEqual(["pattern-001", "pattern-002"]);
      expect(await found({ task: "task-1", run: "run" })).toEqual(["pattern-001"]);
      expect(await found({ run: "other" })).toEqual(["pattern-002"]);
      expect(await found({ status: ["quarantined", "retired"] })).toEqual(["pattern-002"]);
      expect(await found({ since: 2 })).toEqual(["gotcha-001", "pattern-002"]);
      expect(await found({ text: "tok", tags: ["auth"], kinds: ["gotcha", "pattern"], since: 2 })).toEqual([
        "gotcha-001",
      ]);
      expect(await found({ text: "sign tok", run: "run", file: "src/a.ts", tags: ["auth"] })).toEqual(["pattern-001"]);
      expect(await found({ text: "check", run: "run", file: "src/a.ts" })).toEqual([]);
      expect(await found({ run: "other", file: "src/a.ts" })).toEqual([]);
      expect(await found({})).toEqual(["gotcha-001", "pattern-001", "pattern-002"]);
      expect(await found({ max: 0 })).toEqual([]);
    });
  });

  describe(`${name}: hostile texts`, () => {
    const hostile = [
      '" OR 1=1 --',
      "NEAR(a b, 2)",
      "a AND NOT b*",
      "tokens : secret",
      "{tokens} : ^hidden",
      "'; DROP TABLE facts; --",
      "nul \0 inside \ud800 half",
      "k:pattern s:trusted t:auth",
      '"'.repeat(501),
      "(".repeat(400),
      "ﬁne Straße İstanbul 東京 e\u0301 ²",
    ];

    it("keeps them as they are and finds them by their words, as data", async () => {
      const learned = await store.learn(lesson(1, hostile));
      expect(learned.map(({ text }) => text)).toEqual(hostile);
      for (const text of hostile) {
        const found = await store.search({ text, max: 99 });
        if (/[\p{L}\p{N}]/u.test(text)) expect(found.map(({ fact: { text: one } }) => one)).toContain(text);
        else expect(found).toEqual([]);
      }
      expect(await ids(store.search({ text: "secret*", max: 9 }))).toHaveLength(1);
      expect(await ids(store.search({ text: "k:pattern", max: 99 }))).toHaveLength(1);
    });

    it("takes them as tags, words, files, tasks, nodes and ids", async () => {
      await store.learn(lesson(1, ["Say it"]));
      for (const text of hostile) {
        expect(await store.search({ tags: [text], file: text, task: text, run: text, max: 9 })).toEqual([]);
        const signals = { tags: [text], words: [text], files: [text], tasks: [{ run: text, task: text }], max: 9 };
        expect(await store.candidates(signals)).toEqual([]);
        expect(await store.find(text)).toBeNull();
        expect((await store.tasks({ tag: text, max: 9 })).length).toBe(0);
        for (const kind of ["fact", "task", "run", "agent", "file", "tag"]) {
          expect((await store.neighbours(`${kind}:${text}` as NodeId, 2, 9)).nodes).toEqual([]);
        }
      }
    });

    it("reads the beginning of a query that never ends", async () => {
      await store.learn(lesson(1, ["Rotate keys", "Zebra crossing"]));
      expect(await ids(store.search({ text: `rotate ${"the ".repeat(600)} zebra`, max: 9 }))).toEqual(["pattern-001"]);
      expect(await ids(store.search({ text: `rotate ${"keys ".repeat(200_000)}`, max: 9 }))).toEqual(["pattern-001"]);
      expect(await ids(store.search({ text: "x".repeat(1_000_000), max: 9 }))).toEqual([]);
      expect(
        await store.search({ text: Array.from({ length: 99_999 }, (_, at) => `w${at}`).join(" "), max: 9 }),
      ).toEqual([]);
    });
  });

  describe(`${name}: candidates`, () => {
    const none = { tags: [], words: [], files: [], tasks: [], max: 5 };
    const found = async (signals: object): Promise<string[]> =>
      (await store.candidates({ ...none, ...signals })).map(({ id }) => id).toSorted();

    it("are near by tags, words, files or tasks, and never retired", async () => {
      await store.learn(
        lesson(1, [fact("By tag", { tags: ["auth"] }), "By wording", fact("By file", { place: place("a.ts") })]),
      );
      await store.learn(lesson(2, ["From its task", fact("Retired", { tags: ["auth"], place: place("a.ts") })]));
      await store.change(change("pattern-005", { kind: "retire" }));
      expect(await found({})).toEqual([]);
      expect(await found({ tags: ["Auth"] })).toEqual(["pattern-001"]);
      expect(await found({ words: ["wording", "unknown"] })).toEqual(["pattern-002"]);
      expect(await found({ files: ["a.ts"] })).toEqual(["pattern-003"]);
      expect(await found({ tasks: [{ run: "run", task: "task-2" }] })).toEqual(["pattern-004"]);
      expect(await found({ tags: ["auth"], words: ["wording"], files: ["a.ts"] })).toHaveLength(3);
    });

    it("are a bounded number of each, those with most in common first, also when they are old", async () => {
      await store.learn(lesson(1, ["Gift card redeem"]));
      for (let number = 2; number < 8; number++) {
        const texts = Array.from({ length: 60 }, (_, at) => `${["Gift", "Card"][at % 2]} ${number}n${at}`);
        await store.learn(lesson(number, texts));
      }
      const near = await store.candidates({ ...none, words: ["gift", "card"] });
      expect(near).toHaveLength(5);
      expect(near.map(({ id }) => id)).toContain("pattern-001");
    });

    it("are of the kinds that are asked for", async () => {
      await store.learn(lesson(1, [fact("One", { tags: ["auth"] }), fact("Two", { kind: "gotcha", tags: ["auth"] })]));
      expect(await found({ tags: ["auth"], kinds: ["gotcha"] })).toEqual(["gotcha-001"]);
      expect(await found({ tasks: [{ run: "run", task: "task-1" }], kinds: ["gotcha"] })).toEqual(["gotcha-001"]);
      expect(await found({ tags: ["auth"], kinds: [] })).toEqual([]);
    });
  });

  describe(`${name}: tasks, files and neighbours`, () => {
    beforeEach(async () => {
      const task = (id: string, dependsOn: string[] = []): object => ({
        task: { id, name: `Name of ${id}`, status: "completed", dependsOn },
      });
      const files = [{ path: "src/a.ts", change: "modify", lines: "1-9", purpose: "sign" }];
      await store.learn(lesson(1, [fact("Sign tokens", { tags: ["auth"] })], { ...task("task-1"), files }));
      await store.learn(
        lesson(2, [fact("Check tokens", { kind: "gotcha", tags: ["auth"] })], task("task-2", ["task-1"])),
      );
      await store.learn(
        lesson(3, [fact("Paint it", { tags: ["ui"] }), fact("Sign tokens")], task("task-3", ["task-2"])),
      );
    });

    it("lists all tasks that discovered patterns about auth", async () => {
      const names = async (query: object): Promise<string[]> =>
        (await store.tasks({ max: 9, ...query })).map(({ id }) => id);
      expect(await names({ tag: "auth", kind: "pattern" })).toEqual(["task-1", "task-3"]);
      expect(await names({ tag: "auth" })).toEqual(["task-2", "task-1", "task-3"]);
      expect(await names({ kind: "gotcha", run: "run" })).toEqual(["task-2"]);
      expect(await names({ kind: "gotcha", run: "other" })).toEqual([]);
      const source = { run: "other", task: "task-9", step: "s", agent: "Builder", handoff: "h", at: 9 };
      const task = { id: "task-9", name: "Nine", status: "completed", dependsOn: [] };
      await store.learn(lesson(9, [fact("Check tokens", { kind: "gotcha" })], { source, task }));
      expect(await names({ kind: "gotcha", run: "other" })).toEqual(["task-9"]);
      expect(await names({ kind: "gotcha", run: "run" })).toEqual(["task-2"]);
      expect(await names({})).toEqual(["task-9", "task-3", "task-2", "task-1"]);
      expect(await names({ run: "run", max: 1 })).toEqual(["task-3"]);
      expect(await store.tasks({ tag: "ui", max: 9 })).toEqual([
        { run: "run", id: "task-3", name: "Name of task-3", status: "completed", dependsOn: ["task-2"], at: 3 },
      ]);
    });

    it("keeps the newest word on a task", async () => {
      const source = { run: "run", task: "task-1", step: "again", agent: "Builder", handoff: "h", at: 2 };
      const old = { source: { ...source, at: 0, handoff: "older" } };
      const task = { id: "task-1", name: "New name", status: "failed", dependsOn: ["x", "x"] };
      await store.learn(lesson(1, [], { source, task }));
      await store.learn(lesson(1, [], old));
      expect((await store.tasks({ max: 9 })).find(({ id }) => id === "task-1")).toEqual({
        ...task,
        run: "run",
        dependsOn: ["x"],
        at: 2,
      });
    });

    it("leaves a task at its own time when the lesson tells that", async () => {
      const source = { run: "run", task: "task-1", step: "later", agent: "Builder", handoff: "h", at: 7 };
      const task = { id: "task-1", name: "New name", status: "failed", dependsOn: [], at: 1 };
      const [said] = await store.learn(lesson(1, ["Said later"], { source, task }));
      expect((await store.tasks({ max: 9 })).find(({ id }) => id === "task-1")).toEqual({ ...task, run: "run" });
      expect(said?.witnesses.map(({ at }) => at)).toEqual([7]);
    });

    it("counts all there are: facts that are not retired, tasks, and each file once", async () => {
      const before = await store.totals();
      const files = ["src/c.ts", "src/c.ts", "src/d.ts"].map((path) => ({
        path,
        change: "modify",
        lines: null,
        purpose: null,
      }));
      await store.learn(lesson(7, ["Count once", "Count me too", fact("Count apart", { kind: "gotcha" })], { files }));
      await store.learn(lesson(8, ["Count once"], { files, status: "quarantined" }));
      const [first] = await store.search({ text: "count me too", max: 1 });
      await store.change(change(first?.fact.id ?? "", { kind: "retire" }));
      const after = await store.totals();
      expect(after.facts.pattern - before.facts.pattern).toBe(1);
      expect(after.facts.gotcha - before.facts.gotcha).toBe(1);
      expect(after.facts.decision).toBe(before.facts.decision);
      expect(after.files - before.files).toBe(2);
      expect(after.tasks).toBe((await store.tasks({ max: 99 })).length);
    });

    it("lists the files that were changed, the newest first", async () => {
      const touch = { path: "src/a.ts", change: "modify", lines: "1-9", purpose: "sign", run: "run", agent: "Builder" };
      expect(await store.files({ max: 9 })).toEqual([{ ...touch, task: "task-1", at: 1 }]);
      await store.learn(lesson(4, [], { files: [{ path: "src/b.ts", change: "create", lines: null, purpose: null }] }));
      expect((await store.files({ run: "run", max: 9 })).map(({ path }) => path)).toEqual(["src/b.ts", "src/a.ts"]);
      expect((await store.files({ task: "task-1", max: 9 })).map(({ path }) => path)).toEqual(["src/a.ts"]);
      expect(await store.files({ task: "task-1", run: "other", max: 9 })).toEqual([]);
      expect(await store.files({ max: 1 })).toHaveLength(1);
    });

    it("walks from a fact to a depth", async () => {
      const nodes = async (depth: number): Promise<string[]> =>
        (await store.neighbours("fact:gotcha-001", depth, 99)).nodes.map(({ id }) => id);
      expect(await nodes(0)).toEqual(["fact:gotcha-001"]);
      expect(await nodes(1)).toEqual(["fact:gotcha-001", "task:run/task-2", "agent:Builder", "tag:auth"]);
      expect((await nodes(2)).slice(4).toSorted()).toEqual(
        ["fact:pattern-001", "fact:pattern-002", "run:run", "task:run/task-1", "task:run/task-3"].toSorted(),
      );
      expect(await nodes(3)).toContain("file:src/a.ts");
      const { edges, nodes: labelled, isCut } = await store.neighbours("task:run/task-2", 1, 99);
      expect(isCut).toBe(false);
      expect(labelled[0]).toEqual({ id: "task:run/task-2", label: "Name of task-2" });
      expect(edges).toContainEqual({ from: "fact:gotcha-001", to: "task:run/task-2", as: "said in" });
      expect(edges).toContainEqual({ from: "task:run/task-2", to: "task:run/task-1", as: "depends on" });
      expect(edges).toContainEqual({ from: "task:run/task-3", to: "task:run/task-2", as: "depends on" });
    });

    it("says when it was cut, and gives no edge to what was left out", async () => {
      const graph = await store.neighbours("tag:auth", 3, 3);
      expect(graph.nodes).toHaveLength(3);
      expect(graph.isCut).toBe(true);
      const known = new Set(graph.nodes.map(({ id }) => id));
      expect(graph.edges.every(({ from, to }) => known.has(from) && known.has(to))).toBe(true);
      expect((await store.neighbours("run:run", 1, 2)).isCut).toBe(true);
      expect((await store.neighbours("run:run", 1, 4)).isCut).toBe(false);
    });

    it("draws opposition and merges", async () => {
      await store.learn(lesson(5, ["Never sign tokens", "Sign all tokens twice"]));
      await store.change(change("pattern-004", { kind: "merge", into: "pattern-001" }));
      const { edges } = await store.neighbours("fact:pattern-001", 1, 99);
      expect(edges).toContainEqual({ from: "fact:pattern-001", to: "fact:pattern-003", as: "opposes" });
      expect(edges).toContainEqual({ from: "fact:pattern-004", to: "fact:pattern-001", as: "merged into" });
    });

    it("pages through all facts, the oldest first", async () => {
      const names = async (after: string | null): Promise<string[]> => (await store.page(after, 2)).map(({ id }) => id);
      expect(await names(null)).toEqual(["pattern-001", "gotcha-001"]);
      expect(await names("gotcha-001")).toEqual(["pattern-002"]);
      expect(await names("pattern-002")).toEqual([]);
    });
  });
}
