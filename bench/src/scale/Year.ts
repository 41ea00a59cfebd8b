/**
 * A year of many tenants in one database, made by statements over sets.
 *
 * The n-th tenant has a share of the shipments that goes with 1/n, as sizes of customers do. Rows are written in the order of
 * time, so that those of all tenants lie between each other, and with all indexes, which then are as full as they become.
 */

/** How much there is. */
export interface Year {
  readonly tenants: number
  /** Of all tenants together. */
  readonly shipmentsPerDay: number
  readonly days: number
  /** Days for which messages and deliveries are kept (`MESSAGE_RETENTION_DAYS`). */
  readonly retentionDays: number
  readonly items: number
  readonly pallets: number
}

/** The slug of the n-th tenant, from 1. */
export const tenantOf = (n: number): string => `tenant-${String(n).padStart(5, "0")}`

/** The client that may do everything at the tenants that are measured; its secret is its id followed by `-secret`. */
export const client = "scale-client"

/** The tenants that are measured: the largest one, and one of the smallest. */
export const measured = ({ tenants }: Year): readonly [large: string, small: string] => [
  tenantOf(1),
  tenantOf(tenants)
]

/** The statements that fill a migrated database, in their order. */
export const statements = (year: Year): ReadonlyArray<string> => [
  ...places(year),
  ...shipments(year),
  ...messages(year),
  `vacuum (analyze)`
]

const places = (year: Year) => [
  `insert into dockline.business (slug, name)
    select 'tenant-' || to_char(n, 'FM00000'), 'Tenant' from generate_series(1, ${year.tenants}) as n`,
  `insert into dockline.facility (business_id, slug, name)
    select id, 'east', 'East' from dockline.business where slug like 'tenant-%' order by slug`,
  `insert into dockline.dock (facility_id, slug)
    select f.id, 'D1' from dockline.facility f join dockline.business b on b.id = f.business_id where b.slug like 'tenant-%'
    order by b.slug`,
  `insert into dockline.webhook_endpoint (business_id, base_url, message_types, authentication, signing_secrets, enabled,
      disabled_reason, cursor_id, created_at)
    select id, 'https://wms.example', array['PALLET_EVENT'], '{"type":"none"}', '[]', false, 'OPERATOR', 0, now()
    from dockline.business where slug like 'tenant-%'`,
  `insert into dockline.client (id, name, enabled, secrets, grants)
    select '${client}', '${client}', true,
      jsonb_build_array(jsonb_build_object('id', 'bench', 'hash', encode(sha256('${client}-secret'), 'hex'))),
      jsonb_agg(jsonb_build_object('business', slug, 'facilities', '*', 'permissions',
        array['documents:write', 'messages:read', 'pallets:write', 'shipments:write']))
    from unnest(array['${measured(year).join("','")}']) as slug`
]

/** Where, and in which order: [business, facility, dock, number, age in days]. */
const spread = ({ days, shipmentsPerDay, tenants }: Year) =>
  `select f.business_id, f.id as facility_id, d.id as dock_id, 'S-' || share.n || '-' || k as number,
      ${days} * (1 - (k - 0.5) / share.count) as age
    from (select n, greatest(1, round(${shipmentsPerDay * days} / n
        / (select sum(1.0 / m) from generate_series(1, ${tenants}) as m)))::int as count
      from generate_series(1, ${tenants}) as n) as share
    join dockline.business b on b.slug = 'tenant-' || to_char(share.n, 'FM00000')
    join dockline.facility f on f.business_id = b.id join dockline.dock d on d.facility_id = f.id,
    generate_series(1, share.count) as k`

const shipments = (year: Year) => [
  // Those of the last two days are still to come.
  `insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction, expected_arrival_at,
      scheduled_at, arrived_at, departed_at, trailer_number, carrier, dock_id, additional_fields, created_at, pallet_events,
      label_text, missing_pallets, discrepant)
    select business_id, facility_id, number, '=' || number, case when age < 2 then 'SCHEDULED' else 'DEPARTED' end, 'OUTBOUND',
      at, at, case when age >= 2 then at end, case when age >= 2 then at end, 'TR-1042', 'Nordfracht',
      case when age >= 2 then dock_id end, '[{"name":"temperature","value":"ambient"}]', at - interval '1 day', ${year.pallets}, 20,
      ${year.items} - case when age < 2 then 0 else least(${year.items}, ${year.pallets}) end,
      ${year.items} - case when age < 2 then 0 else least(${year.items}, ${year.pallets}) end > 0
    from (select s.*, now() - make_interval(secs => age * 86400) as at from (${
    spread(year)
  }) as s) as s order by age desc`,
  `insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction, order_type,
      purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier, seal_number, supplier,
      client, destination, created_at, row_count, text_size)
    select business_id, facility_id, id, number, number_key, case status when 'DEPARTED' then 'COMPLETED' else 'CREATED' end,
      direction, 'STANDARD', 'PO-0001042', 'Getränke Hansen GmbH', '+49 40 5550100', 'BOL-0001042', 285, carrier, 'SL-884120',
      'Quellbrunn AG', 'Hansen', 'Hamburg-Altona', created_at, ${1 + year.items}, ${100 + 120 * year.items}
    from dockline.shipment order by id`,
  `insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity, quantity_unit,
      purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit,
      is_dangerous_good, lot, expiration_date, case_serials, facility_id, lpn_shipment_id)
    select o.business_id, o.id, '=' || named.lpn, named.lpn, named.lpn, 'SKU-' || to_char(k, 'FM000000'), 24, 'CASE', '',
      'Mineralwasser still 12 x 0,7 l', '4006381333931', 12.5, 'KG', 0, 0, 0, '', false, 'LOT-2026-A', date '2027-11-20',
      '["CS-1","CS-2"]', o.facility_id, case o.status when 'COMPLETED' then - o.shipment_id else o.shipment_id end
    from dockline.customer_order o, generate_series(1, ${year.items}) as k,
      lateral (select o.number || '-' || k as lpn) as named order by o.id, k`,
  `insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction, first_seen_at,
      last_direction, last_seen_at, last_dock_id)
    select s.business_id, nextval('dockline.pallet_id'), s.facility_id, s.id, named.lpn, '=' || named.lpn, 'LOADING',
      s.arrived_at, 'LOADING', s.arrived_at, s.dock_id
    from dockline.shipment s, generate_series(1, ${year.pallets}) as k, lateral (select s.number || '-' || k as lpn) as named
    where s.status = 'DEPARTED' order by s.id, k`,
  // The message of the event of a pallet has the pallet's id.
  `insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
      direction, occurred_at, dock_id, orders, labels)
    select p.business_id, p.facility_id, '=' || gen_random_uuid(), md5(p.lpn), p.shipment_id, p.id, p.id, 'LOADING',
      p.first_seen_at, p.last_dock_id, json_build_array(p.lpn), ${labels} from dockline.pallet p order by p.id`
]

const labels = `json_build_array(json_build_object('name', 'lpn', 'value', p.lpn),
      json_build_object('name', 'sku', 'value', 'SKU-000001'), json_build_object('name', 'lot', 'value', 'LOT-2026-A'))`

const messages = ({ retentionDays }: Year) => [
  `insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select p.business_id, p.id, p.facility_id, 'east', 'PALLET_EVENT', p.shipment_id, p.first_seen_at, length(body.text),
      body.text::json
    from dockline.pallet p, lateral (select json_build_object('shipmentId', p.shipment_id, 'shipmentNumber', p.lpn, 'dockSlug', 'D1',
      'direction', 'LOADING', 'occurredAt', p.first_seen_at, 'palletId', p.id, 'orders', json_build_array(p.lpn),
      'labels', ${labels})::text) as body(text)
    where p.first_seen_at > now() - interval '${retentionDays} days' order by p.id`,
  `insert into dockline.message_log (business_id, last_id, last_sent_at)
    select business_id, max(id), max(sent_at) from dockline.message group by business_id`,
  `insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries, attempts)
    select m.business_id, e.id, m.id, m.type, m.shipment_id, 'DELIVERED', 1, '[["2026-11-20T17:00:00Z",200,12,"",null]]'
    from dockline.message m join dockline.webhook_endpoint e on e.business_id = m.business_id order by m.id`,
  `select setval('dockline.message_id', greatest(1, (select max(id) from dockline.message)))`
]

/** What each table takes, with its indexes. */
export const sizes = `select c.relname as name, c.reltuples::float8 as rows,
    pg_table_size(c.oid)::float8 as heap, pg_indexes_size(c.oid)::float8 as indexes
  from pg_class c where c.relnamespace = 'dockline'::regnamespace and c.relkind = 'r' and c.reltuples > 0
  order by pg_total_relation_size(c.oid) desc`

/** How many shipments the largest and the middle tenant have, and all. */
export const skew =
  `select max(count)::float8 as largest, percentile_disc(0.5) within group (order by count)::float8 as middle,
    sum(count)::float8 as total from (select count(*) from dockline.shipment group by business_id) as t`
