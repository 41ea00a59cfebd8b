/**
 * What kind of address an IP address is, and which IPv4 address it stands for when it carries one (D9.7).
 *
 * Guarantee: an address without a label is global unicast. Whatever is not known to be that has a label.
 */
import ipaddr from "ipaddr.js"
import { isIP } from "node:net"

/** An address as `ipaddr.js` holds it. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Reads an address in its usual notation, without its zone; `undefined` for anything else, such as `0x7f.1`. */
export const parseAddress = (text: string): Address | undefined => {
  const [address = ""] = text.split("%", 1)
  switch (isIP(address)) {
    case 4:
      return ipaddr.IPv4.parse(address)
    case 6:
      // Written by URL without dots: `ipaddr.js` reads ::192.0.2.1 as ::ffff:192.0.2.1, which is another address.
      return ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1))
    default:
      return undefined
  }
}

/**
 * The addresses that are reached in the end: for IPv4-mapped and translated ones (NAT64, SIIT), 6to4 and Teredo the
 * IPv4 addresses inside; otherwise the address itself.
 */
export const reached = (address: Address): ReadonlyArray<Address> => {
  if (address.kind() === "ipv4") return [address]
  const { parts } = address as ipaddr.IPv6
  const last = ipv4(parts[6]!, parts[7]!)
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6145":
      return [last]
    case "rfc6052":
      // 64:ff9b:1::/48 is for local use: where the IPv4 address stands in it, each network decides.
      return parts[2] === 0 ? [last] : [address]
    case "6to4":
      return [ipv4(parts[1]!, parts[2]!)]
    case "teredo":
      return [ipv4(parts[2]!, parts[3]!), ipv4(parts[6]! ^ 0xffff, parts[7]! ^ 0xffff)]
    default:
      return [address]
  }
}

/** What an address is when it is not global unicast, such as `private`; `undefined` when it is. */
export const specialRange = (address: Address): string | undefined => {
  if (metadata.has(address.toNormalizedString())) return "cloud metadata"
  const range = address.range()
  if (range !== "unicast") return labels[range] ?? "reserved"
  return address.kind() === "ipv4" || isGlobalIpv6(address as ipaddr.IPv6) ? undefined : "reserved"
}

const ipv4 = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])

/** 2000::/3: all that is assigned for global unicast. */
const isGlobalIpv6 = (address: ipaddr.IPv6): boolean => (address.parts[0]! & 0xe000) === 0x2000

/**
 * Where clouds answer the machines they run; in `ipaddr.js`' normalized form. That of Azure is a public address, so
 * no range tells.
 */
const metadata: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "100.100.100.200",
  "168.63.129.16",
  "fd00:ec2:0:0:0:0:0:254",
  "fd20:ce:0:0:0:0:0:254"
])

/** The ranges of `ipaddr.js` in words; those it reserves for a protocol or for examples are `reserved`. */
const labels: Readonly<Record<string, string>> = {
  unspecified: "unspecified",
  broadcast: "broadcast",
  multicast: "multicast",
  linkLocal: "link-local",
  loopback: "loopback",
  carrierGradeNat: "carrier-grade NAT",
  private: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  rfc6052: "local NAT64",
  discard: "discard",
  benchmarking: "benchmarking"
}
