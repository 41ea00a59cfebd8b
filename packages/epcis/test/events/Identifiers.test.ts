/** D24.2: the identifiers of pallets and places. */
import { assert, describe, it } from "vitest"
import { dockUri, facilityUri, palletUri, placeOfUri } from "../../src/events/Identifiers.ts"

const baseUrl = "https://dock.example.com/dashboard"
const naming = (...companyPrefixes: ReadonlyArray<string>) => ({ baseUrl, companyPrefixes })
const pallet = (lpn: string) => ({ id: 5, shipmentId: 7, lpn })

describe("D24.2 a pallet", () => {
  it.each([
    ["106141411234567897", [], "https://id.gs1.org/00/106141411234567897"],
    ["106141411234567897", ["0614141"], "urn:epc:id:sscc:0614141.1123456789"],
    ["106141411234567897", ["061414", "06141411"], "urn:epc:id:sscc:06141411.123456789"],
    ["106141411234567897", ["106141"], "https://id.gs1.org/00/106141411234567897"],
    ["00106141411234567897", ["0614141"], "urn:epc:id:sscc:0614141.1123456789"],
    ["]C100106141411234567897", [], "https://id.gs1.org/00/106141411234567897"],
    // The check digit is wrong.
    ["106141411234567890", ["0614141"], `${baseUrl}/lpns/acme/106141411234567890`],
    ["L 1/ä", [], `${baseUrl}/lpns/acme/L%201%2F%C3%A4`],
    ["", [], `${baseUrl}/shipments/7/pallets/5`]
  ])("with the LPN %j, and prefixes %j, is %s", (lpn, prefixes, uri) => {
    assert.strictEqual(palletUri(naming(...prefixes), "acme", pallet(lpn)), uri)
  })
})

describe("D24.2 a place", () => {
  it("is a URI of the service, and read back from it", () => {
    const place = { business: "acme", facility: "east" }
    const uri = facilityUri(naming(), place)
    assert.strictEqual(uri, `${baseUrl}/facilities/acme/east`)
    assert.strictEqual(dockUri(naming(), place, "D 1"), `${uri}/docks/D%201`)
    assert.deepStrictEqual(placeOfUri(naming(), uri), place)
    for (const other of [`${uri}/docks/D1`, `${baseUrl}/facilities/acme`, "urn:epc:id:sgln:1", `${uri}/`]) {
      assert.strictEqual(placeOfUri(naming(), other), undefined)
    }
  })
})
