/**
 * What is promised of messages that expire: they go away however busy the log is, nothing else does, and a reader who
 * comes too late for them is told so (D7.4).
 */
import { eventsOf } from "../history/History.ts"
import type { Invariant } from "./CheckerFacts.ts"

/** Some time after an instance was started nothing is left that had expired by then. */
export const expiredMessagesGo: Invariant = ({ history }) =>
  eventsOf(history, "swept").filter(({ left }) => left > 0).map((
    { expired, instance, left, millis, seq }
  ) => ({
    text:
      `${left} of ${expired} expired messages are left ${millis} ms after instance ${instance} was started`,
    events: [seq]
  }))

/** What is dropped has expired, and readers are told of dropped messages where there are such. */
export const nothingElseGoes: Invariant = (facts) => {
  const { dropped, history, log } = facts
  const millis = eventsOf(history, "retention")[0]?.millis ?? Infinity
  return [
    ...[...dropped.values()].filter(({ age }) => age !== null && age < millis).map(({ age, id, seq }) => ({
      text: `message ${id} was dropped when it was ${age} ms old`,
      events: [seq]
    })),
    ...eventsOf(history, "expired").flatMap(({ afterId, droppedId, reader, seq }) => {
      const business = eventsOf(history, "reader").find((each) => each.reader === reader)?.business
      const kept = log.filter((message) =>
        message.business === business && message.id > afterId && message.id <= droppedId &&
        !dropped.has(message.id)
      )
      if (kept.length === 0 && droppedId > afterId) return []
      return [{
        text: `${reader} was told that ${droppedId} is dropped, reading after ${afterId}; ${
          kept[0] === undefined ? "that is no later one" : `message ${kept[0].id} is not`
        }`,
        events: [seq, ...kept.slice(0, 5).map((message) => message.seq)]
      }]
    })
  ]
}
