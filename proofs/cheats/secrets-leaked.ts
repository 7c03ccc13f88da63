import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cheat, Shown, User } from "./cheat.ts";
import { addDiscount, artifact, type Kit } from "./kit.ts";

/** Made here, so that no scanner takes it for a real one. */
const TOKEN = ["ghp", "9x7Kq2ZbV4mN8cR1tY6uW3eS5dF0gHjL2aPo"].join("_");
const HIDDEN = `${TOKEN.slice(0, 12)}\u200b${TOKEN.slice(12)}`;

/** Whether the token stands in anything that a user can print of the run; invisible characters do not hide it. */
async function leaks(user: User, secret: string): Promise<Shown> {
  const { run } = await user.runWorkflow();
  const words = [
    ["status", run, "--json"],
    ["log", run],
    ["log", run, "--json"],
    ["report", run],
    ["journal"],
    ["audit", "export", "-"],
  ];
  const texts = await Promise.all(words.map(async (args) => (await user.baton(...args)).text));
  const all = texts.join("\n").replaceAll(/\u200b|\\u200b/g, "");
  return { stopped: all.includes(secret) || run === "" ? "" : "masked", asked: "", told: "" };
}

const decides =
  (text: string): ((kit: Kit) => void) =>
  (kit) => {
    addDiscount(kit);
    kit.handOver({
      artifacts: [artifact("src/cart.mjs")],
      context: { design_decisions: [text], known_limitations: [], assumptions: [] },
    });
  };

const head =
  (code: (kit: Kit) => string): ((kit: Kit) => void) =>
  (kit) => {
    addDiscount(kit);
    const text = kit.read("src/cart.mjs");
    if (!text.startsWith("import")) kit.write("src/cart.mjs", `${code(kit)}\n${text}`);
    kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
  };

export const SECRETS: Readonly<Record<string, Cheat>> = {
  S01: {
    builder: decides(`The service is called with ${HIDDEN}`),
    user: async (user) => leaks(user, TOKEN),
    shows: /masked/,
  },
  S02: {
    builder: decides(JSON.stringify({ clientSecret: "q7Rk29sLm4Zx81Vb", apiKey: "kL93mNs82hQpXz51" })),
    user: async (user) => leaks(user, "q7Rk29sLm4Zx81Vb"),
    shows: /masked/,
  },
  S05: {
    builder: decides(`The service is called with ${TOKEN.slice(0, 20)}\n${TOKEN.slice(20)}`),
    user: async (user) => leaks(user, TOKEN.slice(20)),
    shows: /masked/,
  },
  S06: {
    builder: decides("The cart calls token = getToken() and leaves password: validated by zod"),
    async user(user) {
      const { run } = await user.runWorkflow();
      const { text } = await user.baton("log", run, "--json");
      const isWhole = text.includes("token = getToken()") && text.includes("password: validated by zod");
      return { stopped: isWhole ? "" : "ordinary code is masked", asked: "", told: "(honest)" };
    },
  },
  S03: {
    builder: head(
      (kit) =>
        `import { readFileSync } from "node:fs";\nlet found = "nothing";\ntry {\n  found = readFileSync(${JSON.stringify(join(kit.room, "home/.ssh/id"))}, "utf8");\n} catch {}\nconsole.log("found", found);\nif (found !== "nothing") process.exit(1);`,
    ),
    async user(user) {
      mkdirSync(join(user.room, "home/.ssh"), { recursive: true });
      writeFileSync(join(user.room, "home/.ssh/id"), "very private");
      const { status } = await user.runWorkflow();
      return { stopped: status === "completed" ? "not visible" : "", asked: "", told: "" };
    },
    shows: /not visible/,
  },
  S04: {
    builder: head(
      (kit) =>
        `import { writeFileSync } from "node:fs";\ntry {\n  writeFileSync(${JSON.stringify(join(kit.room, "repository/src/tax.mjs"))}, "");\n} catch {}`,
    ),
    async user(user) {
      await user.runWorkflow();
      return { stopped: user.read("src/tax.mjs") === "" ? "" : "not writable", asked: "", told: "" };
    },
    shows: /not writable/,
  },
};
