/**
 * Texts among the arguments of a field: what holds for the texts of a document holds for them (D2.4).
 */
import { InvalidRequest } from "@dockline/core/Errors"
import type { FieldError } from "@dockline/core/Errors"
import { textFault } from "@dockline/core/Field"

/** What is wrong with the texts, by their paths; absent ones are not. */
export const textFaults = (
  texts: Readonly<Record<string, string | null | undefined>>
): ReadonlyArray<FieldError> =>
  Object.entries(texts).flatMap(([path, text]) => {
    const detail = typeof text === "string" ? textFault(text) : undefined
    return detail === undefined ? [] : [{ path, detail }]
  })

/** The refusal of arguments that have faults; none otherwise. */
export const refusalOf = (errors: ReadonlyArray<FieldError>): InvalidRequest | undefined =>
  errors.length === 0 ? undefined : new InvalidRequest({ errors })
