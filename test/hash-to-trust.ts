import { join } from "node:path";
import { loadWorkflow } from "../src/runtime/operations/load-workflow.ts";
import { trustSubject } from "../src/runtime/operations/trust-workflow.ts";

/** What `--trust` takes for the workflow file of a repository, as its files are now. */
export function hashToTrust(root: string, file = "baton.yaml"): string {
  return trustSubject(loadWorkflow(join(root, file)), { root, mark: "" }).hash;
}
