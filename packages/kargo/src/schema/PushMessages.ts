/**
 * Messages as Kargo's schema has them: the two types that it knows, as text in the profile `kargo` (D15.3, D17.1).
 */
import { shownSentAt } from "@dockline/core/messages/Message"
import type { Message } from "@dockline/core/messages/Message"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { follow, makeReadWithin, queryOf } from "@dockline/graphql-adapter/schema/GraphqlPart"
import type {
  FieldRequest,
  GraphqlContext,
  SchemaServices
} from "@dockline/graphql-adapter/schema/GraphqlPart"
import { Effect } from "effect"
import { kargoProfile } from "../KargoProfile.ts"
import { instantFault, instantOf } from "./KargoWords.ts"

interface Filter {
  readonly businessSlug: string
  readonly facilitySlug?: string | null
}

const types = ["PALLET_EVENT", "SHIPMENT_COMPLETE"] as const

/** The place of a filter. An empty facility is none. */
const placeOf = ({ businessSlug, facilitySlug }: Filter): Filter => ({
  businessSlug,
  facilitySlug: facilitySlug || null
})

export const messageFields = {
  messageType: ({ type }: Message) => type,
  message: ({ json, type }: Message) => kargoProfile.write(type, json),
  sentAt: ({ sentAt }: Message) => shownSentAt(sentAt),
  facilitySlug: ({ facility }: Message) => facility,
  businessSlug: ({ business }: Message) => business
}

const refuse = (detail: string) => new InvalidRequest({ errors: [{ path: "input.since", detail }] })

const tooMany = refuse(
  "is so long ago that there are more messages than one answer holds: ask for a later time, or read pages with GET /v1/messages"
)

export const makeHistory = (services: SchemaServices) => {
  const readWithin = makeReadWithin(services)
  return (
    field: FieldRequest & { readonly args: { readonly input: Filter & { readonly since: string } } }
  ) => {
    const { args: { input }, context: { session: { principal } } } = field
    const request = { ...queryOf(placeOf(input), "input", types), afterId: undefined, limit: undefined }
    const since = instantOf(input.since)
    const read = Effect.suspend(() =>
      since === undefined
        ? Effect.fail(refuse(instantFault(input.since)))
        : services.messages.history({ ...request, since }, principal)
    )
    return readWithin(
      field,
      Effect.catchTag(read, "TooManyMessages", () => Effect.fail(tooMany)),
      // What is shown of a message is weighed by these names.
      (messages) => messages.map(({ json }) => ({ message: json })),
      "list"
    )
  }
}

export const makeFollow =
  (services: SchemaServices) =>
  (_source: unknown, { filter }: { readonly filter: Filter }, context: GraphqlContext) =>
    follow(services, queryOf(placeOf(filter), "filter", types), undefined, context)
