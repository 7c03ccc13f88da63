import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SPEC_FORMATS } from "../format-files/spec-formats.ts";
import { type Run, baton } from "./run-baton.ts";
import { git, put, room } from "./verify-repository.ts";

const note = (changes: readonly string[], more: object = {}): string =>
  `${JSON.stringify({
    relay: 2,
    author: "one",
    result: { state: "finished", headline: "Done." },
    changes: changes.map((file) => ({ file })),
    ...more,
  })}\n`;

const SHIFT = `# Schicht

## Übergabe

\`\`\`yaml
schicht: frueh-schicht
stand: erledigt
bericht: Alles fertig.
\`\`\`
`;

const WORKFLOW = `baton: 1
name: relay
start: one
agents:
  one:
    dialect: relay-note
    run: { process: [node, agent.cjs] }
    routes: { done: end }
`;

/** A repository with formats of its own, a change that the first note lists, and further handoffs beside it. */
function relayRepository(
  files: Readonly<Record<string, string>>,
): Readonly<{ cwd: string; env: Record<string, string> }> {
  const cwd = room({
    "baton.yaml": WORKFLOW,
    "agent.cjs": "",
    "baton.formats/relay-note.format.yaml": SPEC_FORMATS["relay-note"] ?? "",
    "baton.formats/uebergabe.format.yaml": SPEC_FORMATS["uebergabe"] ?? "",
    "src/a.js": "1\n",
  });
  git(cwd, "init", "-q", "-b", "main");
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "feat: begin");
  put(cwd, "src/a.js", "2\n");
  put(cwd, "notes/relay-1.json", note(["src/a.js"]));
  for (const [path, text] of Object.entries(files)) put(cwd, path, text);
  const config = room({});
  return { cwd, env: { BATON_CONFIG_HOME: config, XDG_CONFIG_HOME: config, HOME: config } };
}

interface Claim {
  readonly kind: string;
  readonly verdict: string;
  readonly evidence: string;
}

function undeclared({ stdout }: Run): Claim | undefined {
  const [file] = JSON.parse(stdout).files as { handoffs: { claims: Claim[] }[] }[];
  return file?.handoffs[0]?.claims.find(({ kind }) => kind === "undeclared");
}

const verify = ["verify", "notes/relay-1.json", "--json"];

describe("handoffs of an own format beside the verified one", () => {
  const beside = { "notes/relay-2.json": note(["src/a.js"]), "notes/schicht.md": SHIFT };

  it("count as changes while their format is not trusted, and the message says how to trust it", async () => {
    const run = await baton(verify, relayRepository(beside));
    expect(run.code).toBe(1);
    const { verdict, evidence = "" } = undeclared(run) ?? {};
    expect(verdict).toBe("refuted");
    expect(evidence).toContain("2 files changed and not listed: notes/relay-2.json, notes/schicht.md.");
    expect(evidence).toContain("notes/relay-2.json is a handoff in relay-note, which is not trusted");
    expect(evidence).toContain("`baton trust baton.formats/relay-note.format.yaml`; or name the file in the command.");
    expect(evidence).toContain("`baton trust baton.formats/uebergabe.format.yaml`");
  });

  it("do not count once a person trusts the format, and count again when its file changes", async () => {
    const here = relayRepository(beside);
    for (const name of ["relay-note", "uebergabe"])
      expect((await baton(["trust", `baton.formats/${name}.format.yaml`], here)).code).toBe(0);
    const trusted = await baton(verify, here);
    expect([trusted.code, undeclared(trusted)?.verdict]).toEqual([0, "confirmed"]);
    expect((await baton(["trust", "--list"], here)).stdout).toContain("baton.formats/uebergabe.format.yaml in");
    const file = join(here.cwd, "baton.formats/uebergabe.format.yaml");
    put(here.cwd, "baton.formats/uebergabe.format.yaml", `${readFileSync(file, "utf8")}# one more word\n`);
    const changed = await baton(verify, here);
    expect(undeclared(changed)?.evidence).toMatch(/not listed: baton.formats\/uebergabe[^,]*, notes\/schicht.md/);
    git(here.cwd, "checkout", "-q", "baton.formats");
    expect((await baton(["trust", "baton.formats/uebergabe.format.yaml", "--withdraw"], here)).code).toBe(0);
    expect(undeclared(await baton(verify, here))?.evidence).toContain("not listed: notes/schicht.md");
  });

  it("do not count when the format is trusted with a workflow, also for one command", async () => {
    const here = relayRepository({ "notes/relay-2.json": note(["src/a.js"]) });
    const { trust } = JSON.parse((await baton(["check", "--json"], here)).stdout);
    const once = await baton([...verify, "--workflow", "baton.yaml", "--trust", trust], here);
    expect([once.code, undeclared(once)?.verdict]).toEqual([0, "confirmed"]);
    expect(undeclared(await baton(verify, here))?.verdict).toBe("refuted");
    await baton(["trust"], here);
    expect(undeclared(await baton(verify, here))?.verdict).toBe("confirmed");
  });

  it("hide nothing: an invalid one, another name, a hidden folder, a file of capitals, and what is none", async () => {
    const here = relayRepository({
      "notes/relay-2.json": note([], { result: { state: "finished" } }),
      "config.json": note([]),
      ".tool/relay-3.json": note([]),
      "notes/RELAY-X.json": note([]),
      "src/relay-4.json": '{ "compilerOptions": {} }\n',
    });
    await baton(["trust", "baton.formats/relay-note.format.yaml"], here);
    const { evidence = "" } = undeclared(await baton(verify, here)) ?? {};
    for (const path of [
      "notes/relay-2.json",
      "config.json",
      ".tool/relay-3.json",
      "notes/RELAY-X.json",
      "src/relay-4.json",
    ])
      expect(evidence).toContain(path);
    expect(evidence).toContain(
      "config.json is a handoff in relay-note, which states no file of such a name: add the name",
    );
  });

  it("are refused as something to trust when the file has errors or another hash", async () => {
    const here = relayRepository({ "baton.formats/relay-note.format.yaml": "format: 1\n" });
    const broken = await baton(["trust", "baton.formats/relay-note.format.yaml"], here);
    expect([broken.code, broken.stderr]).toEqual([3, expect.stringContaining("baton format check")]);
    const other = await baton(["trust", "baton.formats/uebergabe.format.yaml", "--hash", "0".repeat(64)], here);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("has the hash")]);
  });
});
