/**
 * The businesses whose documents are sent, and the client that sends them all.
 */
import { ClientStore } from "@dockline/core/ClientStore"
import { Directory } from "@dockline/core/Directory"
import * as Clients from "@dockline/http-adapter/Clients"
import * as Database from "@dockline/sql-storage/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { Effect, Redacted } from "effect"
import { BenchError } from "../BenchError.ts"
import type { BenchDatabase } from "../Cluster.ts"
import { businessOf, place } from "./Documents.ts"

/** The client that sends everything. */
export const client = "bench"

/** Adds the client and the businesses to a database. */
export const install = ({ name, url }: BenchDatabase, businesses: number): Effect.Effect<void, BenchError> =>
  Effect.gen(function*() {
    const directory = yield* Directory
    const clients = yield* ClientStore
    const slugs = Array.from({ length: businesses }, (_, index) => businessOf(index, businesses))
    // The demo data has the first one.
    yield* directory.put(
      slugs.slice(1).map((slug) => ({
        slug,
        name: slug,
        fieldMap: [],
        facilities: [{ slug: place.facility, name: "East", docks: ["D1"] }]
      }))
    )
    yield* clients.put([{
      id: client,
      name: "Benchmark",
      enabled: true,
      secrets: [{ id: "bench", hash: Clients.hashSecret(`${client}-secret`) }],
      grants: slugs.map((business) => ({
        business,
        facilities: "*",
        permissions: ["documents:write", "pallets:write", "shipments:write"]
      }))
    }])
  }).pipe(
    Effect.provide(Sql.layer),
    Effect.provide(Database.layer({ ...Database.defaultDatabaseConfig, url: Redacted.make(url) })),
    Effect.mapError((error) => new BenchError({ message: `${name}: ${String(error)}` }))
  )
