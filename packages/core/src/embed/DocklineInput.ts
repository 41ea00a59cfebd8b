/**
 * Checks the options and principals that an embedding program passes, and reads places and queries of the façade's methods from untyped
 * values. A mistake of the program throws a `TypeError` that names the mistake, because it is not the fault of a client.
 */
import { Layer, Predicate, Schema } from "effect"
import { Grant } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import { Faults } from "../input/Faults.ts"
import * as RequestInput from "../input/RequestInput.ts"
import { isRecord } from "../input/RequestInput.ts"
import * as Slices from "../input/Slices.ts"
import type { MessageQuery } from "../messages/Message.ts"
import type { HistoryRequest } from "../messages/Messages.ts"
import {
  businessSchema,
  dockSchema,
  facilitySchema,
  fieldMapSchema,
  toFieldMap
} from "../operator/internal/OperatorInput.ts"
import type { BusinessEntry } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { defaultVocabulary } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { Options } from "./CoreServices.ts"

/** The values that a program may pass for an option. */
export interface Option {
  /** Whether a value is permitted. */
  readonly is: (value: unknown) => boolean
  /** The permitted values in words, after "must be". */
  readonly expected: string
  /** Whether the option is required; `undefined` counts as absent. */
  readonly isRequired?: boolean
}

/** An {@link Option} for each property of `A`; any other property is refused. */
export type OptionTypes<A extends object> = { readonly [K in keyof Required<A>]: Option }

/** Options by their names. */
export type Table = Readonly<Record<string, Option>>

/** Throws a `TypeError` that names the first wrong or unknown option. */
export const checkOptions: <A extends object>(
  input: unknown,
  options: OptionTypes<A>,
  whole?: string
) => asserts input is A = (input, options, whole = "options") => {
  const fault = faultOf(input, options, whole)
  if (fault !== undefined) throw new TypeError(fault)
}

const faultOf = (input: unknown, table: Table, whole: string): string | undefined => {
  try {
    const kind = RequestInput.describe(input)
    if (kind !== "an object" || !Predicate.isObject(input)) return `${whole} must be an object, not ${kind}`
    const unknown = Object.keys(input).find((name) => !Object.hasOwn(table, name))
    if (unknown !== undefined) {
      return `${whole}.${clip(unknown)} is not an option; there are ${Object.keys(table).join(", ")}`
    }
    for (const [name, { expected, is, isRequired = false }] of Object.entries(table)) {
      const value = input[name]
      if (value === undefined ? isRequired : !is(value)) return `${whole}.${name} must be ${expected}`
    }
    return undefined
  } catch {
    return `${whole} cannot be read`
  }
}

/** A whole number of at least 1. */
export const count: Option = {
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  expected: "a whole number of at least 1"
}

/** A string. */
export const text: Option = { is: Predicate.isString, expected: "text" }

/** A boolean; other truthy or falsy values are refused. */
export const flag: Option = { is: Predicate.isBoolean, expected: "true or false" }

/** An `AbortSignal`, of any realm or library: it has `aborted` and `addEventListener`. */
export const signal: Option = {
  is: (value) =>
    Predicate.isObject(value) && typeof value["aborted"] === "boolean" &&
    typeof value["addEventListener"] === "function",
  expected: "an AbortSignal"
}

/** Makes a reader of a program's data. The reader throws a `TypeError` that names the faults and calls the data `whole`. */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  name = whole
): (input: unknown) => S["Type"] => {
  const read = RequestInput.compile(schema.ast, name)
  const isRead = (_: unknown, { errors }: Faults): _ is S["Type"] => errors.length === 0
  return (input) => {
    const faults = new Faults()
    faults.at.push(whole)
    const copy = Slices.atOnce(read(input, faults))
    if (isRead(copy, faults)) return copy
    throw new TypeError(faults.errors.slice(0, 5).map(({ path, detail }) => `${path} ${detail}`).join("; "))
  }
}

const readPrincipal = reader(
  Schema.Struct({ clientId: Schema.String, grants: Schema.Array(Grant) }),
  "principal",
  "a principal"
)

/** Reads the id and the grants of the principal of a call, and leaves out its other members. */
export const principalOf = (input: unknown): Principal => {
  let members = input
  try {
    if (Predicate.isObject(input)) members = { clientId: input["clientId"], grants: input["grants"] }
  } catch {
    // An accessor threw; the reader reports it.
  }
  return readPrincipal(members)
}

const optional = Schema.optionalKey

const maxPlaces = 10_000

const placesSchema = Schema.Array(Schema.Struct({
  ...businessSchema.fields,
  fieldMap: optional(fieldMapSchema),
  facilities: optional(
    Schema.Array(Schema.Struct({
      ...facilitySchema.fields,
      docks: optional(Schema.Array(dockSchema.fields.slug).check(Field.atMost(maxPlaces)))
    })).check(Field.atMost(maxPlaces))
  )
})).check(Field.atMost(maxPlaces))

/** A business with its facilities, for `places`. */
export type PlaceInput = (typeof placesSchema.Type)[number]

/** Reads an untyped value into businesses with their facilities. Absent facilities and docks are empty lists. */
export const readPlaces = RequestInput.map(
  RequestInput.reader(placesSchema, "a list of businesses"),
  (places) =>
    places.map(({ slug, name, fieldMap, facilities = [] }): BusinessEntry => ({
      slug,
      name,
      fieldMap: fieldMap && toFieldMap(fieldMap),
      facilities: facilities.map(({ docks = [], ...facility }) => ({ ...facility, docks }))
    }))
)

/** Converts an `after` to the type of a cursor: `next` of a page is text, but callers may also pass ids as numbers. */
const positions = {
  id: (after: unknown) => typeof after === "string" && /^\d{1,16}$/.test(after) ? Number(after) : undefined,
  text: (after: unknown) => Number.isSafeInteger(after) && Number(after) >= 0 ? String(after) : undefined
}

/** Replaces `after` by the result of `convert`, if there is one. */
const withAfter = (raw: unknown, convert: (after: unknown) => unknown): unknown => {
  try {
    if (!isRecord(raw)) return raw
    const after = convert(raw["after"])
    return after === undefined ? raw : { ...raw, after }
  } catch {
    // An accessor or a proxy threw; the reader reports its path.
    return raw
  }
}

const afterText = "The next of the previous page"

/** Makes the reader of the filters and the page of a list. */
export const queryReader = (
  { cursor, filters }: Pick<Operation.AnyList, "cursor" | "filters">
): RequestInput.Reader<object> => {
  const isNumber = cursor === "id" || cursor === "count"
  const read = RequestInput.reader(
    Schema.Struct({
      ...filters,
      limit: optional(Field.wholeAmount("The most entities; 100 when absent")),
      after: optional(isNumber ? Field.wholeAmount(afterText) : Field.text(afterText))
    }),
    Object.keys(filters).length === 0 ? "a page" : "a query"
  )
  return (raw) => read(withAfter(raw, isNumber ? positions.id : positions.text))
}

/** Selects the messages of a business after an id. */
export interface FollowQuery {
  /** Business slug. */
  readonly business: string
  /** Facility slug; all facilities when absent. */
  readonly facility?: string
  /** All types when absent. */
  readonly types?: ReadonlyArray<MessageType>
  /** The id of the last message that the caller knows; 0 for the beginning. */
  readonly afterId?: number
}

/** Selects a page of the messages of a business. */
export interface MessagesQuery extends FollowQuery {
  /** Messages sent at this time or later, RFC 3339. */
  readonly since?: string
  /** The most messages. When absent, all messages are requested, and the call fails if they exceed the service's limit. */
  readonly limit?: number
}

const followFields = (types: ReadonlyArray<MessageType>) => ({
  business: Field.slug("Business slug"),
  facility: optional(Field.text("Facility slug")),
  types: optional(
    Schema.Array(Field.name(types, "Type of message")).check(Field.atMost(types.length))
  ),
  afterId: optional(Field.wholeAmount("The id of the last known message"))
})

const queryOf = (
  { business, facility, types }: { business: string; facility?: string; types?: ReadonlyArray<string> },
  all: ReadonlyArray<MessageType>
): MessageQuery => ({
  business,
  facility: facility === "" ? undefined : facility,
  types: all.filter((type) => types === undefined || types.includes(type))
})

/**
 * Makes a reader that turns an untyped value into the query of the messages to follow and the id after which they begin. `types` are the
 * types of messages of the service.
 */
export const followReader = (types: ReadonlyArray<MessageType>) =>
  RequestInput.map(
    RequestInput.reader(Schema.Struct(followFields(types)), "a query"),
    (input) => ({ query: queryOf(input, types), afterId: input.afterId })
  )

const historySchema = (types: ReadonlyArray<MessageType>) =>
  Schema.Struct({
    ...followFields(types),
    since: optional(Field.dateTime("Messages sent at this time or later")),
    limit: optional(Field.id("The most messages"))
  })

/**
 * Makes a reader that turns an untyped value into a request for at most `messageLimit` messages. `types` are the types of messages of the
 * service.
 */
export const historyReader = (
  messageLimit: number,
  types: ReadonlyArray<MessageType>
): RequestInput.Reader<HistoryRequest> =>
  RequestInput.map(
    RequestInput.reader(historySchema(types), "a query", ({ limit }, faults) => {
      if (typeof limit === "number" && limit > messageLimit) {
        faults.add(`must be 1 to ${messageLimit}`, "limit")
      }
    }),
    ({ since, limit, ...input }) => ({
      ...queryOf(input, types),
      since: Timestamp.parse(since ?? "") ?? Timestamp.earliest,
      afterId: input.afterId,
      limit
    })
  )

/** Checks all members of an object; an `undefined` member counts as absent. */
const isRecordOf = (isMember: (value: unknown, name: string) => boolean) => (value: unknown): boolean =>
  Predicate.isObject(value) &&
  Object.entries(value).every(([name, member]) => member === undefined || isMember(member, name))

const isListOfText = (value: unknown): boolean => Array.isArray(value) && value.every(Predicate.isString)

const isStrategy = (value: unknown): boolean =>
  Predicate.isObject(value) && isListOfText(value["requiredFields"]) && typeof value["apply"] === "function"

const atLeast0: Option = {
  is: (value) => typeof value === "number" && value >= 0,
  expected: "a number of at least 0"
}

/** The options of `Dockline.open`, for {@link checkOptions}. */
export const options: OptionTypes<Options> = {
  capabilities: { is: Array.isArray, expected: "a list of capabilities" },
  storage: { is: Layer.isLayer, expected: "a layer, such as Memory.layer", isRequired: true },
  webhooks: { is: Layer.isLayer, expected: "a layer" },
  itemLimit: count,
  messageLimit: count,
  dashboardUrl: text,
  clockToleranceSeconds: atLeast0,
  lateEventHours: atLeast0,
  clock: {
    is: (value) => Predicate.hasProperty(value, "now") && typeof value.now === "function",
    expected: "an object with a function now"
  },
  strategies: {
    is: isRecordOf(isStrategy),
    expected: "strategies by name, each with requiredFields and apply"
  },
  vocabulary: {
    is: isRecordOf((words, name) => Object.hasOwn(defaultVocabulary, name) && isListOfText(words)),
    expected: `lists of text: ${Object.keys(defaultVocabulary).join(", ")}`
  },
  documentRetentionMillis: atLeast0,
  retentionMillis: atLeast0
}
