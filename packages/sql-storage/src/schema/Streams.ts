/**
 * How SQL functions read the ids of a page in the order of an index. What a client may see of a table are streams, such as
 * the orders of each facility, whose ids the index has in order; a page merges them.
 *
 * Guarantee: one descent finds the first entry of each stream, and at most a page is read of a stream. Comparisons are of
 * rows in the order of the index, so that no plan uses another index and filters: `status = s and (facility_id, id) >
 * (f, after)` instead of `status = s and facility_id = f and id > after`. All columns of a stream but the last are equal, as before
 * PostgreSQL 18 only the first column of a comparison of rows ends a scan.
 */
import { idsOfMillisecond, millisOfPlaces } from "../rows/ListArguments.ts"

/** The streams of a list: rows of a table that are in id order within each value of some columns. */
export interface Streams {
  readonly table: string
  /** The columns, each with its value in a row `k` of `values`. */
  readonly key: ReadonlyArray<Column>
  /** An item of a FROM clause with a row for each stream. */
  readonly values: string
  /** The id as the index has it, and the largest possible one; by default of rows in the order of their ids. */
  readonly id?: string
  readonly largest?: string
  /** A further condition. */
  readonly within?: string
  /** The column that is taken of each row; its id by default. */
  readonly take?: string
}

/** A column of an index with its value. */
export type Column = readonly [column: string, value: string]

/** Holds a scan to a stream: all of its columns but the last, which a comparison of rows or a range names. */
export const withinStream = (key: ReadonlyArray<Column>): string =>
  key.slice(0, -1).map(([column, value]) => `${column} = ${value} and `).join("")

/**
 * Sets `v_ids` to the ids, or another column, of the first `p_limit` rows after `p_after`. Only streams whose first entries are the first `p_limit` of all
 * first entries can be on the page, and of these only entries up to the last of those.
 */
export const merged = (
  { table, key, values, id = "t.id", largest = largestId, within = "true", take = "t.id" }: Streams
): string => {
  const equal = withinStream(key)
  const [column, value] = key.at(-1) ?? ["", ""]
  const order = [...key.map(([column]) => column), id].join(", ")
  return `with head as (
          select k.*, (select ${id} from dockline.${table} t
            where ${equal}(${column}, ${id}) > (${value}, p_after) and ${column} <= ${value} and ${within}
            order by ${order} limit 1) as first
          from ${values} order by first limit p_limit
        ), bound as (
          select case when count(first) < p_limit then ${largest} else max(first) end as last from head
        )
        select array(
          select ${take} from head k cross join lateral (
            select t.* from dockline.${table} t
            where ${equal}(${column}, ${id}) >= (${value}, k.first)
              and (${column}, ${id}) <= (${value}, (select last from bound)) and ${within}
            order by ${order} limit p_limit) as t
          where k.first is not null order by ${id} limit p_limit) into v_ids`
}

/** Sets `v_ids` to a page of all rows of a table. */
export const all = (table: string, id = "t.id"): string =>
  `v_ids := array(select t.id from dockline.${table} t where ${id} > p_after order by ${id} limit p_limit)`

/**
 * The place of a row in a list with the newest first, by time and then by id, as one number: the lower, the newer, as ListArguments.ts says it too. Each shard of a cluster
 * counts ids for itself, so that they do not tell which of two rows of different businesses is newer. Rows are written
 * with it: a generated column would have its expression read and planned in every statement, which takes 20 µs.
 */
export const placeOf = (time: string, id: string): string =>
  `-((least(greatest(floor(extract(epoch from (${time} - timestamptz '1970-01-01 00:00:00+00')) * 1000), 2), ${
    2 * millisOfPlaces - 2
  })::bigint - ${millisOfPlaces}) * ${idsOfMillisecond} + ${id} % ${idsOfMillisecond})`

/** The values of a key that streams are of: that of a parameter, or all. */
export const words = (parameter: string, all: ReadonlyArray<string>): string =>
  `case when ${parameter} is null then array['${all.join("', '")}'] else array[${parameter}] end`

export const largestId = "9223372036854775807"

/**
 * The size of the shipment `v_id` (core's `sizeOfShipment`), of the sizes of its orders. Of more orders or pallets than a page
 * holds, the rest is not counted: the page ends there in any case.
 */
export const sizeOfShipment = `select 1 + o.row_count
        + (select count(*) from (select from dockline.pallet p
          where p.business_id = s.business_id and p.shipment_id = s.id limit p_rows + 1) as p),
        s.text_size + o.text_size
      from dockline.shipment s cross join lateral (
        select coalesce(sum(o.row_count), 0) as row_count, coalesce(sum(o.text_size), 0) as text_size
        from (select o.row_count, o.text_size from dockline.customer_order o
          where o.business_id = s.business_id and o.shipment_id = s.id limit p_rows + 1) as o) as o
      where s.id = v_id`

/**
 * Ends a loop over the entries of a page once what is held, `v_rows` and `v_text` of each entry, is above the budget of p_rows and
 * p_text, but with two entries at least: the last of them is not on the page, and tells that more follows.
 */
export const withinBudget = `v_rows_held := v_rows_held + v_rows;
        v_text_held := v_text_held + v_text;
        exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1`

/** Returns [[id, rows, characters]], and what else is asked for, of `v_ids` {@link withinBudget}. */
export const sized = (size: string, more = ""): string =>
  `foreach v_id in array v_ids loop
        select size.* into v_rows, v_text from (${size}) as size;
        v_page := v_page || json_build_array(v_id::text, v_rows, v_text${more});
        ${withinBudget};
      end loop;
      return array_to_json(v_page)`

/** The variables that {@link withinBudget} needs. */
export const budgetVariables = `v_rows bigint;
      v_text bigint;
      v_rows_held bigint := 0;
      v_text_held bigint := 0;
      v_page json[] := '{}'`

/** The variables that {@link sized} needs. */
export const pageVariables = `v_ids bigint[];
      v_id bigint;
      ${budgetVariables}`
