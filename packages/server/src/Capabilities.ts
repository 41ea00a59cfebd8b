/** The capabilities of the server (D20.1, D20.2), and their parts in PostgreSQL, GraphQL, REST, the settings and the background work. */
import { alerts } from "@dockline/alerts/AlertCapability"
import * as AlertServices from "@dockline/alerts/AlertServices"
import { alertSettings } from "@dockline/alerts/AlertServices"
import { alertsSql } from "@dockline/alerts/storage/AlertSql"
import type * as Capability from "@dockline/core/capability/Capability"
import { day } from "@dockline/core/day/DayCapability"
import { exceptions } from "@dockline/core/exceptions/ExceptionCapability"
import { skus } from "@dockline/core/skus/SkuCapability"
import { trace } from "@dockline/core/trace/TraceCapability"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { Seal } from "@dockline/core/webhooks/SecretsVault"
import { edi } from "@dockline/edi/domain/EdiCapability"
import * as EdiServices from "@dockline/edi/EdiServices"
import { ediRest } from "@dockline/edi/rest/EdiRest"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { epcis } from "@dockline/epcis/EpcisCapability"
import * as EpcisServices from "@dockline/epcis/EpcisServices"
import { epcisRest } from "@dockline/epcis/rest/EpcisRest"
import { epcisSql } from "@dockline/epcis/storage/EpcisSql"
import type { GraphqlPart } from "@dockline/graphql-adapter/schema/Schema"
import type { RestPart } from "@dockline/http-adapter/RestPart"
import { kargo } from "@dockline/kargo/KargoCapability"
import { kargoGraphql } from "@dockline/kargo/KargoGraphql"
import { kargoSkuMaster } from "@dockline/kargo/skus/SkuMasterRest"
import { packingLists } from "@dockline/packing-lists/PackingListCapability"
import * as PackingListServices from "@dockline/packing-lists/PackingListServices"
import { packingListRest } from "@dockline/packing-lists/rest/PackingListRest"
import { packingListsSql } from "@dockline/packing-lists/storage/PackingListSql"
import { daySql } from "@dockline/sql-storage/day/DaySql"
import { exceptionsSql } from "@dockline/sql-storage/exceptions/ExceptionSql"
import { skusSql } from "@dockline/sql-storage/skus/SkuSql"
import { traceSql } from "@dockline/sql-storage/trace/TraceSql"
import { Effect, Layer, Record } from "effect"
import type { Config } from "effect"

/** The capabilities. */
export const capabilities = [
  day,
  trace,
  skus,
  exceptions,
  kargo,
  edi,
  epcis,
  packingLists,
  alerts
] as const

/** The parts of the capabilities in PostgreSQL. */
export const sqlCapabilities = [
  daySql,
  traceSql,
  skusSql,
  exceptionsSql,
  ediSql,
  epcisSql,
  packingListsSql,
  alertsSql
] as const

/** The GraphQL schemas of capabilities in addition to the schema of the service. */
export const graphqlParts: ReadonlyArray<GraphqlPart> = [
  kargoGraphql
]

/** The REST parts of capabilities in addition to their operations. */
export const restParts: ReadonlyArray<RestPart> = [
  kargoSkuMaster,
  ediRest,
  epcisRest,
  packingListRest
]

/** The services of capabilities that interfaces need, by the names of the capabilities. */
const intakes = {
  edi: EdiServices.intake,
  "packing-lists": PackingListServices.intake
}

/** The settings of capabilities, by their names in the server. */
export const capabilitySettings = {
  ...alertSettings
} as const

type ValuesOf<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends { readonly config: Config.Config<infer Value> } ?
    Value
    : never
}

/** The values of these settings. */
type CapabilitySettings = ValuesOf<typeof capabilitySettings>

type Works = Readonly<Record<string, (settings: CapabilitySettings) => Layer.Layer<never, never, unknown>>>

/** The background work of capabilities while the server runs, by the names of the capabilities. It gets the settings of the server. */
const works = {
  edi: () => EdiServices.advices,
  epcis: () => EpcisServices.publishing,
  alerts: AlertServices.ofSettings
} satisfies Works

type Sealing = (
  limit: number
) => Effect.Effect<ReadonlyArray<Seal>, StorageUnavailable, Capability.PortsOf<typeof capabilities>>

/** The functions that read the texts which capabilities have sealed. */
const sealings: ReadonlyArray<Sealing> = [
  AlertServices.sealedAddresses
]

/** The texts that capabilities have sealed, at most `limit` of each capability: `check` tries to open them. */
export const sealsOf: Sealing = (limit) =>
  Effect.map(Effect.forEach(sealings, (seals) => seals(limit)), (all) => all.flat())

/** The names of the capabilities, as the setting `CAPABILITIES` lists them. */
export const capabilityNames: ReadonlyArray<string> = capabilities.map(({ name }) => name)

/** The capabilities with these names. Capabilities that are left out have no operations, pages or commands, but keep their tables. */
export const capabilitiesOf = (names: ReadonlyArray<string>): ReadonlyArray<(typeof capabilities)[number]> =>
  capabilities.filter(({ name }) => names.includes(name))

type Needs<Layers extends Readonly<Record<string, Layer.Layer<never, never, unknown>>>> = Layer.Layer<
  never,
  never,
  Layer.Services<Layers[keyof Layers]>
>

const byName = <Layers extends Readonly<Record<string, Layer.Layer<never, never, unknown>>>>(
  layers: Layers,
  names: ReadonlyArray<string>
): Needs<Layers> =>
  // The cast restores the requirements of the layers, which merging them in a loop loses.
  Layer.mergeAll(
    Layer.empty,
    ...Object.entries(layers).flatMap(([name, layer]) => names.includes(name) ? [layer] : [])
  ) as Needs<Layers>

/** The services that interfaces need of the capabilities with these names. */
export const intakesOf = (names: ReadonlyArray<string>): Needs<typeof intakes> => byName(intakes, names)

/** The background work of the capabilities with these names. */
export const worksOf = (
  settings: CapabilitySettings & { readonly capabilities: ReadonlyArray<string> }
): Needs<{ readonly [Name in keyof typeof works]: ReturnType<(typeof works)[Name]> }> =>
  // As above: the cast restores the requirements, which are the same for all values of a record.
  byName(Record.map(works, (make: Works[string]) => make(settings)), settings.capabilities) as ReturnType<
    typeof worksOf
  >
