/**
 * What a field map makes of the labels of a pallet (D6.4): the pallet labels that the messages of a business carry, under its own names.
 *
 * Guarantee: it is a function of the map, the labels and the time of the event alone, which a page runs too, to show a map before it is
 * saved.
 */
import { elementsOf, partOf } from "../labels/internal/ElementString.ts"

/** A value that was read from a label of a pallet; a name may occur several times. */
export interface Label {
  readonly name: string
  readonly value: string
}

/** A field that pallet messages of a business take from a label (D6.4). */
export interface MessageField {
  /** The field's name in the message. */
  readonly name: string
  /** The label that the field takes its value from; `gs1:` and an application identifier for a part of any label (D22). */
  readonly label: string
  /** Whether the field holds all values of the label, as a list, or only the first. */
  readonly list: boolean
}

/** The values of a label in the order of reading. A label without a value counts as absent. */
export const labelValues = (labels: ReadonlyArray<Label>, name: string): ReadonlyArray<string> =>
  labels.filter((label) => label.name === name && label.value !== "").map(({ value }) => value)

/** How a field map names a part of GS1 element strings. */
export const partPrefix = "gs1:"

/** The different values that an application identifier has in labels that are GS1 element strings, in the order of reading (D22). */
const partsOf = (labels: ReadonlyArray<Label>, ai: string, at: string): ReadonlyArray<string> =>
  Array.from(
    new Set(labels.flatMap(({ value }) =>
      elementsOf(value)?.flatMap((element) => element.ai === ai ? partOf(element, at) : []) ?? []
    ))
  )

/**
 * The fields that a map makes from labels that were read at a time: all values of a list field, or `[]`; of another the first value, or
 * `""`.
 */
export const customerFields = (
  fieldMap: ReadonlyArray<MessageField>,
  labels: ReadonlyArray<Label>,
  at: string
): Readonly<Record<string, string | ReadonlyArray<string>>> =>
  Object.fromEntries(
    fieldMap.map(({ name, label, list }) => {
      const allowedNames = labelValues(labels, label)
      const values = label.startsWith(partPrefix)
        ? [...allowedNames, ...partsOf(labels, label.slice(partPrefix.length), at)]
        : allowedNames
      return [name, list ? values : (values[0] ?? "")]
    })
  )
