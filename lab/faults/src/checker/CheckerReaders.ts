/**
 * What is promised to readers of the log: every message of theirs once, as the log has it, in the order of ids; and that
 * they are told when messages that they have seen are gone.
 */
import { eventsOf } from "../history/History.ts"
import type { EventOf } from "../history/History.ts"
import { isFor } from "../run/Collect.ts"
import type { Facts, Invariant } from "./CheckerFacts.ts"

/** A message as a reader is to see it. */
type Due = EventOf<"log"> | EventOf<"lost">

/** Why a message that was seen is not the one that comes next; nothing if it is. */
const difference = (seen: EventOf<"seen">, next: Due | undefined): string | undefined => {
  if (next === undefined) return `message ${seen.id}, where the log holds no more for it`
  if (seen.id < next.id) {
    return `message ${seen.id} again, or one that the log does not hold for it, before ${next.id}`
  }
  if (seen.id > next.id) return `message ${seen.id}, and missed ${next.id}`
  const same = seen.digest === next.digest && seen.messageType === next.messageType &&
    seen.business === next.business && seen.facility === next.facility
  return same ? undefined : `message ${seen.id} other than the log has it`
}

/** Which messages a reader has left out because it was told that they were dropped. */
const skippedBy = ({ history }: Facts, reader: string): (id: number) => boolean => {
  const told = eventsOf(history, "expired").filter((each) => each.reader === reader)
  return (id) => told.some(({ afterId, droppedId }) => id > afterId && id <= droppedId)
}

/**
 * What a reader is to see: its messages of the log, and before those that a promoted copy has given, as many of the lost
 * ones as it has come to see, from the first one on.
 */
const dueTo = (
  facts: Facts,
  reader: EventOf<"reader">,
  own: ReadonlyArray<EventOf<"seen">>
): ReadonlyArray<Due> => {
  const skipped = skippedBy(facts, reader.reader)
  const log = facts.log.filter((message) => isFor(reader, message) && !skipped(message.id))
  const { gap } = facts
  if (gap === undefined) return log
  const kept = log.filter(({ id }) => id <= (gap.newest[reader.business] ?? 0))
  const lost = facts.lost.filter((message) => isFor(reader, message))
  const other = lost.findIndex((message, at) => {
    const seen = own[kept.length + at]
    return seen === undefined || difference(seen, message) !== undefined
  })
  return [...kept, ...(other < 0 ? lost : lost.slice(0, other)), ...log.slice(kept.length)]
}

/** Readers see every message exactly as it is in the log, in order, without a gap, and nothing else (D7.2, D8.3). */
export const readersSeeTheLog: Invariant = (facts) => {
  const seen = Map.groupBy(eventsOf(facts.history, "seen"), ({ reader }) => reader)
  const readers = eventsOf(facts.history, "reader")
  const strangers = [...seen.keys()].filter((name) => !readers.some(({ reader }) => reader === name))
  return [
    ...strangers.map((name) => ({ text: `nobody knows reader ${name}`, events: [seen.get(name)![0]!.seq] })),
    ...readers.flatMap((reader) => {
      const own = seen.get(reader.reader) ?? []
      const expected = dueTo(facts, reader, own)
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

/** A reader whose cursor is beyond the log of a promoted copy is told so, until ids were moved on, and never else (D7.5). */
export const readersAreTold: Invariant = (facts) => {
  const { gap, history } = facts
  const told = eventsOf(history, "ahead")
  const cut = eventsOf(history, "promoted").find(({ phase }) => phase === "begin")
  const [advanced] = eventsOf(history, "advanced")
  const until = advanced?.seq ?? Infinity
  const wrong = told.filter(({ asked, seq }) => cut === undefined || seq < cut.seq || asked > until).map((
    { afterId, newestId, reader, seq }
  ) => ({
    text: `${reader} was told that ${afterId} is beyond ${newestId}, the newest id, where it was not`,
    events: [seq]
  }))
  if (gap === undefined) return wrong
  const beyond = eventsOf(history, "reader").flatMap((reader) => {
    const last = eventsOf(history, "seen").findLast((seen) =>
      seen.reader === reader.reader && seen.seq < gap.end
    )
    return last === undefined || last.id <= (gap.newest[reader.business] ?? 0) ? [] : [last]
  })
  return [
    ...wrong,
    ...beyond.filter(({ reader }) =>
      !told.some((each) => each.reader === reader && each.seq > gap.end && each.seq < until)
    )
      .map(({ id, reader, seq }) => ({
        text: `${reader} had seen message ${id}, which is lost, and was not told so`,
        events: [seq]
      })),
    ...(advanced === undefined
      ? [{ text: "the ids of the log could not be moved on", events: [gap.end] }]
      : [])
  ]
}

/** No id is given to a reader or an endpoint for two different messages (D7.5, D9.5). */
export const idsAreGivenOnce: Invariant = ({ history }) => {
  const given = [
    ...eventsOf(history, "seen").map(({ digest, id, reader, seq }) => ({
      to: reader,
      id: `${id}`,
      digest,
      seq
    })),
    ...eventsOf(history, "receipt").map(({ digest, endpoint, seq, webhookId }) => ({
      to: endpoint,
      id: webhookId,
      digest,
      seq
    }))
  ]
  return [...Map.groupBy(given, ({ id, to }) => `${to} ${id}`).values()].flatMap((all) => {
    const [first] = all
    const other = all.find(({ digest }) => digest !== first!.digest)
    return other === undefined
      ? []
      : [{ text: `${other.to} got two messages as ${other.id}`, events: [first!.seq, other.seq] }]
  })
}
