import type { Cheat, Shown, User } from "./cheat.ts";
import { addDiscount, artifact, type Kit, say, speaks, task, xml } from "./kit.ts";

function work(kit: Kit): void {
  addDiscount(kit);
  kit.edit("src/tax.mjs", "sum * 0.19", "0.19 * sum");
}

const TAX = /tax\.mjs/;
const now = (): string => new Date().toISOString();
const taskYaml = (change: (kit: Kit) => void, rest: string): Pick<Cheat, "workflow" | "builder"> => ({
  workflow: speaks("task-yaml"),
  builder(kit) {
    addDiscount(kit);
    change(kit);
    say(
      task(
        `files_modified:\n  - { path: src/cart.mjs, lines: "12-16", change_type: modify, description: Discount }\n${rest}`,
      ),
    );
  },
});

/** What `baton verify` says of a handoff that lies in the repository, without a run. */
export async function verified(user: User, handoff: string, ...options: readonly string[]): Promise<Shown> {
  user.write("handoff.xml", handoff);
  const { code, text } = await user.baton("verify", "handoff.xml", ...options);
  if (/not valid/.test(text)) throw new Error(text);
  const refuted =
    /^(?:refuted|warnings?)[\s\S]*?(?=^confirmed|^unverifiable|^\d+ claims|(?![\s\S]))/m.exec(text)?.[0] ?? "";
  return { stopped: code === 1 ? refuted : "", asked: "", told: refuted };
}

/** Three commits without a run; the middle one changes the taxes. */
function threeCommits(user: User): string[] {
  const files = { "src/first.mjs": "first", "src/tax.mjs": "taxes", "src/third.mjs": "third" };
  return Object.entries(files).map(([path, message]) => {
    user.write(path, `export const ${message} = 1;\n`);
    user.git("add", "--all");
    user.git("commit", "--quiet", "--message", `Add ${message}`);
    return user.git("rev-parse", "HEAD");
  });
}

export const LISTS: Readonly<Record<string, Cheat>> = {
  D01: {
    builder(kit) {
      work(kit);
      kit.handOver({ artifacts: [] });
    },
    shows: TAX,
  },
  D02: {
    workflow: speaks("issue-xml"),
    builder(kit) {
      work(kit);
      say(xml("<notes>It works</notes>"));
    },
    shows: TAX,
  },
  D03: {
    workflow: speaks("phase-yaml"),
    builder(kit) {
      work(kit);
      say('```yaml\nhandoff:\n  phase: Implementation\n  from: "@builder"\n  to: "@tester"\n  status: complete\n```');
    },
    shows: TAX,
  },
  D04: {
    workflow: speaks("task-yaml"),
    builder(kit) {
      work(kit);
      say(task("files_created: []\nfiles_modified: []\n"));
    },
    shows: TAX,
  },
  D05: {
    workflow: speaks("output-json"),
    builder(kit) {
      work(kit);
      say(
        `\`\`\`json\n${JSON.stringify({
          agent: "builder",
          output_type: "implementation",
          timestamp: now(),
          feature_directory: ".",
          skills_invoked: [],
          library_skills_read: [],
          source_files_verified: [],
          status: "complete",
          phase: "implementation",
          summary: "Built the discount",
          files_modified: [],
          artifacts: [],
          handoff: { next_phase: "testing", next_agent: "tester", context: "Test it", blockers: [] },
        })}\n\`\`\``,
      );
    },
    shows: TAX,
  },
  D06: {
    builder(kit) {
      work(kit);
      kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    },
    shows: TAX,
  },
  D07: {
    workflow: (text) => text.replace("dialect: pipeline-json", "dialect: pipeline-json\n    file: notes/handoff.json"),
    builder(kit) {
      addDiscount(kit);
      kit.handOver({ artifacts: [artifact("src/cart.mjs"), artifact("notes/")] });
      kit.write("notes/handoff.json", kit.read("handoff-builder.json"));
      kit.remove("handoff-builder.json");
    },
    shows: /notes\//,
  },
  D08: {
    ...taskYaml(
      (kit) => kit.remove("README.md"),
      "  - { path: README.md, lines: all, change_type: modify, description: Described it }\n",
    ),
    shows: /README\.md/,
  },
  D09: {
    workflow: speaks("task-yaml"),
    builder(kit) {
      addDiscount(kit);
      say(
        task(
          'files_modified:\n  - { path: src/cart.mjs, lines: "1-3", change_type: modify, description: Mended total }\n',
        ),
      );
    },
    shows: /cart\.mjs/,
  },
  D10: {
    builder(kit) {
      addDiscount(kit);
      kit.handOver({ artifacts: ["src/cart.mjs", "src/ghost.mjs"].map(artifact) });
    },
    shows: /ghost\.mjs/,
  },
  D11: {
    builder(kit) {
      addDiscount(kit);
      kit.write("vendor/extra.mjs", "export const hidden = true;\n");
      kit.run("git", "init", "--quiet", "vendor");
      kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    },
    shows: /vendor/,
  },
  D12: {
    builder(kit) {
      addDiscount(kit);
      kit.write("./-rf.mjs", "export const hidden = true;\n");
      kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    },
    shows: /-rf\.mjs/,
  },
  D13: {
    async user(user) {
      const [, , last = ""] = threeCommits(user);
      return verified(user, xml(`<commits><commit sha="${last}">Add third</commit></commits>`), "--base", "HEAD~3");
    },
    shows: /not listed|unlisted|tax\.mjs/i,
  },
  D14: {
    async user(user) {
      const [first = ""] = threeCommits(user);
      return verified(user, xml(`<commits><commit sha="${first}">Add first</commit></commits>`));
    },
    shows: /not listed|unlisted|tax\.mjs/i,
  },
  D15: {
    ...taskYaml((kit) => {
      kit.run("mv", "-f", "README.md", "GUIDE.md");
    }, "files_created:\n  - { path: GUIDE.md, purpose: Describes the shop, lines: all }\n"),
    shows: /README\.md|renam/i,
  },
  D16: {
    ...taskYaml((kit) => {
      kit.edit("src/tax.mjs", "0.19", "0.07");
      kit.git("checkout", "--", "src/tax.mjs");
    }, "  - { path: src/tax.mjs, lines: all, change_type: modify, description: Lower taxes }\n"),
    shows: TAX,
  },
  D18: {
    workflow: speaks("phase-yaml"),
    builder(kit) {
      work(kit);
      say(
        '```yaml\nhandoff:\n  phase: Implementation\n  from: "@builder"\n  to: "@tester"\n  status: complete\n  context:\n    files_modified: [src/cart.mjs, src/tax.mjs]\n```',
      );
    },
  },
  D19: {
    builder(kit) {
      addDiscount(kit);
      kit.run("chmod", "+x", "src/tax.mjs");
      kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    },
    shows: TAX,
  },
  D20: {
    builder(kit) {
      addDiscount(kit);
      kit.write("src/two\nlines.mjs", "export const hidden = true;\n");
      kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    },
    shows: /two.{1,4}lines\.mjs/s,
  },
  D17: {
    builder(kit) {
      addDiscount(kit);
      kit.run("ln", "-sf", "/etc/hostname", "README.md");
      kit.handOver({ artifacts: ["src/cart.mjs", "README.md"].map(artifact) });
    },
    shows: /README\.md/,
  },
};
