/**
 * The businesses and facilities that the session may see, for the choices on pages.
 */
import {
  allowsAny,
  canRead,
  canReadSome,
  everything,
  holds,
  writePermissions
} from "@dockline/core/access/Access"
import type { Permission, Principal } from "@dockline/core/access/Access"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { cancelShipment, checkInShipment } from "@dockline/core/movement/ShipmentOperations"
import { Directory } from "@dockline/core/places/Place"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { Effect } from "effect"

/** The most businesses that are listed; a reader who may see more enters the other names. */
export const businessLimit = 100

export interface SessionFacility {
  readonly slug: string
  readonly name: string
  readonly docks: ReadonlyArray<string>
  /** The IANA name of the time zone in which times of the facility are shown. */
  readonly timeZone: string
  /** Whether messages of the facility may be read. */
  readonly messages: boolean
  /** Whether exceptions may be reported there. */
  readonly reports: boolean
  /** Whether arrivals and departures may be reported there, and shipments linked. */
  readonly steps: boolean
  /** Whether shipments may be cancelled there. */
  readonly cancels: boolean
  /** Whether steps of check-ins may be reported there. */
  readonly checksIn: boolean
}

export interface SessionBusiness {
  readonly slug: string
  readonly name: string
  readonly facilities: ReadonlyArray<SessionFacility>
}

/** The session: the person or client who has signed in, and what they may see. */
export interface SessionView {
  readonly clientId: string
  /** The name of the person or client, for people. */
  readonly name: string
  readonly operator: boolean
  /** The names of the capabilities of the service (D20.1). */
  readonly capabilities: ReadonlyArray<string>
  readonly businesses: ReadonlyArray<SessionBusiness>
}

export const make = Effect.map(
  Effect.all([Directory, OperationRegistry]),
  ([directory, { capabilities }]) => {
    const slugsOf = (principal: Principal): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> => {
      const businesses = principal.grants.map(({ business }) => business)
      if (!businesses.includes(everything)) return Effect.succeed(Array.from(new Set(businesses)).toSorted())
      return Effect.map(
        directory.list(everything, { after: "", limit: businessLimit }),
        ({ items }) => items.map(({ slug }) => slug)
      )
    }

    return Effect.fn("Dashboard.session")(function*(principal: Principal) {
      const slugs = (yield* slugsOf(principal)).filter((slug) => canReadSome(principal, slug))
      const entries = yield* Effect.forEach(slugs.slice(0, businessLimit), directory.describe, {
        concurrency: 4
      })
      const businesses = entries.filter((entry) => entry !== null).map(
        ({ facilities, name, slug }) => ({
          slug,
          name,
          facilities: facilities.filter((facility) => canRead(principal, slug, facility.slug)).map(
            (facility) => {
              const may = (...permissions: ReadonlyArray<Permission>) =>
                allowsAny(principal, permissions, slug, facility.slug)
              return {
                slug: facility.slug,
                name: facility.name,
                docks: facility.docks,
                timeZone: facility.timeZone,
                messages: may("messages:read"),
                reports: may(...writePermissions),
                steps: may("shipments:write"),
                cancels: may(...cancelShipment.may),
                checksIn: may(...checkInShipment.may)
              }
            }
          )
        })
      )
      return {
        clientId: principal.clientId,
        name: principal.name ?? principal.clientId,
        operator: holds(principal, "operator"),
        capabilities: capabilities.map(({ name }) => name),
        businesses
      } satisfies SessionView
    })
  }
)
