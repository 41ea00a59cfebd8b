/**
 * Labels IP addresses that are not known to be global unicast, and finds the IPv4 addresses that IPv6 addresses embed
 * (D9.7).
 */
import ipaddr from "ipaddr.js"
import { isIP } from "node:net"

/** An IP address, read. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Drops the zone; `undefined` for unusual notations, such as `0x7f.1`. */
export const parseAddress = (text: string): Address | undefined => {
  const [address = ""] = text.split("%", 1)
  switch (isIP(address)) {
    case 4:
      return ipaddr.IPv4.parse(address)
    case 6:
      // `URL` rewrites the address without dots, because `ipaddr.js` misreads ::192.0.2.1 as ::ffff:192.0.2.1.
      return ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1))
    default:
      return undefined
  }
}

/** The embedded IPv4 addresses of IPv4-mapped, translated (NAT64, SIIT), 6to4 and Teredo addresses. */
export const targetsOf = (address: Address): ReadonlyArray<Address> => {
  if (address.kind() === "ipv4") return [address]
  // Addresses are IPv4 or IPv6, and an IPv6 address has eight parts.
  const [, one = 0, two = 0, three = 0, , , six = 0, seven = 0] = (address as ipaddr.IPv6).parts
  const last = ipv4(six, seven)
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6145":
      return [last]
    case "rfc6052":
      // 64:ff9b:1::/48 is for local use: each network decides where the IPv4 address is in it.
      return two === 0 ? [last] : [address]
    case "6to4":
      return [ipv4(one, two)]
    case "teredo":
      return [ipv4(two, three), ipv4(six ^ 0xffff, seven ^ 0xffff)]
    default:
      return [address]
  }
}

/** The label of an address that is not global unicast, such as `private`; `undefined` when it is. */
export const specialRange = (address: Address): string | undefined => {
  if (metadata.has(address.toNormalizedString())) return "cloud metadata"
  const range = address.range()
  if (range !== "unicast") return labels[range] ?? "reserved"
  return address.kind() === "ipv4" || isGlobalIpv6(address as ipaddr.IPv6) ? undefined : "reserved"
}

const ipv4 = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])

/** 2000::/3 holds all addresses that are assigned for global unicast. */
const isGlobalIpv6 = ({ parts: [first = 0] }: ipaddr.IPv6): boolean => (first & 0xe000) === 0x2000

/** In the normalized form of `ipaddr.js`. The address of Azure is public, so no range contains it. */
const metadata: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "100.100.100.200",
  "168.63.129.16",
  "fd00:ec2:0:0:0:0:0:254",
  "fd20:ce:0:0:0:0:0:254"
])

/** Labels for the ranges of `ipaddr.js`; ranges for protocols and examples are `reserved`. */
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
