import { join } from "node:path";
import { isRecord } from "../../shared/json-value.ts";
import type { HookClient } from "../hooks/hook-call.ts";
import type { SettingsMachine } from "./doctor-machine.ts";

/** How Baton gets into a client, and how it is seen that it did. */
export interface ClientSetup {
  readonly client: HookClient;
  readonly title: string;
  /** The program, which tells its version with `--version`. */
  readonly program: string;
  /** The commands that bring the hooks in. */
  install(packageFolder: string): string;
  hooks(machine: SettingsMachine): FoundHooks;
}

/** The hooks of Baton in the settings of a client. */
interface FoundHooks {
  /** The file that names them; null when none does. */
  readonly file: string | null;
  /** What the user has still to do before the client runs them; null when nothing. */
  readonly toTrust: string | null;
  /** The program that they name and that is not there; null when it is, or where that is not known. */
  readonly dead: string | null;
}

export const CLIENT_SETUPS: readonly ClientSetup[] = [
  {
    client: "claude",
    title: "Claude Code",
    program: "claude",
    install: (folder) => fromMarketplace("claude", folder, "claude plugin install baton@baton"),
    hooks: (machine) =>
      firstNaming(machine, [
        inFolder(machine.homeFolder(".claude", "CLAUDE_CONFIG_DIR"), "settings.json"),
        join(machine.root, ".claude/settings.json"),
        join(machine.root, ".claude/settings.local.json"),
      ]),
  },
  {
    client: "codex",
    title: "Codex",
    program: "codex",
    install: (folder) =>
      `${fromMarketplace("codex", folder, "codex plugin add baton@baton")}, then trust its hooks: start codex and type /hooks`,
    hooks: codexHooks,
  },
  {
    client: "copilot",
    title: "Copilot",
    program: "copilot",
    install: (folder) => fromMarketplace("copilot", folder, "copilot plugin install baton@baton"),
    hooks(machine) {
      const home = machine.homeFolder(".copilot", "COPILOT_HOME");
      const own = join(machine.root, ".github/hooks");
      return firstNaming(machine, [
        inFolder(home, "settings.json"),
        inFolder(home, "config.json"),
        ...machine.namesIn(own).map((name) => join(own, name)),
      ]);
    },
  },
  {
    client: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    install: (folder) => `gemini extensions install "${folder}/extensions/gemini"`,
    hooks(machine) {
      const home = machine.homeFolder(".gemini");
      return firstNaming(machine, [
        inFolder(home, "extensions/baton/hooks/hooks.json"),
        inFolder(home, "settings.json"),
        join(machine.root, ".gemini/settings.json"),
      ]);
    },
  },
  {
    client: "opencode",
    title: "OpenCode",
    program: "opencode",
    install: (folder) =>
      `mkdir -p ~/.config/opencode/plugin && cp "${folder}/extensions/opencode/baton.js" ~/.config/opencode/plugin/`,
    hooks(machine) {
      const home = machine.homeFolder(".config/opencode", "OPENCODE_CONFIG_DIR");
      const folders = [home, join(machine.root, ".opencode")].flatMap((folder) => [
        inFolder(folder, "plugin/baton.js"),
        inFolder(folder, "plugins/baton.js"),
      ]);
      return firstNaming(machine, folders);
    },
  },
];

function fromMarketplace(program: string, folder: string, install: string): string {
  return `${program} plugin marketplace add "${folder}" && ${install}`;
}

function inFolder(folder: string | null, name: string): string | null {
  return folder === null ? null : join(folder, name);
}

/** The first file that enables the plugin, or names our hook itself. */
function firstNaming(machine: SettingsMachine, files: readonly (string | null)[]): FoundHooks {
  const file = files.find((path) => path !== null && namesBaton(machine.readSettings(path) ?? "")) ?? null;
  return { file, toTrust: null, dead: file === null ? null : deadProgram(machine, machine.readSettings(file) ?? "") };
}

/** A program that a hook names by its whole path: what stands in a variable is the client's to find. */
function deadProgram(machine: SettingsMachine, text: string): string | null {
  const named = [...text.matchAll(/(?:^|[\s"'])(\/[^\s"'\\]*\bbaton(?:\.cjs)?)\\?["']? +hook\b/g)];
  return named.map(([, path = ""]) => path).find((path) => !machine.exists(path)) ?? null;
}

function namesBaton(text: string): boolean {
  return /\bbaton(?:\.cjs)?\\?["']? +hook\b|"hook", event/.test(text) || enablesPlugin(text);
}

function enablesPlugin(text: string): boolean {
  const plugins = parsed(text)["enabledPlugins"];
  return isRecord(plugins) && Object.entries(plugins).some(([name, on]) => name.startsWith("baton@") && on === true);
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Codex runs no hook that the user has not looked at, and says nothing about it. */
function codexHooks(machine: SettingsMachine): FoundHooks {
  const home = machine.homeFolder(".codex", "CODEX_HOME");
  const config = inFolder(home, "config.toml");
  const text = config === null ? "" : (machine.readSettings(config) ?? "");
  const isEnabled = /^\[plugins\."baton@[^"]+"\]\s*\n(?:(?!\[).*\n)*?\s*enabled\s*=\s*true/m.test(`${text}\n`);
  const direct = firstNaming(machine, [inFolder(home, "hooks.json"), join(machine.root, ".codex/hooks.json")]);
  const file = isEnabled ? config : direct.file;
  const source = isEnabled ? String.raw`baton@[^"]+` : String.raw`[^"]*hooks\.json`;
  const isTrusted = ["stop", "subagent_stop"].every((event) =>
    new RegExp(String.raw`^\[hooks\.state\."${source}:${event}:\d+:\d+"\]\s*\n\s*trusted_hash\s*=`, "m").test(text),
  );
  const toTrust = file === null || isTrusted ? null : "start codex, type /hooks, and trust those of baton";
  return { file, toTrust, dead: isEnabled ? null : direct.dead };
}
