/**
 * The parameters of a query for events, in the form of EPCIS 2.0 over REST (D24.4).
 *
 * Guarantee: `read` refuses a value in a wrong form and names its parameter, because ignoring it would give the client other events than it
 * asked for. A word or URI that no event has selects no events. `EpcisRest.ts` refuses unknown names, which are not in `parameterNames`.
 */
import type { SlugsOfPlace } from "@dockline/core/shipment/ShipmentStore"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidParameter } from "@dockline/core/values/Errors"
import { textFault } from "@dockline/core/values/Field"
import { pageLimit } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { slugPattern } from "@dockline/core/values/Vocabulary"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import { base64Url } from "@dockline/core/values/WebCrypto"
import { Predicate, Result } from "effect"
import { actions, messageTypesOf, shortWord, standardEventTypes } from "../events/EpcisEvent.ts"
import type { EpcisEvent } from "../events/EpcisEvent.ts"
import { placeOfUri } from "../events/Identifiers.ts"
import type { Naming } from "../events/Identifiers.ts"

/** The position at which a page begins. */
export interface QueryPosition {
  readonly business: string
  /** `""` for the whole business. */
  readonly facility: string
  readonly afterId: number
  /** The number of events of the next message to skip: earlier pages have already handled them. */
  readonly number: number
}

/** A query. */
export interface EventQuery {
  /** Whether the query selects an event. */
  readonly matches: (event: EpcisEvent) => boolean
  /** Whether the query has a filter, so that it may leave out events. */
  readonly isNarrowed: boolean
  /** The types of messages that may make the selected events. */
  readonly messageTypes: ReadonlyArray<MessageType>
  /** The facilities of the selected events; `undefined` for all. */
  readonly places: ReadonlyArray<SlugsOfPlace> | undefined
  /** The range of times of recording: at `from` or later, and before `before`. */
  readonly recordTimes: readonly [
    from: Timestamp.Timestamp | undefined,
    before: Timestamp.Timestamp | undefined
  ]
  readonly perPage: number
  readonly position: QueryPosition | undefined
}

type Match = (event: EpcisEvent) => boolean

interface Parameter {
  readonly description: string
  /** Makes the predicate for events with the value, or returns the fault of the value as a text. */
  readonly match: (value: string) => Match | string
}

/** The fault of a value with words outside of a vocabulary; `undefined` if there are none. */
const faultOfWords = (vocabulary: ReadonlyArray<string>, value: string): string | undefined =>
  value.split("|").every((word) => vocabulary.includes(word))
    ? undefined
    : `must be one of ${vocabulary.join(", ")}`

/** A parameter that matches any of several values, separated by bars. */
const anyOf = (
  description: string,
  textsOf: (event: EpcisEvent) => ReadonlyArray<string | undefined>,
  { fault = () => undefined, read = (word) => word }: {
    readonly fault?: (value: string) => string | undefined
    readonly read?: (word: string) => string
  } = {}
): Parameter => ({
  description: `${description}; separate several values with |`,
  match: (value) => {
    const problem = fault(value)
    if (problem !== undefined) return problem
    const words = new Set(value.split("|").map(read))
    return (event) => textsOf(event).some((text) => text !== undefined && words.has(text))
  }
})

/** A parameter with a time. */
const byTime = (
  description: string,
  isWithin: (event: EpcisEvent, time: Timestamp.Timestamp) => boolean
): Parameter => ({
  description: `${description}: a time as in RFC 3339, such as 2026-11-20T17:00:00Z`,
  match: (value) => {
    const time = Timestamp.parse(value)
    return time === undefined ? Timestamp.fault(value) ?? "must be a time" : (event) => isWithin(event, time)
  }
})

const transactionsOf = (type: string) => ({ bizTransactionList }: EpcisEvent) =>
  bizTransactionList.filter((each) => each.type === type).map(({ bizTransaction }) => bizTransaction)

/** The parameters that filter events, by their names. */
export const filters = {
  eventType: anyOf("Events of this type, such as ObjectEvent", ({ type }) => [type], {
    fault: (value) => faultOfWords(standardEventTypes, value)
  }),
  GE_eventTime: byTime("Events that were at this time or later", ({ eventTime }, time) => eventTime >= time),
  LT_eventTime: byTime("Events that were before this time", ({ eventTime }, time) => eventTime < time),
  GE_recordTime: byTime(
    "Events that were recorded at this time or later",
    ({ recordTime }, time) => recordTime >= time
  ),
  LT_recordTime: byTime(
    "Events that were recorded before this time",
    ({ recordTime }, time) => recordTime < time
  ),
  EQ_action: anyOf("Events with this action, such as OBSERVE", ({ action }) => [action], {
    fault: (value) => faultOfWords(actions, value)
  }),
  EQ_bizStep: anyOf("Events in this business step, such as loading", ({ bizStep }) => [bizStep], {
    read: (word) => shortWord("bizStep", word)
  }),
  EQ_disposition: anyOf(
    "Events with this disposition, such as in_transit",
    ({ disposition }) => [disposition],
    { read: (word) => shortWord("disposition", word) }
  ),
  EQ_readPoint: anyOf("Events at this read point, the URI of a dock", ({ readPoint }) => [readPoint?.id]),
  EQ_bizLocation: anyOf(
    "Events at this business location, the URI of a facility",
    ({ bizLocation }) => [bizLocation.id]
  ),
  EQ_bizTransaction_po: anyOf("Events of this order, by its URI", transactionsOf("po")),
  EQ_bizTransaction_desadv: anyOf("Events of this shipment, by its URI", transactionsOf("desadv")),
  EQ_eventID: anyOf("The event of this id", ({ eventID }) => [eventID]),
  MATCH_epc: anyOf(
    "Events about this object, as epcList or childEPCs has it",
    ({ childEPCs = [], epcList = [] }) => [...epcList, ...childEPCs]
  ),
  MATCH_parentID: anyOf("Events with this parent", ({ parentID }) => [parentID]),
  MATCH_anyEPC: anyOf(
    "Events about this object, or with it as their parent",
    ({ childEPCs = [], epcList = [], parentID }) => [parentID, ...epcList, ...childEPCs]
  ),
  EXISTS_errorDeclaration: {
    description: "With true, events that are declared to be wrong",
    match: (value) =>
      value === "true" ? ({ errorDeclaration }) => errorDeclaration !== undefined : "must be true"
  }
} as const satisfies Readonly<Record<string, Parameter>>

const defaultPerPage = 30

/** The parameters that select a page. */
export const pageParameters = {
  perPage: `The most events of the page: ${defaultPerPage} when absent, and ${pageLimit} at most`,
  nextPageToken: "The token of the page, from the header Link of the page before"
} as const

/** The names of all parameters. */
export const parameterNames: ReadonlyArray<string> = [
  ...Object.keys(filters),
  ...Object.keys(pageParameters)
]

declare const atob: (text: string) => string
declare const btoa: (binary: string) => string

/** The token of a page. */
export const tokenOf = ({ afterId, business, facility, number }: QueryPosition): string =>
  base64Url(btoa(JSON.stringify([business, facility, afterId, number])))

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const positionOf = (token: string): QueryPosition | undefined => {
  try {
    const value: unknown = JSON.parse(atob(token.replaceAll("-", "+").replaceAll("_", "/")))
    const [business, facility, afterId, number, ...rest]: ReadonlyArray<unknown> = Array.isArray(value)
      ? value
      : []
    return Predicate.isString(business) && slugPattern.test(business) && Predicate.isString(facility) &&
        (facility === "" || slugPattern.test(facility)) && isCount(afterId) && isCount(number) &&
        rest.length === 0
      ? { business, facility, afterId, number }
      : undefined
  } catch {
    return undefined
  }
}

/** Reads a query, by the names of its parameters. */
export const read = (
  texts: Readonly<Record<string, string>>,
  naming: Naming
): Result.Result<EventQuery, InvalidParameter> => {
  const errors: Array<FieldError> = []
  const matches: Array<Match> = []
  for (const [path, { match }] of Object.entries<Parameter>(filters)) {
    const value = texts[path]
    if (value === undefined) continue
    const result = textFault(value) ?? match(value)
    if (typeof result === "string") errors.push({ path, detail: result })
    else matches.push(result)
  }
  const { EQ_bizLocation, EQ_bizStep, eventType, GE_recordTime = "", LT_recordTime = "" } = texts
  const { nextPageToken, perPage = String(defaultPerPage) } = texts
  if (!/^[1-9]\d{0,8}$/.test(perPage)) {
    errors.push({ path: "perPage", detail: "must be a whole number from 1 to 999999999" })
  }
  const position = nextPageToken === undefined ? undefined : positionOf(nextPageToken)
  if (nextPageToken !== undefined && position === undefined) {
    errors.push({ path: "nextPageToken", detail: "must be the token of a page before" })
  }
  if (errors.length > 0) return Result.fail(new InvalidParameter({ errors }))
  return Result.succeed({
    matches: (event) => matches.every((match) => match(event)),
    isNarrowed: matches.length > 0,
    messageTypes: messageTypesOf(
      eventType?.split("|"),
      EQ_bizStep?.split("|").map((word) => shortWord("bizStep", word))
    ),
    places: EQ_bizLocation?.split("|").flatMap((text) => placeOfUri(naming, text) ?? []),
    recordTimes: [Timestamp.parse(GE_recordTime), Timestamp.parse(LT_recordTime)],
    perPage: Math.min(Number(perPage), pageLimit),
    position
  })
}
