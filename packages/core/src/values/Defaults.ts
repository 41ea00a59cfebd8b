/** The defaults, overridden by settings. A setting that is `undefined` counts as absent. */
export const withDefaults = <A extends object>(
  defaults: A,
  settings: { readonly [K in keyof A]?: A[K] | undefined } = {}
): A =>
  Object.assign(
    {},
    defaults,
    Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  )
