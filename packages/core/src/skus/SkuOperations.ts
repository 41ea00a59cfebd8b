/** The operations on the SKU master, as values (D17.4), with examples of their requests. */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import { example } from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { InvalidRequest } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { Overloaded } from "../values/RequestErrors.ts"
import * as ViewField from "../values/ViewField.ts"
import * as Sku from "./Sku.ts"
import { SkuView } from "./Sku.ts"

/** The result of setting SKUs. */
export const SetSkusAnswer = Schema.Struct({
  added: ViewField.whole("How many SKUs are new"),
  updated: ViewField.whole("The number of existing SKUs, changed or not"),
  skus: ViewField.list(SkuView, "The SKUs of the request in their present state")
}).annotate({ identifier: "SetSkusAnswer", description: "What became of SKUs." })

/** The result of setting SKUs. */
export type SetSkusAnswer = typeof SetSkusAnswer.Type

/** The result of deleting SKUs. */
export const DeleteSkusAnswer = Schema.Struct({ deleted: ViewField.whole("The number of SKUs that existed") })
  .annotate({ identifier: "DeleteSkusAnswer", description: "What became of SKUs." })

/** The result of deleting SKUs. */
export type DeleteSkusAnswer = typeof DeleteSkusAnswer.Type

/** Lists the SKUs of a facility. */
export const listSkus = Operation.list("listSkus", {
  rest: "GET /v1/skus",
  params: {},
  filters: { business: Field.slug("Slug of the business."), facility: Field.slug("Slug of the facility.") },
  cursor: "name",
  row: SkuView,
  page: "SkuPage",
  holds: ["SKUs", "the order of the SKUs"],
  columns: Operation.columnsOf(SkuView),
  errors: [...placeErrors, Overloaded],
  summary: "List SKUs",
  description: "The SKU master of a facility, in the order of the SKUs."
})

/** Adds SKUs, and changes existing ones. */
export const setSkus = Operation.write("setSkus", {
  rest: "POST /v1/skus",
  params: {},
  body: Sku.setSchema,
  read: Sku.readSet,
  isBodyOptional: false,
  view: SetSkusAnswer,
  creates: false,
  placeOf: Operation.givenPlace,
  errors: [...placeErrors, InvalidRequest, Overloaded],
  may: ["documents:write"],
  isRepeatable: true,
  summary: "Set SKUs",
  description: "Adds SKUs to the master of a facility, and changes the given fields of existing ones."
})

/** Deletes SKUs. */
export const deleteSkus = Operation.write("deleteSkus", {
  rest: "POST /v1/skus/delete",
  params: {},
  body: Sku.deleteSchema,
  read: Sku.readDelete,
  isBodyOptional: false,
  view: DeleteSkusAnswer,
  creates: false,
  placeOf: Operation.givenPlace,
  errors: [...placeErrors, InvalidRequest],
  may: ["documents:write"],
  isRepeatable: true,
  summary: "Delete SKUs",
  description: "Deletes SKUs from the master of a facility. Items keep their SKUs."
})

const oatDrink = {
  id: "SKU-100",
  description: "Oat drink, 12 x 1 l",
  unitOfMeasure: "CASE",
  unitOfWeight: "KG",
  casesPerPallet: 60,
  casesPerLayer: 12,
  layersPerPallet: 5,
  alternateIds: ["04012345678901"],
  metadata: "{\"temperature\":\"ambient\"}"
}

/** The examples of requests, by operation and by name. */
export const requests = {
  setSkus: {
    set: example("Two SKUs, with only the description of one", {
      business: "acme",
      facility: "east",
      skus: [
        oatDrink,
        { id: "SKU-200", description: "Rye bread, sliced" }
      ]
    })
  },
  deleteSkus: {
    delete: example("Two SKUs", { business: "acme", facility: "east", ids: ["SKU-100", "SKU-200"] })
  }
}
