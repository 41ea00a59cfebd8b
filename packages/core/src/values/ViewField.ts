/**
 * The fields of views, which are what answers show of entities: each with its description, for the documentation of interfaces.
 *
 * Guarantee: an answer shows the fields of its view and no other field of the entity.
 */
import type { Brand } from "effect"
import { Schema } from "effect"

export { shownText as text, shownWhole as whole } from "./Field.ts"

/** One of these words. */
export const word = <const Word extends string>(words: ReadonlyArray<Word>, description: string) =>
  Schema.Literals(words).annotate({ description })

/** A list of such entries. */
export const list = <Entry extends Schema.Top>(entry: Entry, description: string) =>
  Schema.Array(entry).annotate({ description })

/** Such a value, or `null`. */
export const orNull = <Value extends Schema.Top>(value: Value, description: string) =>
  Schema.NullOr(value).annotate({ description })

type Plain = string | number | boolean | null | undefined

/** Whether a value may be shown as it is: what an object or list holds beyond its view would be shown with it. */
type Same<Value, View> = [Value] extends [View] ? [Value] extends [Plain] ? true
  : [View] extends [WithoutBrands<Value>] ? true
  : false
  : false

/** Views show branded values, such as timestamps, as texts and numbers. */
type WithoutBrands<Value> = Value extends Brand.Brand<string> ? Brand.Brand.Unbranded<Value>
  : Value extends object ? { readonly [Name in keyof Value]: WithoutBrands<Value[Name]> }
  : Value

/** The fields of a view that an entity has not, or of another type. */
type Different<View, Entity> = {
  readonly [
    Name in keyof View as Entity extends { readonly [_ in Name]: infer Value } ?
      Same<Value, View[Name]> extends true ? never : Name
      : Name
  ]: View[Name]
}

/**
 * Shows the fields of an entity that its view has: as they are, or as they are given `otherwise`. No other field of the entity
 * itself is shown. What lies deeper is shown whole: the compiler refuses a field that holds more than its view, except where
 * all that it holds beyond the view is optional.
 */
export const show = <View extends object, Entity extends object>(
  view: { readonly Type: View; readonly fields: Readonly<Record<keyof View, unknown>> },
  entity: Entity,
  otherwise: Different<View, Entity> & Partial<View>
): View => {
  const all: Readonly<Record<string, unknown>> = { ...entity, ...otherwise }
  // The fields of the entity that the view shows are of its types, and the others are given.
  return Object.fromEntries(Object.keys(view.fields).map((name) => [name, all[name]])) as View
}
