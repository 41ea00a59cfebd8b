/**
 * The fields by which operators name new entities.
 */
import { slugFault } from "../places/Place.ts"
import * as Field from "../values/Field.ts"
import { slugPattern } from "../values/Vocabulary.ts"

const maxNameLength = 200

const nameFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  if (Array.from(text).length > maxNameLength) return `must be at most ${maxNameLength} characters long`
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  return /[\u0000-\u001f\u007f-\u009f]/.test(text) ? "must not contain control characters" : undefined
}

/** A name that people read. */
export const name = (description: string) =>
  Field.stringField(description, nameFault, { minLength: 1, maxLength: maxNameLength })

/** The slug of a new entity: its name in addresses. */
export const slug = (description: string) =>
  Field.stringField(description, slugFault, { pattern: slugPattern.source, maxLength: 63 })
