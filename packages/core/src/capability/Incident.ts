/**
 * The kinds of incidents that capabilities declare, each with a source that finds its incidents (ADR 31). A service can notify people of
 * them.
 *
 * Guarantee: an incident has the same key each time it is found, so that people are notified of it once.
 */
import { Context, Effect, Predicate } from "effect"
import type { Message, MessagePayload } from "../messages/Message.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { isTimestamp } from "../values/Timestamp.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** A problem of which people can be notified. */
export interface Incident {
  /** The subject of the incident, unique among all incidents of a business: `exception:7`. */
  readonly key: string
  /** The slug of its facility; `null` if it concerns all facilities of the business. */
  readonly facility: string | null
  readonly at: Timestamp
  /** The incident in a few words. */
  readonly title: string
  readonly text: string
  /** The address of its page on the dashboard; `""` if there is none. */
  readonly url: string
}

/** Finds incidents in messages of the log, at most one in each message. */
export interface IncidentsOfMessages {
  readonly types: ReadonlyArray<MessageType>
  /** The incidents of messages of a business, by the ids of the messages. */
  readonly ofMessages: (
    business: string,
    messages: ReadonlyArray<Message>
  ) => Effect.Effect<ReadonlyMap<number, Incident>, StorageUnavailable>
}

/** Finds incidents in the stored state, which is queried every few seconds. */
export interface IncidentsOfState {
  /** The incidents of a business that began at a time or later, in the order of their times. If there are too many, only the latest. */
  readonly since: (
    business: string,
    time: Timestamp
  ) => Effect.Effect<ReadonlyArray<Incident>, StorageUnavailable>
}

/** A kind of incidents. */
export interface IncidentKind<Port = unknown> {
  /** The subject of its notifications: `a problem that was reported with high priority`. */
  readonly about: string
  /** Makes the source that finds the incidents, over the port of the capability. */
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

/** The time of the event that a message reports: its `occurredAt`, else the time when it was sent. */
export const occurredAt = ({ sentAt }: Message, { occurredAt }: MessagePayload): Timestamp =>
  Predicate.isString(occurredAt) && isTimestamp(occurredAt) ? occurredAt : sentAt

/** The sources of the incidents of a service, by the names of their kinds. */
export type Sources = ReadonlyMap<string, IncidentsOfMessages | IncidentsOfState>

/** The sources of the capabilities of a service; none by default. */
export const IncidentSources: Context.Reference<Sources> = Context.Reference(
  "@dockline/core/capability/IncidentSources",
  { defaultValue: (): Sources => new Map() }
)
