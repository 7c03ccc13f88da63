import { playTurn } from "./scripted-agent.ts";

/** What every script under `agents` runs, in the place of a coding agent. */
await playTurn(process.env["BATON_TRIAL"] ?? "");
