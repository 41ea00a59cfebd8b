/**
 * Decides which addresses may be called (D9.7). An address is judged by its numeric value, whatever its notation is; an IPv6 address that
 * embeds IPv4 addresses is judged by these. `UndiciHttp` judges a name at each connection, by the address of the connection. All addresses
 * that are not known to be global unicast are special.
 */
import { OutboundUrls } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Layer, Result } from "effect"
import ipaddr from "ipaddr.js"
import { isIP, isIPv6 } from "node:net"
import { InvalidConfig } from "../WebhookConfig.ts"

/** A parsed IP address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses an address without its zone; `undefined` for unusual notations, such as `0x7f.1`. */
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

/** The IPv4 addresses embedded in an IPv4-mapped, translated (NAT64, SIIT), 6to4 or Teredo address; any other address itself. */
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
      // The range 64:ff9b:1::/48 is for local use: each network decides which part of it is the IPv4 address.
      return two === 0 ? [last] : [address]
    case "6to4":
      return [ipv4(one, two)]
    case "teredo":
      return [ipv4(two, three), ipv4(six ^ 0xffff, seven ^ 0xffff)]
    default:
      return [address]
  }
}

/** The label of an address that is not global unicast, such as `private`; `undefined` for global unicast. */
export const specialRange = (address: Address): string | undefined => {
  if (metadata.has(address.toNormalizedString())) return "cloud metadata"
  const range = address.range()
  if (range !== "unicast") return labels[range] ?? "reserved"
  return address.kind() === "ipv4" || isGlobalIpv6(address as ipaddr.IPv6) ? undefined : "reserved"
}

const ipv4 = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])

/** Whether an address is in 2000::/3, which has all addresses that are assigned for global unicast. */
const isGlobalIpv6 = ({ parts: [first = 0] }: ipaddr.IPv6): boolean => (first & 0xe000) === 0x2000

/** The addresses of cloud metadata, in the normalized form of `ipaddr.js`. The address of Azure is public, so no range contains it. */
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

/** The networks that may be called in addition to public addresses over https (D9.7). */
export interface OutboundPolicyConfig {
  /** Networks in CIDR form, IPv4 or IPv6, that may be called in addition to public addresses, also over http. */
  readonly allow: ReadonlyArray<string>
}

/** Judges URLs and addresses before they are called (D9.7). Each method returns the fault as text, or `undefined` if there is none. */
export interface OutboundPolicy {
  /** The fault of a URL; the text follows the name of the field of the URL. */
  readonly urlFault: (url: string) => string | undefined
  /**
   * Like {@link urlFault}, for people who enter the URL of an endpoint: the text has the remedy, and names of this machine are refused,
   * because no endpoint could be called by them.
   */
  readonly entryFault: (url: string) => string | undefined
  /** The fault of calling an address, with TLS (`secure`) or without. */
  readonly addressFault: (address: string, secure: boolean) => string | undefined
}

/** Makes the policy. Fails with the malformed network of `allow`, if there is one. */
export const make = ({ allow }: OutboundPolicyConfig): Result.Result<OutboundPolicy, InvalidConfig> => {
  const networks: Array<Network> = []
  for (const text of allow) {
    const fault = networkFault(text)
    if (fault !== undefined) {
      return Result.fail(new InvalidConfig({ setting: "allowed networks", reason: `${text} ${fault}` }))
    }
    networks.push(ipaddr.parseCIDR(text))
  }
  return Result.succeed(policyOf(networks))
}

/** The fault of a text that is not a network in CIDR form, to follow the name of its setting; `undefined` for a network. */
export const networkFault = (text: string): string | undefined => {
  const [address = "", prefix, ...rest] = text.split("/")
  const width = isIPv6(address) ? 128 : 32
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) {
    return "is not a network; write one as 10.0.0.0/8 or fd00::/8"
  }
  if (prefix === undefined) return `has no prefix length; write ${address}/${width} for this one address`
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > width) {
    return `has a prefix length that is not between 0 and ${width}`
  }
  const first = ipaddr.parse(address).kind() === "ipv4"
    ? ipaddr.IPv4.networkAddressFromCIDR(text)
    : ipaddr.IPv6.networkAddressFromCIDR(text)
  return first.toNormalizedString() === ipaddr.parse(address).toNormalizedString()
    ? undefined
    : `does not begin at its prefix; write ${first.toString()}/${prefix}`
}

/** Implements the port by which core judges the URLs that operators enter. Fails if a network of `allow` cannot be read. */
export const layer = (config: OutboundPolicyConfig): Layer.Layer<OutboundUrls, InvalidConfig> =>
  Layer.effect(
    OutboundUrls,
    Effect.fromResult(Result.map(make(config), ({ entryFault }) => OutboundUrls.of({ fault: entryFault })))
  )

/** The names of the machine itself, in every resolver (RFC 6761, section 6.3). */
const localName = /^(?:.+\.)?localhost\.?$/

const loopback = ["127.0.0.1", "::1"]

const remedy =
  "the operator may allow networks by OUTBOUND_ALLOW of the server, and dockline listen brings messages to your own machine"

const literalOf = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

/** Whether an address belongs to internal networks. Only these are refused with a remedy. */
const isInside = (text: string): boolean => {
  const address = isIP(text) === 0 ? undefined : parseAddress(text)
  return address !== undefined && ["loopback", "private"].includes(specialRange(address) ?? "")
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

const policyOf = (networks: ReadonlyArray<Network>): OutboundPolicy => {
  const isAllowed = (address: Address): boolean =>
    networks.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))

  const addressFault = (text: string, secure: boolean): string | undefined => {
    const address = parseAddress(text)
    if (address === undefined) return `${text} is not an address`
    if (isAllowed(address)) return undefined
    for (const target of targetsOf(address)) {
      if (isAllowed(target)) continue
      const label = specialRange(target)
      const suffix = target === address ? "" : `, ${target.toString()} inside`
      if (label !== undefined) return `address ${text} is not allowed (${label}${suffix})`
      if (!secure) return `address ${text} is not allowed over http; use https`
    }
    return undefined
  }

  const urlFault = (text: string): string | undefined => {
    const url = URL.parse(text)
    if (url === null) return "must be an absolute address, https://host"
    const secure = url.protocol === "https:"
    if (!secure && url.protocol !== "http:") return "must be https"
    if (url.username !== "" || url.password !== "") {
      return "must not hold a user name or password; give them as authentication"
    }
    if (url.port === "0") return "must have a port from 1 to 65535"
    const literal = literalOf(url.hostname)
    if (isIP(literal) !== 0) return addressFault(literal, secure)
    return secure || networks.length > 0
      ? undefined
      : "must be https; OUTBOUND_ALLOW of the server allows networks for http"
  }

  const entryFault = (text: string): string | undefined => {
    const { hostname = "", protocol = "" } = URL.parse(text) ?? {}
    if (/^https?:$/.test(protocol) && localName.test(hostname)) {
      const faults = loopback.map((address) => addressFault(address, protocol === "https:"))
      if (!faults.includes(undefined)) return `${hostname} is this machine: ${faults[0]}; ${remedy}`
    }
    const fault = urlFault(text)
    return fault !== undefined && isInside(literalOf(hostname)) ? `${fault}; ${remedy}` : fault
  }

  return { addressFault, urlFault, entryFault }
}
