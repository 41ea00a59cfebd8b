/**
 * The EPCIS settings of a business, and the operations of operators that read and replace them (D24.2, D24.5).
 */
import * as Operation from "@dockline/core/access/Operation"
import * as RequestInput from "@dockline/core/input/RequestInput"
import { BusinessNotFound, Forbidden, InvalidRequest, StorageUnavailable } from "@dockline/core/values/Errors"
import * as Field from "@dockline/core/values/Field"
import { PreconditionFailed } from "@dockline/core/values/RequestErrors"
import * as ViewField from "@dockline/core/values/ViewField"
import { Schema } from "effect"

/** The most company prefixes of a business. */
export const prefixLimit = 100

const companyPrefix = Field.stringField(
  "A company prefix of GS1, such as 0614141",
  (text) => /^\d{6,12}$/.test(text) ? undefined : "must be 6 to 12 digits, such as 0614141",
  { pattern: "^\\d{6,12}$" }
)

const texts = {
  companyPrefixes:
    "The company prefixes of GS1 whose SSCCs are EPC URNs (urn:epc:id:sscc:…); others are Digital Links",
  publishes:
    "Whether events are published to the webhook endpoints that ask for EPCIS_EVENTS. Only events after the change are published."
}

/** The EPCIS settings of a business. */
export const EpcisSettings = Schema.Struct({
  companyPrefixes: ViewField.list(Schema.String, texts.companyPrefixes),
  publishes: Field.flag(texts.publishes)
}).annotate({
  identifier: "EpcisSettings",
  description: "How the EPCIS events of a business are written."
})

export type EpcisSettings = typeof EpcisSettings.Type

/** The settings of a business whose operators have set none. */
export const defaultSettings: EpcisSettings = { companyPrefixes: [], publishes: false }

const settingsInput = Schema.Struct({
  companyPrefixes: Schema.optionalKey(
    Schema.Array(companyPrefix).check(Field.atMost(prefixLimit)).annotate({
      description: texts.companyPrefixes
    })
  ),
  publishes: Schema.optionalKey(Field.flag(texts.publishes))
}).annotate({ identifier: "EpcisSettingsInput" })

const readSettings: RequestInput.Reader<EpcisSettings> = RequestInput.map(
  RequestInput.reader(settingsInput, "the settings of EPCIS"),
  ({ companyPrefixes = [], publishes = false }) => ({
    companyPrefixes: Array.from(new Set(companyPrefixes)).toSorted(),
    publishes
  })
)

const params = { slug: Operation.id("The business's slug") }
const errors = [BusinessNotFound, Forbidden, StorageUnavailable] as const

/** A conditional change compares all settings. */
const stateOf = (settings: EpcisSettings): EpcisSettings => settings

/** Reads the settings of a business. */
export const getEpcisSettings = Operation.read("getEpcisSettings", {
  rest: "GET /v1/operator/businesses/:slug/epcis",
  params,
  view: EpcisSettings,
  stateOf,
  errors,
  summary: "Read the EPCIS settings of a business",
  description: "How the events of the business write SSCCs, and whether webhook endpoints get the events."
})

/** Replaces the settings of a business. */
export const setEpcisSettings = Operation.keylessWrite("setEpcisSettings", {
  rest: "PUT /v1/operator/businesses/:slug/epcis",
  params,
  body: settingsInput,
  read: readSettings,
  view: EpcisSettings,
  stateOf,
  errors: [...errors, InvalidRequest, PreconditionFailed],
  summary: "Replace the EPCIS settings of a business",
  description:
    "Fields that are left out get their defaults: no prefixes, and events are not published. From then on all events have the new identifiers, also those of older messages."
})

/** The operations by their names. */
export const settingsOperations = { getEpcisSettings, setEpcisSettings } as const
