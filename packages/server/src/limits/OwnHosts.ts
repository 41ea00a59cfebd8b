/**
 * Refuses requests for hosts that are not this service's (421, RFC 9110, section 15.5.20).
 *
 * Guarantee: a page of another site whose name is made to lead here (DNS rebinding) reaches nothing: neither a route nor a
 * socket sees its requests, whatever the paths. Probes ask by address and learn nothing, so they are not looked at.
 */
import { MisdirectedRequest } from "@dockline/core/values/RequestErrors"
import { isHost } from "@dockline/wire/Handshake"
import { isLoopback, pathOf } from "@dockline/wire/Path"
import type { IncomingMessage } from "node:http"
import type { Guard } from "./Guard.ts"
import * as QuickRefusal from "./QuickRefusal.ts"

export interface OwnHostsConfig {
  /** The address that clients use; refusals name it. */
  readonly baseUrl: string
  readonly others?: ReadonlyArray<string>
  /** Whether the names of the machine itself are hosts too, with the port that it listens on; not unless given. */
  readonly isLocal?: boolean
  /** The paths that are served whatever the host; none unless given. */
  readonly exempt?: ReadonlyArray<string>
}

export const ownHosts = ({ baseUrl, exempt = [], isLocal = false, others = [] }: OwnHostsConfig): Guard => {
  const ownHosts = new Set([baseUrl, ...others].flatMap(hostsOf))
  const open = new Set(exempt)
  const isOwn = (host: string, port: number | undefined): boolean => {
    const name = host.toLowerCase()
    return ownHosts.has(name) || (isLocal && isOfMachine(name, port))
  }
  /** The host that a request is for, where it is not one of these. */
  const foreignHost = ({ headers, socket, url = "" }: IncomingMessage): string | undefined => {
    const host = headers.host ?? ""
    // Nearly every request names the host as the settings do, and begins its target with the path.
    if (ownHosts.has(host) && url.startsWith("/")) return undefined
    if (open.has(pathOf(url))) return undefined
    const urlHost = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? host
    return [host, urlHost].find((each) => !isOwn(each, socket.localPort))
  }
  return {
    request: (request, response, pass) => {
      const host = foreignHost(request)
      if (host === undefined) return pass()
      QuickRefusal.refuse(request, response, new MisdirectedRequest({ baseUrl, host }), "problem")
    },
    upgrade: (request, socket, _head, pass) => {
      const host = foreignHost(request)
      // What names no host is no handshake: its protocol says so.
      if (host === undefined || !isHost(request.headers.host)) return pass()
      QuickRefusal.refuseUpgrade(request, socket, new MisdirectedRequest({ baseUrl, host }))
    }
  }
}

/** The host of an address as clients write it: without the port of its scheme, and with it. */
const hostsOf = (address: string): ReadonlyArray<string> => {
  const { host, hostname, port, protocol } = new URL(address)
  return port === "" ? [host, `${hostname}:${protocol === "https:" ? 443 : 80}`] : [host]
}

const isOfMachine = (host: string, port: number | undefined): boolean => {
  const [, name = "", portText = "80"] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? []
  return isLoopback(name) && Number(portText) === port
}
