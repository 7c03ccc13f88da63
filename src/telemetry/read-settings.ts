/** Where telemetry goes, by the variables that every OpenTelemetry program reads. */
export interface Settings {
  /** Full addresses; null for what is not to be told. */
  readonly traces: string | null;
  readonly metrics: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Null when telemetry is off, and a text when it was asked for in a way that cannot be done. */
export function readSettings(environment: Environment): Settings | string | null {
  if (valueOf(environment, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return null;
  const traces = addressFor(environment, "TRACES");
  const metrics = addressFor(environment, "METRICS");
  if (traces === null && metrics === null) return null;
  const problem = [traces, metrics].find((address) => address !== null && "problem" in address);
  if (problem !== undefined && problem !== null && "problem" in problem) return problem.problem;
  return { traces: hrefOf(traces), metrics: hrefOf(metrics) };
}

type Address = { readonly href: string } | { readonly problem: string } | null;

function addressFor(environment: Environment, signal: "TRACES" | "METRICS"): Address {
  if (valueOf(environment, `OTEL_${signal}_EXPORTER`) === "none") return null;
  const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const shared = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const name = valueOf(environment, own) === null ? shared : own;
  const given = valueOf(environment, name);
  if (given === null) return null;
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    return { problem: `${name} is no address that begins with http:// or https://` };
  const protocol =
    valueOf(environment, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ??
    valueOf(environment, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === "grpc")
    return { problem: "OTEL_EXPORTER_OTLP_PROTOCOL is grpc; baton speaks http/json, to port 4318 as a rule" };
  return { href: name === own ? given : `${given.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}` };
}

function hrefOf(address: Address): string | null {
  return address !== null && "href" in address ? address.href : null;
}

/** A variable that is empty counts as one that is not there. */
function valueOf(environment: Environment, name: string): string | null {
  const value = environment[name]?.trim() ?? "";
  return value === "" ? null : value;
}
