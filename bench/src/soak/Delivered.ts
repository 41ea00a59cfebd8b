/**
 * Whether everybody has had every message: what is promised, held against the log.
 *
 * Guarantee: pure. A follower has every id once and in order; an endpoint that takes messages has every id, once or
 * more often; of one that fails nothing is lost: what it has not had is pending, or lies ahead of its cursor.
 */
import type { Had, Seen } from "../mix/customer/Protocol.ts"

/** The log as the database has it. */
export interface Log {
  readonly messages: number
  readonly firstId: number
  readonly lastId: number
  /** Messages up to the cursor of the failing endpoint that are neither pending nor dead there. */
  readonly lostAtFailing: number
}

/** What the clients were told. */
export interface Acknowledged {
  /** Pallet events and departures that were answered well. */
  readonly messages: number
  /** Requests of which it is not known what became of them. */
  readonly unknown: number
}

const had = ({ firstId, lastId, messages, name }: Had, log: Log): ReadonlyArray<string> =>
  messages === log.messages && firstId === log.firstId && lastId === log.lastId
    ? []
    : [
      `${name} has ${messages} messages from ${firstId} to ${lastId} of ${log.messages} from ${log.firstId} to \
${log.lastId}`
    ]

/** Whether the one who takes messages has them all. */
export const hasAll = (each: Had, log: Log): boolean => had(each, log).length === 0

/** What does not hold of what is promised; empty when all does. */
export const faultsOf = (log: Log, seen: Seen, acknowledged: Acknowledged): ReadonlyArray<string> => {
  const taking = seen.endpoints.filter(({ name }) => name !== "failing")
  return [
    ...seen.faults,
    ...taking.flatMap((endpoint) => had(endpoint, log)),
    ...seen.followers.flatMap((follower) => had(follower, log)),
    ...seen.followers.flatMap(({ name, repeats }) =>
      repeats === 0 ? [] : [`${name} has had ${repeats} messages more than once`]
    ),
    ...(log.lostAtFailing === 0
      ? []
      : [`${log.lostAtFailing} messages are lost to the failing endpoint: not delivered, and not pending`]),
    ...balance(log, acknowledged)
  ]
}

/** Each pallet event and departure that was acknowledged is one message, and each message one of those. */
const balance = (log: Log, { messages, unknown }: Acknowledged): ReadonlyArray<string> => {
  if (log.messages < messages) {
    return [
      `${messages} pallet events and departures were acknowledged, ${log.messages} messages are in the log`
    ]
  }
  return log.messages > messages + unknown
    ? [
      `${log.messages} messages are in the log, of which ${messages} were acknowledged and ${unknown} may be`
    ]
    : []
}
