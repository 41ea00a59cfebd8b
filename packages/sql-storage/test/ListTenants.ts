/**
 * Tenants of very different size in one database, made by statements over sets: a million shipments take some minutes.
 *
 * `large` has nearly everything, at its facility `main`; its facility `side` has three of each, `empty` nothing. `small`
 * has three of each, spread over the ids of the others. `closing` has messages of completed shipments and three pallet
 * events. `tenant-0001` and so on have a facility with five shipments each. Of every list there is one entry of a kind in
 * very many of another kind: a status, a type of message, a state of deliveries.
 */

/** A verdict on a pallet, as JSON. */
export const verdict = `{"kind":"EXPECTED","shipmentId":1,"shipmentNumber":"S-1","dockSlug":"","text":""}`

/** How much there is. */
export interface Size {
  /** Shipments of `large`, each with an order of two items; so many messages too, and deliveries of each endpoint. */
  readonly shipments: number
  /** Further tenants. */
  readonly tenants: number
  /** Webhook endpoints of `large`. */
  readonly endpoints: number
}

/** The statements that fill an empty, migrated database, in their order. */
export const fill = ({ shipments, tenants, endpoints }: Size): ReadonlyArray<string> => [
  ...places(tenants),
  ...entities(shipments),
  ...messages(shipments),
  exceptions(shipments),
  skus,
  ...documents(shipments),
  ...webhooks(shipments, endpoints),
  ...edi(shipments),
  ...clients,
  audit
]

/** Tells the planner what there is, and which pages hold nothing but what everybody sees. */
export const settle = `vacuum (analyze)`

const places = (tenants: number) => [
  `insert into dockline.business (slug, name)
    select slug, slug from unnest(array['large', 'small', 'closing']) as slug
    union all select 'tenant-' || to_char(n, 'FM0000'), 'Tenant ' || n from generate_series(1, ${tenants}) as n`,
  `insert into dockline.facility (business_id, slug, name)
    select b.id, place, place from dockline.business b, unnest(array['main', 'side', 'empty']) as place
    where b.slug = 'large'
    union all select b.id, 'only', 'Only' from dockline.business b where b.slug = 'small' or b.slug = 'closing'
      or b.slug like 'tenant-%'`,
  `insert into dockline.dock (facility_id, slug)
    select f.id, 'dock-' || n from dockline.facility f join dockline.business b on b.id = f.business_id,
      generate_series(1, case when f.slug = 'main' then 1000 else 3 end) as n
    where b.slug in ('large', 'small')`
]

/** Where the entries of a kind are, as rows [facility id, place in the order of ids, number within the facility]. */
const spread = (count: number) =>
  `select f.id as facility_id, n::numeric as place, n from dockline.facility f join dockline.business b on b.id = f.business_id,
      generate_series(1, ${count}) as n where b.slug = 'large' and f.slug = 'main'
    union all
    select f.id, k * ${
    Math.floor(count / 3)
  } - 0.5, k from dockline.facility f join dockline.business b on b.id = f.business_id,
      generate_series(1, 3) as k where f.slug = 'side' or b.slug = 'small'
    union all
    select f.id, k * ${
    Math.floor(count / 5)
  } - 0.25, k from dockline.facility f join dockline.business b on b.id = f.business_id,
      generate_series(1, 5) as k where b.slug like 'tenant-%'`

const entities = (shipments: number) => [
  // The oldest have departed; three are there. What is still to come has the newest ids. The year begins with the first,
  // and half of it is over with half of them. Of one carrier there are a few among very many.
  `insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction, expected_arrival_at, scheduled_at,
      trailer_number, carrier, additional_fields, created_at, arrived_at, departed_at, missing_pallets, discrepant)
    select (select business_id from dockline.facility f where f.id = facility_id), facility_id, 'S-' || n, '=S-' || n, status,
      'INBOUND', at, now(), 'T-1', case n % ${
    Math.floor(shipments / 3)
  } when 3 then 'Rare' else 'Carrier' end, '[]', now(),
      case when status <> 'SCHEDULED' then at end, case when status = 'DEPARTED' then at end,
      d.discrepant::int, d.discrepant
    from (${spread(shipments)}) as s, lateral (
      select case when place > ${Math.floor(shipments * 0.97)} then 'SCHEDULED'
          when n % ${Math.floor(shipments / 3)} = 1 then 'ARRIVED' else 'DEPARTED' end,
        timestamptz '2026-01-01' + date_trunc('milliseconds', place / ${shipments} * interval '180 days')) as k(status, at),
      lateral (select n % case status when 'DEPARTED' then ${
    Math.floor(shipments / 3)
  } else 100 end = 2 or facility_id not in (select id from dockline.facility where slug = 'main')) as d(discrepant)
    order by place, facility_id`,
  // Every second order has the same number. It and its two items are three rows of a page.
  `insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction, order_type,
      purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier, seal_number,
      supplier, client, destination, created_at, row_count)
    select business_id, facility_id, id, named.number, '=' || named.number, 'CREATED', 'INBOUND', 'STANDARD', '', '', '', '', 0, '',
      '', '', '', '', now(), 3
    from dockline.shipment s, lateral (
      select case when s.id % 2 = 0 then 'N/A' else 'O-' || substr(s.number, 3) end) as named(number)
    order by id`,
  // Every second order expects its items on the same lpn as others do; of one lpn all shipments have departed.
  `insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity, quantity_unit, purchase_order,
      description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit, is_dangerous_good, lot,
      case_serials, facility_id, lpn_shipment_id)
    select o.business_id, o.id, '=' || k, 'I-' || k, case when o.id % 2 = 1 then 'L-' || o.id || '-' || k
        when k = 2 and s.status = 'DEPARTED' then 'GONE' else 'N/A' end, 'SKU', 1,
      'EA', '', '', '', 0, '', 0, 0, 0, '', false, case k when 1 then 'LOT' else '' end, '[]', o.facility_id,
      case when s.status = 'DEPARTED' then -s.id else s.id end
    from dockline.customer_order o join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id,
      generate_series(1, 2) as k order by o.id`,
  // Every second pallet has the same lpn.
  `insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction, first_seen_at,
      last_direction, last_seen_at, last_dock_id, recorded_at, place)
    select business_id, id, facility_id, id, named.lpn, '=' || named.lpn, 'UNLOADING', now(), 'UNLOADING', now(),
      (select min(d.id) from dockline.dock d), now(),
      dockline.list_place(now(), id)
    from dockline.shipment s, lateral (
      select case when s.id % 2 = 0 then 'N/A' else 'P-' || substr(s.number, 3) end) as named(lpn)
    order by id`,
  `insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
      direction, occurred_at, dock_id, orders, labels, verdict)
    select p.business_id, p.facility_id, '=E-' || p.id, '', p.shipment_id, p.id, p.id, 'UNLOADING', now(),
      (select min(d.id) from dockline.dock d), '[]', '[]', '${verdict}'
    from dockline.pallet p order by p.id`
]

const messages = (shipments: number) => [
  `insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select f.business_id, row_number() over (order by s.place, f.id), f.id, f.slug,
      case when s.n % ${Math.floor(shipments / 3)} = 2 or f.slug <> 'main' and s.n = 2
        then 'SHIPMENT_COMPLETE' else 'PALLET_EVENT' end,
      s.n, now() - make_interval(secs => ${shipments} - s.place), 9, '{"n":123}'
    from (${spread(shipments)}) as s join dockline.facility f on f.id = s.facility_id`,
  `insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select f.business_id, ${2 * shipments} + n, f.id, f.slug,
      case when n % ${Math.floor(shipments / 3)} = 2 then 'PALLET_EVENT' else 'SHIPMENT_COMPLETE' end,
      n, now(), 9, '{"n":123}'
    from dockline.facility f join dockline.business b on b.id = f.business_id, generate_series(1, ${shipments}) as n
    where b.slug = 'closing'`,
  `insert into dockline.message_log (business_id, last_id, last_sent_at)
    select business_id, max(id), max(sent_at) from dockline.message group by business_id
    on conflict (business_id) do update set last_id = excluded.last_id, last_sent_at = excluded.last_sent_at`,
  `select setval('dockline.message_id', ${4 * shipments})`
]

/** The first endpoint of `large` has delivered nearly everything, the second one next to nothing. */
const webhooks = (shipments: number, endpoints: number) => [
  `insert into dockline.webhook_endpoint (business_id, base_url, message_types, authentication, signing_secrets, enabled,
      disabled_reason, cursor_id, created_at)
    select b.id, 'https://customer.test', array['PALLET_EVENT', 'SHIPMENT_COMPLETE'], '{"type":"none","settings":{},"secrets":{}}', '[]', true, '',
      l.last_id, now()
    from dockline.business b join dockline.message_log l on l.business_id = b.id, generate_series(1, case b.slug
      when 'large' then ${endpoints} when 'small' then 3 else 1 end)`,
  // These want little of a large log, and have got none of it.
  `insert into dockline.webhook_endpoint (business_id, facility_id, base_url, message_types, authentication,
      signing_secrets, enabled, disabled_reason, cursor_id, created_at)
    select b.id, f.id, 'https://customer.test', array[wanted], '{"type":"none","settings":{},"secrets":{}}', '[]', true, '', 0, now()
    from dockline.business b
    join (values ('large', 'side', 'PALLET_EVENT'), ('large', 'side', 'SHIPMENT_COMPLETE'),
      ('large', null, 'SHIPMENT_COMPLETE'), ('closing', null, 'PALLET_EVENT'), ('closing', 'only', 'PALLET_EVENT')
    ) as e(business, facility, wanted) on e.business = b.slug
    left join dockline.facility f on f.business_id = b.id and f.slug = e.facility`,
  `insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries, next_attempt_at,
      attempts)
    select e.business_id, e.id, m.id, m.type, m.shipment_id, d.status, 1, case when d.status = 'PENDING' then now() + '1 day' end, '[]'
    from (select *, row_number() over (order by id) as nth from dockline.webhook_endpoint where cursor_id > 0
      and business_id = (select id from dockline.business where slug = 'large')) as e
    join dockline.message m on m.business_id = e.business_id,
    lateral (select case when m.shipment_id % ${Math.floor(shipments / 3)} = 3 then 'PENDING'
      when (m.shipment_id % ${Math.floor(shipments / 3)} = 2) = (e.nth = 1) then 'DEAD'
      else 'DELIVERED' end) as d(status)
    where e.nth <= 2`
]

/**
 * A file for each shipment, every second of which went; of a partner, and of outcomes that are asked for by themselves, there are a few
 * among very many. Of many partners that are gone files were dropped.
 */
const edi = (shipments: number) => [
  `insert into dockline.edi_partner (business_id, slug, facility_id, name, their_qualifier, their_id, their_group, our_qualifier, our_id,
      our_group, release, usage, takes, tells, tells_of, units, new_purposes, next_interchange, next_group, cursor_id,
      created_at, epoch)
    select f.business_id, 'p-' || to_char(n, 'FM0000'), f.id, 'Partner', 'ZZ', 'P-' || n, 'P', 'ZZ', 'W', 'W', '004010', 'P', '{856}',
      '{945}', 'OWN', '[]', '{}', 1, 1, 0, now(), n
    from dockline.facility f join dockline.business b on b.id = f.business_id,
      generate_series(1, case b.slug when 'large' then 500 else 3 end) as n where f.slug in ('main', 'only')`,
  `insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at, kinds, set_count,
      rejected_count, last_group, groups, faults, text_size, text, answer, place)
    select business_id, file_id, facility_id, case id % ${
    Math.floor(shipments / 4)
  } when 8 then 'p-0002' else 'p-0001' end, case id % ${
    Math.floor(shipments / 4)
  } when 8 then 2 else 1 end, 'P',
      case id % 2 when 0 then 'OUT' else 'IN' end, id::text,
      case id % ${Math.floor(shipments / 4)} when 4 then 'WAITING' when 5 then 'REJECTED' else 'ACCEPTED' end,
      now(), '{945}', 1, 0, null, '[]', '[]', 5, 'ISA*9', '', dockline.list_place(now(), file_id)
    from (select s.*, nextval('dockline.edi_file_id') as file_id from dockline.shipment s order by s.id) as s`,
  `insert into dockline.edi_file_shipment (business_id, file_id, shipment_id, facility_id, place)
    select e.business_id, e.id, e.control::bigint, e.facility_id, e.place from dockline.edi_file e`,
  // One shipment has very many files.
  `insert into dockline.edi_file_shipment (business_id, file_id, shipment_id, facility_id, place)
    select e.business_id, e.id, (select max(id) * 9 / 10 from dockline.shipment), e.facility_id, e.place
    from dockline.edi_file e join dockline.business b on b.id = e.business_id where b.slug = 'large'
    on conflict do nothing`,
  `insert into dockline.edi_dropped (business_id, epoch, facility_id, dropped_id)
    select f.business_id, 1000000 + row_number() over (), f.id, 1 from dockline.facility f join dockline.business b on b.id = f.business_id,
      generate_series(1, case f.slug when 'main' then 1000 else 3 end) as n where b.slug in ('large', 'small')`
]

/** Each tenant has some, `large` very many. */
const clients = [
  `insert into dockline.client (id, name, enabled, secrets, grants)
    select b.slug || '-' || n, b.slug, true, '[]', jsonb_build_array(jsonb_build_object(
      'business', b.slug, 'facilities', '*', 'permissions', jsonb_build_array('documents:write')))
    from dockline.business b, generate_series(1, case b.slug when 'large' then 500 when 'small' then 3 else 5 end) as n`
]

/** One operator makes all changes of `large`, and a few elsewhere. */
const audit = `insert into dockline.audit_entry (at, client_id, address, action, business, subject, details)
    select timestamptz '2026-01-01' + n * interval '30 minutes', case when n % 4 = 0 or b.slug = 'large' then 'operator-1' else b.slug end,
      '192.0.2.1', 'CLIENT_CHANGED', b.slug, 'clients/' || b.slug || '-' || n % 50, '{}'
    from (select slug from dockline.business union all select '*') as b(slug),
      generate_series(1, case b.slug when 'large' then 10000 when 'small' then 3 else 5 end) as n`

/** Items, and pallets with two events each, of the largest shipment; half of its pallets are expected on others. */
export const largest = 10_000

/** The statements that make it, beside what {@link fill} has made. */
export const largestShipment: ReadonlyArray<string> = [
  `insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction, expected_arrival_at, scheduled_at,
      trailer_number, carrier, additional_fields, created_at, pallet_events,
      missing_pallets, unexpected_pallets, discrepant)
    select f.business_id, f.id, n.number, '=' || n.number, 'ARRIVED', 'OUTBOUND', now(), now(), '', '', '[]', now(), n.events,
      n.missing, n.unexpected, true
    from dockline.facility f join dockline.business b on b.id = f.business_id,
      (values ('LARGEST', ${2 * largest}, ${largest / 2}, ${largest / 2}), ('ELSEWHERE', 0, ${largest}, 0))
        as n(number, events, missing, unexpected)
    where b.slug = 'large' and f.slug = 'main'`,
  `insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction, order_type,
      purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier, seal_number,
      supplier, client, destination, created_at, row_count)
    select business_id, facility_id, id, number, '=' || number, 'CREATED', 'OUTBOUND', 'STANDARD', '', '', '', '', 0, '',
      '', '', '', '', now(), ${
    1 + largest
  } from dockline.shipment where number in ('LARGEST', 'ELSEWHERE') order by number`,
  // The other one expects what the largest one does not: its pallets from the middle on.
  `insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity, quantity_unit, purchase_order,
      description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit, is_dangerous_good, lot,
      case_serials, facility_id, lpn_shipment_id)
    select o.business_id, o.id, '=' || k, '', 'M-' || k, 'SKU', 1, 'EA', '', '', '', 0, '', 0, 0, 0, '', false, '', '[]',
      o.facility_id, o.shipment_id
    from dockline.customer_order o, lateral (select k + case o.number when 'LARGEST' then -${
    largest / 2
  } else ${largest / 2} end
      from generate_series(1, ${largest}) as k) as i(k) where o.number in ('LARGEST', 'ELSEWHERE')`,
  `insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction, first_seen_at,
      last_direction, last_seen_at, last_dock_id, recorded_at, place)
    select business_id, 1000000000 + k, facility_id, id, 'M-' || k, '=M-' || k, 'LOADING', now(), 'LOADING', now(),
      (select min(d.id) from dockline.dock d), now(), dockline.list_place(now(), 1000000000 + k)
    from dockline.shipment, generate_series(1, ${largest}) as k where number = 'LARGEST'`,
  `insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
      direction, occurred_at, dock_id, orders, labels, verdict)
    select p.business_id, p.facility_id, '=M-' || p.id || '-' || n, '', p.shipment_id, p.id, 2 * p.id + n, 'LOADING', now(),
      p.last_dock_id, '[]', '[]', '${verdict}'
    from dockline.pallet p, generate_series(0, 1) as n where p.id > 1000000000`
]

/** An exception of each shipment: of each facility a few are open among very many, and a few are of high priority. */
const exceptions = (shipments: number) =>
  `insert into dockline.shipment_exception (business_id, shipment_id, facility_id, lpn, kind, priority, description, reported_at,
      reported_by, note, resolved_at, resolved_by)
    select business_id, id, facility_id, '', 'OTHER', case id % ${
    Math.floor(shipments / 3)
  } when 7 then 'HIGH' else 'LOW' end,
      'Wet', now(), 'large-asker', case when done then 'Dried' end, case when done then now() end,
      case when done then 'large-asker' end
    from dockline.shipment, lateral (select id % ${
    Math.floor(shipments / 5)
  } not in (3, 7)) as k(done) order by id`

const facts =
  `'{"description": "Oats", "unitOfMeasure": "", "unitOfWeight": "", "casesPerPallet": 60, "casesPerLayer": 0, "layersPerPallet": 0,
    "alternateIds": [], "metadata": ""}'::jsonb`

/** A SKU for each shipment of a facility; those of items are among them. */
const skus = `insert into dockline.sku (business_id, facility_id, id, facts, created_at)
    select business_id, facility_id, k.id, ${facts}, now()
    from dockline.shipment, unnest(array['K-' || number]) as k(id)
    union select business_id, facility_id, 'SKU', ${facts}, now() from dockline.shipment`

/** A document for each shipment. */
const documents = (shipments: number) => [
  // Of each outcome that is asked for by itself there are a few among very many.
  `insert into dockline.document_record (business_id, id, facility_id, received_at, outcome, correlation_id, number_key, order_key,
      shipment_id, new_orders, new_items, row_count, text_size, content, place)
    select s.business_id, s.document, s.facility_id, s.received_at,
      case s.id % ${
    Math.floor(shipments / 3)
  } when 5 then 'REFUSED' when 6 then 'UNCHANGED' when 7 then 'UPDATED-'
        else case when s.id % 10 = 9 then 'CREATED-' else 'CREATED' end end,
      'C-' || s.id, s.number_key, o.number_key, s.id, array[o.id], '{}', 3, 20,
      json_build_array('large-asker', s.number, array[o.number], array['OVERWRITE'], '', array[1, 0, 0, 0],
        json_build_array(json_build_array('CS', s.id::text, s.number)))::text,
      dockline.list_place(s.received_at, s.document)
    from (select s.*, nextval('dockline.document_record_id') as document,
        now() - make_interval(secs => ${shipments} * 1.1 - s.id) as received_at
      from dockline.shipment s order by s.id) as s join dockline.customer_order o on o.business_id = s.business_id and o.shipment_id = s.id
    order by s.id`,
  // Each document has a further order of its own, and one of a number that very many have.
  `insert into dockline.document_order (business_id, document_id, facility_id, order_key, outcome, place)
    select d.business_id, d.id, d.facility_id, k.key, d.outcome, d.place
    from dockline.document_record d, unnest(array['=F/A', '=F-' || d.shipment_id]) as k(key)`,
  // Each document that removed something removed a pallet of its own, and one of an LPN that very many have.
  `insert into dockline.document_removal (business_id, document_id, facility_id, lpn_key, outcome, place)
    select d.business_id, d.id, d.facility_id, k.key, d.outcome, d.place
    from dockline.document_record d, unnest(array['=N/A', '=R-' || d.shipment_id]) as k(key) where d.outcome like '%-'`
]

/** How much there is for the benchmark. */
export interface BenchSize extends Size {
  /** Pallet events; each pallet has as many, and one at least. */
  readonly events: number
}

/**
 * The statements that add what only the benchmark asks for: further events of each pallet, and the largest shipment.
 */
export const more = ({ events, shipments }: BenchSize): ReadonlyArray<string> => [
  // A pallet goes in and out, an event a minute, from one dock to the next.
  `insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
      direction, occurred_at, dock_id, orders, labels, verdict)
    select e.business_id, e.facility_id, e.event_key || '-' || n, '', e.shipment_id, e.pallet_id, e.message_id + n * 10000000000,
      case n % 2 when 0 then 'UNLOADING' else 'LOADING' end, e.occurred_at + n * interval '1 minute', d.first + n % 3,
      json_build_array(e.shipment_id::text), '[{"name":"lpn","value":"P-1"},{"name":"lot","value":"L-2026"}]', '${verdict}'
    from generate_series(1, ${Math.max(1, Math.round(events / shipments)) - 1}) as n
    cross join (select min(id) as first from dockline.dock) as d cross join dockline.pallet_event e`,
  ...largestShipment
]
