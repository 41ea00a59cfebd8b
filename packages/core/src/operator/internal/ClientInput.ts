/**
 * Reads the bodies with which operators create and change API clients and people (D11, D14.4).
 */
import { Schema } from "effect"
import { everything, permissions } from "../../access/Access.ts"
import { emailOf, isSubject } from "../../access/Person.ts"
import type { Faults } from "../../input/Faults.ts"
import { isRecord } from "../../input/RequestInput.ts"
import * as RequestInput from "../../input/RequestInput.ts"
import * as Field from "../../values/Field.ts"
import * as NameField from "../NameField.ts"
import { maxFacilities, maxGrants } from "./GrantRules.ts"

const optional = Schema.optionalKey

const grantSchema = Schema.Struct({
  business: Field.slug(`Business slug, or ${everything} for every business, including future ones`),
  facilities: Schema.Union([
    Schema.Literal(everything),
    Schema.Array(Field.slug("Facility slug")).check(Field.atMost(maxFacilities))
  ]).annotate({ description: `Facility slugs, or ${everything} for all, including future ones` }),
  permissions: Schema.Array(Schema.Literals(permissions)).check(Field.atMost(permissions.length)).annotate({
    description: "The permissions there; any permission also allows reading its shipments and orders"
  })
}).annotate({ identifier: "GrantInput" })

const name = NameField.name("Display name")

const grants = Schema.Array(grantSchema).check(Field.atMost(maxGrants)).annotate({
  description: "All permissions"
})

export const clientSchema = Schema.Struct({
  name,
  grants,
  enabled: optional(Field.flag("Whether it gets tokens; true when absent"))
}).annotate({ identifier: "CreateClient" })

/** The schema of a change's JSON form; absent settings stay. */
export const clientChangeSchema = Schema.Struct({
  name: optional(name),
  grants: optional(grants),
  enabled: optional(Field.flag("Whether it gets tokens, and its tokens are valid"))
}).annotate({ identifier: "ChangeClient" })

export const grantsSchema = Schema.Struct({
  grants: Schema.Array(grantSchema).check(Field.atMost(maxGrants)).annotate({
    description: "Permissions, each at its place"
  })
}).annotate({ identifier: "GrantsInput" })

/** A grant for all businesses, or with the permission operator, must cover all facilities. */
const checkGrants = ({ grants }: Readonly<Record<string, unknown>>, faults: Faults): void => {
  if (!Array.isArray(grants) || grants.length > maxGrants) return
  grants.forEach((grant: unknown, index) => {
    if (!isRecord(grant) || !Array.isArray(grant["facilities"])) return
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

const detail = "Give either email or subject"

export const personSchema = Schema.Struct({
  name,
  email: optional(
    Field.stringField(
      `Address by which the provider knows the person, if it has verified it. ${detail}`,
      (text) => emailOf(text) === undefined ? "must be an e-mail address in ASCII" : undefined,
      { maxLength: 254, examples: ["ada@example.com"] }
    )
  ),
  subject: optional(
    Field.stringField(
      `The person's sub at the provider, which the sign-in page shows. ${detail}`,
      (text) => isSubject(text) ? undefined : "must be 1 to 255 printable ASCII characters",
      { minLength: 1, maxLength: 255 }
    )
  ),
  grants
}).annotate({ identifier: "AddPerson" })

/** The schema of a change's JSON form; absent settings stay. */
export const personChangeSchema = Schema.Struct({
  name: optional(name),
  grants: optional(grants)
}).annotate({ identifier: "ChangePerson" })

/** A person is identified by either an address or a subject, never both, because an address may pass to somebody else. */
const checkPerson = (input: Readonly<Record<string, unknown>>, faults: Faults): void => {
  checkGrants(input, faults)
  const { email, subject } = input
  if ((email ?? undefined) === undefined && (subject ?? undefined) === undefined) {
    faults.add("is required unless subject is given", "email")
  } else if ((email ?? undefined) !== undefined && (subject ?? undefined) !== undefined) {
    faults.add("must be left out where email is given", "subject")
  }
}

export const readPerson = RequestInput.reader(personSchema, "a person", checkPerson)

export const readPersonChange = RequestInput.reader(personChangeSchema, "a change of a person", checkGrants)

export const readGrants = RequestInput.reader(grantsSchema, "grants", checkGrants)

export const readClient = RequestInput.reader(clientSchema, "a client", checkGrants)

export const readClientChange = RequestInput.reader(clientChangeSchema, "a change of a client", checkGrants)
