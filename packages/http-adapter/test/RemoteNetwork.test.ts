/** Which addresses count as one. */
import { assert, describe, it } from "vitest"
import { networkOf } from "../src/RemoteNetwork.ts"

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
