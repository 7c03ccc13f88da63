import { isBuiltin } from "../protocol/dialects/registry.ts";
import type { BuiltinDialect, DialectName } from "../protocol/handoff-words.ts";
import type { PacketLayout } from "./layouts/page.ts";
import { issueXmlLayout } from "./layouts/issue-xml.ts";
import { outputJsonLayout } from "./layouts/output-json.ts";
import { phaseYamlLayout } from "./layouts/phase-yaml.ts";
import { pipelineJsonLayout } from "./layouts/pipeline-json.ts";
import { taskYamlLayout } from "./layouts/task-yaml.ts";
import type { Packet } from "./packet.ts";

export { leftOutReason } from "./layouts/page.ts";

/** One layout for each dialect: an agent reads its context in the format that it writes. */
export const PACKET_LAYOUTS: Readonly<Record<BuiltinDialect, PacketLayout>> = {
  "pipeline-json": pipelineJsonLayout,
  "issue-xml": issueXmlLayout,
  "phase-yaml": phaseYamlLayout,
  "task-yaml": taskYamlLayout,
  "output-json": outputJsonLayout,
};

/** An agent with a format of the team's own reads its context as a task file has it. */
export function packetLayout(name: DialectName): PacketLayout {
  return PACKET_LAYOUTS[isBuiltin(name) ? name : "task-yaml"];
}

/** The text for a prompt: the same packet gives the same bytes. */
export function renderPacket(packet: Packet): string {
  return packetLayout(packet.layout).render(packet);
}
