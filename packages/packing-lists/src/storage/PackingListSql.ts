/** Packing lists in PostgreSQL (D25): the mappings that businesses save by name. */
import { cutPage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { businessId, operations } from "@dockline/sql-storage/rows/BusinessRows"
import { place, timestamp, whole } from "@dockline/sql-storage/rows/RowFields"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import * as KeptAnswers from "@dockline/sql-storage/stores/KeptAnswers"
import { Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import type { MappingName, MappingPlan, MappingSnapshot } from "../domain/SavedMapping.ts"
import { MappingStore } from "../domain/SavedMappings.ts"
import { dateOrders, decimals, MappingView, separatorNames } from "../mapping/Mapping.ts"

/** The result of `packing_list_mapping_body`. */
const SavedRow = Schema.Struct({
  name: Schema.String,
  mapping: Schema.Struct({
    ...MappingView.fields,
    decimal: Schema.Literals([...decimals, ""]),
    dates: Schema.Literals(dateOrders),
    separator: Schema.Literals([...separatorNames, ""])
  }),
  savedAt: timestamp
})

/** The result of `packing_list_mapping_load`. */
const LoadBody = Schema.Struct({
  business: Schema.NullOr(place),
  present: Schema.NullOr(SavedRow),
  count: whole
})

const stores = Layer.effect(
  MappingStore,
  Effect.gen(function*() {
    const means = yield* operations
    const { call, operation, read, run } = means
    const answers = KeptAnswers.make(means)

    const work = Effect.fnUntraced(function*<Plan extends MappingPlan, E>(
      { business, name }: MappingName,
      decide: (snapshot: MappingSnapshot) => Result.Result<Plan, E>
    ) {
      const now = yield* Timestamp.now
      const id = businessId(business)
      const snapshot = yield* call(LoadBody)`dockline.packing_list_mapping_load(${id}, ${name})`
      const plan = yield* Effect.fromResult(decide({ ...snapshot, now }))
      const { after } = plan
      yield* run`dockline.packing_list_mapping_put(${id}, ${name},
        ${after === null ? null : JSON.stringify(after.mapping)}, ${after?.savedAt ?? null})`
      return plan
    })

    return MappingStore.of({
      change: (of, decide, keep) =>
        operation(answers.alone(
          {
            turn: JSON.stringify(["packing-list-mappings", of.business]),
            business: businessId(of.business)
          },
          keep,
          work(of, decide)
        )),
      list: (business, { after, limit }) =>
        read({ business: businessId(business) })(Effect.map(
          call(Schema.Array(SavedRow))`dockline.packing_list_mapping_page(${
            businessId(business)
          }, ${after}, ${limit + 1})`,
          (rows) => cutPage(rows, limit, ({ name }) => ({ id: name }))
        )),
      find: ({ business, name }) =>
        read({ business: businessId(business) })(
          call(Schema.NullOr(SavedRow))`dockline.packing_list_mapping_body(${businessId(business)}, ${name})`
        )
    })
  })
)

/** Packing lists in PostgreSQL. */
export const packingListsSql = SqlCapability.make("packing-lists", {
  stores,
  migrations: {
    "1_mappings": SqlCapability.statementsOf(new URL("../../sql/1_mappings.sql", import.meta.url))
  },
  functions: SqlCapability.functionsOf(new URL("../../sql/mappings.sql", import.meta.url)),
  cluster: { tables: ["packing_list_mapping"] }
})
