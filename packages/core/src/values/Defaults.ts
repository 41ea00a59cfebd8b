/** The defaults, overridden by the given settings. A setting given as `undefined` counts as not given. */
export const withDefaults = <A extends object>(
  defaults: A,
  settings: { readonly [K in keyof A]?: A[K] | undefined } = {}
): A =>
  Object.assign(
    {},
    defaults,
    Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  )
