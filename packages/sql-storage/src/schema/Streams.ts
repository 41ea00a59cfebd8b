/**
 * How SQL functions read the ids of a page in the order of an index. What a client may see of a table are streams, such as
 * the orders of each facility, whose ids the index has in order; a page merges them.
 *
 * Guarantee: one descent finds the first entry of each stream, and at most a page is read of a stream. Comparisons are of
 * whole rows in the order of the index, so that no plan uses another index and filters: `(status, facility_id, id) >
 * (s, f, after)` instead of `status = s and facility_id = f and id > after`.
 */

/** The streams of a list: rows of a table that are in id order within each value of some columns. */
interface Streams {
  readonly table: string
  /** The columns, each with its value in a row `k` of `values`. */
  readonly key: ReadonlyArray<readonly [column: string, value: string]>
  /** An item of a FROM clause with a row for each stream. */
  readonly values: string
  /** The id as the index has it, and the largest possible one. */
  readonly id: string
  readonly largest: string
  /** A further condition. */
  readonly within?: string
  /** The column that is taken of each row; its id by default. */
  readonly take?: string
}

/**
 * Sets `v_ids` to the ids, or another column, of the first `p_limit` rows after `p_after`. Only streams whose first entries are the first `p_limit` of all
 * first entries can be on the page, and of these only entries up to the last of those.
 */
export const merged = (
  { table, key, values, id, largest, within = "true", take = "t.id" }: Streams
): string => {
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
          select ${take} from head k cross join lateral (
            select t.* from dockline.${table} t
            where (${columns}, ${id}) >= (${stream}, k.first)
              and (${columns}, ${id}) <= (${stream}, (select last from bound)) and ${within}
            order by ${order} limit p_limit) as t
          where k.first is not null order by ${id} limit p_limit) into v_ids`
}

/** Sets `v_ids` to a page of all rows of a table. */
export const all = (table: string, id = "t.id"): string =>
  `v_ids := array(select t.id from dockline.${table} t where ${id} > p_after order by ${id} limit p_limit)`

/** The largest possible id. */
export const largestId = "9223372036854775807"

/** The rows that count as items of the shipment `v_id`: its items and pallets. */
export const itemsOfShipment = `select from dockline.shipment s
      join dockline.customer_order o on o.business_id = s.business_id and o.shipment_id = s.id
      join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id where s.id = v_id
      union all
      select from dockline.shipment s
      join dockline.pallet p on p.business_id = s.business_id and p.shipment_id = s.id where s.id = v_id`

/**
 * Returns [[id, number of its items]], and what else is asked for, of `v_ids` until the sum is above p_items, but of two ids at least: the rest cannot be
 * on the page. Items of an id are counted up to p_items + 1.
 */
export const sized = (items: string, more = ""): string =>
  `foreach v_id in array v_ids loop
        select count(*) into v_items from (${items} limit p_items + 1) as i;
        v_page := v_page || json_build_array(v_id::text, v_items${more});
        v_held := v_held + v_items;
        exit when v_held > p_items and cardinality(v_page) > 1;
      end loop;
      return array_to_json(v_page)`

/** The variables that {@link sized} needs. */
export const pageVariables = `v_ids bigint[];
      v_id bigint;
      v_items int;
      v_held bigint := 0;
      v_page json[] := '{}'`
