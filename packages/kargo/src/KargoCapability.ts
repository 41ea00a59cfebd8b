/**
 * The support for clients of Kargo as a capability (D17). It has a payload profile and no operations. `KargoGraphql` has Kargo's schema.
 */
import * as Capability from "@dockline/core/capability/Capability"
import { lateFieldName, palletFieldNames, testFieldName } from "@dockline/core/places/MessageField"
import type { PayloadProfile } from "@dockline/core/places/MessageField"
import { Effect, Layer, Predicate } from "effect"

type Fields = Readonly<Record<string, unknown>>

/** Kargo's names for fields of our contract. */
const names: ReadonlyMap<string, string> = new Map([
  ["serviceShipmentId", "kargoShipmentId"],
  ["servicePalletId", "kargoPalletId"]
])

const nameOf = (name: string): string => names.get(name) ?? name

const withFieldNames = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [nameOf(name), value]))

const contractNames: ReadonlySet<string> = new Set([...palletFieldNames, testFieldName, lateFieldName])

/** A list of labels; an absent label is `""` in a message. */
const listOf = (value: unknown): unknown => Array.isArray(value) ? value : value === "" ? [] : [value]

const palletOf = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      contractNames.has(name) ? [nameOf(name), value] : [name, listOf(value)]
    )
  )

const write: PayloadProfile["write"] = (type, json) => {
  const payload: unknown = JSON.parse(json)
  if (!Predicate.isObject(payload)) return json
  const fields = type === "PALLET_EVENT" ? palletOf(payload) : withFieldNames(payload)
  const { pallets } = fields
  return JSON.stringify(
    type === "SHIPMENT_COMPLETE" && Array.isArray(pallets)
      ? {
        ...fields,
        pallets: pallets.map((pallet) => Predicate.isObject(pallet) ? palletOf(pallet) : pallet)
      }
      : fields
  )
}

/** The payload profile `kargo`. */
export const kargoProfile: PayloadProfile = {
  name: "kargo",
  fieldNames: Array.from(names.values()),
  write
}

/** The capability for clients of Kargo. */
export const kargo = Capability.make("kargo", {
  title: "Kargo",
  description: "What programs that were written for Kargo need",
  operations: {},
  services: Layer.empty,
  handlers: Effect.succeed({}),
  memory: Layer.empty,
  answers: {},
  payloadProfiles: [kargoProfile]
})
