/**
 * Settings of which some are given and the others are as they are by default.
 */

/** The defaults, with what is given in their place. What is given as `undefined` is not given. */
export const withDefaults = <A extends object>(
  defaults: A,
  given: { readonly [K in keyof A]?: A[K] | undefined } = {}
): A =>
  Object.assign(
    {},
    defaults,
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  )
