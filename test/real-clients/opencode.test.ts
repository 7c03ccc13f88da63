import { OPENCODE } from "./clients.ts";
import { realClientTests } from "./real-client.ts";

realClientTests(OPENCODE);
