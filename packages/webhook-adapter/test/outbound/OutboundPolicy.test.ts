/** D9.7: which addresses may be called, and what an operator is told at creation. */
import { OutboundUrls } from "@dockline/core/webhooks/WebhookEndpoint"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as OutboundPolicy from "../../src/outbound/OutboundPolicy.ts"

const policy = (...allow: ReadonlyArray<string>) => Result.getOrThrow(OutboundPolicy.make({ allow }))

const strict = policy()

describe("addresses over https", () => {
  const allowedAddresses = [
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:812::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
    "2001:0:808:808:0:0:f7f7:f7f7"
  ]
  for (const address of allowedAddresses) {
    it(`${address} may be called`, () => assert.strictEqual(strict.addressFault(address, true), undefined))
  }

  const cases: ReadonlyArray<readonly [string, string]> = [
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["10.0.0.0", "private"],
    ["10.255.255.255", "private"],
    ["172.16.0.0", "private"],
    ["172.31.255.255", "private"],
    ["192.168.0.1", "private"],
    ["100.64.0.0", "carrier-grade NAT"],
    ["100.127.255.255", "carrier-grade NAT"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.1.1", "link-local"],
    ["169.254.169.254", "cloud metadata"],
    ["100.100.100.200", "cloud metadata"],
    ["168.63.129.16", "cloud metadata"],
    ["192.0.0.1", "reserved"],
    ["192.0.2.1", "reserved"],
    ["198.51.100.1", "reserved"],
    ["203.0.113.1", "reserved"],
    ["198.18.0.0", "reserved"],
    ["198.19.255.255", "reserved"],
    ["192.88.99.1", "reserved"],
    ["192.31.196.1", "reserved"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0.7", "link-local"],
    ["fec0::1", "private"],
    ["fc00::1", "private"],
    ["fdff::1", "private"],
    ["fd00:ec2::254", "cloud metadata"],
    ["ff02::1", "multicast"],
    ["100::1", "discard"],
    ["2001:db8::1", "reserved"],
    ["3fff::1", "reserved"],
    ["2001:2::1", "benchmarking"],
    ["2001:10::1", "reserved"],
    ["2001:1ff::1", "reserved"],
    ["5f00::1", "reserved"],
    ["4000::1", "reserved"],
    ["64:ff9b:1::8.8.8.8", "local NAT64"],
    ["::8.8.8.8", "reserved"],
    ["::127.0.0.1", "reserved"],
    ["::ffff:127.0.0.1", "loopback, 127.0.0.1 inside"],
    ["::ffff:a9fe:a9fe", "cloud metadata, 169.254.169.254 inside"],
    ["::ffff:0:10.0.0.1", "private, 10.0.0.1 inside"],
    ["64:ff9b::192.168.1.1", "private, 192.168.1.1 inside"],
    ["64:ff9b::a83f:8110", "cloud metadata, 168.63.129.16 inside"],
    ["2002:7f00:1::1", "loopback, 127.0.0.1 inside"],
    // Teredo: its server, then its client, whose bits are inverted.
    ["2001:0:a00:1:0:0:f7f7:f7f7", "private, 10.0.0.1 inside"],
    ["2001:0:808:808:0:0:f5ff:fffe", "private, 10.0.0.1 inside"]
  ]
  for (const [address, label] of cases) {
    // @threat calls.1
    it(`${address} is refused`, () =>
      assert.strictEqual(strict.addressFault(address, true), `address ${address} is not allowed (${label})`))
  }

  for (const text of ["", "localhost", "127.1", "0x7f.0.0.1", "1.2.3.4/32", "[::1]"]) {
    it(`${JSON.stringify(text)} is no address`, () =>
      assert.strictEqual(strict.addressFault(text, true), `${text} is not an address`))
  }
})

describe("OUTBOUND_ALLOW", () => {
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ["10.0.0.0/8", "10.1.2.3", true],
    ["10.0.0.0/9", "10.128.0.1", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["10.0.0.0/8", "64:ff9b::10.1.2.3", true],
    ["10.0.0.0/8", "::10.1.2.3", false],
    ["127.0.0.1/32", "127.0.0.1", true],
    ["127.0.0.1/32", "127.0.0.2", false],
    ["127.0.0.1/32", "::1", false],
    ["fd00::/8", "fd12::1", true],
    ["fd00::/8", "fc12::1", false],
    ["::1/128", "::1", true],
    ["64:ff9b:1::/48", "64:ff9b:1::10.0.0.1", true],
    ["0.0.0.0/0", "169.254.169.254", true],
    ["0.0.0.0/0", "::1", false]
  ]
  for (const [network, address, isOpen] of cases) {
    it(`${network} ${isOpen ? "opens" : "does not open"} ${address}, with TLS and without`, () => {
      const { addressFault } = policy("192.0.2.0/24", network)
      for (const secure of [true, false]) {
        assert.strictEqual(addressFault(address, secure) === undefined, isOpen)
      }
    })
  }

  it("http is for allowed networks, not for public addresses", () => {
    for (const address of ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"]) {
      assert.strictEqual(
        policy("10.0.0.0/8").addressFault(address, false),
        `address ${address} is not allowed over http; use https`
      )
    }
    assert.strictEqual(policy("8.8.8.8/32").addressFault("8.8.8.8", false), undefined)
  })

  const malformed: ReadonlyArray<readonly [string, string]> = [
    ["", "is not a network; write one as 10.0.0.0/8 or fd00::/8"],
    ["localhost", "is not a network; write one as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.0/8/9", "is not a network; write one as 10.0.0.0/8 or fd00::/8"],
    ["010.0.0.0/8", "is not a network; write one as 10.0.0.0/8 or fd00::/8"],
    ["10/8", "is not a network; write one as 10.0.0.0/8 or fd00::/8"],
    ["fe80::1%lo/64", "is not a network; write one as 10.0.0.0/8 or fd00::/8"],
    ["10.0.0.1", "has no prefix length; write 10.0.0.1/32 for this one address"],
    ["::1", "has no prefix length; write ::1/128 for this one address"],
    ["10.0.0.0/33", "has a prefix length that is not between 0 and 32"],
    ["10.0.0.0/", "has a prefix length that is not between 0 and 32"],
    ["10.0.0.0/-1", "has a prefix length that is not between 0 and 32"],
    ["10.0.0.0/255.0.0.0", "has a prefix length that is not between 0 and 32"],
    ["fd00::/129", "has a prefix length that is not between 0 and 128"],
    ["10.1.0.0/8", "does not begin at its prefix; write 10.0.0.0/8"],
    ["fd00::1/8", "does not begin at its prefix; write fd00::/8"]
  ]
  for (const [text, reason] of malformed) {
    it(`${JSON.stringify(text)} is refused with a remedy`, () => {
      assert.strictEqual(OutboundPolicy.networkFault(text), reason)
      const result = OutboundPolicy.make({ allow: ["10.0.0.0/8", text] })
      assert.isTrue(Result.isFailure(result))
      assert.strictEqual(
        Result.isFailure(result) ? result.failure.message : "",
        `allowed networks: ${text} ${reason}`
      )
    })
  }
})

const remedy =
  "the operator may allow networks by OUTBOUND_ALLOW of the server, and dockline listen brings messages to your own machine"

describe("URLs as they are entered", () => {
  const loopback = "address 127.0.0.1 is not allowed (loopback)"
  const ten = `address 10.0.0.1 is not allowed (private); ${remedy}`
  const noAddress = "must be an absolute address, https://host"
  const withUser = "must not hold a user name or password; give them as authentication"
  const cases: ReadonlyArray<readonly [string, string | undefined, ...allow: ReadonlyArray<string>]> = [
    ["https://customer.example", undefined],
    ["https://customer.example:8443/base", undefined],
    ["https://8.8.8.8", undefined],
    ["http://customer.example", "must be https; OUTBOUND_ALLOW of the server allows networks for http"],
    ["http://8.8.8.8", "address 8.8.8.8 is not allowed over http; use https"],
    ["https://127.0.0.1", `${loopback}; ${remedy}`],
    ["http://127.0.0.1:3000", `${loopback}; ${remedy}`],
    ["https://169.254.169.254", "address 169.254.169.254 is not allowed (cloud metadata)"],
    ["https://10.0.0.1/base", ten],
    ["https://0xa.1", ten],
    ["https://167772161", ten],
    ["https://012.0.0.1", ten],
    ["https://[::ffff:10.0.0.1]", "address ::ffff:a00:1 is not allowed (private, 10.0.0.1 inside)"],
    ["https://[64:ff9b::a00:1]", "address 64:ff9b::a00:1 is not allowed (private, 10.0.0.1 inside)"],
    ["https://localhost", `localhost is this machine: ${loopback}; ${remedy}`],
    ["http://LOCALHOST.:3000/x", `localhost. is this machine: ${loopback}; ${remedy}`],
    [
      "https://customer.localhost",
      `customer.localhost is this machine: ${loopback}; ${remedy}`,
      "10.0.0.0/8"
    ],
    ["https://localhost", undefined, "127.0.0.0/8"],
    ["http://localhost:3000", undefined, "127.0.0.0/8"],
    ["https://localhost", undefined, "::1/128"],
    ["https://localhost.example", undefined],
    ["ftp://localhost", "must be https"],
    ["ws://customer.example", "must be https"],
    ["javascript:alert(1)", "must be https"],
    ["/api", noAddress],
    ["https://", noAddress],
    ["https://1.2.3.256", noAddress],
    ["https://customer.example:65536", noAddress],
    ["https://customer.example:0", "must have a port from 1 to 65535"],
    ["https://@customer.example", undefined],
    ["https://user@customer.example", withUser],
    ["https://:secret@customer.example", withUser]
  ]
  for (const [url, fault, ...allow] of cases) {
    it.effect(`${url} with ${allow.join() || "nothing"} allowed: ${fault ?? "may be called"}`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* OutboundUrls).fault(url), fault)
      }).pipe(Effect.provide(OutboundPolicy.layer({ allow }))))
  }

  it("http to a name waits for what it resolves to, where networks are open", () => {
    const open = policy("10.0.0.0/8")
    assert.strictEqual(open.urlFault("http://customer.example"), undefined)
    assert.strictEqual(open.urlFault("http://10.0.0.1:8080"), undefined)
    assert.strictEqual(open.urlFault("http://127.0.0.1"), loopback)
  })
})
