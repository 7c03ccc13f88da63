/** Users by their address. */
export const users = new Map([["ada@example.org", { name: "Ada" }]]);
