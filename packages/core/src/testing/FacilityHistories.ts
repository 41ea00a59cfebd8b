/**
 * Generated histories of the facilities of one business: documents, and now and then a shipment that arrives, departs
 * or is linked.
 */
import * as fc from "fast-check"
import type { Document } from "../Document.ts"
import { documentsWith } from "./Generators.ts"
import type { NamedStrategies } from "./Generators.ts"

/** One thing that happens at a facility: a document, or what becomes of a document's shipment. */
export type FacilityStep =
  | { readonly _tag: "Submit"; readonly document: Document }
  | { readonly _tag: "Alter"; readonly document: Document; readonly to: "ARRIVED" | "DEPARTED" | "LINKED" }

/** What happened, one thing after another, with the documents' strategies. */
export const facilityHistories = (
  strategies?: NamedStrategies
): fc.Arbitrary<ReadonlyArray<FacilityStep>> => {
  const options = strategies === undefined ? {} : { strategies }
  const distinct = documentsWith(options)
  const submit = (documents: fc.Arbitrary<Document>) =>
    documents.map((document): FacilityStep => ({ _tag: "Submit", document }))
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: submit(distinct) },
      { weight: 1, arbitrary: submit(documentsWith({ ...options, distinct: false })) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(distinct, fc.constantFrom("ARRIVED", "DEPARTED", "LINKED"))
          .map(([document, to]): FacilityStep => ({ _tag: "Alter", document, to }))
      }
    ),
    { minLength: 1, maxLength: 8 }
  )
}
