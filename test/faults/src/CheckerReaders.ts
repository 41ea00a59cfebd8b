/**
 * What is promised to readers of the log: every message of theirs once, as the log has it, in the order of ids.
 */
import type { Invariant } from "./CheckerFacts.ts"
import { isFor } from "./Collect.ts"
import { eventsOf } from "./History.ts"
import type { EventOf } from "./History.ts"

/** Why a message that was seen is not the one that comes next; nothing if it is. */
const difference = (seen: EventOf<"seen">, next: EventOf<"log"> | undefined): string | undefined => {
  if (next === undefined) return `message ${seen.id}, where the log holds no more for it`
  if (seen.id < next.id) {
    return `message ${seen.id} again, or one that the log does not hold for it, before ${next.id}`
  }
  if (seen.id > next.id) return `message ${seen.id}, and missed ${next.id}`
  const same = seen.digest === next.digest && seen.messageType === next.messageType &&
    seen.business === next.business && seen.facility === next.facility
  return same ? undefined : `message ${seen.id} other than the log has it`
}

/** Readers see every message exactly as it is in the log, in order, without a gap, and nothing else (D7.2, D8.3). */
export const readersSeeTheLog: Invariant = (facts) => {
  const seen = Map.groupBy(eventsOf(facts.history, "seen"), ({ reader }) => reader)
  const readers = eventsOf(facts.history, "reader")
  const strangers = [...seen.keys()].filter((name) => !readers.some(({ reader }) => reader === name))
  return [
    ...strangers.map((name) => ({ text: `nobody knows reader ${name}`, events: [seen.get(name)![0]!.seq] })),
    ...readers.flatMap((reader) => {
      const expected = facts.log.filter((message) => isFor(reader, message))
      const own = seen.get(reader.reader) ?? []
      const at = own.findIndex((message, index) => difference(message, expected[index]) !== undefined)
      // What comes after the first difference tells nothing more.
      if (at >= 0) {
        const text = `${reader.reader} saw ${difference(own[at]!, expected[at])}`
        const logged = expected[at]
        return [{ text, events: [own[at]!.seq, ...(logged === undefined ? [] : [logged.seq])] }]
      }
      const missed = expected.slice(own.length)
      return missed.length === 0 ? [] : [{
        text: `${reader.reader} never saw messages ${missed[0]!.id} to ${
          missed.at(-1)!.id
        }, ${missed.length} of them`,
        events: missed.slice(0, 10).map(({ seq }) => seq)
      }]
    })
  ]
}
