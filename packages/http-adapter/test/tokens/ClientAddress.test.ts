/** Whose address a request comes from, and which addresses count as one. */
import { assert, describe, it } from "vitest"
import * as ClientAddress from "../../src/tokens/ClientAddress.ts"
import { networkOf } from "../../src/tokens/ClientAddress.ts"

describe("networkOf", () => {
  for (
    const [address, network] of [
      ["192.0.2.7", "192.0.2.7"],
      ["::ffff:192.0.2.7", "192.0.2.7"],
      ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
      ["2001:db8:0:1::9", "2001:db8:0:1::/64"],
      ["2001:DB8:0:1:FFFF::", "2001:db8:0:1::/64"],
      ["2001:db8::1", "2001:db8:0:0::/64"],
      ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"],
      ["::1", "0:0:0:0::/64"],
      ["::", "0:0:0:0::/64"],
      ["", ""]
    ] as const
  ) {
    it(`of "${address}" is "${network}"`, () => assert.strictEqual(networkOf(address), network))
  }
})

describe("the address of the client", () => {
  const { isTrusted, of } = ClientAddress.make(["10.0.0.0/8", "2001:db8:1::/48", "127.0.0.1/32"])

  for (
    const [connection, forwardedFor, client] of [
      ["203.0.113.9", undefined, "203.0.113.9"],
      // A connection from elsewhere is believed nothing.
      ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
      ["10.0.0.1", undefined, "10.0.0.1"],
      ["10.0.0.1", "", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["127.0.0.1", "2001:db8:2::7", "2001:db8:2::7"],
      ["2001:db8:1::1", "198.51.100.1", "198.51.100.1"],
      // What the client itself has written stands before what the proxies appended.
      ["10.0.0.1", "192.0.2.66, 198.51.100.1", "198.51.100.1"],
      ["10.0.0.1", "10.0.0.66, 198.51.100.1", "198.51.100.1"],
      ["10.0.0.1", "192.0.2.66,198.51.100.1, 10.0.0.2", "198.51.100.1"],
      ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
      // Only what can be read as an address counts.
      ["10.0.0.1", "unknown", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1,", "10.0.0.1"],
      ["10.0.0.1", "198.51.100.1:49152", "198.51.100.1"],
      ["10.0.0.1", "[2001:db8:2::7]:49152", "2001:db8:2::7"],
      ["10.0.0.1", "[2001:db8:2::7]", "2001:db8:2::7"],
      ["10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
      ["", "198.51.100.1", ""]
    ] as const
  ) {
    it(`of "${connection}" with "${forwardedFor}" is "${client}"`, () =>
      assert.strictEqual(of(connection, { "x-forwarded-for": forwardedFor }), client))
  }

  it("is that of the connection where no proxy is trusted", () =>
    assert.strictEqual(
      ClientAddress.make().of("10.0.0.1", { "x-forwarded-for": "198.51.100.1" }),
      "10.0.0.1"
    ))

  it("is read in linear time from a header of 16 KiB", () => {
    const headers = { "x-forwarded-for": Array<string>(1800).fill("10.0.0.2").join() }
    assert.strictEqual(of("10.0.0.1", headers), "10.0.0.2")
  })

  it("is a trusted proxy's within its networks only", () =>
    assert.deepStrictEqual(
      ["10.255.255.255", "11.0.0.0", "::ffff:10.1.1.1", "2001:db8:1:ffff::1", "2001:db8:2::", "", "x"].map(
        isTrusted
      ),
      [true, false, true, true, false, false, false]
    ))

  for (
    const network of ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/8/8", "proxy/8", "fd00::/129", "/8", "10.0.0.0/"]
  ) {
    it(`refuses to trust "${network}"`, () =>
      assert.throws(() => ClientAddress.make([network]), `"${network}" is not a network`))
  }
})
