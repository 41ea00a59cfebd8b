/**
 * The offset of clocks from UTC at a time, as events have it (D24.1).
 */
import type { Timestamp } from "@dockline/core/values/Timestamp"

/** Makes what tells the offset of the clocks of a time zone: `-05:00`, or `+00:00` in UTC. */
export const offsetsOf = (timeZone: string): (time: Timestamp) => string => {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
  return (time) => {
    const name = format.formatToParts(new Date(time)).find(({ type }) => type === "timeZoneName")?.value ?? ""
    // Before they were rounded, offsets had seconds; the standard takes none.
    return /[+-]\d\d:\d\d/.exec(name)?.[0] ?? "+00:00"
  }
}
