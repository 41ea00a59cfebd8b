/** How often a test tries its property. */

/**
 * `count` times by default, more often with `LAW_FACTOR` set. A property that fails prints the seed and path that show
 * it again.
 */
export const runs = (count: number): { readonly numRuns: number } => ({
  numRuns: count * Number(process.env["LAW_FACTOR"] ?? 1)
})
