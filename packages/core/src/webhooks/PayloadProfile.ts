/**
 * The profiles of payloads: how the fields of messages are named and shaped for an endpoint (D15.3). The log keeps messages in the
 * profile `dockline`; the other one is made of it when a message is sent.
 */
import { isRecord } from "../input/internal/DocumentCheck.ts"
import { kargoFieldNames, lateFieldName, palletFieldNames, testFieldName } from "../places/MessageField.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** `kargo` has the names that clients of Kargo know, and a list in each field that is read from a label. */
export const payloadProfiles = ["dockline", "kargo"] as const

export type PayloadProfile = (typeof payloadProfiles)[number]

/** The payload of a message, as JSON in the profile `dockline`, in another profile. */
export const profiled = (profile: PayloadProfile, type: MessageType, json: string): string => {
  if (profile === "dockline") return json
  const payload: unknown = JSON.parse(json)
  if (!isRecord(payload)) return json
  const named = type === "PALLET_EVENT" ? palletOf(payload) : renamed(payload)
  const { pallets } = named
  return JSON.stringify(
    type === "SHIPMENT_COMPLETE" && Array.isArray(pallets)
      ? { ...named, pallets: pallets.map((pallet) => isRecord(pallet) ? palletOf(pallet) : pallet) }
      : named
  )
}

type Fields = Readonly<Record<string, unknown>>

const renamed = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [nameOf(name), value]))

const palletOf = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      contractNames.has(name) ? [nameOf(name), value] : [name, listOf(value)]
    )
  )

const nameOf = (name: string): string =>
  Object.hasOwn(kargoFieldNames, name) ? kargoFieldNames[name as keyof typeof kargoFieldNames] : name

const contractNames: ReadonlySet<string> = new Set([...palletFieldNames, testFieldName, lateFieldName])

/** A label that has no value is `""` in a message. */
const listOf = (value: unknown): unknown => Array.isArray(value) ? value : value === "" ? [] : [value]
