/**
 * What Kargo's documents say and ours have no field for is kept among the additional fields of the shipment, and shown from
 * there (D17.2): a fact of the shipment under its name, a fact of an order after its number, as in `PO-1.requestedShipDate`, and a
 * fact of an item after that and what the item is called: its identifier, LPN and SKU, of which one that repeats another is left out.
 */
import type { ShipmentView } from "@dockline/core/shipment/View"

/** Named values, as documents and answers have them. */
export type NamedValues = ShipmentView["additionalFields"]

/** A value to be kept, and the field of the input that it comes from. */
export interface Fact {
  readonly name: string
  readonly value: string
  readonly path: string
}

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

/** What is kept of the named fields of an input that lies at `path`; those that are absent or false are not. */
export const keep = (
  fields: Fields,
  names: ReadonlyArray<string>,
  { owner = "", path }: { readonly owner?: string; readonly path: string }
): ReadonlyArray<Fact> =>
  names.flatMap((name) => {
    const value = fields[name] ?? ""
    return value === "" || value === false
      ? []
      : [{ name: nameOf(owner, name), value: textOf(value), path: `${path}.${name}` }]
  })

/** The name under which a fact of an owner, such as the number of an order, is kept. */
export const nameOf = (owner: string, name: string): string => owner === "" ? name : `${owner}.${name}`

const byName = new WeakMap<NamedValues, ReadonlyMap<string, string>>()

/** The first value of each name; made once, as each order of a shipment asks for some. */
const valuesOf = (fields: NamedValues): ReadonlyMap<string, string> => {
  const byFieldName = byName.get(fields)
  if (byFieldName !== undefined) return byFieldName
  const values = new Map<string, string>()
  for (const { name, value } of fields) if (!values.has(name)) values.set(name, value)
  byName.set(fields, values)
  return values
}

/** What is kept of a fact; `null` where nothing is. */
export const keptOf = (fields: NamedValues, name: string, owner = ""): string | null =>
  valuesOf(fields).get(nameOf(owner, name)) ?? null

export const shipmentFacts = [
  "carrierService",
  "driverEmailAddress",
  "equipmentType",
  "serviceType",
  "shipmentType",
  "sealNumber"
] as const

export const orderFacts = [
  "requestedShipDate",
  "requestedDeliveryDate",
  "shipperName",
  "shipperAddress",
  "shipperEmail",
  "carrier",
  "carrierService",
  "isASN"
] as const

export const itemFacts = ["itemMetadata"] as const
