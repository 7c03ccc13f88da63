/** A real client, as `../shared/ecosystem.md` section 9 says it is run without a network and a real model. */
export interface RealClient {
  readonly name: string;
  readonly kind: "claude" | "codex" | "acp";
  /** In `node_modules/.bin`. */
  readonly program: string;
  readonly parameters?: readonly string[];
  readonly variables: readonly string[];
  /** Files it needs, from the folder of the run: `home/...` or `proj/...`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Milliseconds within which it has asked the model on a slow machine. */
  readonly startUp?: number;
  /** Milliseconds before its session can be gone on with. */
  readonly rest?: number;
  /** All of them tell tokens. */
  readonly tellsMoney: boolean;
  /** Tokens of each request, and so those until its first change. */
  readonly tellsRequests: boolean;
  /** Changes that are not made by a command. */
  readonly tellsChanges: boolean;
}

export const CLAUDE: RealClient = {
  name: "Claude Code",
  kind: "claude",
  program: "claude",
  variables: [
    "ANTHROPIC_BASE_URL=http://127.0.0.1:8787",
    "ANTHROPIC_API_KEY=fake",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
    "DISABLE_AUTOUPDATER=1",
  ],
  tellsMoney: true,
  tellsRequests: true,
  tellsChanges: true,
};

export const CODEX: RealClient = {
  name: "Codex",
  kind: "codex",
  program: "codex",
  variables: ["FAKE_KEY=fake"],
  files: {
    "home/.codex/config.toml": `model = "fake-model"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:8787/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
`,
  },
  tellsMoney: false,
  tellsRequests: false,
  tellsChanges: false,
};

export const GEMINI: RealClient = {
  name: "Gemini CLI",
  kind: "acp",
  program: "gemini",
  parameters: ["--acp", "--skip-trust", "-m", "gemini-3-pro"],
  variables: [
    "GEMINI_API_KEY=fake",
    "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787",
    "GEMINI_CLI_NO_RELAUNCH=true",
    "GEMINI_CLI_TRUST_WORKSPACE=true",
  ],
  files: {
    "home/.gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
    }),
  },
  startUp: 25_000,
  // Gemini 0.61.0 names a session's file after the minute: loaded within the minute of its start, the
  // session is written over and lost ("No previous sessions found").
  rest: 61_000,
  tellsMoney: false,
  tellsRequests: false,
  tellsChanges: true,
};

export const OPENCODE: RealClient = {
  name: "OpenCode",
  kind: "acp",
  program: "opencode",
  parameters: ["acp"],
  variables: ["npm_config_offline=true", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"],
  files: {
    "proj/opencode.json": JSON.stringify({
      model: "fake/fake-model",
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: "http://127.0.0.1:8787/v1", apiKey: "fake" },
          models: { "fake-model": { limit: { context: 100_000, output: 8000 }, cost: { input: 1, output: 2 } } },
        },
      },
    }),
  },
  startUp: 30_000,
  tellsMoney: true,
  tellsRequests: false,
  tellsChanges: true,
};

export const COPILOT: RealClient = {
  name: "Copilot CLI",
  kind: "acp",
  program: "copilot",
  parameters: ["--acp"],
  variables: [
    "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:8787/v1",
    "COPILOT_PROVIDER_API_KEY=fake",
    "COPILOT_MODEL=fake-model",
    "COPILOT_OFFLINE=true",
  ],
  startUp: 20_000,
  tellsMoney: false,
  tellsRequests: false,
  tellsChanges: true,
};
