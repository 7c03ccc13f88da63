import { parentPort, workerData } from "node:worker_threads";
import { measureRuns } from "../runtime/operations/measure-runs.ts";
import { verifyAudit } from "../runtime/operations/verify-audit.ts";
import { openState } from "./open-state.ts";
import type { LongQuestion } from "./long-worker.ts";

/** In a thread of its own: work on the whole log must not delay requests for one run. */
const { root, configFolder } = workerData as { readonly root: string; readonly configFolder: string };
const opening = openState(root, configFolder, () => undefined, "made");

parentPort?.on("message", (question: LongQuestion) => {
  void answer(question).then(
    (found) => parentPort?.postMessage({ id: question.id, answer: found }),
    (error: unknown) => parentPort?.postMessage({ id: question.id, problem: String(error) }),
  );
});

async function answer(question: LongQuestion): Promise<unknown> {
  const engine = await opening;
  return question.kind === "measure" ? measureRuns(engine.ports, question.filter) : verifyAudit(engine);
}
