/**
 * The identifiers in events: a GS1 form for SSCCs, and URIs of the service for everything else (D24.2).
 *
 * Guarantee: under the same settings an SSCC has one identifier, in whatever form a scanner sent it (D22).
 */
import { hasCheckDigit, ssccOf } from "@dockline/core/labels/Lpn"
import type { SlugsOfPlace } from "@dockline/core/shipment/ShipmentStore"
import type { ShipmentId } from "@dockline/core/values/Id"
import { slugPattern } from "@dockline/core/values/Vocabulary"

/** The settings of identifiers. */
export interface Naming {
  /** The address of the dashboard, with which URIs of the service begin; without a slash at the end. */
  readonly baseUrl: string
  /** SSCCs with these GS1 company prefixes become EPC URNs. Other SSCCs become Digital Links. */
  readonly companyPrefixes: ReadonlyArray<string>
}

/** The data of a pallet from which its identifier is made. */
export interface PalletName {
  readonly id: number
  readonly shipmentId: ShipmentId
  /** `""` for a pallet without an LPN. */
  readonly lpn: string
}

const uri = ({ baseUrl }: Naming, ...parts: ReadonlyArray<number | string>): string =>
  [baseUrl, ...parts.map((part) => encodeURIComponent(part))].join("/")

/** The EPC URN of an SSCC with a company prefix: the extension digit comes before the serial reference. */
const urnOf = (sscc: string, companyPrefix: string): string =>
  `urn:epc:id:sscc:${companyPrefix}.${sscc.charAt(0)}${sscc.slice(1 + companyPrefix.length, -1)}`

/** The identifier of an SSCC: an EPC URN by the longest company prefix that follows its extension digit, or else a Digital Link. */
const epcOf = (sscc: string, { companyPrefixes }: Naming): string => {
  const prefix = companyPrefixes.filter((prefix) => sscc.startsWith(prefix, 1))
    .reduce((longest, prefix) => prefix.length > longest.length ? prefix : longest, "")
  return prefix === "" ? `https://id.gs1.org/00/${sscc}` : urnOf(sscc, prefix)
}

/** The identifier of a pallet. An SSCC with a wrong check digit gets a URI of the service. */
export const palletUri = (naming: Naming, business: string, { id, lpn, shipmentId }: PalletName): string => {
  if (lpn === "") return uri(naming, "shipments", shipmentId, "pallets", id)
  const sscc = ssccOf(lpn)
  if (sscc !== undefined && hasCheckDigit(sscc)) return epcOf(sscc, naming)
  return uri(naming, "lpns", business, sscc ?? lpn)
}

/** The URI of a facility, which is a business location. */
export const facilityUri = (naming: Naming, { business, facility }: SlugsOfPlace): string =>
  uri(naming, "facilities", business, facility)

/** The URI of a dock, which is a read point. */
export const dockUri = (naming: Naming, { business, facility }: SlugsOfPlace, dock: string): string =>
  uri(naming, "facilities", business, facility, "docks", dock)

/** The URI of an order, which is a business transaction. */
export const orderUri = (naming: Naming, business: string, number: string): string =>
  uri(naming, "orders", business, number)

/** The URI of a shipment: a page of the dashboard. */
export const shipmentUri = (naming: Naming, shipmentId: ShipmentId): string =>
  uri(naming, "shipments", shipmentId)

/** The URI of a trailer. */
export const trailerUri = (naming: Naming, business: string, number: string): string =>
  uri(naming, "trailers", business, number)

/** The place with this URI; `undefined` if no place has it. */
export const placeOfUri = (naming: Naming, text: string): SlugsOfPlace | undefined => {
  const prefix = uri(naming, "facilities", "")
  const [business, facility, ...rest] = text.startsWith(prefix) ? text.slice(prefix.length).split("/") : []
  return business !== undefined && facility !== undefined && rest.length === 0 &&
      slugPattern.test(business) && slugPattern.test(facility)
    ? { business, facility }
    : undefined
}
