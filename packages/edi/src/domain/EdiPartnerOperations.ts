/**
 * The operations of operators on EDI partners, as values (D18.3).
 */
import * as Operation from "@dockline/core/access/Operation"
import type { Faults } from "@dockline/core/input/Faults"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { placeErrors } from "@dockline/core/places/Authorize"
import { nameField, slugField } from "@dockline/core/places/Place"
import { BusinessNotFound, Forbidden, InvalidRequest, StorageUnavailable } from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { TooManyEntries } from "@dockline/core/values/OperatorErrors"
import { Overloaded, PreconditionFailed } from "@dockline/core/values/RequestErrors"
import * as ViewField from "@dockline/core/values/ViewField"
import { Schema, Struct } from "effect"
import { EdiFileNotFound, EdiFileNotRejected, EdiPartnerExists, EdiPartnerNotFound } from "./EdiErrors.ts"
import {
  adviceKinds,
  adviceScopes,
  ediNewPurposes,
  ediReleases,
  EdiSide,
  EdiUnit,
  ediUsages,
  intakeKinds,
  lastControl
} from "./EdiPartner.ts"
import type { EdiPartner, EdiPartnerChange } from "./EdiPartner.ts"

const optional = Schema.optionalKey

/**
 * The field for an id in envelopes. The id contains no character that partners use as a delimiter, and does not begin or end with a space,
 * which X12 drops.
 */
const idText = (what: string, min: number, max: number) =>
  Field.stringField(
    what,
    (text) => {
      if (text.length < min || text.length > max) return `must be ${min} to ${max} characters long`
      return /^[A-Za-z0-9&'()+,\-./:;?=%@_#$ ]+$/.test(text) && text.trim() === text
        ? undefined
        : "must be letters, digits and the signs & ' ( ) + , - . / : ; ? = % @ _ # $, without spaces around them"
    },
    { minLength: min, maxLength: max }
  )

const qualifier = Field.stringField(
  "What kind of id it is (ISA05, ISA07), such as ZZ",
  (text) => /^[A-Z0-9]{2}$/.test(text) ? undefined : "must be two capital letters or digits, such as ZZ",
  { pattern: "^[A-Z0-9]{2}$" }
)

const sideInput = Schema.Struct({
  qualifier,
  id: idText("Id in interchanges (ISA06, ISA08)", 1, 15),
  group: optional(idText("Id in groups (GS02, GS03); as in interchanges when absent", 2, 15))
}).annotate({
  identifier: "EdiSideInput",
  description: "The ids of a side in envelopes: theirs is the partner, ours the facility"
})

const words = <const Word extends string>(all: ReadonlyArray<Word>, description: string) =>
  Schema.Array(Schema.Literals(all)).check(Field.atMost(all.length)).annotate({ description })

const names = { name: nameField("Display name"), theirs: sideInput, ours: sideInput }

const unitInput = Schema.Struct({
  code: Field.stringField(
    "The code that it sends (data element 355), such as LB",
    (text) => /^[A-Z0-9]{2}$/.test(text) ? undefined : "must be two capital letters or digits, such as LB",
    { pattern: "^[A-Z0-9]{2}$" }
  ),
  unit: Field.requiredText("The unit of documents that it means, such as UNIT")
}).annotate({ identifier: "EdiUnitInput", description: "The unit for a code of a partner" })

/** The most codes of units of a partner. */
const maxUnits = 100

const terms = {
  release: ViewField.word(ediReleases, "The release that the partner gets"),
  usage: ViewField.word(ediUsages, "P in production, T while the exchange is tried"),
  takes: words(intakeKinds, "The kinds of sets that are accepted; acknowledgments (997) always are"),
  tells: words(adviceKinds, "The kinds of sets that the partner gets about departed shipments"),
  tellsOf: ViewField.word(
    adviceScopes,
    "The orders about which it is told: those that its own files created (OWN), or all orders of its facility (ALL)"
  ),
  units: Schema.Array(unitInput).check(Field.atMost(maxUnits)).annotate({
    description:
      "The units for the codes of the partner. A code that neither this nor X12 defines counts as UNIT, with a note"
  }),
  newPurposes: words(ediNewPurposes, "The purposes of ship notices (BSN01), besides 00, that mean a new one")
}

const partnerSchema = Schema.Struct({
  slug: slugField("Permanent slug of the partner within its business"),
  facility: Field.slug("Slug of the facility for which it sends"),
  ...names,
  ...Struct.map(terms, optional),
  nextControl: optional(
    Field.wholeUpTo(
      lastControl,
      "The control number of the first interchange and of the first group that it gets, to continue the numbers of another system; 1 when absent"
    )
  )
}).annotate({ identifier: "CreateEdiPartner" })

const partnerChangeSchema = Schema.Struct(Struct.map({ ...names, ...terms }, optional)).annotate({
  identifier: "ChangeEdiPartner"
})

const sideOf = ({ group, id, qualifier }: typeof sideInput.Type) => ({ qualifier, id, group: group ?? id })

const checkWhole = (input: Readonly<Record<string, unknown>>, faults: Faults): void => {
  for (const name of ["ours", "theirs"]) {
    const side = input[name]
    const isShort = typeof side === "object" && side !== null && "id" in side &&
      typeof side.id === "string" &&
      side.id.length === 1 && !("group" in side)
    if (isShort) {
      faults.add("is required for an id of one character: ids in groups have 2 to 15", name, "group")
    }
  }
  if (input["nextControl"] === 0) faults.add("must be at least 1", "nextControl")
}

export interface EdiPartnerInput extends EdiPartnerChange, Pick<EdiPartner, "facility" | "slug"> {
  readonly nextControl: number
}

const readPartner: RequestInput.Reader<EdiPartnerInput> = RequestInput.map(
  RequestInput.reader(partnerSchema, "an EDI partner", checkWhole),
  (
    {
      nextControl = 1,
      ours,
      release = "004010",
      takes = intakeKinds,
      tells = adviceKinds,
      tellsOf = "OWN",
      units = [],
      newPurposes = [],
      theirs,
      usage = "P",
      ...input
    }
  ) => ({
    ...input,
    ours: sideOf(ours),
    theirs: sideOf(theirs),
    release,
    usage,
    takes: Array.from(new Set(takes)),
    tells: Array.from(new Set(tells)),
    tellsOf,
    units,
    newPurposes: Array.from(new Set(newPurposes)),
    nextControl
  })
)

const readPartnerChange: RequestInput.Reader<Partial<EdiPartnerChange>> = RequestInput.map(
  RequestInput.reader(partnerChangeSchema, "a change of an EDI partner", checkWhole),
  ({ newPurposes, ours, takes, tells, theirs, ...input }) => ({
    ...input,
    ...(ours === undefined ? {} : { ours: sideOf(ours) }),
    ...(theirs === undefined ? {} : { theirs: sideOf(theirs) }),
    ...(takes === undefined ? {} : { takes: Array.from(new Set(takes)) }),
    ...(tells === undefined ? {} : { tells: Array.from(new Set(tells)) }),
    ...(newPurposes === undefined ? {} : { newPurposes: Array.from(new Set(newPurposes)) })
  })
)

/** An EDI partner: its ids in envelopes, its agreement, and the next control numbers. */
export const EdiPartnerView = Schema.Struct({
  slug: ViewField.text("Its name in addresses"),
  business: ViewField.text("Business slug"),
  facility: ViewField.text("Slug of the facility for which it sends"),
  name: names.name,
  theirs: EdiSide,
  ours: EdiSide,
  release: terms.release,
  usage: terms.usage,
  takes: ViewField.list(Schema.String, "The kinds of sets that are accepted"),
  tells: ViewField.list(
    Schema.Literals(adviceKinds),
    "The kinds of sets that it gets about departed shipments"
  ),
  tellsOf: terms.tellsOf,
  units: ViewField.list(EdiUnit, "The units that it means by unit codes"),
  newPurposes: ViewField.list(
    Schema.String,
    "The purposes of ship notices (BSN01), besides 00, that mean a new one"
  ),
  nextInterchange: ViewField.whole("The control number of the next interchange that it gets"),
  nextGroup: ViewField.whole("The control number of the next group that it gets"),
  createdAt: ViewField.text("When it was created, RFC 3339 in UTC")
}).annotate({ identifier: "EdiPartner" })
export type EdiPartnerView = typeof EdiPartnerView.Type

const business = { slug: Operation.id("The business's slug") }
const partner = { ...business, partner: Operation.id("The partner's slug") }

const partnerErrors = [BusinessNotFound, EdiPartnerNotFound, Forbidden, StorageUnavailable] as const

/** Lists the EDI partners of a business in the order of their slugs. */
export const listEdiPartners = Operation.list("listEdiPartners", {
  rest: "GET /v1/operator/businesses/:slug/edi-partners",
  params: business,
  filters: {},
  cursor: "name",
  row: EdiPartnerView,
  page: "EdiPartnerPage",
  columns: [
    ...Operation.columns("slug", "name", "facility"),
    ["theirs", ({ theirs: { id, qualifier } }) => `${qualifier}/${id}`],
    ["ours", ({ ours: { id, qualifier } }) => `${qualifier}/${id}`],
    ...Operation.columns("release", "usage", "takes", "tells", "tellsOf", "nextInterchange", "createdAt")
  ],
  errors: [BusinessNotFound, Forbidden, StorageUnavailable],
  summary: "List the EDI partners of a business",
  description: "In slug order."
})

/** The settings that a change of a partner may contain. */
export const ediPartnerState = (
  { name, newPurposes, ours, release, takes, tells, tellsOf, theirs, units, usage }: EdiPartnerChange
): EdiPartnerChange => ({ name, ours, theirs, release, usage, takes, tells, tellsOf, units, newPurposes })

/** Creates an EDI partner. From then on, its files are accepted, and it is told about departures. */
export const createEdiPartner = Operation.keylessWrite("createEdiPartner", {
  rest: "POST /v1/operator/businesses/:slug/edi-partners",
  params: business,
  body: partnerSchema,
  read: readPartner,
  view: EdiPartnerView,
  creates: "slug",
  stateOf: ediPartnerState,
  errors: [...placeErrors, EdiPartnerExists, TooManyEntries, InvalidRequest],
  summary: "Create an EDI partner",
  description:
    "From then on files with its ids in their envelopes are accepted, and it is told of shipments that depart."
})

/** Reads an EDI partner. */
export const getEdiPartner = Operation.read("getEdiPartner", {
  rest: "GET /v1/operator/businesses/:slug/edi-partners/:partner",
  params: partner,
  view: EdiPartnerView,
  stateOf: ediPartnerState,
  errors: partnerErrors,
  summary: "Read an EDI partner",
  description: "Its ids in envelopes, the sets that are exchanged with it, and the next control numbers."
})

/** Changes an EDI partner; fields that the body leaves out stay unchanged. */
export const updateEdiPartner = Operation.keylessWrite("updateEdiPartner", {
  rest: "PATCH /v1/operator/businesses/:slug/edi-partners/:partner",
  params: partner,
  body: partnerChangeSchema,
  read: readPartnerChange,
  view: EdiPartnerView,
  stateOf: ediPartnerState,
  errors: [...partnerErrors, EdiPartnerExists, InvalidRequest, PreconditionFailed],
  summary: "Change an EDI partner",
  description: "Fields that are left out stay. Its slug, its facility and its control numbers cannot change."
})

/** Deletes an EDI partner; the files exchanged with it stay on record. */
export const deleteEdiPartner = Operation.keylessWrite("deleteEdiPartner", {
  rest: "DELETE /v1/operator/businesses/:slug/edi-partners/:partner",
  params: partner,
  view: Schema.Void,
  errors: partnerErrors,
  summary: "Delete an EDI partner",
  description:
    "Its files are refused from then on, and it is told nothing more. Its files stay on record. The control numbers of a partner that is \
created again begin with nextControl."
})

/** Resends the sets that a partner rejected, with present values and new control numbers. */
export const resendEdiFile = Operation.keylessWrite("resendEdiFile", {
  rest: "POST /v1/operator/businesses/:slug/edi-files/:fileId/resend",
  params: { ...business, fileId: Operation.id("The file's id in the record") },
  view: Schema.Void,
  isAccepted: true,
  errors: [
    BusinessNotFound,
    EdiFileNotFound,
    EdiFileNotRejected,
    EdiPartnerNotFound,
    Forbidden,
    Overloaded,
    TooManyEntries,
    StorageUnavailable
  ],
  summary: "Send rejected sets to an EDI partner again",
  description:
    "The partner gets the rejected sets of the file again, in their present state, in an interchange with new control numbers. \
Requests that come before it is sent count as one. The file stays on record unchanged."
})

/** The operations by their names. */
export const ediPartnerOperations = {
  listEdiPartners,
  createEdiPartner,
  getEdiPartner,
  updateEdiPartner,
  deleteEdiPartner,
  resendEdiFile
} as const

/** Shows an EDI partner, without the fields that only storages need. */
export const ediPartnerView = (
  { cursorId: _cursor, due: _due, key: _key, ...partner }: EdiPartner
): EdiPartnerView => partner
