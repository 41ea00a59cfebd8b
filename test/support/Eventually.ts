/** Waits for conditions without an event: checks again and again, for a bounded time, and reports what did not come. */

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

/** Checks until there is a value other than `false` and `undefined`, and returns it. */
export const eventually = async <A>(
  what: string,
  look: () => A | false | undefined | Promise<A | false | undefined>,
  limitMillis = 60_000
): Promise<A> => {
  const end = performance.now() + limitMillis
  for (;;) {
    const found = await look()
    if (found !== false && found !== undefined) return found
    if (performance.now() > end) throw new Error(`Waited for ${limitMillis} ms in vain: ${what}`)
    await pause()
  }
}

/** Checks until a number has stayed the same for 20 checks. */
export const settled = async (what: string, measure: () => number, limitMillis = 60_000): Promise<void> => {
  let same = 0
  let last = Number.NaN
  await eventually(`${what} stays the same`, () => {
    const now = measure()
    same = now === last ? same + 1 : 0
    last = now
    return same >= 20
  }, limitMillis)
}
