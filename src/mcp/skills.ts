import { type SkillsExtension, SkillCatalog, memorySkillFiles } from "@modelcontextprotocol/server/ext/skills";
import { DIALECTS } from "../protocol/dialects/registry.ts";
import { skillFile } from "./skill-texts.ts";

/** The formats in one line each. */
function formatList(): string {
  const lines = Object.values(DIALECTS).map(({ name, title }) => `- \`${name}\`: ${title}`);
  return `# Formats\n\n${lines.join("\n")}\n\nA repository may have formats of its own beside these; \`validate_handoff\` knows them.\n`;
}

/** Skills that a client can load over MCP (SEP-2640). */
export async function openSkills(): Promise<SkillsExtension> {
  const files = {
    "handoff/SKILL.md": `${skillFile("handoff")}\nThe formats that come along: [formats](references/formats.md).\n`,
    "handoff/references/formats.md": formatList(),
    "pickup/SKILL.md": skillFile("pickup"),
  };
  return SkillCatalog.load(memorySkillFiles(files), { prefix: "baton", strict: true });
}
