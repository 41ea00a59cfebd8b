/**
 * Resolves host names. A name server that does not answer for one name does not delay other names. The look-up of the system runs on two
 * threads for all names, so it is used only for names without a dot, and for names that the name servers do not know.
 */
import { promises as dns } from "node:dns"

/** Resolves a name to its addresses, IPv4 before IPv6; rejects if there are none. */
export type NameLookup = (name: string) => Promise<ReadonlyArray<string>>

/** The settings for resolving names. */
export interface NameLookupConfig {
  /** Addresses of name servers, each with `:port` if that is not 53; those of this machine by default. */
  readonly servers?: ReadonlyArray<string>
  /** The time limit of a name server, in milliseconds, before it is asked once more; 2,500 by default. */
  readonly timeoutMillis?: number
  /** How long addresses are cached, in milliseconds; 5,000 by default. */
  readonly keepMillis?: number
}

const capacity = 1_000

/**
 * Resolves names by the name servers. For names without a dot, and for names that the name servers do not know, asks the system
 * (`/etc/hosts`, search domains).
 */
export const system = (config: NameLookupConfig = {}): NameLookup => {
  const cache = new Map<string, Lookup>()
  return (name) => {
    const hit = cache.get(name)
    if (hit !== undefined && performance.now() < hit.until) return hit.addresses
    const entry: Lookup = { addresses: look(name, config), until: Infinity }
    cache.delete(name)
    cache.set(name, entry)
    const [oldest] = cache.keys()
    if (cache.size > capacity && oldest !== undefined) cache.delete(oldest)
    entry.addresses.then(
      () => {
        entry.until = performance.now() + (config.keepMillis ?? 5_000)
      },
      () => {
        if (cache.get(name) === entry) cache.delete(name)
      }
    )
    return entry.addresses
  }
}

interface Lookup {
  readonly addresses: Promise<ReadonlyArray<string>>
  /** The end of the caching, in milliseconds; Infinity during the look-up. */
  until: number
}

const look = async (
  name: string,
  { servers, timeoutMillis = 2_500 }: NameLookupConfig
): Promise<ReadonlyArray<string>> => {
  if (!name.replace(/\.$/, "").includes(".")) return systemLook(name)
  // A new resolver reads the current configuration.
  const resolver = new dns.Resolver({ timeout: timeoutMillis, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => answer.status === "fulfilled" ? answer.value : [])
  if (addresses.length > 0) return addresses
  for (const answer of answers) {
    if (answer.status === "rejected" && !isUnknown(answer.reason)) throw answer.reason
  }
  return systemLook(name)
}

const systemLook = async (name: string): Promise<ReadonlyArray<string>> => {
  const addresses = await dns.lookup(name, { all: true, order: "ipv4first" })
  return addresses.map(({ address }) => address)
}

/** Whether the name servers know no such name or address, or cannot be reached at all. */
const isUnknown = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" &&
  ["ENOTFOUND", "ENODATA", "ECONNREFUSED"].includes(error.code)
