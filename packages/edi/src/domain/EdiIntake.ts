/**
 * Port: takes files of X12 for an interface, which knows nothing of X12. `@dockline/edi` implements it; a program without it
 * takes none.
 */
import type { Principal } from "@dockline/core/access/Access"
import { placeErrors } from "@dockline/core/places/Authorize"
import type { ErrorOf } from "@dockline/core/values/CatalogueError"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Context, Effect } from "effect"
import { EdiNotServed, EdiRefused } from "./EdiErrors.ts"
import type { EdiFile } from "./EdiFile.ts"

/** Why a file is not taken, as an interface declares it. */
export const ediTakeErrors = [EdiRefused, EdiNotServed, ...placeErrors, Overloaded] as const

/** Why a file is not taken: it is refused, its sender may not send it, or it is to be sent again. */
export type EdiTakeError = ErrorOf<typeof ediTakeErrors>

/** An interchange that was taken. */
export interface EdiReceipt {
  readonly file: EdiFile
  /** Whether it came before: nothing was done again, and the answer is the same. */
  readonly isRepeated: boolean
}

/** How a file is taken. */
export interface EdiTakeOptions {
  /**
   * The business to whose partners the file has to belong: partners of several businesses may have the same ids in envelopes.
   */
  readonly business?: string | undefined
}

/** Takes files of partners. */
export interface EdiIntakeService {
  /** Takes the interchanges of a file, in their order, for a client that has `documents:write` at the facilities of their partners. */
  readonly take: (
    text: string,
    principal: Principal,
    options?: EdiTakeOptions
  ) => Effect.Effect<ReadonlyArray<EdiReceipt>, EdiTakeError>
}

/** What takes files; refuses all of them unless provided. */
export const EdiIntake: Context.Reference<EdiIntakeService> = Context.Reference(
  "@dockline/edi/domain/EdiIntake",
  {
    defaultValue: (): EdiIntakeService => ({ take: () => Effect.fail(new EdiNotServed()) })
  }
)
