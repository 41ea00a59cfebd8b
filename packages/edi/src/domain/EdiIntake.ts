/**
 * Port: accepts files of X12 for an interface that knows nothing of X12. `EdiServices.intake` implements it. A program without that layer
 * refuses all files.
 */
import type { Principal } from "@dockline/core/access/Access"
import { placeErrors } from "@dockline/core/places/Authorize"
import type { ErrorOf } from "@dockline/core/values/CatalogueError"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Context, Effect } from "effect"
import { EdiNotServed, EdiRefused } from "./EdiErrors.ts"
import type { EdiFile } from "./EdiFile.ts"

/** The errors with which a file is refused, as an interface declares them. */
export const ediTakeErrors = [EdiRefused, EdiNotServed, ...placeErrors, Overloaded] as const

/** The reason why a file is not accepted: it is refused, its sender may not send it, or it has to be sent again. */
export type EdiTakeError = ErrorOf<typeof ediTakeErrors>

/** The receipt of an interchange. */
export interface EdiReceipt {
  readonly file: EdiFile
  /** Whether the interchange had come before. Then nothing was executed again, and the answer is the same. */
  readonly isRepeated: boolean
}

/** Options of accepting a file. */
export interface EdiTakeOptions {
  /** The business whose partner sent the file: partners of several businesses may have the same ids in envelopes. */
  readonly business?: string | undefined
}

/** Accepts files of partners. */
export interface EdiIntakeService {
  /** Accepts the interchanges of a file, in their order, for a client with `documents:write` at the facilities of their partners. */
  readonly take: (
    text: string,
    principal: Principal,
    options?: EdiTakeOptions
  ) => Effect.Effect<ReadonlyArray<EdiReceipt>, EdiTakeError>
}

/** The service that accepts files; by default it refuses all of them. */
export const EdiIntake: Context.Reference<EdiIntakeService> = Context.Reference(
  "@dockline/edi/domain/EdiIntake",
  {
    defaultValue: (): EdiIntakeService => ({ take: () => Effect.fail(new EdiNotServed()) })
  }
)
