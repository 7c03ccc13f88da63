import { GEMINI } from "./clients.ts";
import { realClientTests } from "./real-client.ts";

realClientTests(GEMINI);
