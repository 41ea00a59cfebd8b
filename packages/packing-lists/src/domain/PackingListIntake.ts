/**
 * Port: accepts packing lists for an interface that knows nothing of their formats. `PackingListServices.intake` implements it; without it,
 * a program accepts none.
 */
import type { Principal } from "@dockline/core/access/Access"
import { placeErrors } from "@dockline/core/places/Authorize"
import type { ErrorOf } from "@dockline/core/values/CatalogueError"
import { InvalidParameter } from "@dockline/core/values/Errors"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Context, Effect } from "effect"
import type { PackingListFile } from "../file/FileReader.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import type { PackingListAnswer } from "./PackingList.ts"
import {
  PackingListChanged,
  PackingListFaulty,
  PackingListMappingNotFound,
  PackingListRefused,
  PackingListsNotServed
} from "./PackingListErrors.ts"

/** The errors with which a packing list is refused, as an interface declares them. */
export const packingListErrors = [
  PackingListRefused,
  PackingListFaulty,
  PackingListsNotServed,
  PackingListMappingNotFound,
  PackingListChanged,
  InvalidParameter,
  ...placeErrors,
  Overloaded
] as const

/** The reason why a packing list is not accepted. */
export type PackingListError = ErrorOf<typeof packingListErrors>

/** A file, with the options for reading and sending it. */
export interface PackingListRequest {
  readonly business: string
  readonly facility: string
  readonly file: PackingListFile
  /** The mapping, or the name of a saved one. In a dry run, a mapping without columns is completed by a suggestion. */
  readonly mapping?: Mapping | string | undefined
  /** Whether nothing may be written. */
  readonly dryRun: boolean
  /** Whether the orders without faults are sent even if others have faults. */
  readonly faultless: boolean
  /** The `next` of the previous part; `""` for the first part. */
  readonly from: string
}

/** Accepts packing lists. */
export interface PackingListIntakeService {
  /** Handles the next part of a file, for a client with `documents:write` at the facility. */
  readonly take: (
    request: PackingListRequest,
    principal: Principal
  ) => Effect.Effect<PackingListAnswer, PackingListError>
}

/** The service that accepts packing lists; by default it refuses all of them. */
export const PackingListIntake: Context.Reference<PackingListIntakeService> = Context.Reference(
  "@dockline/packing-lists/domain/PackingListIntake",
  {
    defaultValue: (): PackingListIntakeService => ({ take: () => Effect.fail(new PackingListsNotServed()) })
  }
)
