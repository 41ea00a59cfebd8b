/**
 * A part of migration 10: how the ids of a page are read of an index that has them in order, or merged of streams that
 * it has in order.
 *
 * Guarantee: one descent finds the first entry of each stream, and no more than a page is read of any that can be on it.
 * Comparisons are of whole rows, as the index orders them, so that no plan can go along another index and filter:
 * `(status, facility_id, id) > (s, f, after)` instead of `status = s and facility_id = f and id > after`.
 */

/** Where a list finds its ids: rows of a table that are in order within each value of some columns. */
interface Streams {
  readonly table: string
  /** The columns, each with what it is of the rows of `values`, named `k`. */
  readonly key: ReadonlyArray<readonly [column: string, value: string]>
  /** What the streams are: an item of a FROM clause. */
  readonly values: string
  /** The id, as the index has it, and the largest there can be. */
  readonly id: string
  readonly largest: string
  /** What else an entry must be. */
  readonly within?: string
}

/**
 * The first `p_limit` ids after `p_after`, in order, as an array. A stream can be on the page only if its first entry is
 * among the first `p_limit` of all first entries, and none of it that comes after all of these.
 */
export const merged = ({ table, key, values, id, largest, within = "true" }: Streams): string => {
  const columns = key.map(([column]) => column).join(", ")
  const stream = key.map(([, value]) => value).join(", ")
  const order = [...key.map(([column]) => column), id].join(", ")
  return `with head as materialized (
          select k.*, (select ${id} from dockline.${table} t
            where (${columns}, ${id}) > (${stream}, p_after) and (${columns}) <= (${stream}) and ${within}
            order by ${order} limit 1) as first
          from ${values} order by first limit p_limit
        ), bound as materialized (
          select case when count(first) < p_limit then ${largest} else max(first) end as last from head
        )
        select array(
          select t.id from head k cross join lateral (
            select t.id from dockline.${table} t
            where (${columns}, ${id}) >= (${stream}, k.first)
              and (${columns}, ${id}) <= (${stream}, (select last from bound)) and ${within}
            order by ${order} limit p_limit) as t
          where k.first is not null order by ${id} limit p_limit) into v_ids`
}

/** The same for whom all of a table is shown. */
export const all = (table: string, id = "t.id"): string =>
  `v_ids := array(select t.id from dockline.${table} t where ${id} > p_after order by ${id} limit p_limit)`
