/**
 * Port: takes packing lists for an interface, which knows nothing of their formats. `PackingListServices.intake` implements it; a program
 * without it takes none.
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

/** Why a packing list is not taken, as an interface declares it. */
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

/** Why a packing list is not taken. */
export type PackingListError = ErrorOf<typeof packingListErrors>

/** A file, and what is to be done with it. */
export interface PackingListRequest {
  readonly business: string
  readonly facility: string
  readonly file: PackingListFile
  /** How it is read, or the name of a mapping that the business keeps; suggested where it has no columns, for a dry run only. */
  readonly mapping?: Mapping | string | undefined
  /** Whether nothing is to be written. */
  readonly dryRun: boolean
  /** Whether the orders without faults are to be sent although others have some. */
  readonly faultless: boolean
  /** The `next` of the part before; `""` for the first. */
  readonly from: string
}

/** Takes packing lists. */
export interface PackingListIntakeService {
  /** Handles the next part of a file for a client that has `documents:write` at the facility. */
  readonly take: (
    request: PackingListRequest,
    principal: Principal
  ) => Effect.Effect<PackingListAnswer, PackingListError>
}

/** What takes packing lists; refuses all of them unless provided. */
export const PackingListIntake: Context.Reference<PackingListIntakeService> = Context.Reference(
  "@dockline/packing-lists/domain/PackingListIntake",
  {
    defaultValue: (): PackingListIntakeService => ({ take: () => Effect.fail(new PackingListsNotServed()) })
  }
)
