/**
 * What is stored before anything is measured, made by statements over sets: shipments with their orders, items, pallets and
 * events, messages, tenants.
 *
 * Numbers are hashes, as those that are measured with, so that what is measured is spread over the whole of each index.
 */
/** How much is stored in a database. */
export interface Size {
  /** Shipments of one facility, each with an order of two items, a pallet and its event. */
  readonly shipments: number
  /** Messages in the log of its business. */
  readonly messages: number
  /** Businesses beside it, each with a facility, a dock and a client. */
  readonly tenants: number
}

/** The slug of a tenant. */
export const tenantOf = (n: number): string => `tenant-${String(n).padStart(5, "0")}`

/** The client that may do everything at a business: its id is the slug of the business with this suffix. */
export const clientOf = (business: string): string => `${business}-growth`

/** An index or a foreign key: the statements that remove it and that make it again. */
export interface Made {
  readonly drop: string
  readonly make: string
}

/** Selects every index that no constraint needs and every foreign key, as {@link Made}, in the order of making them. */
export const made = `select drop, make from (
    select format('drop index dockline.%I', c.relname) as drop, pg_get_indexdef(i.indexrelid) as make, 1 as step
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'dockline'::regnamespace
      and not exists (select from pg_constraint p where p.conindid = i.indexrelid)
    union all
    select format('alter table %s drop constraint %I', conrelid::regclass, conname),
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)), 2
    from pg_constraint where contype = 'f' and connamespace = 'dockline'::regnamespace
  ) as found order by step, make`

/**
 * The statements that fill a database which has the schema and the demo data, in their order. What {@link made} found is made
 * again after the rows, by its own definition, which takes a fraction of the time; at last the planner is told what there is.
 */
export const statements = (size: Size, found: ReadonlyArray<Made>): ReadonlyArray<string> => [
  ...found.toReversed().map(({ drop }) => drop),
  ...tenants(size.tenants),
  ...clients,
  ...(size.shipments === 0 ? [] : shipments(size.shipments)),
  ...(size.messages === 0 ? [] : messages(size.messages)),
  ...found.map(({ make }) => make),
  "vacuum (analyze)"
]

const quantity = (count: number) => `generate_series(1, ${count}) as n`

const tenants = (count: number) => [
  `insert into dockline.business (slug, name)
    select 'tenant-' || to_char(n, 'FM00000'), 'Tenant' from ${quantity(count)}`,
  `insert into dockline.facility (business_id, slug, name)
    select id, 'east', 'East' from dockline.business where slug like 'tenant-%'`,
  `insert into dockline.dock (facility_id, slug)
    select f.id, 'D1' from dockline.facility f join dockline.business b on b.id = f.business_id where b.slug like 'tenant-%'`
]

/** Each with the secret that clients of the demo have: the id followed by `-secret`. */
const clients = [
  `insert into dockline.client (id, name, enabled, secrets, grants)
    select named.id, slug, true,
      jsonb_build_array(jsonb_build_object('id', 'bench', 'hash', encode(sha256((named.id || '-secret')::bytea), 'hex'))),
      jsonb_build_array(jsonb_build_object('business', slug, 'facilities', '*', 'permissions',
        array['documents:write', 'messages:read', 'pallets:write', 'shipments:write']))
    from dockline.business, lateral (select slug || '-growth' as id) as named
    where slug = 'acme' or slug like 'tenant-%'`
]

/** The facility that is measured, with its business and its dock. */
const place = `(select f.id as facility_id, f.business_id, d.id as dock_id from dockline.facility f
    join dockline.business b on b.id = f.business_id join dockline.dock d on d.facility_id = f.id
    where b.slug = 'acme' and f.slug = 'east' and d.slug = 'D1') as place`

const shipments = (count: number) => [
  // The newest three of a hundred are still to come, as many as a busy facility expects.
  `insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction, expected_arrival_at,
      scheduled_at, trailer_number, carrier, additional_fields, created_at, pallet_events, label_text,
      missing_pallets, discrepant)
    select place.business_id, place.facility_id, named.number, '=' || named.number,
      case when n > ${Math.floor(count * 0.97)} then 'SCHEDULED' else 'DEPARTED' end,
      'OUTBOUND', now(), now(), 'TR-1', 'Nordfracht', '[]', now(), 1, 20, 1, true
    from ${place}, ${
    quantity(count)
  }, lateral (select substr(md5('stored ' || n), 1, 12) as number) as named order by n`,
  `insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction,
      order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier,
      seal_number, supplier, client, destination, created_at, row_count, text_size)
    select business_id, facility_id, id, number, number_key, case status when 'DEPARTED' then 'COMPLETED' else 'CREATED' end,
      direction, 'STANDARD', '', '', '', '', 0, '', '', '', '', '', created_at, 3, 120
    from dockline.shipment order by id`,
  `insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity, quantity_unit,
      purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit,
      is_dangerous_good, lot, case_serials, facility_id, lpn_shipment_id)
    select o.business_id, o.id, '=' || o.number || k, o.number || k, o.number || k, 'SKU-010000', 24, 'CASE', '', '', '', 0, '', 0, 0, 0, '',
      false, 'LOT-2026-A', '[]', o.facility_id, case o.status when 'COMPLETED' then - o.shipment_id else o.shipment_id end
    from dockline.customer_order o, generate_series(1, 2) as k order by o.id, k`,
  `insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction, first_seen_at,
      last_direction, last_seen_at, last_dock_id)
    select business_id, id, facility_id, id, number || '1', '=' || number || '1', 'LOADING', now(), 'LOADING', now(), 0
    from dockline.shipment order by id`,
  `select setval('dockline.pallet_id', (select max(id) from dockline.pallet))`,
  `insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
      direction, occurred_at, dock_id, orders, labels)
    select p.business_id, p.facility_id, '=' || md5('event ' || p.id), '', p.shipment_id, p.id, p.id, 'LOADING', now(),
      place.dock_id, '[]', '[]'
    from dockline.pallet p, ${place} order by p.id`
]

const messages = (count: number) => [
  // One of a thousand tells that a shipment is complete. All are of the last thirty days, as those that are older expire.
  `insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select place.business_id, n, place.facility_id, 'east',
      case when n % 1000 = 0 then 'SHIPMENT_COMPLETE' else 'PALLET_EVENT' end, n,
      now() - make_interval(days => 30) * (${count} - n) / ${count}, 9, '{"n":123}'
    from ${place}, ${quantity(count)}`,
  `insert into dockline.message_log (business_id, last_id, last_sent_at)
    select business_id, ${count}, now() from ${place}
    on conflict (business_id) do update set last_id = excluded.last_id, last_sent_at = excluded.last_sent_at`,
  `select setval('dockline.message_id', ${count})`
]
