import { createHash } from "node:crypto";
import type { NewRunOptions } from "../../ports/driver.ts";
import type { Lease } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { codec } from "../../workflow/stored/codec.ts";
import { coveredFiles } from "../covered-files.ts";

import { LEASE_TIME, workerName } from "../worker-name.ts";
import { sendInput } from "./send-input.ts";

/** Stores a new run with its start in its inbox; the holder of the lease drives it. */
export async function startRun(
  ports: Ports,
  { workflow, brief, tasks, known, id, file, trusted, continues }: NewRunOptions,
): Promise<Lease> {
  const at = ports.clock.now();
  const run = id ?? newRunId(ports.clock.id());
  const pinned = pinOf(workflow);
  const named = { workflow: pinned, name: workflow.name, ...(file !== undefined && { file }) };
  const root = await ports.workspace.prepare(run, "in-place");
  const isInRepository = await ports.repository.isRepository(root);
  const files = trusted ?? coveredFiles(workflow, root);
  for (const { bytes } of files) ports.seenTexts?.keep(bytes);
  const start = {
    kind: "start-run",
    run,
    ...named,
    brief,
    tasks,
    known,
    ...(isInRepository && ({ inRepository: true } as const)),
    trusted: files.map(({ path, hash }) => ({ path, hash })),
    ...(continues !== undefined && { continues }),
  } as const;
  // Requested in one turn, and so stored together: a run without its start would wait forever.
  const [, lease] = await Promise.all([
    ports.log.putWorkflow(pinned, codec.encodeWorkflow(workflow)),
    ports.log.create(
      { run, name: workflow.name, workflow: pinned, at, brief: ports.redact(brief) },
      workerName(ports),
      at + LEASE_TIME,
    ),
    sendInput(ports, run, start, `start:${run}`),
  ]);
  return lease;
}

/** Hash of the parsed definition instead of the file: a newer baton may parse the same file differently. */
export function pinOf(workflow: Workflow): string {
  return hashOfDefinition(codec.encodeWorkflow(workflow));
}

/** Hash of a stored definition. */
export function hashOfDefinition(definition: JsonRecord): string {
  return createHash("sha256").update(JSON.stringify(definition)).digest("hex");
}

/** Short enough to type, long enough to be unique. */
export function newRunId(random: string): string {
  return random
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, 10)
    .toLowerCase();
}
