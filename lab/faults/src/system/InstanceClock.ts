/**
 * The clock of an instance under faults: `Date` is wrong by the offset of the harness, as when the clock of a machine is set. Timers and
 * other measures of time without a date are unaffected.
 *
 * It is the first import of an instance, so that all other modules see this `Date`.
 */
const realNow = Date.now

let offset = 0

Date.now = () => realNow() + offset

globalThis.Date = new Proxy(Date, {
  construct: (target, given: Array<unknown>, made) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, made) as Date,
  apply: (target) => new target(target.now()).toString()
})

process.on("message", (message) => {
  offset = (message as { readonly offset: number }).offset
})

// An instance that loses its harness must end.
process.once("disconnect", () => process.exit(1))

// The channel must not keep the process alive.
process.channel?.unref()
