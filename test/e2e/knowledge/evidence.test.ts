import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baton } from "../../cli/run-baton.ts";

/** Two runs on a real repository: the step of the first has no gate, the one of the second passes a gate. */
const room = mkdtempSync(join(tmpdir(), "baton-evidence-"));
const folder = join(room, "shop");
const env = { HOME: room, XDG_CONFIG_HOME: join(room, ".config"), USER: "tester" };
afterAll(() => rmSync(room, { recursive: true, force: true }));

/** The agent makes the file that its handoff lists, and says what stands beside it. */
const AGENT = `import { writeFileSync } from "node:fs";
const [, , made, said] = process.argv;
writeFileSync(made, "# Notes\\n");
const pattern = (text, location) => \`  - pattern: \${text}\\n    location: \${location}\\n    applies_to: [cart]\\n\`;
const gotcha = (text, found) => \`  - issue: \${text}\\n    discovered_in: \${found}\\n    mitigation: Look twice\\n    severity: high\\n\`;
console.log(\`## Handoff

\\\`\\\`\\\`yaml
outcome: completed
files_created:
  - path: \${made}
    purpose: Notes
    lines: 1-1
patterns_discovered:
\${pattern(\`\${said} prices are rounded once\`, "src/cart.mjs:2-3")}\${pattern(\`\${said} ghost lines matter\`, "src/cart.mjs:900")}\${pattern(\`\${said} ghost files matter\`, "src/ghost.mjs")}gotchas:
\${gotcha(\`\${said} carts are shared\`, "Reading the code")}\${gotcha(\`\${said} pipelines are slow\`, "CI/CD")}dependencies_for_next:
  - file: src/cart.mjs
    reason: It is the cart
  - file: src/never.mjs
    reason: It is not there
\\\`\\\`\\\`\`);
`;

const workflow = (name: string, gates: string): string => `baton: 1
name: ${name}
start: explorer
${gates === "" ? "" : "gates: { ok: { command: [node, --version] } }\n"}agents:
  explorer:
    run: { process: [node, agent.mjs, docs/${name}.md, ${name}] }
    dialect: task-yaml
${gates}    routes: { done: end }
`;

interface Found {
  readonly text: string;
  readonly status: string;
  readonly unconfirmed_place: string | null;
}

async function statuses(word: string): Promise<Record<string, string>> {
  const { stdout } = await baton(["knowledge", "search", word, "--json"], { cwd: folder, env });
  const { facts } = JSON.parse(stdout) as { facts: Found[] };
  return Object.fromEntries(facts.map(({ text, status }) => [text.replace(`${word} `, ""), status]));
}

beforeAll(async () => {
  mkdirSync(join(folder, "src"), { recursive: true });
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs/README.md"), "# Docs\n");
  writeFileSync(
    join(folder, "src/cart.mjs"),
    "export const total = (items) =>\n  Math.round(items\n    .reduce(sum));\n",
  );
  writeFileSync(join(folder, "agent.mjs"), AGENT);
  writeFileSync(join(folder, "plain.yaml"), workflow("plain", ""));
  writeFileSync(join(folder, "gated.yaml"), workflow("gated", "    gates: [ok]\n"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Example");
  git("config", "user.email", "example@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  for (const name of ["plain.yaml", "gated.yaml"]) {
    await baton(["trust", name], { cwd: folder, env });
    const run = await baton(["run", name], { cwd: folder, env });
    expect(run.code, run.stderr + run.stdout).toBe(0);
  }
}, 120_000);

describe("what a handoff teaches", () => {
  it("is trusted where its own place is there; a confirmed file does not prove the other sentences", async () => {
    expect(await statuses("plain")).toEqual({
      "prices are rounded once": "trusted",
      "ghost lines matter": "quarantined",
      "ghost files matter": "quarantined",
      "carts are shared": "quarantined",
      "pipelines are slow": "quarantined",
    });
  });

  it("is trusted when a gate of the step passes, but not what names a place that is not there", async () => {
    expect(await statuses("gated")).toEqual({
      "prices are rounded once": "trusted",
      "ghost lines matter": "quarantined",
      "ghost files matter": "quarantined",
      "carts are shared": "trusted",
      "pipelines are slow": "trusted",
    });
  });

  it("is told with the place that is missing", async () => {
    const { stdout } = await baton(["knowledge", "search", "gated", "ghost", "lines", "--json"], { cwd: folder, env });
    const { facts } = JSON.parse(stdout) as { facts: Found[] };
    expect(facts[0]).toMatchObject({ text: "gated ghost lines matter", unconfirmed_place: "src/cart.mjs:900" });
    const shown = await baton(["knowledge", "show", "pattern-002"], { cwd: folder, env });
    expect(shown.stdout).toContain("src/cart.mjs:900  (not found when it was said)");
  });

  it("is the same when it is learned from the log again", async () => {
    const before = [await statuses("plain"), await statuses("gated")];
    rmSync(join(folder, ".git/baton/knowledge.db"));
    const rebuilt = await baton(["knowledge", "rebuild"], { cwd: folder, env });
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    expect([await statuses("plain"), await statuses("gated")]).toEqual(before);
  });
});
