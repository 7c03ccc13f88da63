import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Engine } from "../../runtime/engine.ts";
import { acceptLog, auditHead, auditKey, exportAudit } from "../../runtime/operations/audit-head.ts";
import { personOf } from "../../runtime/request-source.ts";
import { sinceBy } from "../../runtime/operations/since-by.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import {
  type KnownKey,
  type VerifyAuditOptions,
  verifyAudit,
  publicKeyIn,
  verifyAuditFile,
} from "../../runtime/operations/verify-audit.ts";
import { AppError } from "../../shared/app-error.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { escapeJsonLines, printable, printJsonLines } from "../../shared/printable.ts";
import { display, say } from "../fit-lines.ts";
import { printAudit, printHead, printUnsigned, writeExport } from "../print-audit.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { reason } from "../read-input.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

type Act = (invocation: Invocation, terminal: Terminal) => Promise<number>;

interface Subcommand {
  readonly usage: string;
  readonly about: string;
  readonly options: readonly string[];
  readonly act: Act;
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  verify: {
    usage: "[FILE]",
    about: "Check the log, or an exported FILE: what holds, what was changed, and where.",
    options: ["head", "key", "json"],
    act: verify,
  },
  export: {
    usage: "[FILE]",
    about: "Write the log as JSON Lines that can be verified anywhere with the public key.",
    options: ["run", "since"],
    act: exporting,
  },
  head: {
    usage: "",
    about: "Sign the present head and print it in one line, to be kept elsewhere.",
    options: ["json"],
    act: head,
  },
  key: { usage: "", about: "Print the public key of this machine (PEM).", options: [], act: key },
  accept: {
    usage: "",
    about: "From now on this log stands here: you have removed, restored or copied it, or pruned without a key.",
    options: ["json"],
    act: accept,
  },
};
const NAMES = Object.keys(SUBCOMMANDS);

export const command: Command = {
  name: "audit",
  summary: "Prove that the log was not changed, and export the proof",
  usage: `${NAMES.join("|")} ...`,
  details: [
    ...Object.entries(SUBCOMMANDS).map(
      ([name, { usage: after, about }]) => `  ${`${name} ${after}`.trimEnd().padEnd(14)} ${about}`,
    ),
    "",
    "Checkpoints are signed when a run ends or waits, every few hundred entries, and by `head` and `export`.",
    "The key lies in your own configuration folder, never in the repository or the state.",
    "A FILE is believed when your own key or one that you keep has signed it; --key names who must have.",
    "Exit code of verify: 0 intact or empty, 1 broken or not proven, 3 a FILE that cannot be read or is no export.",
    'Exit code of head: 0, also when it could not be signed; it says so then, and "signed" is false in the JSON.',
  ],
  options: {
    head: { value: "HASH@POSITION", about: "verify: also against a head that was kept elsewhere." },
    key: { value: "FILE", about: "verify: believe signatures of this public key (PEM); may be given several times." },
    run: { value: "RUN", about: "export: entries of this run only, with the register of all runs." },
    since: { value: "AGE", about: "export: without the contents of older entries: 12h, 7d." },
    json: { about: "Print JSON." },
    ...HELP_OPTION,
  },
  subcommands: NAMES,
  run: async (invocation, terminal) => {
    const [name, ...operands] = invocation.operands;
    const wanted = find(name);
    const stray = Object.keys(command.options).find((each) => invocation.has(each) && !wanted.options.includes(each));
    if (stray !== undefined) throw wrongUse(`baton audit ${name ?? ""} takes no --${stray}.`);
    if (operands.length > (wanted.usage === "" ? 0 : 1))
      throw wrongUse(`baton audit ${name ?? ""} takes ${wanted.usage === "" ? "nothing" : "one file"}.`);
    return wanted.act({ ...invocation, operands }, terminal);
  },
};

function find(name: string | undefined): Subcommand {
  if (name === undefined) throw wrongUse(`Say what to do: ${NAMES.join(", ")}.`);
  const found = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (found !== undefined) return found;
  const near = nearestWord(name, NAMES);
  const hint = near === null ? `It is one of ${NAMES.join(", ")}.` : `Did you mean \`baton audit ${near}\`?`;
  throw wrongUse(`There is no baton audit ${name}.`, hint);
}

function wrongUse(message: string, hint?: string): AppError {
  return usage({ name: "audit" }, message, hint);
}

async function verify(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [file] = invocation.operands;
  const options = verifyOptions(invocation, terminal);
  const report =
    file === undefined
      ? await withEngine(terminal, (engine) => verifyAudit(engine, options))
      : await verifyAuditFile(resolve(terminal.directory, file), { ...options, known: await terminal.knownKeys() });
  if (invocation.has("json")) terminal.out(printJsonLines(report));
  else display(terminal, printAudit(report, terminal.colour.out));
  return report.verdict === "intact" || report.verdict === "empty" ? EXIT.fine : EXIT.findings;
}

function verifyOptions(invocation: Invocation, terminal: Terminal): VerifyAuditOptions {
  const given = invocation.text("head");
  const parts = given === undefined ? null : /^([0-9a-f]{64})@([1-9]\d{0,14})$/.exec(given);
  if (given !== undefined && parts === null)
    throw wrongUse(
      `--head takes a hash and a position; found "${given}".`,
      "Copy the first word of what `baton audit head` has printed: HASH@POSITION.",
    );
  return {
    keys: invocation.texts("key").map((path) => readPublicKey(path, terminal)),
    ...(parts !== null && { head: { hash: parts[1] ?? "", position: Number(parts[2]) } }),
  };
}

function readPublicKey(path: string, terminal: Terminal): KnownKey {
  let pem: string;
  try {
    pem = readFileSync(resolve(terminal.directory, path), "utf8");
  } catch (error) {
    throw new AppError("cannot-read", `${path} cannot be read: ${reason(error)}.`, "`baton audit key` prints one.");
  }
  const publicKey = publicKeyIn(pem);
  if (publicKey === null)
    throw wrongUse(
      `${path} holds no public key of Ed25519.`,
      "Make it with `baton audit key > key.pem` where it was signed.",
    );
  return { publicKey, whose: "given", file: path };
}

async function exporting(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [file] = invocation.operands;
  return withEngine(terminal, async (engine) => {
    const pieces = exportAudit(engine, await filterOf(invocation, engine));
    if (file === undefined || file === "-") await printExport(pieces, terminal);
    else {
      await writeExport(resolve(terminal.directory, file), pieces);
      say(
        terminal,
        `${printable(file)} can be checked here with \`baton audit verify ${printable(file)}\`, and elsewhere with --key and your public key (\`baton audit key\`).\n`,
      );
    }
    return EXIT.fine;
  });
}

/** What agents have written is in it: a terminal must not obey that. */
async function printExport(pieces: AsyncIterable<string>, terminal: Terminal): Promise<void> {
  const isOnTerminal = terminal.room.out !== Infinity;
  for await (const piece of pieces) terminal.out(isOnTerminal ? escapeJsonLines(piece) : piece);
  if (isOnTerminal)
    say(terminal, "Invisible characters are shown as \\uXXXX here: to verify the export, write it into a FILE.\n");
}

async function filterOf(invocation: Invocation, engine: Engine): Promise<{ run?: string; since?: number }> {
  const name = invocation.text("run");
  const age = invocation.text("since");
  const since = age === undefined ? undefined : sinceBy(age, engine.ports.clock.now());
  if (since === null) throw wrongUse(`--since takes an age such as 12h or 7d; found "${age ?? ""}".`);
  return {
    ...(name !== undefined && { run: (await findRun(engine.ports, name)).run }),
    ...(since !== undefined && { since }),
  };
}

function head(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withEngine(terminal, async (engine) => tellHead(await auditHead(engine), invocation, terminal));
}

async function accept(invocation: Invocation, terminal: Terminal): Promise<number> {
  personOf(await terminal.requestSource(), "`baton audit accept`");
  return withEngine(terminal, async (engine) => tellHead(await acceptLog(engine), invocation, terminal));
}

function tellHead(found: Awaited<ReturnType<typeof auditHead>>, invocation: Invocation, terminal: Terminal): number {
  if (invocation.has("json")) terminal.out(printJsonLines(found));
  else if (found !== null) terminal.out(printHead(found));
  if (found === null) say(terminal, "The log is empty: there is no head yet.\n");
  else if (!found.signed) say(terminal, printUnsigned(found));
  return EXIT.fine;
}

function key(_invocation: Invocation, terminal: Terminal): Promise<number> {
  return withEngine(terminal, async (engine) => {
    const found = auditKey(engine);
    if ("why" in found)
      throw new AppError("cannot-read", `There is no key: ${found.why}.`, "Set XDG_CONFIG_HOME to a folder of yours.");
    terminal.out(found.pem);
    return EXIT.fine;
  });
}

async function withEngine<T>(terminal: Terminal, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await terminal.openExisting();
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
