/** The schema as the catalogue of a database has it, written as text. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const schema = "'dockline'::regnamespace"

interface Relation {
  readonly name: string
  readonly kind: "table" | "view" | "sequence"
  /** The body of its statement. */
  readonly body: string
}

const relations = SqlClient.SqlClient.use((sql) =>
  sql.unsafe<Relation>(`select c.relname as name, 'sequence' as kind, '' as body from pg_class c
      where c.relnamespace = ${schema} and c.relkind = 'S'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')
    union all
    select c.relname, 'view', ' as' || chr(10) || pg_get_viewdef(c.oid, true) from pg_class c
      where c.relnamespace = ${schema} and c.relkind = 'v'
    union all
    select c.relname, 'table', ' (' || chr(10) || concat_ws(',' || chr(10), (
        select string_agg(concat_ws(' ', '  ' || a.attname, format_type(a.atttypid, a.atttypmod),
          case when a.attnotnull then 'not null' end,
          case when a.attidentity <> '' then 'generated always as identity' end,
          case when a.attgenerated <> '' then format('generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
            else 'default ' || pg_get_expr(d.adbin, d.adrelid) end), ',' || chr(10) order by a.attnum)
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ), (
        select string_agg('  ' || pg_get_constraintdef(k.oid), ',' || chr(10) order by k.contype desc, k.conname)
        from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
      )) || chr(10) || ')' || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '')
      from pg_class c where c.relnamespace = ${schema} and c.relkind = 'r'
    order by kind, name`)
)

/** The indexes that no constraint makes, each as its statement. */
const indexes = SqlClient.SqlClient.use((sql) =>
  sql.unsafe<{ readonly table: string; readonly text: string }>(`select c.relname as table,
        pg_get_indexdef(i.indexrelid) as text
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
      where c.relnamespace = ${schema} and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      order by c.relname, x.relname`)
)

/** The functions with their bodies. */
const functions = SqlClient.SqlClient.use((sql) =>
  sql.unsafe<{ readonly text: string }>(`select concat_ws(chr(10),
        format('create function dockline.%s(%s) returns %s', p.proname, pg_get_function_arguments(p.oid),
          pg_get_function_result(p.oid)),
        concat_ws(' ', 'language', l.lanname,
          case p.provolatile when 'i' then 'immutable' when 's' then 'stable' end),
        'set ' || array_to_string(p.proconfig, ' set '),
        coalesce(pg_get_function_sqlbody(p.oid), format('as $$%s$$', p.prosrc))) as text
      from pg_proc p join pg_language l on l.oid = p.prolang
      where p.pronamespace = ${schema} order by p.proname`)
)

/** The whole schema: sequences, tables with their indexes, views, and functions. */
export const schemaText = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // Names are written with their schema only where it is on no path.
  yield* sql`set local search_path to ''`
  const indexRows = yield* indexes
  const statements = (yield* relations).map(({ body, kind, name }) =>
    [
      `create ${kind} dockline.${name}${body}${kind === "view" ? "" : ";"}`,
      ...indexRows.filter(({ table }) => table === name).map(({ text }) => `${text};`)
    ].join("\n")
  )
  const bodies = (yield* functions).map(({ text }) => `${text};`)
  return `${[...statements, ...bodies].join("\n\n")}\n`
})
