/**
 * Texts among the arguments of a field: what holds for the texts of a document holds for them (D2.4).
 */
import { InvalidRequest } from "@dockline/core/Errors"
import type { FieldError } from "@dockline/core/internal/values/CatalogueError"
import { textFault } from "@dockline/core/internal/values/Field"

/** The faults of texts by their paths; absent texts have none. */
export const textFaults = (
  texts: Readonly<Record<string, string | null | undefined>>
): ReadonlyArray<FieldError> =>
  Object.entries(texts).flatMap(([path, text]) => {
    const detail = typeof text === "string" ? textFault(text) : undefined
    return detail === undefined ? [] : [{ path, detail }]
  })

/** The refusal of faults; `undefined` without any. */
export const refusalOf = (errors: ReadonlyArray<FieldError>): InvalidRequest | undefined =>
  errors.length === 0 ? undefined : new InvalidRequest({ errors })
