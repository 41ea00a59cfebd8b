/**
 * Looks up the addresses of names that customers gave.
 *
 * Guarantee: a name server that does not answer for one name delays no other name. Node's own lookup gives two
 * threads to all names together, so it is asked only what the name servers are known to answer, or not asked at all.
 */
import { promises as dns } from "node:dns"

/** The addresses of a name, IPv4 before IPv6; fails when there are none. */
export type NameLookup = (name: string) => Promise<ReadonlyArray<string>>

/** Where names are looked up. */
export interface NameLookupConfig {
  /** Addresses of name servers, each with a port after `:` if it is not 53; those of this machine unless given. */
  readonly servers?: ReadonlyArray<string>
  /** How long a name server may take, in milliseconds, before it is asked once more; 2,500 unless given. */
  readonly timeoutMillis?: number
  /** How long addresses are kept, in milliseconds; 5,000 unless given: so short that the next retry sees a change. */
  readonly keepMillis?: number
}

/** The most names whose addresses are kept. */
const capacity = 1_000

/**
 * The name servers of this machine, for names with a dot; for names without one, and names that they do not know, the
 * system's way (`/etc/hosts`, search domains). A name is asked for once at a time, and its addresses kept for 5 s.
 */
export const system = (config: NameLookupConfig = {}): NameLookup => {
  const known = new Map<string, Known>()
  return (name) => {
    const kept = known.get(name)
    if (kept !== undefined && performance.now() < kept.until) return kept.found
    const entry: Known = { found: look(name, config), until: Infinity }
    known.delete(name)
    known.set(name, entry)
    if (known.size > capacity) known.delete(known.keys().next().value!)
    entry.found.then(
      () => {
        entry.until = performance.now() + (config.keepMillis ?? 5_000)
      },
      () => {
        if (known.get(name) === entry) known.delete(name)
      }
    )
    return entry.found
  }
}

/** What is known of a name, or being asked. */
interface Known {
  readonly found: Promise<ReadonlyArray<string>>
  /** Without end while it is being asked, which may take longer than addresses are kept. */
  until: number
}

const look = async (
  name: string,
  { servers, timeoutMillis = 2_500 }: NameLookupConfig
): Promise<ReadonlyArray<string>> => {
  if (!name.replace(/\.$/, "").includes(".")) return systemLook(name)
  // A resolver of its own reads the configuration of this moment.
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

/** Node's lookup, through the C library. */
const systemLook = async (name: string): Promise<ReadonlyArray<string>> => {
  const found = await dns.lookup(name, { all: true, order: "ipv4first" })
  return found.map(({ address }) => address)
}

/** The name servers answered that there is no such name or address, or there are no name servers. */
const isUnknown = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" &&
  ["ENOTFOUND", "ENODATA", "ECONNREFUSED"].includes(error.code)
