/**
 * The types of documents as TypeScript programs write them, made of the schema that documents are read with. What they
 * refuse would be refused when it is read: a misspelt field, an unknown word, orders beside an order number (D2.1).
 */
import type { schema } from "./DocumentSchema.ts"

type EncodedDocument = ReturnType<typeof schema>["Encoded"]

/** A literal for itself, any other text for nothing. */
type Literal<T> = T extends string ? string extends T ? never : T : never

/** The words of the wire contract alone, where fields take those that a service adds as well. */
type OfContract<T> = [Literal<T>] extends [never] ? MembersOfContract<T> : Literal<T> | Exclude<T, string>

type MembersOfContract<T> = T extends ReadonlyArray<infer Entry> ? ReadonlyArray<OfContract<Entry>>
  : T extends object ? { readonly [Name in keyof T]: OfContract<T[Name]> }
  : T

/** One order with its items, or several orders of one shipment. */
type Shape<Fields extends EncodedDocument> = Flat<
  & Omit<Fields, "orderNumber" | "shipmentNumber" | "items" | "orders">
  & (
    | (Pick<Fields, "shipmentNumber" | "items"> & { readonly orderNumber: string; readonly orders?: never })
    | {
      readonly shipmentNumber: string
      readonly orders: NonNullable<Fields["orders"]>
      readonly orderNumber?: never
      readonly items?: never
    }
  )
>

/** The same members without the types that they were put together of, for completion and for the texts of errors. */
type Flat<T> = T extends object ? { readonly [Name in keyof T]: T[Name] } : never

/** A document with the words and strategies of the wire contract. */
export type DocumentJson = Shape<OfContract<EncodedDocument>>

/** A document for a service with words or strategies of its own, whose names no type knows. */
export type OwnDocumentJson = Shape<EncodedDocument>
