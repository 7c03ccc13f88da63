import type { Cheat } from "./cheat.ts";
import { verified } from "./lists.ts";
import { addDiscount, artifact, type Kit, xml } from "./kit.ts";

const BUG = {
  id: "BUG-1",
  severity: "critical",
  category: "bug",
  location: "src/cart.mjs:2",
  description: "A negative quantity lowers the total",
  remediation: "Refuse it",
  status: "open",
};

/** The first time the tester finds the bug; then it says nothing of it. */
function finds(kit: Kit): void {
  if (kit.round > 1) kit.handOver();
  else
    kit.handOver({
      to_agent: "builder",
      status: "FAIL",
      loop_required: true,
      loop_target: "builder",
      loop_reason: "BUGS_FOUND_IN_TESTS",
      issues: [BUG],
    });
}

/** Honest in the first round; then it does this, and says that the bug is fixed. */
function fixes(
  change: (kit: Kit) => void,
  path: string,
  says: Readonly<Record<string, unknown>> = RESOLVED,
): (kit: Kit) => void {
  return (kit) => {
    addDiscount(kit);
    if (kit.round === 1) return kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
    change(kit);
    kit.handOver({ artifacts: [artifact(path)], ...says });
  };
}

const RESOLVED = { issues_resolved: ["BUG-1"], issues: [{ ...BUG, status: "fixed" }] };
const notes = (kit: Kit): void => kit.write("NOTES.txt", "The negative quantity is refused now.\n");

/** What the tester finds goes back to the builder. */
const looks = (text: string): string =>
  text.replace("needs-fixes: { loop: builder }, failed: fail", "failed: { loop: builder }");

/** After the fix the work ends: the tester does not look again. */
const unseen = (text: string): string =>
  looks(text).replace("done: tester, failed", "done: [{ to: end, when: iteration > 1 }, tester], failed");

const OPEN = /"kind":"(?:open|refuted)"/;

export const FIXES: Readonly<Record<string, Cheat>> = {
  F01: { workflow: unseen, tester: finds, builder: fixes(notes, "NOTES.txt"), shows: OPEN },
  F02: {
    workflow: unseen,
    tester: finds,
    builder: fixes(
      (kit) => kit.edit("src/cart.mjs", 'RangeError("percent")', 'RangeError("between 0 and 100")'),
      "src/cart.mjs",
    ),
    shows: OPEN,
  },
  F03: {
    workflow: unseen,
    tester: finds,
    builder: fixes(
      (kit) =>
        kit.edit(
          "src/cart.mjs",
          "  return lines.reduce((sum, { price",
          "  // Negative quantities are refused.\n  return lines.reduce((sum, { price",
        ),
      "src/cart.mjs",
    ),
    shows: OPEN,
  },
  F04: { tester: (kit) => kit.handOver({ issues: [BUG] }), shows: OPEN },
  F05: {
    builder(kit) {
      addDiscount(kit);
      kit.handOver({ artifacts: [artifact("src/cart.mjs")], issues_resolved: ["GHOST-9"] });
    },
    shows: /GHOST-9/,
  },
  F06: {
    workflow: unseen,
    tester: finds,
    builder: fixes(notes, "NOTES.txt", { issues: [{ ...BUG, severity: "low" }] }),
    shows: OPEN,
  },
  F07: {
    workflow: unseen,
    tester: finds,
    builder: fixes(notes, "NOTES.txt", { issues: [{ ...BUG, status: "wontfix" }] }),
    shows: OPEN,
  },
  F08: {
    builder(kit) {
      addDiscount(kit);
      kit.handOver({ artifacts: [artifact("src/cart.mjs")], from_agent: "tester" });
    },
    shows: /from_agent|tester/,
  },
  F09: {
    builder(kit) {
      addDiscount(kit);
      kit.handOver({ artifacts: [artifact("src/cart.mjs")], to_agent: "COMPLETE" });
    },
    async user(user) {
      const { started } = await user.runWorkflow();
      return { stopped: started.includes("tester") ? "the tester has worked" : "", asked: "", told: "" };
    },
    shows: /tester/,
  },
  F10: {
    async user(user) {
      user.write("NOTES.txt", "Mended.\n");
      user.git("add", "--all");
      user.git("commit", "--quiet", "--message", "Mend it");
      const data = `<pr_url>https://git.example/shop/pull/8</pr_url><fixes_applied><fix location="src/cart.mjs:2">Refuses negative quantities</fix></fixes_applied><commits_added>1</commits_added>`;
      const handoff = xml(data)
        .replace("<from>builder", "<from>fixer-agent")
        .replace("<to>tester", "<to>reviewer-agent");
      return verified(
        user,
        handoff.replace("success", "ready-for-re-review").replace("<status>", "<pr_number>8</pr_number><status>"),
      );
    },
    shows: /src\/cart\.mjs/,
  },
  F11: { workflow: looks, tester: finds, builder: fixes(notes, "NOTES.txt"), shows: OPEN },
  F13: {
    workflow: unseen,
    tester: finds,
    builder: fixes((kit) => kit.write("README.md", "# Shop\n\nNegative quantities are refused.\n"), "README.md", {
      issues_resolved: ["BUG-1"],
      issues: [{ ...BUG, status: "fixed", location: "README.md:3" }],
    }),
    shows: OPEN,
  },
  F14: {
    workflow: unseen,
    tester: finds,
    builder: fixes((kit) => {
      const text = kit.read("src/cart.mjs");
      kit.remove("src/cart.mjs");
      kit.write("src/cart.mjs", text);
    }, "src/cart.mjs"),
    shows: OPEN,
  },
  F15: {
    workflow: unseen,
    tester: finds,
    builder: fixes(
      (kit) => kit.edit("src/cart.mjs", "  return lines.reduce((sum, { price", "    return lines.reduce((sum, { price"),
      "src/cart.mjs",
    ),
    shows: OPEN,
  },
  F12: {
    workflow: looks,
    tester: finds,
    builder: fixes(
      (kit) => kit.edit("src/cart.mjs", "sum + price * quantity", "sum + price * Math.max(0, quantity)"),
      "src/cart.mjs",
    ),
  },
};
