/**
 * What operators send about API clients (D11).
 *
 * Guarantee: as of `RequestInput.ts`.
 */
import { Schema } from "effect"
import { everything, permissions } from "../access/Access.ts"
import * as DocumentCheck from "../input/DocumentCheck.ts"
import * as RequestInput from "../input/RequestInput.ts"
import * as Field from "../values/Field.ts"
import { nameField } from "./OperatorInput.ts"

/** The most grants of a client. */
export const maxGrants = 100

/** The most facilities that one grant names. */
export const maxGrantFacilities = 1000

const optional = Schema.optionalKey

const grantSchema = Schema.Struct({
  business: Field.slug(`Business slug, or ${everything} for every business, those to come included`),
  facilities: Schema.Union([
    Schema.Literal(everything),
    Schema.Array(Field.slug("Facility slug")).check(Field.atMost(maxGrantFacilities))
  ]).annotate({ description: `Facility slugs, or ${everything} for all, those to come included` }),
  permissions: Schema.Array(Schema.Literals(permissions)).check(Field.atMost(permissions.length)).annotate({
    description: "What the client may do there; any permission also lets it read shipments and orders there"
  })
}).annotate({ identifier: "GrantInput" })

const name = nameField("Its name, as people read it")

const grants = Schema.Array(grantSchema).check(Field.atMost(maxGrants)).annotate({
  description: "All that the client may do"
})

/** The schema of a new client's JSON form. */
export const clientSchema = Schema.Struct({
  name,
  grants,
  enabled: optional(Field.flag("Whether it gets tokens; true when absent"))
}).annotate({ identifier: "CreateClient" })

/** A client to be made. */
export type ClientInput = typeof clientSchema.Type

/** The schema of the JSON form of a change: what is absent stays. */
export const clientChangeSchema = Schema.Struct({
  name: optional(name),
  grants: optional(grants),
  enabled: optional(Field.flag("Whether it gets tokens, and its tokens are valid"))
}).annotate({ identifier: "ChangeClient" })

/** A change of a client: what is absent stays. */
export type ClientChange = typeof clientChangeSchema.Type

/** Who operates a business, and who may do something at every business, does so at all facilities. */
const checkGrants = (
  { grants }: Readonly<Record<string, unknown>>,
  faults: DocumentCheck.Faults
): void => {
  if (!Array.isArray(grants) || grants.length > maxGrants) return
  grants.forEach((grant: unknown, index) => {
    if (!DocumentCheck.isRecord(grant) || !Array.isArray(grant["facilities"])) return
    const fault = facilitiesFault(grant)
    if (fault !== undefined) faults.add(fault, "grants", index, "facilities")
  })
}

const facilitiesFault = (
  { business, permissions }: Readonly<Record<string, unknown>>
): string | undefined => {
  if (business === everything) return `must be "${everything}" where business is "${everything}"`
  return Array.isArray(permissions) && permissions.includes("operator")
    ? `must be "${everything}" in a grant with the permission operator`
    : undefined
}

/** Reads an untyped value into a new client. */
export const readClient: RequestInput.Reader<ClientInput> = RequestInput.reader(
  clientSchema,
  "a client",
  checkGrants
)

/** Reads an untyped value into a change of a client. */
export const readClientChange: RequestInput.Reader<ClientChange> = RequestInput.reader(
  clientChangeSchema,
  "a change of a client",
  checkGrants
)
