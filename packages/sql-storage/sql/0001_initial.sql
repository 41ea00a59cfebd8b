-- Migration 1: the tables and their indexes.
--
-- A row that belongs to a business has its id, first in the primary key and in each unique index, and statements name it (ADR 20). All
-- businesses share the small tables of places, clients and signing keys. The functions that insert rows of businesses draw their ids from
-- sequences, because each part of a cluster has its own sequences.
--
-- For a new table the planner takes the newest of the indexes that look equally good. So few indexes of a table begin with the business,
-- and the index of ids is created last.
--
-- number_key, item_key, event_key and lpn_key stand for texts of up to 4 KiB in unique indexes (BusinessRows.ts). Names sort by code
-- points, whatever the collation of the database is.

-- The id is a hash of the slug (BusinessRows.ts), so the primary key keeps slugs unique.
create table dockline.business (
  id bigint generated always as
    (('x' || substr(encode(sha256(slug::bytea), 'hex'), 1, 15))::bit(60)::bigint) stored primary key,
  slug text not null,
  name text not null,
  field_map jsonb not null default '[]'
);
create index business_slug on dockline.business (slug);
create index business_list on dockline.business (slug collate "C");

create table dockline.facility (
  id bigint generated always as identity primary key,
  business_id bigint not null references dockline.business,
  slug text not null,
  name text not null,
  time_zone text not null default 'UTC',
  detention_minutes int not null default 120,
  unique (business_id, slug)
);
create index facility_list on dockline.facility (business_id, slug collate "C");

create table dockline.dock (
  id bigint generated always as identity primary key,
  facility_id bigint not null references dockline.facility,
  slug text not null,
  unique (facility_id, slug)
);
create index dock_list on dockline.dock (facility_id, slug collate "C");

create table dockline.client (
  id text primary key,
  name text not null,
  enabled boolean not null,
  secrets jsonb not null,
  grants jsonb not null
);
create index client_list on dockline.client (id collate "C");

-- A list shows a client only if the scope has all its businesses, so an index of its first business is enough.
create index client_business on dockline.client ((grants->0->>'business'), id collate "C");

create table dockline.person (
  id text primary key,
  name text not null,
  email text,
  subject text,
  grants jsonb not null
);
create index person_email on dockline.person (email) where email is not null;
create index person_subject on dockline.person (subject) where subject is not null;
create index person_list on dockline.person (id collate "C");
create index person_business on dockline.person ((grants->0->>'business'), id collate "C");

create table dockline.signing_key (
  id text primary key,
  private_jwk text not null,
  created_at timestamptz not null
);

create table dockline.browser_session (
  id text primary key,
  client_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index browser_session_client on dockline.browser_session (client_id, created_at desc);
create index browser_session_expiry on dockline.browser_session (expires_at);

create table dockline.answered_sign_in (
  id text primary key,
  expires_at timestamptz not null
);
create index answered_sign_in_expiry on dockline.answered_sign_in (expires_at);

create table dockline.idempotent_answer (
  client_id text not null,
  key text not null,
  fingerprint text not null,
  answer text not null,
  kept_at timestamptz not null,
  primary key (client_id, key)
);
create index idempotent_answer_kept_at on dockline.idempotent_answer (kept_at);

-- business is a slug, or * for the whole service. It has no foreign key, because entries never change.
create table dockline.audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  client_id text not null,
  address text not null,
  action text not null,
  business text not null,
  subject text not null,
  details json not null
);
create index audit_entry_at on dockline.audit_entry (at, id);
create index audit_entry_business on dockline.audit_entry (business, at, id);
create index audit_entry_business_client on dockline.audit_entry (business, client_id, at, id);
create index audit_entry_business_subject on dockline.audit_entry (business, subject, at, id);
create index audit_entry_client on dockline.audit_entry (client_id, at, id);
create index audit_entry_subject on dockline.audit_entry (subject, at, id);

-- The state of the clock for retention, in one row (retention_time). ran: how long the service has run since the clock jumped; null without
-- a jump.
create table dockline.retention_clock (
  id int primary key check (id = 1),
  trusted_at timestamptz not null,
  seen_at timestamptz not null,
  ran interval
);

-- Derived columns, which each transaction keeps up to date: pallet_events counts the pallet events of the shipment, and label_text the
-- characters of their labels; missing_pallets, unexpected_pallets and wrong_dock_pallets count its discrepancies (core's
-- countDiscrepancies), and discrepant says whether it has any and is not cancelled; text_size is the size of its fields in the budget of a
-- page, and row_count and text_size of an order are its size with its items (core's ShipmentSize). elsewhere is written at its departure,
-- and by pallets that are recorded later: see expected_elsewhere.
create sequence dockline.shipment_id;

create table dockline.shipment (
  business_id bigint not null references dockline.business,
  id bigint not null default nextval('dockline.shipment_id'),
  facility_id bigint not null references dockline.facility,
  number text not null,
  number_key text not null,
  status text not null check (status in ('SCHEDULED', 'ARRIVED', 'DEPARTED', 'CANCELLED')),
  direction text not null,
  expected_arrival_at timestamptz not null,
  scheduled_at timestamptz not null,
  arrived_at timestamptz,
  departed_at timestamptz,
  cancelled_at timestamptz,
  trailer_number text not null,
  carrier text not null,
  dock_id bigint references dockline.dock,
  additional_fields jsonb not null,
  created_at timestamptz not null,
  pallet_events int not null default 0,
  label_text int not null default 0,
  elsewhere json,
  text_size int not null default 0,
  missing_pallets int not null default 0,
  unexpected_pallets int not null default 0,
  wrong_dock_pallets int not null default 0,
  discrepant boolean not null default false,
  check_in jsonb not null default '{}',
  step_clients jsonb not null default '{}',
  owner text,
  version int not null default 1,
  primary key (business_id, id),
  unique (business_id, facility_id, number_key)
);
alter sequence dockline.shipment_id owned by dockline.shipment.id;

-- Shipments at a dock by their arrivals, and departed ones by their departures (shipment_stood_at).
create index shipment_at_dock on dockline.shipment (dock_id, arrived_at, id) where status = 'ARRIVED';
create index shipment_left_dock on dockline.shipment (dock_id, departed_at) where status = 'DEPARTED';
create index shipment_without_dock on dockline.shipment (facility_id, arrived_at, id)
  where status = 'ARRIVED' and dock_id is null;

-- The index of the list does not begin with facility_id: a plan that was made for an empty table would use it to find numbers.
create index shipment_list on dockline.shipment (status, facility_id, id);
create index shipment_discrepant on dockline.shipment (facility_id, status, id) where discrepant;

-- Lists in the order of times (shipment_page_by_time): of all shipments, and of those with a carrier or a trailer, whose names are hashed
-- to bound the size of an entry.
create index shipment_time on dockline.shipment
  (status, discrepant, facility_id, (coalesce(departed_at, arrived_at, expected_arrival_at)), id);
create index shipment_carrier on dockline.shipment
  (hashtextextended(carrier, 0), facility_id, status, discrepant,
  (coalesce(departed_at, arrived_at, expected_arrival_at)), id) where carrier <> '';
create index shipment_trailer on dockline.shipment
  (hashtextextended(trailer_number, 0), facility_id, status, discrepant,
  (coalesce(departed_at, arrived_at, expected_arrival_at)), id) where trailer_number <> '';

-- Indexes for the search (search.sql): by the endings of numbers, and also by whole trailer numbers, as hashes.
create index shipment_search on dockline.shipment
  (facility_id, (lower(right(number, 6) collate "C")), id) where number <> '';
create index shipment_trailer_search on dockline.shipment
  (facility_id, (lower(right(trailer_number, 6) collate "C")), id) where trailer_number <> '';
create index shipment_trailer_number on dockline.shipment
  (facility_id, hashtextextended(trailer_number, 0), id) where trailer_number <> '';
create index shipment_by_id on dockline.shipment (id);

create table dockline.shipment_link (
  business_id bigint not null,
  shipment_id bigint not null,
  linked_shipment_id bigint not null,
  primary key (business_id, shipment_id, linked_shipment_id),
  foreign key (business_id, shipment_id) references dockline.shipment,
  foreign key (business_id, linked_shipment_id) references dockline.shipment,
  check (shipment_id <> linked_shipment_id)
);

create sequence dockline.customer_order_id;

create table dockline.customer_order (
  business_id bigint not null,
  id bigint not null default nextval('dockline.customer_order_id'),
  facility_id bigint not null references dockline.facility,
  shipment_id bigint not null,
  number text not null,
  number_key text not null,
  status text not null check (status in ('CREATED', 'COMPLETED', 'CANCELLED')),
  direction text not null,
  order_type text not null,
  purchase_order text not null,
  consignee_name text not null,
  consignee_phone_number text not null,
  bol_number text not null,
  expected_quantity bigint not null,
  carrier text not null,
  seal_number text not null,
  supplier text not null,
  client text not null,
  destination text not null,
  created_at timestamptz not null,
  row_count int not null default 1,
  text_size int not null default 0,
  owner text,
  primary key (business_id, id),
  unique (business_id, shipment_id, number_key),
  foreign key (business_id, shipment_id) references dockline.shipment
);
alter sequence dockline.customer_order_id owned by dockline.customer_order.id;
create index customer_order_list on dockline.customer_order (facility_id, id);
create index customer_order_number on dockline.customer_order (facility_id, number_key, id);
create index customer_order_search on dockline.customer_order
  (facility_id, (lower(right(number, 6) collate "C")), id) where number <> '';
create index customer_order_by_id on dockline.customer_order (id);

create sequence dockline.order_item_id;

-- facility_id and lpn_shipment_id repeat values of the item's order, without foreign keys. lpn_shipment_id is the id of the item's
-- shipment, negated once that has departed or is cancelled. lpn_key is the text by which core compares the lpn, if it differs from the lpn
-- (D22).
create table dockline.order_item (
  business_id bigint not null,
  id bigint not null default nextval('dockline.order_item_id'),
  order_id bigint not null,
  item_key text not null,
  identifier text not null,
  lpn text not null,
  sku text not null,
  quantity float8 not null,
  quantity_unit text not null,
  purchase_order text not null,
  description text not null,
  upc text not null,
  weight_per_unit float8 not null,
  weight_unit text not null,
  height float8 not null,
  length float8 not null,
  width float8 not null,
  dimension_unit text not null,
  is_dangerous_good boolean not null,
  lot text not null,
  expiration_date date,
  manufacturing_date date,
  case_serials jsonb not null,
  facility_id bigint not null,
  lpn_shipment_id bigint not null,
  lpn_key text,
  primary key (business_id, order_id, item_key),
  foreign key (business_id, order_id) references dockline.customer_order
);
alter sequence dockline.order_item_id owned by dockline.order_item.id;

-- A look-up by lpn is one descent of the index, however many items have the lpn ("N/A" may be on a million).
create index order_item_lpn
  on dockline.order_item (facility_id,
    ((hashtextextended((lower(right(coalesce(order_item.lpn_key, order_item.lpn), 6) collate "C")), 0) & 2147483647) * 4294967296
      + (hashtextextended(coalesce(order_item.lpn_key, order_item.lpn), 0) & 4294967295)),
    lpn_shipment_id, order_id);

-- The items with a lot or an SKU at a facility, in id order (trace_page). The hash bounds the entries.
create index order_item_lot on dockline.order_item (hashtextextended(lot, facility_id), id) where lot <> '';
create index order_item_sku on dockline.order_item (hashtextextended(sku, facility_id), id) where sku <> '';

-- The items of an order in id order, and each by its order and its id.
create index order_item_list on dockline.order_item (order_id, id);

create sequence dockline.document_record_id;

-- The record of documents. order_key is the key of the first order; it is null if the order has the number of the shipment, as is usual,
-- and one index then finds the document by both. document_order has further orders, with the outcome of the document. In the indexes of
-- filtered lists, including the primary key, the outcome comes before the place, so that a page quickly finds a rare outcome among many
-- documents with one number. The outcome of a document that removed something without creating it again ends in "-" (DocumentRows.ts), and
-- document_removal has the LPNs of the removed items. new_orders and new_items are the ids of created entities. No statement looks into the
-- content. row_count and text_size are its size in the budget of a page.
create table dockline.document_record (
  business_id bigint not null,
  id bigint not null default nextval('dockline.document_record_id'),
  facility_id bigint not null,
  received_at timestamptz not null,
  outcome text not null,
  correlation_id text not null,
  number_key text not null,
  order_key text,
  shipment_id bigint,
  new_orders bigint[] not null,
  new_items bigint[] not null,
  row_count int not null,
  text_size int not null,
  content text not null,
  place bigint not null,
  primary key (business_id, facility_id, outcome, place, id)
);
alter sequence dockline.document_record_id owned by dockline.document_record.id;
create index document_record_by_id on dockline.document_record (id);
create index document_record_number on dockline.document_record (facility_id, number_key, outcome, place)
  where order_key is null;
create index document_record_shipment on dockline.document_record (facility_id, number_key, outcome, place)
  where order_key is not null;
create index document_record_order on dockline.document_record (facility_id, order_key, outcome, place)
  where order_key is not null;
create index document_record_correlation on dockline.document_record (facility_id, correlation_id, outcome, place);
create index document_record_newest on dockline.document_record (place desc);

create table dockline.document_order (
  business_id bigint not null,
  document_id bigint not null,
  facility_id bigint not null,
  order_key text not null,
  outcome text not null,
  place bigint not null,
  primary key (business_id, document_id, order_key)
);
create index document_order_key on dockline.document_order (facility_id, order_key, outcome, place);
create index document_order_by_id on dockline.document_order (document_id);

create table dockline.document_removal (
  business_id bigint not null,
  document_id bigint not null,
  facility_id bigint not null,
  lpn_key text not null,
  outcome text not null,
  place bigint not null,
  primary key (business_id, document_id, lpn_key)
);
create index document_removal_key on dockline.document_removal (facility_id, lpn_key, outcome, place);
create index document_removal_search on dockline.document_removal
  (facility_id, (lower(right(substr(lpn_key, 2), 6) collate "C")), document_id) where lpn_key like '=%';
create index document_removal_by_id on dockline.document_removal (document_id);

create sequence dockline.pallet_id;

-- lpn_key is the key of the text by which core compares the lpn (D22). Without an lpn it is null, so that each event makes a pallet.
-- facility_id repeats a value of the shipment, without a foreign key. The columns from first_direction to last_dock_id repeat values of its
-- first and its last event, in the order of occurrence; row_count and text_size are its size in the budget of a page. The unique key does
-- not begin with the shipment, because look-ups by id would use it.
create table dockline.pallet (
  business_id bigint not null,
  id bigint not null,
  facility_id bigint not null,
  shipment_id bigint not null,
  lpn text not null,
  lpn_key text,
  first_direction text not null,
  first_seen_at timestamptz not null,
  last_direction text not null,
  last_seen_at timestamptz not null,
  last_dock_id bigint not null,
  row_count int not null default 1,
  text_size int not null default 0,
  recorded_at timestamptz not null,
  place bigint not null,
  primary key (business_id, shipment_id, id),
  unique (business_id, lpn_key, shipment_id),
  foreign key (business_id, shipment_id) references dockline.shipment
);

-- The pallets with an lpn, newest first.
create index pallet_lpn on dockline.pallet (facility_id, lpn_key, place);
create index pallet_search on dockline.pallet (facility_id,
  (lower(right((case when pallet.lpn_key like '=%' then substr(pallet.lpn_key, 2) else pallet.lpn end), 6) collate "C")), id)
  where lpn <> '';

-- The message with message_id may have expired. The fingerprint covers the whole event.
create table dockline.pallet_event (
  business_id bigint not null,
  facility_id bigint not null references dockline.facility,
  event_key text not null,
  fingerprint text not null,
  shipment_id bigint not null,
  pallet_id bigint not null,
  message_id bigint not null,
  direction text not null check (direction in ('LOADING', 'UNLOADING')),
  occurred_at timestamptz not null,
  dock_id bigint not null references dockline.dock,
  orders json not null,
  labels json not null,
  verdict json not null,
  primary key (business_id, facility_id, event_key),
  foreign key (business_id, shipment_id, pallet_id) references dockline.pallet
);
create index pallet_event_shipment on dockline.pallet_event (shipment_id, pallet_id, message_id);

create sequence dockline.message_id;

create table dockline.message_log (
  business_id bigint primary key references dockline.business,
  last_id bigint not null default 0,
  last_sent_at timestamptz not null default '-infinity',
  dropped_id bigint not null default 0,
  dropped_sent_at timestamptz not null default '-infinity'
) with (fillfactor = 50);

create table dockline.message (
  business_id bigint not null,
  id bigint not null,
  facility_id bigint not null,
  facility text not null,
  type text not null,
  shipment_id bigint not null,
  sent_at timestamptz not null,
  size int not null,
  payload json not null,
  trace text,
  primary key (business_id, id)
);

-- Indexes for readers of some types in a business, and of all or some types in a facility (message_scan), and for finding a time.
create index message_type on dockline.message (business_id, type, id);
create index message_facility on dockline.message (facility_id, id);
create index message_sent_at on dockline.message (business_id, sent_at, id);
create index message_facility_type on dockline.message (facility_id, type, id);

-- Messages for endpoints that readers of the log do not see (core's `OutboxEntry`). Entries take their ids from the log of their business,
-- whose lock their writers hold. An outbox has one type; its row exists from its first entry on. payload: [path, media type, text]; size is
-- the size of the text.
create table dockline.outbox (
  business_id bigint not null,
  type text not null,
  last_id bigint not null,
  dropped_id bigint not null default 0,
  dropped_sent_at timestamptz not null default '-infinity',
  primary key (business_id, type)
) with (fillfactor = 50);

create table dockline.outbox_entry (
  business_id bigint not null,
  id bigint not null,
  facility_id bigint not null,
  facility text not null,
  type text not null,
  shipment_id bigint not null,
  sent_at timestamptz not null,
  size int not null,
  payload json not null,
  trace text,
  primary key (business_id, id)
);
create index outbox_entry_type on dockline.outbox_entry (business_id, type, id);
create index outbox_entry_facility on dockline.outbox_entry (facility_id, type, id);
create index outbox_entry_sent_at on dockline.outbox_entry (business_id, sent_at, id);

create sequence dockline.webhook_endpoint_id;

-- Half of each page is free for new versions of its rows, because cursors move all the time and no index changes with them.
create table dockline.webhook_endpoint (
  business_id bigint not null references dockline.business,
  id bigint not null default nextval('dockline.webhook_endpoint_id'),
  facility_id bigint references dockline.facility,
  base_url text not null,
  message_types text[] not null,
  authentication jsonb not null,
  signing_secrets jsonb not null,
  headers jsonb not null default '[]',
  rate_per_second int not null default 0,
  signatures text[] not null default '{v1}',
  payload_profile text not null default 'dockline',
  enabled boolean not null,
  disabled_reason text not null,
  version int not null default 1,
  epoch bigint not null default 0,
  settlements bigint not null default 0,
  cursor_id bigint not null,
  failing_since timestamptz,
  login jsonb,
  expired_up_to bigint,
  created_at timestamptz not null,
  primary key (business_id, id)
) with (fillfactor = 50);
alter sequence dockline.webhook_endpoint_id owned by dockline.webhook_endpoint.id;
create index webhook_endpoint_by_id on dockline.webhook_endpoint (id);

-- The deliveries of endpoints (ADR 12). For each shipment at an endpoint only the earliest pending delivery has a next_attempt_at: the
-- others wait for it (D9.4). An endpoint is removed at once and its deliveries later in batches, so there is no reference to it. attempts:
-- [[at, status, duration in milliseconds, response, error], …]. Writers lock the rows of endpoints in id order, and settlements also
-- compare the epoch, so that the holder of an old lease writes nothing.
create table dockline.webhook_delivery (
  business_id bigint not null,
  endpoint_id bigint not null,
  message_id bigint not null,
  type text not null,
  shipment_id bigint not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'DEAD')),
  tries int not null,
  failed_since timestamptz,
  next_attempt_at timestamptz check (next_attempt_at is null or status = 'PENDING'),
  attempts jsonb not null,
  primary key (business_id, endpoint_id, message_id)
);

-- A delivery that succeeds at once, as nearly all do, is in none of the next four indexes.
create index webhook_pending on dockline.webhook_delivery (shipment_id, endpoint_id, message_id)
  where status = 'PENDING';
create index webhook_head on dockline.webhook_delivery (shipment_id, endpoint_id)
  where next_attempt_at is not null;
create index webhook_due on dockline.webhook_delivery (business_id, endpoint_id, next_attempt_at, message_id)
  where next_attempt_at is not null;
create index webhook_exception on dockline.webhook_delivery (business_id, endpoint_id, status, message_id)
  where status <> 'DELIVERED';
create index webhook_delivered on dockline.webhook_delivery (business_id, endpoint_id, message_id) where status = 'DELIVERED';

-- The functions and views, with the hashes of their texts and their capabilities (Definitions.ts).
create table dockline.definition (
  name text primary key,
  kind text not null check (kind in ('function', 'view')),
  hash text not null,
  owner text not null
);

-- The migrations of capabilities that have run (Migrations.ts). oldest_served is the oldest of them whose version may
-- still run.
create table dockline.capability_migration (
  capability text not null,
  id int not null,
  name text not null,
  oldest_served int not null,
  ran_at timestamptz not null default now(),
  primary key (capability, id)
);
