/**
 * The fields of views, in which answers show entities, each with its description for the documentation of interfaces.
 *
 * Guarantee: {@link show} shows the fields of a view and no other field of the entity.
 */
import type { Brand } from "effect"
import { Schema } from "effect"

export { shownText as text, shownWhole as whole } from "./Field.ts"

/** A field whose value is one of the words. */
export const word = <const Word extends string>(words: ReadonlyArray<Word>, description: string) =>
  Schema.Literals(words).annotate({ description })

/** A list field. */
export const list = <Entry extends Schema.Top>(entry: Entry, description: string) =>
  Schema.Array(entry).annotate({ description })

/** A field that may be `null`. */
export const orNull = <Value extends Schema.Top>(value: Value, description: string) =>
  Schema.NullOr(value).annotate({ description })

type Plain = string | number | boolean | null | undefined

/** Whether a value may be shown unchanged: members of an object or list beyond its view would be shown too. */
type Same<Value, View> = [Value] extends [View] ? [Value] extends [Plain] ? true
  : [View] extends [WithoutBrands<Value>] ? true
  : false
  : false

/** Views show branded values, such as timestamps, as texts and numbers. */
type WithoutBrands<Value> = Value extends Brand.Brand<string> ? Brand.Brand.Unbranded<Value>
  : Value extends object ? { readonly [Name in keyof Value]: WithoutBrands<Value[Name]> }
  : Value

/** The fields of a view that an entity lacks or has with another type. */
type Different<View, Entity> = {
  readonly [
    Name in keyof View as Entity extends { readonly [_ in Name]: infer Value } ?
      Same<Value, View[Name]> extends true ? never : Name
      : Name
  ]: View[Name]
}

/**
 * Shows the fields of an entity that its view has, unchanged or replaced by those in `otherwise`. No other field of the entity itself is
 * shown. Nested values are shown whole: the compiler refuses a field that holds more than its view, unless all members beyond the view are
 * optional.
 */
export const show = <View extends object, Entity extends object>(
  view: { readonly Type: View; readonly fields: Readonly<Record<keyof View, unknown>> },
  entity: Entity,
  otherwise: Different<View, Entity> & Partial<View>
): View => {
  const all: Readonly<Record<string, unknown>> = { ...entity, ...otherwise }
  // The fields that come from the entity have the types of the view, and `otherwise` has the others.
  return Object.fromEntries(Object.keys(view.fields).map((name) => [name, all[name]])) as View
}
