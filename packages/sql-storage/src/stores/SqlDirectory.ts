/** Businesses, facilities and docks on PostgreSQL. */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope } from "@dockline/core/access/Access"
import { checkFieldMap } from "@dockline/core/places/MessageField"
import type { MessageField } from "@dockline/core/places/MessageField"
import {
  checkBusinesses,
  defaultDetentionMinutes,
  defaultTimeZone,
  Directory,
  maxDocks,
  maxFacilities,
  tooManyDocks,
  tooManyFacilities
} from "@dockline/core/places/Place"
import type { DescribedFacility, Facility, FacilityChange, Place } from "@dockline/core/places/Place"
import { BusinessNotFound, FacilityNotFound } from "@dockline/core/values/Errors"
import { BusinessExists, DockExists, FacilityExists } from "@dockline/core/values/OperatorErrors"
import { cutPage, mapPage } from "@dockline/core/values/Page"
import type { NamePageRequest, Page } from "@dockline/core/values/Page"
import { Effect, Layer, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { oneRow, rowOrNull } from "../connections/Statements.ts"
import { operations } from "../connections/StoreOperations.ts"
import type { Operations } from "../connections/StoreOperations.ts"
import { bigintText, fieldMap, place, texts, whole } from "../rows/RowFields.ts"

const NamedRow = Schema.Struct({ business: place, facility: Schema.NullOr(place) })

const FacilityRow = Schema.Struct({ ...place.fields, timeZone: Schema.String, detentionMinutes: whole })

const DescribedRow = Schema.Struct({
  ...place.fields,
  fieldMap,
  facilities: Schema.Array(Schema.Struct({ ...FacilityRow.fields, docks: texts }))
})

const SlugsRow = Schema.Struct({ slug: Schema.String, facilities: texts })

const IdRow = Schema.Struct({ id: bigintText })

/** The number of entries, and whether one of them has the name. */
const NamesRow = Schema.Struct({ taken: Schema.Boolean, count: whole })

/** PostgreSQL sorts some slugs of docks differently from JavaScript. */
const withSortedDocks = (facility: DescribedFacility): DescribedFacility => ({
  ...facility,
  docks: facility.docks.toSorted()
})

/** The directory in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<Directory, never, SqlClient.SqlClient> = Layer.effect(
  Directory,
  Effect.map(operations, (means) =>
    Directory.of({
      ...lookups(means),
      ...businesses(means),
      ...facilities(means),
      ...docks(means),
      put: putter(means)
    }))
)

const putter = ({ sql, transact }: Operations): (typeof Directory)["Service"]["put"] => {
  const putAll = (entries: string) =>
    Effect.all([
      sql`insert into dockline.business (slug, name, field_map)
        select b.slug, b.name, coalesce(b."fieldMap", known.field_map, '[]')
        from jsonb_to_recordset(${entries}::text::jsonb) as b(slug text, name text, "fieldMap" jsonb)
        left join dockline.business known on known.slug = b.slug
        on conflict (id) do update set name = excluded.name, field_map = excluded.field_map`,
      sql`insert into dockline.facility (business_id, slug, name, time_zone, detention_minutes)
        select business.id, f.slug, f.name, coalesce(f."timeZone", known.time_zone, ${defaultTimeZone}),
          coalesce(f."detentionMinutes", known.detention_minutes, ${defaultDetentionMinutes}::int)
        from jsonb_to_recordset(${entries}::text::jsonb) as b(slug text, facilities jsonb)
        join dockline.business on business.slug = b.slug
        cross join jsonb_to_recordset(b.facilities) as f(slug text, name text, "timeZone" text, "detentionMinutes" int)
        left join dockline.facility known on known.business_id = business.id and known.slug = f.slug
        on conflict (business_id, slug) do update set name = excluded.name, time_zone = excluded.time_zone,
          detention_minutes = excluded.detention_minutes`,
      sql`insert into dockline.dock (facility_id, slug)
        select facility.id, dock.slug
        from jsonb_to_recordset(${entries}::text::jsonb) as b(slug text, facilities jsonb)
        join dockline.business on business.slug = b.slug
        cross join jsonb_to_recordset(b.facilities) as f(slug text, docks jsonb)
        join dockline.facility on facility.business_id = business.id and facility.slug = f.slug
        cross join jsonb_array_elements_text(f.docks) as dock(slug)
        on conflict (facility_id, slug) do nothing`
    ], { discard: true })

  return (businesses) =>
    Effect.flatMap(
      Effect.suspend(() => Effect.fromResult(checkBusinesses(businesses))),
      (entries) => transact()(putAll(JSON.stringify(entries)))
    )
}

const lookups = ({ operation, query }: Operations) => ({
  lookup: (business: string, facility: string) =>
    query(NamedRow)`select json_build_object('slug', b.slug, 'name', b.name) as business,
        case when f.id is not null then json_build_object('slug', f.slug, 'name', f.name) end as facility
      from dockline.business b
      left join dockline.facility f on f.business_id = b.id and f.slug = ${facility}
      where b.slug = ${business}`.pipe(
      Effect.map((rows) => rows[0] ?? { business: null, facility: null }),
      operation
    ),
  describe: (business: string) =>
    query(DescribedRow)`select b.slug, b.name, b.field_map as "fieldMap",
        (select coalesce(json_agg(json_build_object('slug', f.slug, 'name', f.name, 'timeZone', f.time_zone,
            'detentionMinutes', f.detention_minutes, 'docks',
            (select coalesce(json_agg(d.slug), '[]') from dockline.dock d where d.facility_id = f.id)
          ) order by f.slug collate "C"), '[]')
          from dockline.facility f where f.business_id = b.id) as facilities
      from dockline.business b where b.slug = ${business}`.pipe(
      Effect.map(([entry]) =>
        entry === undefined ? null : { ...entry, facilities: entry.facilities.map(withSortedDocks) }
      ),
      operation
    ),
  facilitySlugs: (businesses: ReadonlyArray<string>) =>
    query(SlugsRow)`select b.slug,
        coalesce(json_agg(f.slug) filter (where f.id is not null), '[]') as facilities
      from dockline.business b left join dockline.facility f on f.business_id = b.id
      where b.slug = any (${businesses}::text[]) group by b.slug`.pipe(
      Effect.map((rows) => new Map(rows.map(({ slug, facilities }) => [slug, new Set(facilities)]))),
      operation
    )
})

const pageOf = <A extends { readonly slug: string }>(rows: ReadonlyArray<A>, limit: number): Page<A> =>
  cutPage(rows, limit, ({ slug }) => ({ id: slug }))

/** Fails unless a statement has changed the business. */
const changeOne = <E>(business: string, statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.flatMap(
    statement,
    (rows) => rows.length === 1 ? Effect.void : new BusinessNotFound({ business })
  )

const businesses = ({ operation, query, sql }: Operations) => ({
  list: (scope: BusinessScope, { limit, after }: NamePageRequest) =>
    (scope === everything
      ? query(place)`select b.slug, b.name from dockline.business b where b.slug collate "C" > ${after}
          order by b.slug collate "C" limit ${limit + 1}::int`
      : query(place)`select b.slug, b.name from (select distinct unnest(${scope}::text[]) as slug) as named
          cross join lateral (select t.slug, t.name from dockline.business t where t.slug = named.slug) as b
          where b.slug collate "C" > ${after} order by b.slug collate "C" limit ${limit + 1}::int`).pipe(
        Effect.map((rows) => pageOf(rows, limit)),
        operation
      ),
  business: (slug: string) =>
    operation(
      rowOrNull(query(place)`select slug, name from dockline.business where slug = ${slug}`)
    ),
  create: ({ slug, name }: Place) =>
    sql`insert into dockline.business (slug, name) values (${slug}, ${name})
      on conflict (id) do nothing returning id`.pipe(
      Effect.flatMap((rows) => rows.length === 1 ? Effect.void : new BusinessExists({ business: slug })),
      operation
    ),
  rename: ({ slug, name }: Place) =>
    operation(
      changeOne(slug, sql`update dockline.business set name = ${name} where slug = ${slug} returning id`)
    ),
  fieldMap: (business: string) =>
    query(Schema.Struct({ fields: fieldMap }))`select field_map as fields from dockline.business
      where slug = ${business}`.pipe(Effect.map((rows) => rows[0]?.fields ?? null), operation),
  setFieldMap: <E = never>(
    business: string,
    fields: ReadonlyArray<MessageField>,
    check: (present: ReadonlyArray<MessageField>) => Result.Result<void, E> = () => Result.void
  ) =>
    Effect.gen(function*() {
      const map = JSON.stringify(yield* Effect.fromResult(checkFieldMap(fields)))
      for (;;) {
        const [present] = yield* query(Schema.Struct({ present: fieldMap }))`select field_map as present
          from dockline.business where slug = ${business}`
        if (present === undefined) return yield* new BusinessNotFound({ business })
        yield* Effect.fromResult(check(present.present))
        const updated = yield* sql`update dockline.business set field_map = ${map}::text::jsonb
          where slug = ${business} and field_map = ${
          JSON.stringify(present.present)
        }::text::jsonb returning id`
        if (updated.length === 1) return
      }
    }).pipe(operation)
})

const placesOf = (business: string) => ({
  turn: JSON.stringify(["places", business]),
  holder: business
})

const facilities = ({ operation, query, sql, transact }: Operations) => {
  const columns = sql.literal(
    `f.slug, f.name, f.time_zone as "timeZone", f.detention_minutes as "detentionMinutes"`
  )
  // The lock of the business keeps the count true until the commit.
  const create = Effect.fnUntraced(function*(business: string, facility: Facility) {
    const { slug, name, timeZone, detentionMinutes } = facility
    const [owner] = yield* query(IdRow)`select id::text as id from dockline.business
      where slug = ${business} for no key update`
    if (owner === undefined) return yield* new BusinessNotFound({ business })
    const names = yield* oneRow(query(NamesRow)`select count(*)::int as count,
        coalesce(bool_or(slug = ${slug}), false) as taken
      from dockline.facility where business_id = ${owner.id}::bigint`)
    if (names.taken) return yield* new FacilityExists({ business, facility: slug })
    if (names.count >= maxFacilities) return yield* tooManyFacilities()
    yield* sql`insert into dockline.facility (business_id, slug, name, time_zone, detention_minutes)
      values (${owner.id}::bigint, ${slug}, ${name}, ${timeZone}, ${detentionMinutes})`
  })

  return {
    facilities: (business: string, { limit, after }: NamePageRequest) =>
      query(FacilityRow)`select ${columns} from dockline.facility f
        where f.business_id = (select b.id from dockline.business b where b.slug = ${business})
          and f.slug collate "C" > ${after} order by f.slug collate "C" limit ${limit + 1}::int`.pipe(
        Effect.map((rows) => pageOf(rows, limit)),
        operation
      ),
    facility: (business: string, facility: string) =>
      operation(rowOrNull(query(FacilityRow)`select ${columns} from dockline.facility f
        join dockline.business b on b.id = f.business_id where b.slug = ${business} and f.slug = ${facility}`)),
    createFacility: (business: string, facility: Facility) =>
      transact(placesOf(business))(create(business, facility)),
    updateFacility: (business: string, { slug, name, timeZone, detentionMinutes }: FacilityChange) =>
      query(FacilityRow)`update dockline.facility f set name = coalesce(${name ?? null}::text, f.name),
          time_zone = coalesce(${timeZone ?? null}::text, f.time_zone),
          detention_minutes = coalesce(${detentionMinutes ?? null}::int, f.detention_minutes)
        from dockline.business b where b.id = f.business_id and b.slug = ${business} and f.slug = ${slug}
        returning ${columns}`.pipe(
        Effect.flatMap(([facility]) =>
          facility === undefined
            ? new FacilityNotFound({ business, facility: slug })
            : Effect.succeed(facility)
        ),
        operation
      )
  }
}

const docks = ({ operation, query, sql, transact }: Operations) => {
  // The lock of the facility keeps the count true until the commit.
  const create = Effect.fnUntraced(function*(business: string, facility: string, dock: string) {
    const [owner] = yield* query(IdRow)`select f.id::text as id from dockline.facility f
        join dockline.business b on b.id = f.business_id
      where b.slug = ${business} and f.slug = ${facility} for no key update of f`
    if (owner === undefined) return yield* new FacilityNotFound({ business, facility })
    const names = yield* oneRow(query(NamesRow)`select count(*)::int as count,
        coalesce(bool_or(slug = ${dock}), false) as taken
      from dockline.dock where facility_id = ${owner.id}::bigint`)
    if (names.taken) return yield* new DockExists({ facility, dock })
    if (names.count >= maxDocks) return yield* tooManyDocks()
    yield* sql`insert into dockline.dock (facility_id, slug) values (${owner.id}::bigint, ${dock})`
  })

  return {
    docks: (business: string, facility: string, { limit, after }: NamePageRequest) =>
      query(Schema.Struct({ slug: Schema.String }))`select d.slug from dockline.dock d
        where d.facility_id = (select f.id from dockline.business b join dockline.facility f on f.business_id = b.id
            where b.slug = ${business} and f.slug = ${facility})
          and d.slug collate "C" > ${after} order by d.slug collate "C" limit ${limit + 1}::int`.pipe(
        Effect.map((rows) => mapPage(pageOf(rows, limit), ({ slug }) => slug)),
        operation
      ),
    createDock: (business: string, facility: string, dock: string) =>
      transact(placesOf(business))(create(business, facility, dock))
  }
}
