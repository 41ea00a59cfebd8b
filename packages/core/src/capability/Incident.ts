/**
 * What capabilities say may go wrong, for whoever tells people of it (ADR 31): kinds of incidents, each with where they are found.
 *
 * Guarantee: an incident has a key, which is the same each time it is found, so that people are told of it once.
 */
import { Context, Effect, Predicate } from "effect"
import type { Message, MessagePayload } from "../messages/Message.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { isTimestamp } from "../values/Timestamp.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** One thing that goes wrong. */
export interface Incident {
  /** What it is about, unique among all incidents of a business: `exception:7`. */
  readonly key: string
  /** Where it is; `null` for each facility of the business. */
  readonly facility: string | null
  readonly at: Timestamp
  /** What it is, in a few words. */
  readonly title: string
  readonly text: string
  /** Its page on the dashboard; `""` without one. */
  readonly url: string
}

/** Finds incidents in messages of the log: each message tells of one at most. */
export interface IncidentsOfMessages {
  readonly types: ReadonlyArray<MessageType>
  /** The incidents of messages of a business, by the ids of the messages. */
  readonly ofMessages: (
    business: string,
    messages: ReadonlyArray<Message>
  ) => Effect.Effect<ReadonlyMap<number, Incident>, StorageUnavailable>
}

/** Finds incidents in what is stored, which is looked at every few seconds. */
export interface IncidentsOfState {
  /** The incidents at a business that began at a time or later, in the order of their times; of very many the last. */
  readonly since: (
    business: string,
    time: Timestamp
  ) => Effect.Effect<ReadonlyArray<Incident>, StorageUnavailable>
}

/** A kind of incidents. */
export interface IncidentKind<Port = unknown> {
  /** What people are told of: `a problem that was reported with high priority`. */
  readonly about: string
  /** Makes what finds them, over the port of the capability. */
  readonly source: Effect.Effect<IncidentsOfMessages | IncidentsOfState, never, Port>
}

/** Kinds of incidents by their names, in capitals. */
export type IncidentKinds<Port = unknown> = Readonly<Record<string, IncidentKind<Port>>>

/** Finds the incident of each message by the message alone. */
export const eachMessage = (
  types: ReadonlyArray<MessageType>,
  incidentOf: (message: Message) => Incident | undefined
): IncidentsOfMessages => ({
  types,
  ofMessages: (_, messages) =>
    Effect.succeed(
      new Map(messages.flatMap((message) => {
        const incident = incidentOf(message)
        return incident === undefined ? [] : [[message.id, incident] as const]
      }))
    )
})

/** When what a message tells has happened. */
export const occurredAt = ({ sentAt }: Message, { occurredAt }: MessagePayload): Timestamp =>
  Predicate.isString(occurredAt) && isTimestamp(occurredAt) ? occurredAt : sentAt

/** What finds the incidents of a service, by the names of their kinds. */
export type Sources = ReadonlyMap<string, IncidentsOfMessages | IncidentsOfState>

/** What finds the incidents of the capabilities of a service, by the names of their kinds; nothing unless provided. */
export const IncidentSources: Context.Reference<Sources> = Context.Reference(
  "@dockline/core/capability/IncidentSources",
  { defaultValue: (): Sources => new Map() }
)
