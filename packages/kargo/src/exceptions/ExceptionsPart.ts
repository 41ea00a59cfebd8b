/** Exceptions as a part of Kargo's schema: clients report exceptions of the kind `OTHER` (D17.1). */
import { reportException } from "@dockline/core/exceptions/ExceptionOperations"
import type { FieldError } from "@dockline/core/values/CatalogueError"
import { InvalidRequest } from "@dockline/core/values/Errors"
import type { PalletId, ShipmentId } from "@dockline/core/values/Id"
import { Result } from "effect"
import type { SchemaPart } from "../schema/SchemaPart.ts"

const sdl = `
extend type Mutation {
  "Reports a problem with a shipment or one of its pallets, of the kind OTHER."
  createException(input: CreateExceptionInput!): CreateExceptionResult!
}

input CreateExceptionInput {
  shipmentId: Int!
  palletId: Int
  "LOW when absent."
  priority: ExceptionPriority
  customerExceptionDescription: String!
}

type CreateExceptionResult {
  exceptionId: ID!
}

enum ExceptionPriority {
  LOW
  HIGH
}
`

interface ExceptionGiven {
  readonly shipmentId: ShipmentId
  readonly palletId?: PalletId | null
  readonly priority?: "LOW" | "HIGH" | null
  readonly customerExceptionDescription: string
}

const readException = ({ customerExceptionDescription: description, palletId, priority }: ExceptionGiven) =>
  reportException.read({
    kind: "OTHER",
    priority: priority ?? "LOW",
    description,
    ...(palletId === undefined || palletId === null ? {} : { palletId: String(palletId) })
  })

/** The faults of a report, at the field of the input. Only the description can have a fault. */
const ofException = ({ errors }: { readonly errors: ReadonlyArray<FieldError> }) =>
  new InvalidRequest({
    errors: errors.map(({ detail }) => ({ path: "input.customerExceptionDescription", detail }))
  })

/** Exceptions. */
export const exceptions: SchemaPart = {
  name: "exceptions",
  sdl,
  resolvers: (_, mutationOf) => ({
    Mutation: {
      createException: mutationOf(
        "reportException",
        (input: ExceptionGiven) => Result.mapError(readException(input), ofException),
        ({ id }: { readonly id: string }) => ({ exceptionId: id }),
        ({ shipmentId }) => ({ id: String(shipmentId) })
      )
    }
  })
}
