import fc from "../node_modules/fast-check/lib/fast-check.js";

/**
 * What stands for `fast-check` in tests. The same inputs each time, so that what worked is not refused for an old
 * fault by chance; whoever searches for faults asks for other ones: BATON_PROPERTY_SEED=random, or a number.
 */
const asked = process.env["BATON_PROPERTY_SEED"] ?? "20261116";
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });

export * from "../node_modules/fast-check/lib/fast-check.js";
// oxlint-disable-next-line import/no-default-export -- it stands for a package that has one
export default fc;
