/**
 * Sets of words of the contract that capabilities extend. {@link open} declares a field whose value is a word of one of these sets. {@link
 * widen} declares the field again with all words of a service. A client may receive words of capabilities that it does not know, so {@link
 * loosen} makes such fields accept any word.
 */
import { Record, Schema, SchemaAST, Struct } from "effect"

/**
 * The sets of words: types of messages, types that endpoints receive, actions of operators, profiles of payloads, and counts of shipments.
 */
interface WordSets {
  readonly messageTypes: ReadonlyArray<string>
  readonly webhookTypes: ReadonlyArray<string>
  readonly auditActions: ReadonlyArray<string>
  readonly payloadProfiles: ReadonlyArray<string>
  readonly shipmentCounts: ReadonlyArray<string>
}

/** The words of a service. */
export interface OpenWords extends WordSets {
  /** The purpose of each of the `webhookTypes` that comes from an outbox, in a few words. */
  readonly outboxes: Readonly<Record<string, string>>
  /** The subject of each kind of incident, in a few words. */
  readonly incidents: Readonly<Record<string, string>>
}

const openKey = "@dockline/core/OpenWords/open"

interface Open {
  readonly words: ReadonlyArray<string>
  readonly set: keyof WordSets
  readonly make: (words: ReadonlyArray<string>) => Schema.Top
}

/** Declares a field whose values are the words of a set; `make` builds the schema of the field from the words. */
export const open = <Word extends string, Field extends Schema.Top>(
  set: keyof WordSets,
  words: ReadonlyArray<Word>,
  make: (words: ReadonlyArray<Word>) => Field
): Field =>
  // An annotation does not change the type of a schema.
  make(words).annotate({ [openKey]: { set, words, make } }) as Schema.Top as Field

/** The fields of a declaration with the words of a service; the same object if the service adds no word to any of them. */
export const widenedFields = <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  words: OpenWords
): Fields => {
  const widerFields = Record.map(fields, (field) => {
    const openWords = SchemaAST.resolve(field.ast)?.[openKey] as Open | undefined
    return openWords === undefined || words[openWords.set].length === openWords.words.length
      ? field
      : open(openWords.set, words[openWords.set], openWords.make)
  })
  return Struct.keys(fields).every((name) => widerFields[name] === fields[name])
    ? fields
    : widerFields as Fields
}

const isStruct = (schema: Schema.Top): schema is Schema.Struct<Schema.Struct.Fields> => "fields" in schema

/** A view with the words of a service; the same view if the service adds no word to any field. */
export const widen = <View extends Schema.Top>(view: View, words: OpenWords): View => {
  if (!isStruct(view)) return view
  const fields = widenedFields(view.fields, words)
  return fields === view.fields
    ? view
    : Schema.Struct(fields).annotate({ ...SchemaAST.resolve(view.ast) }) as Schema.Top as View
}

/** A view for readers that do not know which capabilities a service has: its open fields accept any word. */
export const loosen = (view: Schema.Top): Schema.Top =>
  isStruct(view)
    ? Schema.Struct(Record.map(view.fields, (field) => {
      const openWords = SchemaAST.resolve(field.ast)?.[openKey]
      return openWords === undefined ? field : Schema.Unknown
    }))
    : view
