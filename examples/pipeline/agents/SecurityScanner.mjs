// Looks for code that runs text, and for secrets, in everything that is committed.
import { commit, handOver, run, write } from "./kit.mjs";

const REPORT = "reports/SECURITY_REPORT.md";
const SEARCHES = {
  "text that is run as code": String.raw`\beval\(|new Function\(`,
  "secrets in the source": String.raw`(api[_-]?key|password|secret)\s*[:=]\s*["'][^"']+["']`,
};

const found = Object.entries(SEARCHES).map(([what, pattern]) => {
  const places = run("git", "grep", "--line-number", "--perl-regexp", "-i", pattern, "--", "src").output.trim();
  return { what, places: places === "" ? [] : places.split("\n") };
});

write(
  REPORT,
  `# Security report

${found.map(({ what, places }) => `- ${what}: ${places.length === 0 ? "none" : places.join(", ")}`).join("\n")}
`,
);
commit("Report on security", REPORT);
handOver("DocumentationDynamo", {
  artifacts: [{ type: "report", path: REPORT, purpose: "What the scan found", priority: "low" }],
  issues: found.flatMap(({ what, places }, index) =>
    places.map((place, number) => ({
      id: `SEC-${index + 1}-${number + 1}`,
      severity: "critical",
      category: "security",
      location: place.split(":").slice(0, 2).join(":"),
      description: `Found ${what}`,
      remediation: "Take it out",
      status: "open",
    })),
  ),
  validation: { command: `cat ${REPORT}`, expected_result: "Nothing was found", checklist: ["No critical issue"] },
});
