/**
 * Finds the address from which a request comes. `X-Forwarded-For` is read backwards only while each address in it belongs to a trusted
 * proxy, so that a client cannot forge its address. Other headers, such as `Forwarded`, are never read: a proxy that writes one of them
 * passes on the others unchanged.
 */
import { BlockList, isIP } from "node:net"

type RequestHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Distinguishes the addresses of clients from those of trusted proxies (D10.5). */
export interface ClientAddresses {
  /** Whether an address, IPv4 or IPv6, lies in a trusted network. */
  readonly isTrusted: (address: string) => boolean
  /**
   * The address of the client: the address of the connection, or the address that trusted proxies give in `X-Forwarded-For`; `""` for a
   * connection without an address.
   */
  readonly of: (connection: string | undefined, headers: RequestHeaders) => string
}

/** Makes the finder of addresses; throws a `TypeError` that names the network which cannot be read. */
export const make = (trustedNetworks: ReadonlyArray<string> = []): ClientAddresses => {
  const networks = new BlockList()
  for (const network of trustedNetworks) add(networks, network)

  const isTrusted = (address: string): boolean => {
    const plain = plainOf(address)
    const version = isIP(plain)
    return version !== 0 && networks.check(plain, version === 4 ? "ipv4" : "ipv6")
  }

  return {
    isTrusted,
    of: (connection = "", headers) => {
      let client = plainOf(connection)
      if (!isTrusted(client)) return client
      // Each proxy appends the address of its client, so the nearest address is the last.
      for (const entry of String(headers["x-forwarded-for"] ?? "").split(",").toReversed()) {
        const address = plainOf(withoutPort(entry.trim()))
        if (!isTrusted(client) || isIP(address) === 0) break
        client = address
      }
      return client
    }
  }
}

const add = (networks: BlockList, network: string): void => {
  const [address = "", prefix = "", ...rest] = network.split("/")
  const version = isIP(address)
  const width = version === 4 ? 32 : 128
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > width) {
    throw new TypeError(`"${network}" is not a network; write one as 10.0.0.0/8 or fd00::/8`)
  }
  networks.addSubnet(address, Number(prefix), version === 4 ? "ipv4" : "ipv6")
}

/** Removes the port, which some proxies also write: `192.0.2.7:49152`, `[2001:db8::7]:49152`. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry

const mappedPattern = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** Unwraps an IPv4-mapped IPv6 address of a socket. */
const plainOf = (address: string): string => mappedPattern.exec(address)?.[1] ?? address

/**
 * The network of an address: an IPv4 address itself, or the first 64 bits of an IPv6 address, because one client has all addresses with
 * these bits.
 */
export const networkOf = (address: string): string => {
  const plain = plainOf(address)
  if (!plain.includes(":")) return plain
  const [withoutZone = ""] = plain.split("%", 1)
  const [head = "", tail] = withoutZone.toLowerCase().split("::")
  const groupsOf = (text: string) => (text === "" ? [] : text.split(":"))
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  return `${[...first, ...Array<string>(zeros).fill("0"), ...last].slice(0, 4).join(":")}::/64`
}
