/**
 * The schemas and readers of the bodies with which operators create and change businesses, facilities, docks, field maps, API clients and
 * people, request replays, and advance ids (D11, D14.4).
 */
import { Schema } from "effect"
import { everything, permissions } from "../../access/Access.ts"
import { emailOf, isSubject } from "../../access/Principals.ts"
import type { Faults } from "../../input/Faults.ts"
import * as RequestInput from "../../input/RequestInput.ts"
import { isRecord } from "../../input/RequestInput.ts"
import { maxMessageFields } from "../../places/MessageField.ts"
import type { MessageField } from "../../places/MessageField.ts"
import {
  defaultDetentionMinutes,
  defaultTimeZone,
  detentionMinutesAtMost,
  dockSlugFault,
  maxDockSlugLength,
  nameField,
  slugField,
  timeZoneFault
} from "../../places/Place.ts"
import * as Field from "../../values/Field.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import type { WebhookType } from "../../values/Vocabulary.ts"
import type { ReplayRange } from "../../webhooks/DeliveryStore.ts"
import { maxFacilities, maxGrants } from "./GrantRules.ts"

const optional = Schema.optionalKey

const name = nameField("Display name")

const zone =
  "IANA name of the time zone that its clocks show, such as Europe/Berlin; times in answers stay UTC"

const timeZone = (description: string) =>
  Field.stringField(description, timeZoneFault, { minLength: 1, maxLength: 64, examples: ["Europe/Berlin"] })

const detention = (more = "") =>
  Field.wholeUpTo(
    detentionMinutesAtMost,
    `The minutes that a shipment may take from arrival to departure before it counts as detained${more}`
  )

export const businessSchema = Schema.Struct({
  slug: slugField("Permanent slug of the business"),
  name
})
  .annotate({
    identifier: "CreateBusiness"
  })

export const facilitySchema = Schema.Struct({
  slug: slugField("Permanent slug of the facility within its business"),
  name,
  timeZone: optional(timeZone(`${zone}; ${defaultTimeZone} when absent`)),
  detentionMinutes: optional(detention(`; ${defaultDetentionMinutes} when absent`))
}).annotate({ identifier: "CreateFacility" })

/** The schema of a change's JSON form; absent settings stay. */
export const facilityChangeSchema = Schema.Struct({
  name: optional(name),
  timeZone: optional(timeZone(zone)),
  detentionMinutes: optional(detention())
})
  .annotate({ identifier: "ChangeFacility" })

export const renameSchema = Schema.Struct({ name }).annotate({ identifier: "Rename" })

export const dockSchema = Schema.Struct({
  slug: Field.stringField("Permanent slug of the dock within its facility, as in documents", dockSlugFault, {
    minLength: 1,
    maxLength: maxDockSlugLength
  })
}).annotate({ identifier: "CreateDock" })

/** The schema of a field map's JSON form (D6.4). `Businesses` checks the names. */
export const fieldMapSchema = Schema.Array(
  Schema.Struct({
    name: Field.requiredText("The field's name in messages"),
    label: Field.requiredText(
      "The label of the pallet from which the field is read; gs1: with an application identifier, such as gs1:10, reads that part of GS1 element strings in labels"
    ),
    list: optional(Field.flag("Whether all values of the label are sent, as a list; false when absent"))
  }).annotate({ identifier: "MessageFieldInput" })
).check(Field.atMost(maxMessageFields)).annotate({ identifier: "FieldMap" })

export const replaySchema = Schema.Struct({
  fromId: optional(Field.id("Id of the first message; requires toId")),
  toId: optional(Field.id("Id of the last message")),
  from: optional(
    Field.requiredDateTime("When the first message was sent; requires to, and excludes the ids")
  ),
  to: optional(Field.requiredDateTime("When the last message was sent"))
}).annotate({ identifier: "ReplayRange" })

export const advanceSchema = Schema.Struct({
  beyond: Field.id("The highest id that any consumer may have seen; the next message gets a higher one")
}).annotate({ identifier: "AdvanceMessages" })

/** The schema of a test in a service with these types of messages. */
export const testSchema = (types: ReadonlyArray<WebhookType>) =>
  Schema.Struct({
    messageType: optional(
      Schema.Literals(types).annotate({
        description: "The type of the message, one that the endpoint receives; its first when absent"
      })
    )
  }).annotate({ identifier: "WebhookTestRequest" })

export const readBusiness = RequestInput.reader(businessSchema, "a business")
export const readFacility = RequestInput.reader(
  facilitySchema,
  "a facility, whose docks are made with POST …/docks"
)
export const readFacilityChange = RequestInput.reader(
  facilityChangeSchema,
  "a change of a facility, whose docks are made with POST …/docks"
)
export const readRename = RequestInput.reader(renameSchema, "a change of a name")
export const readDock = RequestInput.reader(dockSchema, "a dock")
export const readAdvance = RequestInput.reader(advanceSchema, "an id to move ids beyond")

export const testReader = (types: ReadonlyArray<WebhookType>) =>
  RequestInput.reader(testSchema(types), "a test")

export const toFieldMap = (fields: typeof fieldMapSchema.Type): ReadonlyArray<MessageField> =>
  fields.map(({ name, label, list = false }) => ({ name, label, list }))

export const readFieldMap = RequestInput.map(
  RequestInput.reader(fieldMapSchema, "a field map"),
  toFieldMap
)

const pairs = [["fromId", "toId"], ["from", "to"]] as const

const readReplayInput = RequestInput.reader(replaySchema, "a replay", (input, faults) => {
  const pairsGiven = pairs.filter((pair) => pair.some((field) => Object.hasOwn(input, field)))
  if (pairsGiven.length === 0) faults.add("must hold fromId and toId, or from and to")
  if (pairsGiven.length === 2) {
    for (const field of pairs[1].filter((field) => Object.hasOwn(input, field))) {
      faults.add("cannot be combined with ids; send ids or times", field)
    }
    return
  }
  for (const field of pairsGiven.flat()) if (!Object.hasOwn(input, field)) faults.add("is required", field)
  const { fromId, toId, from, to } = input
  if (typeof fromId === "number" && typeof toId === "number" && fromId > toId) {
    faults.add("must not be less than fromId", "toId")
  }
  const [start, end] = [from, to].map((text) => typeof text === "string" ? Timestamp.parse(text) : undefined)
  if (start !== undefined && end !== undefined && start > end) faults.add("must not be before from", "to")
})

export const readReplay: RequestInput.Reader<ReplayRange> = RequestInput.map(
  readReplayInput,
  ({ fromId, toId, from, to }): ReplayRange =>
    // The checks above guarantee that both values of a pair are present and valid.
    from === undefined
      ? { fromId: fromId!, toId: toId! }
      : { from: Timestamp.parse(from)!, to: Timestamp.parse(to!)! }
)

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
