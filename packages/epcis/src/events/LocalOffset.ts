/**
 * The offset of clocks from UTC at a time, in the form of events (D24.1).
 */
import type { Timestamp } from "@dockline/core/values/Timestamp"

/** Makes the function for the offset of a time zone's clocks: `-05:00`, or `+00:00` in UTC. */
export const offsetsOf = (timeZone: string): (time: Timestamp) => string => {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
  return (time) => {
    const name = format.formatToParts(new Date(time)).find(({ type }) => type === "timeZoneName")?.value ?? ""
    // Historical offsets had seconds, which the standard does not allow.
    return /[+-]\d\d:\d\d/.exec(name)?.[0] ?? "+00:00"
  }
}
