/**
 * What a field map makes of the labels of a pallet (D6.4): the pallet labels that the messages of a business carry, under its own names.
 *
 * Guarantee: it is a function of the map and the labels alone, which a page runs too, to show a map before it is saved.
 */

/** A value that was read from a label of a pallet; a name may occur several times. */
export interface Label {
  readonly name: string
  readonly value: string
}

/** A field that pallet messages of a business take from a label (D6.4). */
export interface MessageField {
  /** The field's name in the message. */
  readonly name: string
  /** The label that the field takes its value from. */
  readonly label: string
  /** Whether the field holds all values of the label, as a list, or only the first. */
  readonly list: boolean
}

/** The values of a label in the order of reading. A label without a value counts as absent. */
export const labelValues = (labels: ReadonlyArray<Label>, name: string): ReadonlyArray<string> =>
  labels.filter((label) => label.name === name && label.value !== "").map(({ value }) => value)

/** The fields that a map makes from labels: all values of a list field, or `[]`; of another the first value, or `""`. */
export const customerFields = (
  fieldMap: ReadonlyArray<MessageField>,
  labels: ReadonlyArray<Label>
): Readonly<Record<string, string | ReadonlyArray<string>>> =>
  Object.fromEntries(
    fieldMap.map(({ name, label, list }) => {
      const values = labelValues(labels, label)
      return [name, list ? values : (values[0] ?? "")]
    })
  )
