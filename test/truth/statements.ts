import type { ClaimKind } from "../../src/evidence/claim.ts";
import type { JsonRecord, JsonValue } from "../../src/shared/json-value.ts";
import type { Draft, Spec } from "./plant.ts";

/** What handoffs can say, one function for each way of saying it. */

function spec(kind: ClaimKind, name: string, add: (draft: Draft) => string, more: Partial<Spec> = {}): Spec {
  return { kind, name, add, slot: null, declares: [], ...more };
}

function listItem(
  list: "created" | "modified" | "artifacts" | "commits" | "issues" | "fixes" | "failures",
  item: JsonRecord,
  where: string,
): (draft: Draft) => string {
  return (draft) => `${where}.${draft[list].push(item) - 1}`;
}

export function created(path: string, lines = "all", declares = [path]): Spec {
  const item = { path, purpose: "Makes gift cards work", lines };
  return spec("file", `created ${path} ${lines}`, listItem("created", item, "work.created"), { declares });
}

export function modified(path: string, lines = "all", type = "modify", declares = [path]): Spec {
  const item = { path, lines, change_type: type, description: "Takes gift cards into account" };
  return spec("file", `${type} ${path} ${lines}`, listItem("modified", item, "work.modified"), { declares });
}

export function deleted(path: string, declares = [path]): Spec {
  return modified(path, "all", "delete", declares);
}

/** As 004 says it: no word on how. */
export function changed(path: string, declares = [path]): Spec {
  return spec("file", `changed ${path}`, listItem("modified", { path }, "work.modified"), { declares });
}

/** As an agent says it where its format has no field. */
export function deletedBeside(path: string): Spec {
  return spec(
    "file",
    `beside: deleted ${path}`,
    (draft) => {
      draft.data["files_deleted"] = [path];
      return "context.data.files_deleted.0";
    },
    { declares: [path], slot: "data.files_deleted" },
  );
}

export function artifact(path: string, declares = [path]): Spec {
  const item = { type: "source_file", path, purpose: "Gift cards", priority: "high" };
  return spec("artifact", `artifact ${path}`, listItem("artifacts", item, "work.artifacts"), { declares });
}

export function commit(sha: string, message: string): Spec {
  return spec("commit", `commit ${sha} ${message}`, listItem("commits", { sha, message }, "work.commits"));
}

/** What was merged may have lost its branch: the two are not said in one handoff. */
export function branch(name: string): Spec {
  return { ...workField("branch", "branch", name), slot: "work.merge" };
}

function workField(kind: ClaimKind, key: string, value: JsonValue): Spec {
  return spec(
    kind,
    `${key} ${JSON.stringify(value)}`,
    (draft) => {
      draft.work[key] = value;
      return `work.${key}`;
    },
    { slot: `work.${key}` },
  );
}

export function workspace(part: "path" | "type" | "port", value: string, path?: string): Spec {
  return spec(
    "workspace",
    `workspace ${part} ${value}`,
    (draft) => {
      draft.work["workspace"] = { ...(path === undefined ? {} : { path }), [part]: value };
      return `work.workspace.${part}`;
    },
    { slot: "work.workspace" },
  );
}

export function merged(sha: string): Spec {
  return mergeOf("sha", { status: "merged", sha });
}

export function mergedBy(sha: string, strategy: string): Spec {
  return mergeOf("strategy", { status: "merged", sha, strategy });
}

function mergeOf(part: string, merge: JsonRecord): Spec {
  return spec(
    "merge",
    `merge ${JSON.stringify(merge)}`,
    (draft) => {
      draft.work["merge"] = merge;
      return `work.merge.${part}`;
    },
    { slot: "work.merge" },
  );
}

export function issueAt(location: string, status = "open", id = `BUG-${location}`): Spec {
  const item = { id, severity: "high", category: "bug", location, description: "Wrong", remediation: "Mend", status };
  const add = listItem("issues", item, "findings.issues");
  return spec("place", `${status} issue at ${location}`, (draft) => `${add(draft)}.location`);
}

export function fixAt(location: string, kind: "fix" | "ledger" = "fix"): Spec {
  const add = listItem("fixes", { location, description: "Mended" }, "findings.fixes");
  return spec(kind, `fix at ${location}`, (draft) => `${add(draft)}.location`);
}

export function resolved(id: string): Spec {
  return spec("ledger", `resolved ${id}`, (draft) => `findings.resolved.${draft.resolved.push(id) - 1}`);
}

export function failure(type: string): Spec {
  const add = listItem("failures", { type, description: "It fails" }, "findings.failures");
  const fail = (draft: Draft): string => {
    draft.top["outcome"] = "needs-fixes";
    return add(draft);
  };
  // Who reports failures promises no command that passes.
  return spec("check", `failure ${type}`, fail, { slot: "checks.command" });
}

export function reviewCount(name: string, count: number, severities: readonly string[]): Spec {
  return spec(
    "count",
    `${name} ${count} of ${severities.join(",")}`,
    (draft) => {
      for (const [at, severity] of severities.entries())
        draft.issues.push({ id: `R-${at}`, severity, location: "src/cart/total.ts:1", description: "Wrong" });
      draft.review["status"] = "changes_requested";
      draft.review[name] = count;
      return `findings.review.${name}`;
    },
    { slot: "review" },
  );
}

/** A figure under a name that agents use. */
export function metric(kind: ClaimKind, name: string, value: JsonValue, part = ""): Spec {
  return spec(
    kind,
    `metrics.${name} ${JSON.stringify(value)}`,
    (draft) => {
      draft.metrics[name] = value;
      return `metrics.${name}${part}`;
    },
    { slot: kind === "test" || kind === "count" ? `metrics.${kind}` : `metrics.${name}` },
  );
}

export function tests(figures: JsonRecord, kind: "test" | "count" = "test"): Spec {
  return spec(
    kind,
    `metrics ${JSON.stringify(figures)}`,
    (draft) => {
      Object.assign(draft.metrics, figures);
      return "metrics.tests_passed";
    },
    { slot: "metrics.test" },
  );
}

export function result(kind: ClaimKind, name: string, value: JsonValue): Spec {
  return spec(
    kind,
    `checks.results.${name} ${JSON.stringify(value)}`,
    (draft) => {
      draft.results[name] = value;
      return `checks.results.${name}`;
    },
    { slot: kind === "test" ? "results.tests" : `results.${name}` },
  );
}

export function command(text: string, loops = false): Spec {
  return spec(
    "command",
    `command ${text}${loops ? " in a loop" : ""}`,
    (draft) => {
      draft.checks["command"] = text;
      draft.checks["expected_result"] = loops ? "Tests fail" : "All tests pass";
      draft.checks["checklist"] = ["Cards can be redeemed"];
      if (loops) {
        draft.top["outcome"] = "needs-fixes";
        draft.top["routing"] = { loop: { required: true, target: "reviewer-agent", reason: "BUGS_FOUND_IN_TESTS" } };
      }
      return "checks.command";
    },
    { slot: "checks.command" },
  );
}

export function source(place: string): Spec {
  return spec("source", `read ${place}`, (draft) => `work.verified.${draft.verified.push(place) - 1}`);
}

export function skill(name: string): Spec {
  return spec("skill", `skill ${name}`, (draft) => `work.skills.${draft.skills.push(name) - 1}`);
}

export function phase(name: string): Spec {
  return topField("phase", "phase", name);
}

export function writtenAt(time: string): Spec {
  return topField("time", "at", time);
}

function topField(kind: ClaimKind, key: string, value: string): Spec {
  return spec(
    kind,
    `${key} ${value}`,
    (draft) => {
      draft.top[key] = value;
      return key;
    },
    { slot: key },
  );
}
