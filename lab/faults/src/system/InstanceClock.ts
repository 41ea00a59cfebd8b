/**
 * The clock of an instance under faults: `Date` goes wrong by as much as the harness says, as it does where the clock
 * of a machine is set. What counts time without a date, such as timers, goes on as it did.
 *
 * It is the first import of an instance: what is loaded after it sees this `Date`.
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

// An instance that lost its harness must not be left behind.
process.once("disconnect", () => process.exit(1))

// Being told the time is no reason to live on.
process.channel?.unref()
