/** Values of our own environment that look like secrets by their names; they are masked wherever they turn up. */
export function secretValues(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|CREDENTIAL/i.test(name) ? [value] : [],
  );
}
