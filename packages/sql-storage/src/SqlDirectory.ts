/**
 * Businesses, facilities and docks on PostgreSQL.
 */
import { checkBusinesses, Directory } from "@dockline/core/Directory"
import type { BusinessEntry, FacilityEntry } from "@dockline/core/Directory"
import type { Place } from "@dockline/core/Plan"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "./Deadline.ts"
import { repeatConflicts } from "./StorageErrors.ts"

interface NamedRow {
  readonly business: Place
  readonly facility: Place | null
}

/** Docks may have any text as slug, which PostgreSQL does not sort as JavaScript does. */
const withSortedDocks = (facility: FacilityEntry): FacilityEntry => ({
  ...facility,
  docks: facility.docks.toSorted()
})

/** The directory in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<Directory, never, SqlClient.SqlClient> = Layer.effect(
  Directory,
  Effect.map(Effect.all([SqlClient.SqlClient, operations]), ([sql, operation]) => {
    const putAll = (entries: string) =>
      Effect.all([
        sql`insert into dockline.business (slug, name, field_map)
          select slug, name, "fieldMap" from jsonb_to_recordset(${entries}::text::jsonb)
            as b(slug text, name text, "fieldMap" jsonb)
          on conflict (slug) do update set name = excluded.name, field_map = excluded.field_map`,
        sql`insert into dockline.facility (business_id, slug, name)
          select business.id, f.slug, f.name
          from jsonb_to_recordset(${entries}::text::jsonb) as b(slug text, facilities jsonb)
          join dockline.business on business.slug = b.slug
          cross join jsonb_to_recordset(b.facilities) as f(slug text, name text)
          on conflict (business_id, slug) do update set name = excluded.name`,
        sql`insert into dockline.dock (facility_id, slug)
          select facility.id, dock.slug
          from jsonb_to_recordset(${entries}::text::jsonb) as b(slug text, facilities jsonb)
          join dockline.business on business.slug = b.slug
          cross join jsonb_to_recordset(b.facilities) as f(slug text, docks jsonb)
          join dockline.facility on facility.business_id = business.id and facility.slug = f.slug
          cross join jsonb_array_elements_text(f.docks) as dock(slug)
          on conflict (facility_id, slug) do nothing`
      ], { discard: true })

    return Directory.of({
      lookup: (business, facility) =>
        sql<NamedRow>`select json_build_object('slug', b.slug, 'name', b.name) as business,
            case when f.id is not null then json_build_object('slug', f.slug, 'name', f.name) end as facility
          from dockline.business b
          left join dockline.facility f on f.business_id = b.id and f.slug = ${facility}
          where b.slug = ${business}`.pipe(
          Effect.map((rows) => rows[0] ?? { business: null, facility: null }),
          operation
        ),
      describe: (business) =>
        sql<BusinessEntry>`select b.slug, b.name, b.field_map as "fieldMap",
            (select coalesce(json_agg(json_build_object('slug', f.slug, 'name', f.name, 'docks',
                (select coalesce(json_agg(d.slug), '[]') from dockline.dock d where d.facility_id = f.id)
              ) order by f.slug collate "C"), '[]')
              from dockline.facility f where f.business_id = b.id) as facilities
          from dockline.business b where b.slug = ${business}`.pipe(
          Effect.map(([entry]) =>
            entry === undefined ? null : { ...entry, facilities: entry.facilities.map(withSortedDocks) }
          ),
          operation
        ),
      put: (businesses) =>
        Effect.suspend(() => Effect.fromResult(checkBusinesses(businesses))).pipe(
          Effect.flatMap((checked) => sql.withTransaction(putAll(JSON.stringify(checked)))),
          repeatConflicts,
          operation
        )
    })
  })
)
