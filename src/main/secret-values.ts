/** Values of our own environment that look like secrets by their names; they are masked wherever they turn up. */
export function secretValues(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (/^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/.test(name)) return headerValues(value);
    return /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|CREDENTIAL/i.test(name) ? [value] : [];
  });
}

/** `name=value,name=value`: with what the operator's collector is opened, the word before a token left out. */
function headerValues(headers: string): string[] {
  return headers.split(",").flatMap((header) => {
    const value = header.slice(header.indexOf("=") + 1).trim();
    return [value, value.replace(/^\w+(?: |%20)+/, "")];
  });
}
