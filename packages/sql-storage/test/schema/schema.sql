-- The schema as migrations and definitions leave it, written by test/schema/Schema.test.ts.

create sequence dockline.alert_notice_id;

create sequence dockline.customer_order_id;

create sequence dockline.document_record_id;

create sequence dockline.edi_file_id;

create sequence dockline.edi_key;

create sequence dockline.message_id;

create sequence dockline.order_item_id;

create sequence dockline.pallet_id;

create sequence dockline.shipment_exception_id;

create sequence dockline.shipment_id;

create sequence dockline.webhook_endpoint_id;

create table dockline.alert_notice (
  business_id bigint not null,
  rule text not null,
  key text not null,
  id bigint not null,
  notice json not null,
  due_at timestamp with time zone not null,
  added_at timestamp with time zone not null,
  message_id text,
  state text not null default 'WAITING'::text,
  reason text not null default ''::text,
  ended_at timestamp with time zone,
  PRIMARY KEY (business_id, rule, key),
  CHECK ((state = ANY (ARRAY['WAITING'::text, 'SENT'::text, 'REFUSED'::text, 'DROPPED'::text])))
);
CREATE INDEX alert_notice_list ON dockline.alert_notice USING btree (business_id, rule, id);
CREATE INDEX alert_notice_old ON dockline.alert_notice USING btree (business_id, added_at) WHERE (state <> 'WAITING'::text);
CREATE INDEX alert_notice_waiting ON dockline.alert_notice USING btree (business_id, rule, id) WHERE (state = 'WAITING'::text);

create table dockline.alert_reader (
  business_id bigint not null,
  cursor_id bigint not null,
  looked_at timestamp with time zone not null default '0001-01-01 00:00:00+00'::timestamp with time zone,
  PRIMARY KEY (business_id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id)
) with (fillfactor=50);

create table dockline.alert_rule (
  business_id bigint not null,
  slug text not null,
  facility_id bigint not null,
  settings json not null,
  from_id bigint not null,
  since timestamp with time zone not null,
  created_at timestamp with time zone not null,
  next_at timestamp with time zone,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  epoch bigint not null default 0,
  message_id text,
  attempts integer not null default 0,
  surplus integer not null default 0,
  last_sent_at timestamp with time zone,
  last_failed_at timestamp with time zone,
  last_failure text not null default ''::text,
  PRIMARY KEY (business_id, slug),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id)
) with (fillfactor=50);
CREATE INDEX alert_rule_due ON dockline.alert_rule USING btree (business_id, slug COLLATE "C") WHERE (next_at IS NOT NULL);

create table dockline.answered_sign_in (
  id text not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (id)
);
CREATE INDEX answered_sign_in_expiry ON dockline.answered_sign_in USING btree (expires_at);

create table dockline.audit_entry (
  id bigint not null generated always as identity,
  at timestamp with time zone not null,
  client_id text not null,
  address text not null,
  action text not null,
  business text not null,
  subject text not null,
  details json not null,
  PRIMARY KEY (id)
);
CREATE INDEX audit_entry_at ON dockline.audit_entry USING btree (at, id);
CREATE INDEX audit_entry_business ON dockline.audit_entry USING btree (business, at, id);
CREATE INDEX audit_entry_business_client ON dockline.audit_entry USING btree (business, client_id, at, id);
CREATE INDEX audit_entry_business_subject ON dockline.audit_entry USING btree (business, subject, at, id);
CREATE INDEX audit_entry_client ON dockline.audit_entry USING btree (client_id, at, id);
CREATE INDEX audit_entry_subject ON dockline.audit_entry USING btree (subject, at, id);

create table dockline.browser_session (
  id text not null,
  client_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (id)
);
CREATE INDEX browser_session_client ON dockline.browser_session USING btree (client_id, created_at DESC);
CREATE INDEX browser_session_expiry ON dockline.browser_session USING btree (expires_at);

create table dockline.business (
  id bigint not null generated always as (((('x'::text || substr(encode(sha256((slug)::bytea), 'hex'::text), 1, 15)))::bit(60))::bigint) stored,
  slug text not null,
  name text not null,
  field_map jsonb not null default '[]'::jsonb,
  PRIMARY KEY (id)
);
CREATE INDEX business_list ON dockline.business USING btree (slug COLLATE "C");
CREATE INDEX business_slug ON dockline.business USING btree (slug);

create table dockline.capability_migration (
  capability text not null,
  id integer not null,
  name text not null,
  oldest_served integer not null,
  ran_at timestamp with time zone not null default now(),
  PRIMARY KEY (capability, id)
);

create table dockline.client (
  id text not null,
  name text not null,
  enabled boolean not null,
  secrets jsonb not null,
  grants jsonb not null,
  PRIMARY KEY (id)
);
CREATE INDEX client_business ON dockline.client USING btree ((((grants -> 0) ->> 'business'::text)), id COLLATE "C");
CREATE INDEX client_list ON dockline.client USING btree (id COLLATE "C");

create table dockline.customer_order (
  business_id bigint not null,
  id bigint not null default nextval('dockline.customer_order_id'::regclass),
  facility_id bigint not null,
  shipment_id bigint not null,
  number text not null,
  number_key text not null,
  status text not null,
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
  created_at timestamp with time zone not null,
  row_count integer not null default 1,
  text_size integer not null default 0,
  owner text,
  UNIQUE (business_id, shipment_id, number_key),
  PRIMARY KEY (business_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id),
  CHECK ((status = ANY (ARRAY['CREATED'::text, 'COMPLETED'::text, 'CANCELLED'::text])))
);
CREATE INDEX customer_order_by_id ON dockline.customer_order USING btree (id);
CREATE INDEX customer_order_list ON dockline.customer_order USING btree (facility_id, id);
CREATE INDEX customer_order_number ON dockline.customer_order USING btree (facility_id, number_key, id);
CREATE INDEX customer_order_search ON dockline.customer_order USING btree (facility_id, lower(("right"(number, 6) COLLATE "C")), id) WHERE (number <> ''::text);

create table dockline.definition (
  name text not null,
  kind text not null,
  hash text not null,
  owner text not null,
  PRIMARY KEY (name),
  CHECK ((kind = ANY (ARRAY['function'::text, 'view'::text])))
);

create table dockline.dock (
  id bigint not null generated always as identity,
  facility_id bigint not null,
  slug text not null,
  UNIQUE (facility_id, slug),
  PRIMARY KEY (id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id)
);
CREATE INDEX dock_list ON dockline.dock USING btree (facility_id, slug COLLATE "C");

create table dockline.document_order (
  business_id bigint not null,
  document_id bigint not null,
  facility_id bigint not null,
  order_key text not null,
  outcome text not null,
  place bigint not null,
  PRIMARY KEY (business_id, document_id, order_key)
);
CREATE INDEX document_order_by_id ON dockline.document_order USING btree (document_id);
CREATE INDEX document_order_key ON dockline.document_order USING btree (facility_id, order_key, outcome, place);

create table dockline.document_record (
  business_id bigint not null,
  id bigint not null default nextval('dockline.document_record_id'::regclass),
  facility_id bigint not null,
  received_at timestamp with time zone not null,
  outcome text not null,
  correlation_id text not null,
  number_key text not null,
  order_key text,
  shipment_id bigint,
  new_orders bigint[] not null,
  new_items bigint[] not null,
  row_count integer not null,
  text_size integer not null,
  content text not null,
  place bigint not null,
  PRIMARY KEY (business_id, facility_id, outcome, place, id)
);
CREATE INDEX document_record_by_id ON dockline.document_record USING btree (id);
CREATE INDEX document_record_correlation ON dockline.document_record USING btree (facility_id, correlation_id, outcome, place);
CREATE INDEX document_record_newest ON dockline.document_record USING btree (place DESC);
CREATE INDEX document_record_number ON dockline.document_record USING btree (facility_id, number_key, outcome, place) WHERE (order_key IS NULL);
CREATE INDEX document_record_order ON dockline.document_record USING btree (facility_id, order_key, outcome, place) WHERE (order_key IS NOT NULL);
CREATE INDEX document_record_shipment ON dockline.document_record USING btree (facility_id, number_key, outcome, place) WHERE (order_key IS NOT NULL);

create table dockline.document_removal (
  business_id bigint not null,
  document_id bigint not null,
  facility_id bigint not null,
  lpn_key text not null,
  outcome text not null,
  place bigint not null,
  PRIMARY KEY (business_id, document_id, lpn_key)
);
CREATE INDEX document_removal_by_id ON dockline.document_removal USING btree (document_id);
CREATE INDEX document_removal_key ON dockline.document_removal USING btree (facility_id, lpn_key, outcome, place);
CREATE INDEX document_removal_search ON dockline.document_removal USING btree (facility_id, lower(("right"(substr(lpn_key, 2), 6) COLLATE "C")), document_id) WHERE (lpn_key ~~ '=%'::text);

create table dockline.edi_arrival (
  business_id bigint not null,
  id bigint not null,
  epoch bigint not null,
  usage text not null,
  control text not null,
  fingerprint text not null,
  until timestamp with time zone not null,
  UNIQUE (business_id, epoch, usage, control),
  PRIMARY KEY (business_id, id)
);
CREATE INDEX edi_arrival_left ON dockline.edi_arrival USING btree (business_id, until);

create table dockline.edi_dropped (
  business_id bigint not null,
  epoch bigint not null,
  facility_id bigint not null,
  dropped_id bigint not null,
  PRIMARY KEY (business_id, epoch)
);
CREATE INDEX edi_dropped_facility ON dockline.edi_dropped USING btree (facility_id, dropped_id);
CREATE INDEX edi_dropped_newest ON dockline.edi_dropped USING btree (business_id, dropped_id);

create table dockline.edi_file (
  business_id bigint not null,
  id bigint not null default nextval('dockline.edi_file_id'::regclass),
  facility_id bigint not null,
  partner text not null,
  epoch bigint not null,
  usage text not null,
  direction text not null,
  control text not null,
  outcome text not null,
  at timestamp with time zone not null,
  kinds text[] not null,
  set_count integer not null,
  rejected_count integer not null,
  first_group integer,
  last_group integer,
  shipment_id bigint,
  groups json not null,
  fingerprint text not null default ''::text,
  faults json not null,
  text_size integer not null,
  text text not null,
  answer text not null,
  place bigint not null,
  rejected_at timestamp with time zone,
  PRIMARY KEY (business_id, id),
  CHECK ((direction = ANY (ARRAY['IN'::text, 'OUT'::text])))
);
CREATE INDEX edi_file_by_id ON dockline.edi_file USING btree (id);
CREATE UNIQUE INDEX edi_file_control ON dockline.edi_file USING btree (business_id, epoch, usage, control) WHERE (direction = 'IN'::text);
CREATE INDEX edi_file_group ON dockline.edi_file USING btree (business_id, epoch, usage, last_group, id DESC) WHERE (last_group IS NOT NULL);
CREATE INDEX edi_file_list ON dockline.edi_file USING btree (facility_id, direction, outcome, place);
CREATE INDEX edi_file_partner ON dockline.edi_file USING btree (facility_id, epoch, direction, outcome, place);
CREATE INDEX edi_file_rejected ON dockline.edi_file USING btree (business_id, rejected_at) WHERE (rejected_at IS NOT NULL);
CREATE INDEX edi_file_sent ON dockline.edi_file USING btree (business_id, epoch, usage, control, id DESC) WHERE ((direction = 'OUT'::text) AND (text_size > 0));
CREATE INDEX edi_file_told ON dockline.edi_file USING btree (business_id, epoch, shipment_id, id DESC) WHERE (shipment_id IS NOT NULL);
CREATE INDEX edi_outbox ON dockline.edi_file USING btree (business_id, id) WHERE ((direction = 'OUT'::text) AND (text_size > 0));
CREATE INDEX edi_outbox_facility ON dockline.edi_file USING btree (facility_id, id) WHERE ((direction = 'OUT'::text) AND (text_size > 0));
CREATE INDEX edi_outbox_partner ON dockline.edi_file USING btree (business_id, epoch, id) WHERE ((direction = 'OUT'::text) AND (text_size > 0));

create table dockline.edi_file_shipment (
  business_id bigint not null,
  file_id bigint not null,
  shipment_id bigint not null,
  facility_id bigint not null,
  place bigint not null,
  PRIMARY KEY (business_id, file_id, shipment_id)
);
CREATE INDEX edi_file_shipment_list ON dockline.edi_file_shipment USING btree (shipment_id, facility_id, place);

create table dockline.edi_log (
  business_id bigint not null,
  PRIMARY KEY (business_id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id)
);

create table dockline.edi_partner (
  business_id bigint not null,
  slug text not null,
  facility_id bigint not null,
  name text not null,
  their_qualifier text not null,
  their_id text not null,
  their_group text not null,
  our_qualifier text not null,
  our_id text not null,
  our_group text not null,
  release text not null,
  usage text not null,
  takes text[] not null,
  tells text[] not null,
  tells_of text not null,
  units json not null,
  new_purposes text[] not null,
  next_interchange integer not null,
  next_group integer not null,
  cursor_id bigint not null,
  due bigint[] not null default '{}'::bigint[],
  created_at timestamp with time zone not null,
  epoch bigint not null,
  UNIQUE (business_id, slug),
  UNIQUE (business_id, their_id, our_id, their_qualifier, our_qualifier),
  PRIMARY KEY (business_id, epoch),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id)
) with (fillfactor=50);
CREATE INDEX edi_partner_list ON dockline.edi_partner USING btree (business_id, slug COLLATE "C");
CREATE INDEX edi_partner_sides ON dockline.edi_partner USING btree (their_id, our_id);

create table dockline.edi_set (
  business_id bigint not null,
  file_id bigint not null,
  part integer not null,
  sets json not null,
  PRIMARY KEY (business_id, file_id, part)
);

create table dockline.edi_word (
  business_id bigint not null,
  epoch bigint not null,
  order_key text not null,
  words text not null,
  kept_at timestamp with time zone not null,
  PRIMARY KEY (business_id, epoch, order_key)
);
CREATE INDEX edi_word_old ON dockline.edi_word USING btree (business_id, kept_at);

create table dockline.epcis_setting (
  business_id bigint not null,
  company_prefixes text[] not null default '{}'::text[],
  publishes boolean not null default false,
  cursor_id bigint not null default 0,
  PRIMARY KEY (business_id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id)
) with (fillfactor=50);

create table dockline.facility (
  id bigint not null generated always as identity,
  business_id bigint not null,
  slug text not null,
  name text not null,
  time_zone text not null default 'UTC'::text,
  detention_minutes integer not null default 120,
  UNIQUE (business_id, slug),
  PRIMARY KEY (id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id)
);
CREATE INDEX facility_list ON dockline.facility USING btree (business_id, slug COLLATE "C");

create table dockline.idempotent_answer (
  client_id text not null,
  key text not null,
  fingerprint text not null,
  answer text not null,
  kept_at timestamp with time zone not null,
  PRIMARY KEY (client_id, key)
);
CREATE INDEX idempotent_answer_kept_at ON dockline.idempotent_answer USING btree (kept_at);

create table dockline.message (
  business_id bigint not null,
  id bigint not null,
  facility_id bigint not null,
  facility text not null,
  type text not null,
  shipment_id bigint not null,
  sent_at timestamp with time zone not null,
  size integer not null,
  payload json not null,
  trace text,
  PRIMARY KEY (business_id, id)
);
CREATE INDEX message_facility ON dockline.message USING btree (facility_id, id);
CREATE INDEX message_facility_type ON dockline.message USING btree (facility_id, type, id);
CREATE INDEX message_sent_at ON dockline.message USING btree (business_id, sent_at, id);
CREATE INDEX message_type ON dockline.message USING btree (business_id, type, id);

create table dockline.message_log (
  business_id bigint not null,
  last_id bigint not null default 0,
  last_sent_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  dropped_id bigint not null default 0,
  dropped_sent_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  PRIMARY KEY (business_id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id)
) with (fillfactor=50);

create table dockline.migration (
  migration_id integer not null,
  created_at timestamp with time zone not null default now(),
  name text not null,
  PRIMARY KEY (migration_id)
);

create table dockline.order_item (
  business_id bigint not null,
  id bigint not null default nextval('dockline.order_item_id'::regclass),
  order_id bigint not null,
  item_key text not null,
  identifier text not null,
  lpn text not null,
  sku text not null,
  quantity double precision not null,
  quantity_unit text not null,
  purchase_order text not null,
  description text not null,
  upc text not null,
  weight_per_unit double precision not null,
  weight_unit text not null,
  height double precision not null,
  length double precision not null,
  width double precision not null,
  dimension_unit text not null,
  is_dangerous_good boolean not null,
  lot text not null,
  expiration_date date,
  manufacturing_date date,
  case_serials jsonb not null,
  facility_id bigint not null,
  lpn_shipment_id bigint not null,
  lpn_key text,
  PRIMARY KEY (business_id, order_id, item_key),
  FOREIGN KEY (business_id, order_id) REFERENCES dockline.customer_order(business_id, id)
);
CREATE INDEX order_item_list ON dockline.order_item USING btree (order_id, id);
CREATE INDEX order_item_lot ON dockline.order_item USING btree (hashtextextended(lot, facility_id), id) WHERE (lot <> ''::text);
CREATE INDEX order_item_lpn ON dockline.order_item USING btree (facility_id, ((((hashtextextended(lower(("right"(COALESCE(lpn_key, lpn), 6) COLLATE "C")), (0)::bigint) & (2147483647)::bigint) * '4294967296'::bigint) + (hashtextextended(COALESCE(lpn_key, lpn), (0)::bigint) & '4294967295'::bigint))), lpn_shipment_id, order_id);
CREATE INDEX order_item_sku ON dockline.order_item USING btree (hashtextextended(sku, facility_id), id) WHERE (sku <> ''::text);

create table dockline.outbox (
  business_id bigint not null,
  type text not null,
  last_id bigint not null,
  dropped_id bigint not null default 0,
  dropped_sent_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  PRIMARY KEY (business_id, type)
) with (fillfactor=50);

create table dockline.outbox_entry (
  business_id bigint not null,
  id bigint not null,
  facility_id bigint not null,
  facility text not null,
  type text not null,
  shipment_id bigint not null,
  sent_at timestamp with time zone not null,
  size integer not null,
  payload json not null,
  trace text,
  PRIMARY KEY (business_id, id)
);
CREATE INDEX outbox_entry_facility ON dockline.outbox_entry USING btree (facility_id, type, id);
CREATE INDEX outbox_entry_sent_at ON dockline.outbox_entry USING btree (business_id, sent_at, id);
CREATE INDEX outbox_entry_type ON dockline.outbox_entry USING btree (business_id, type, id);

create table dockline.packing_list_mapping (
  business_id bigint not null,
  name text not null,
  mapping jsonb not null,
  saved_at timestamp with time zone not null,
  PRIMARY KEY (business_id, name),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id)
);

create table dockline.pallet (
  business_id bigint not null,
  id bigint not null,
  facility_id bigint not null,
  shipment_id bigint not null,
  lpn text not null,
  lpn_key text,
  first_direction text not null,
  first_seen_at timestamp with time zone not null,
  last_direction text not null,
  last_seen_at timestamp with time zone not null,
  last_dock_id bigint not null,
  row_count integer not null default 1,
  text_size integer not null default 0,
  recorded_at timestamp with time zone not null,
  place bigint not null,
  UNIQUE (business_id, lpn_key, shipment_id),
  PRIMARY KEY (business_id, shipment_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id)
);
CREATE INDEX pallet_lpn ON dockline.pallet USING btree (facility_id, lpn_key, place);
CREATE INDEX pallet_search ON dockline.pallet USING btree (facility_id, lower(("right"(
CASE
    WHEN (lpn_key ~~ '=%'::text) THEN substr(lpn_key, 2)
    ELSE lpn
END, 6) COLLATE "C")), id) WHERE (lpn <> ''::text);

create table dockline.pallet_event (
  business_id bigint not null,
  facility_id bigint not null,
  event_key text not null,
  fingerprint text not null,
  shipment_id bigint not null,
  pallet_id bigint not null,
  message_id bigint not null,
  direction text not null,
  occurred_at timestamp with time zone not null,
  dock_id bigint not null,
  orders json not null,
  labels json not null,
  verdict json not null,
  PRIMARY KEY (business_id, facility_id, event_key),
  FOREIGN KEY (business_id, shipment_id, pallet_id) REFERENCES dockline.pallet(business_id, shipment_id, id),
  FOREIGN KEY (dock_id) REFERENCES dockline.dock(id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id),
  CHECK ((direction = ANY (ARRAY['LOADING'::text, 'UNLOADING'::text])))
);
CREATE INDEX pallet_event_shipment ON dockline.pallet_event USING btree (shipment_id, pallet_id, message_id);

create table dockline.person (
  id text not null,
  name text not null,
  email text,
  subject text,
  grants jsonb not null,
  PRIMARY KEY (id)
);
CREATE INDEX person_business ON dockline.person USING btree ((((grants -> 0) ->> 'business'::text)), id COLLATE "C");
CREATE INDEX person_email ON dockline.person USING btree (email) WHERE (email IS NOT NULL);
CREATE INDEX person_list ON dockline.person USING btree (id COLLATE "C");
CREATE INDEX person_subject ON dockline.person USING btree (subject) WHERE (subject IS NOT NULL);

create table dockline.retention_clock (
  id integer not null,
  trusted_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  ran interval,
  PRIMARY KEY (id),
  CHECK ((id = 1))
);

create table dockline.shipment (
  business_id bigint not null,
  id bigint not null default nextval('dockline.shipment_id'::regclass),
  facility_id bigint not null,
  number text not null,
  number_key text not null,
  status text not null,
  direction text not null,
  expected_arrival_at timestamp with time zone not null,
  scheduled_at timestamp with time zone not null,
  arrived_at timestamp with time zone,
  departed_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  trailer_number text not null,
  carrier text not null,
  dock_id bigint,
  additional_fields jsonb not null,
  created_at timestamp with time zone not null,
  pallet_events integer not null default 0,
  label_text integer not null default 0,
  elsewhere json,
  text_size integer not null default 0,
  missing_pallets integer not null default 0,
  unexpected_pallets integer not null default 0,
  wrong_dock_pallets integer not null default 0,
  discrepant boolean not null default false,
  check_in jsonb not null default '{}'::jsonb,
  step_clients jsonb not null default '{}'::jsonb,
  owner text,
  version integer not null default 1,
  UNIQUE (business_id, facility_id, number_key),
  PRIMARY KEY (business_id, id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id),
  FOREIGN KEY (dock_id) REFERENCES dockline.dock(id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id),
  CHECK ((status = ANY (ARRAY['SCHEDULED'::text, 'ARRIVED'::text, 'DEPARTED'::text, 'CANCELLED'::text])))
);
CREATE INDEX shipment_at_dock ON dockline.shipment USING btree (dock_id, arrived_at, id) WHERE (status = 'ARRIVED'::text);
CREATE INDEX shipment_by_id ON dockline.shipment USING btree (id);
CREATE INDEX shipment_carrier ON dockline.shipment USING btree (hashtextextended(carrier, (0)::bigint), facility_id, status, discrepant, COALESCE(departed_at, arrived_at, expected_arrival_at), id) WHERE (carrier <> ''::text);
CREATE INDEX shipment_discrepant ON dockline.shipment USING btree (facility_id, status, id) WHERE discrepant;
CREATE INDEX shipment_left_dock ON dockline.shipment USING btree (dock_id, departed_at) WHERE (status = 'DEPARTED'::text);
CREATE INDEX shipment_list ON dockline.shipment USING btree (status, facility_id, id);
CREATE INDEX shipment_search ON dockline.shipment USING btree (facility_id, lower(("right"(number, 6) COLLATE "C")), id) WHERE (number <> ''::text);
CREATE INDEX shipment_time ON dockline.shipment USING btree (status, discrepant, facility_id, COALESCE(departed_at, arrived_at, expected_arrival_at), id);
CREATE INDEX shipment_trailer ON dockline.shipment USING btree (hashtextextended(trailer_number, (0)::bigint), facility_id, status, discrepant, COALESCE(departed_at, arrived_at, expected_arrival_at), id) WHERE (trailer_number <> ''::text);
CREATE INDEX shipment_trailer_number ON dockline.shipment USING btree (facility_id, hashtextextended(trailer_number, (0)::bigint), id) WHERE (trailer_number <> ''::text);
CREATE INDEX shipment_trailer_search ON dockline.shipment USING btree (facility_id, lower(("right"(trailer_number, 6) COLLATE "C")), id) WHERE (trailer_number <> ''::text);
CREATE INDEX shipment_without_dock ON dockline.shipment USING btree (facility_id, arrived_at, id) WHERE ((status = 'ARRIVED'::text) AND (dock_id IS NULL));

create table dockline.shipment_exception (
  business_id bigint not null,
  shipment_id bigint not null,
  id bigint not null default nextval('dockline.shipment_exception_id'::regclass),
  facility_id bigint not null,
  pallet_id bigint,
  lpn text not null,
  kind text not null,
  priority text not null,
  description text not null,
  reported_at timestamp with time zone not null,
  reported_by text not null,
  note text,
  resolved_at timestamp with time zone,
  resolved_by text,
  status text not null generated always as (
CASE
    WHEN (resolved_at IS NULL) THEN 'OPEN'::text
    ELSE 'RESOLVED'::text
END) stored,
  place bigint not null generated always as ((- ((((LEAST(GREATEST(floor((EXTRACT(epoch FROM (reported_at - '1970-01-01 00:00:00+00'::timestamp with time zone)) * (1000)::numeric)), (2)::numeric), ('4398046511102'::bigint)::numeric))::bigint - '2199023255552'::bigint) * 4194304) + (id % (4194304)::bigint)))) stored,
  PRIMARY KEY (business_id, shipment_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id),
  FOREIGN KEY (business_id, shipment_id, pallet_id) REFERENCES dockline.pallet(business_id, shipment_id, id),
  CHECK ((num_nulls(note, resolved_at, resolved_by) = ANY (ARRAY[0, 3])))
);
CREATE INDEX shipment_exception_list ON dockline.shipment_exception USING btree (facility_id, status, priority, place);

create table dockline.shipment_link (
  business_id bigint not null,
  shipment_id bigint not null,
  linked_shipment_id bigint not null,
  PRIMARY KEY (business_id, shipment_id, linked_shipment_id),
  FOREIGN KEY (business_id, linked_shipment_id) REFERENCES dockline.shipment(business_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id),
  CHECK ((shipment_id <> linked_shipment_id))
);

create table dockline.signing_key (
  id text not null,
  private_jwk text not null,
  created_at timestamp with time zone not null,
  PRIMARY KEY (id)
);

create table dockline.sku (
  business_id bigint not null,
  facility_id bigint not null,
  id text not null,
  facts jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  PRIMARY KEY (business_id, facility_id, id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id)
);

create table dockline.webhook_delivery (
  business_id bigint not null,
  endpoint_id bigint not null,
  message_id bigint not null,
  type text not null,
  shipment_id bigint not null,
  status text not null,
  tries integer not null,
  failed_since timestamp with time zone,
  next_attempt_at timestamp with time zone,
  attempts jsonb not null,
  PRIMARY KEY (business_id, endpoint_id, message_id),
  CHECK (((next_attempt_at IS NULL) OR (status = 'PENDING'::text))),
  CHECK ((status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'DEAD'::text])))
);
CREATE INDEX webhook_delivered ON dockline.webhook_delivery USING btree (business_id, endpoint_id, message_id) WHERE (status = 'DELIVERED'::text);
CREATE INDEX webhook_due ON dockline.webhook_delivery USING btree (business_id, endpoint_id, next_attempt_at, message_id) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX webhook_exception ON dockline.webhook_delivery USING btree (business_id, endpoint_id, status, message_id) WHERE (status <> 'DELIVERED'::text);
CREATE INDEX webhook_head ON dockline.webhook_delivery USING btree (shipment_id, endpoint_id) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX webhook_pending ON dockline.webhook_delivery USING btree (shipment_id, endpoint_id, message_id) WHERE (status = 'PENDING'::text);

create table dockline.webhook_endpoint (
  business_id bigint not null,
  id bigint not null default nextval('dockline.webhook_endpoint_id'::regclass),
  facility_id bigint,
  base_url text not null,
  message_types text[] not null,
  authentication jsonb not null,
  signing_secrets jsonb not null,
  headers jsonb not null default '[]'::jsonb,
  rate_per_second integer not null default 0,
  signatures text[] not null default '{v1}'::text[],
  payload_profile text not null default 'dockline'::text,
  enabled boolean not null,
  disabled_reason text not null,
  version integer not null default 1,
  epoch bigint not null default 0,
  settlements bigint not null default 0,
  cursor_id bigint not null,
  failing_since timestamp with time zone,
  login jsonb,
  expired_up_to bigint,
  created_at timestamp with time zone not null,
  PRIMARY KEY (business_id, id),
  FOREIGN KEY (business_id) REFERENCES dockline.business(id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id)
) with (fillfactor=50);
CREATE INDEX webhook_endpoint_by_id ON dockline.webhook_endpoint USING btree (id);

create view dockline.alert_rule_body as
 SELECT r.business_id,
    r.slug,
    json_build_object('slug', r.slug, 'business', b.slug, 'facility', f.slug, 'timeZone', f.time_zone, 'settings', r.settings, 'fromId', r.from_id, 'since', dockline.rfc3339(r.since), 'waiting', ( SELECT count(*) AS count
           FROM dockline.alert_notice n
          WHERE n.business_id = r.business_id AND n.rule = r.slug AND n.state = 'WAITING'::text), 'nextAt', COALESCE(dockline.rfc3339(r.next_at), ''::text), 'lastSentAt', COALESCE(dockline.rfc3339(r.last_sent_at), ''::text), 'lastFailedAt', COALESCE(dockline.rfc3339(r.last_failed_at), ''::text), 'lastFailure', r.last_failure, 'createdAt', dockline.rfc3339(r.created_at)) AS body
   FROM dockline.alert_rule r
     JOIN dockline.business b ON b.id = r.business_id
     JOIN dockline.facility f ON f.id = r.facility_id;

create view dockline.document_body as
 SELECT d.business_id,
    d.facility_id,
    d.outcome,
    d.id,
    json_build_array(json_build_object('slug', b.slug, 'name', b.name), json_build_object('slug', f.slug, 'name', f.name), d.id, dockline.rfc3339(d.received_at), d.outcome, d.correlation_id, d.shipment_id, d.new_orders::text[], d.new_items::text[], d.content) AS body
   FROM dockline.document_record d
     JOIN dockline.business b ON b.id = d.business_id
     JOIN dockline.facility f ON f.id = d.facility_id;

create view dockline.edi_file_entry as
 SELECT business_id,
    id,
    json_build_object('id', id, 'direction', direction, 'partner', partner, 'control', control, 'outcome', outcome, 'at', dockline.rfc3339(at), 'kinds', kinds, 'setCount', set_count, 'rejectedCount', rejected_count, 'location', json_build_object('business', ( SELECT json_build_object('slug', b.slug, 'name', b.name) AS json_build_object
           FROM dockline.business b
          WHERE b.id = e.business_id), 'facility', ( SELECT json_build_object('slug', x.slug, 'name', x.name) AS json_build_object
           FROM dockline.facility x
          WHERE x.id = e.facility_id))) AS body
   FROM dockline.edi_file e;

create view dockline.edi_partner_body as
 SELECT business_id,
    slug,
    json_build_object('slug', slug, 'key', epoch::text, 'business', ( SELECT b.slug
           FROM dockline.business b
          WHERE b.id = p.business_id), 'facility', ( SELECT f.slug
           FROM dockline.facility f
          WHERE f.id = p.facility_id), 'name', name, 'theirs', json_build_object('qualifier', their_qualifier, 'id', their_id, 'group', their_group), 'ours', json_build_object('qualifier', our_qualifier, 'id', our_id, 'group', our_group), 'release', release, 'usage', usage, 'takes', takes, 'tells', tells, 'tellsOf', tells_of, 'units', units, 'newPurposes', new_purposes, 'nextInterchange', next_interchange, 'nextGroup', next_group, 'cursorId', cursor_id, 'due', due, 'createdAt', dockline.rfc3339(created_at)) AS body
   FROM dockline.edi_partner p;

create view dockline.exception_body as
 SELECT business_id,
    shipment_id,
    id,
    json_build_object('location', json_build_object('business', ( SELECT json_build_object('slug', b.slug, 'name', b.name) AS json_build_object
           FROM dockline.business b
          WHERE b.id = e.business_id), 'facility', ( SELECT json_build_object('slug', x.slug, 'name', x.name) AS json_build_object
           FROM dockline.facility x
          WHERE x.id = e.facility_id)), 'shipmentId', shipment_id, 'shipmentNumber', ( SELECT s.number
           FROM dockline.shipment s
          WHERE s.business_id = e.business_id AND s.id = e.shipment_id), 'exception', json_build_object('id', id, 'palletId', pallet_id, 'lpn', lpn, 'kind', kind, 'priority', priority, 'description', description, 'reportedAt', dockline.rfc3339(reported_at), 'reportedBy', reported_by, 'resolution',
        CASE
            WHEN resolved_at IS NOT NULL THEN json_build_object('note', note, 'at', dockline.rfc3339(resolved_at), 'by', resolved_by)
            ELSE NULL::json
        END)) AS body
   FROM dockline.shipment_exception e;

create view dockline.order_body as
 SELECT business_id,
    id,
    facility_id,
    shipment_id,
    number_key,
    json_build_array(json_build_array(id::text, number, status, direction, shipment_id, dockline.rfc3339(created_at), json_build_array(order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier, seal_number, supplier, client, destination), owner), ( SELECT COALESCE(json_agg(json_build_array(i.id::text, i.identifier, i.lpn, i.sku, i.quantity, i.quantity_unit, i.purchase_order, i.description, i.upc, i.weight_per_unit, i.weight_unit, i.height, i.length, i.width, i.dimension_unit, i.is_dangerous_good, i.lot, COALESCE(to_char(i.expiration_date::timestamp with time zone, 'YYYY-MM-DD'::text), ''::text), COALESCE(to_char(i.manufacturing_date::timestamp with time zone, 'YYYY-MM-DD'::text), ''::text), i.case_serials) ORDER BY i.id), '[]'::json) AS "coalesce"
           FROM dockline.order_item i
          WHERE i.business_id = o.business_id AND i.order_id = o.id)) AS body
   FROM dockline.customer_order o;

create view dockline.pallet_body as
 SELECT p.business_id,
    p.shipment_id,
    p.id,
    p.lpn_key,
    json_build_object('location', json_build_object('business', ( SELECT json_build_object('slug', b.slug, 'name', b.name) AS json_build_object
           FROM dockline.business b
          WHERE b.id = p.business_id), 'facility', ( SELECT json_build_object('slug', x.slug, 'name', x.name) AS json_build_object
           FROM dockline.facility x
          WHERE x.id = p.facility_id)), 'shipmentId', s.id, 'shipmentNumber', s.number, 'id', p.id, 'lpn', p.lpn, 'recordedAt', dockline.rfc3339(p.recorded_at), 'ordersWithLpn', ( SELECT COALESCE(json_agg(( SELECT o.number
                   FROM dockline.customer_order o
                  WHERE o.business_id = p.business_id AND o.id = i.order_id) ORDER BY i.order_id), '[]'::json) AS "coalesce"
           FROM ( SELECT DISTINCT i_1.order_id
                   FROM dockline.order_item i_1
                  WHERE (i_1.business_id + 0) = p.business_id AND i_1.facility_id = p.facility_id AND p.lpn <> ''::text AND dockline.lpn_hash(COALESCE(i_1.lpn_key, i_1.lpn)) = dockline.lpn_hash(dockline.pallet_lpn(p.lpn_key, p.lpn)) AND i_1.lpn_shipment_id =
                        CASE
                            WHEN s.status = 'DEPARTED'::text THEN - s.id
                            ELSE s.id
                        END AND COALESCE(i_1.lpn_key, i_1.lpn) = dockline.pallet_lpn(p.lpn_key, p.lpn)) i), 'onlyOrder', ( SELECT
                CASE
                    WHEN count(*) = 1 THEN min(few.number)
                    ELSE NULL::text
                END AS "case"
           FROM ( SELECT o.number
                   FROM dockline.customer_order o
                  WHERE o.business_id = p.business_id AND o.shipment_id = p.shipment_id
                 LIMIT 2) few), 'events', ( SELECT json_agg(json_build_object('direction', e.direction, 'occurredAt', dockline.rfc3339(e.occurred_at), 'dock', json_build_object('id', d.id, 'slug', d.slug), 'messageId', e.message_id, 'labels', e.labels, 'verdict', e.verdict) ORDER BY e.occurred_at, e.message_id) AS json_agg
           FROM dockline.pallet_event e
             JOIN dockline.dock d ON d.id = e.dock_id
          WHERE e.business_id = p.business_id AND e.shipment_id = p.shipment_id AND e.pallet_id = p.id)) AS body
   FROM dockline.pallet p
     JOIN dockline.shipment s ON s.business_id = p.business_id AND s.id = p.shipment_id;

create view dockline.shipment_body as
 SELECT business_id,
    id,
    facility_id,
    number_key,
    json_build_object('id', id, 'number', number, 'status', status, 'direction', direction, 'expectedArrivalAt', dockline.rfc3339(expected_arrival_at), 'scheduledAt', dockline.rfc3339(scheduled_at), 'arrivedAt', dockline.rfc3339(arrived_at), 'departedAt', dockline.rfc3339(departed_at), 'cancelledAt', dockline.rfc3339(cancelled_at), 'dock', ( SELECT json_build_object('id', x.id, 'slug', x.slug) AS json_build_object
           FROM dockline.dock x
          WHERE x.id = s.dock_id), 'additionalFields', additional_fields, 'linkedShipmentIds', ( SELECT COALESCE(json_agg(l.linked_shipment_id ORDER BY l.linked_shipment_id), '[]'::json) AS "coalesce"
           FROM dockline.shipment_link l
          WHERE l.business_id = s.business_id AND l.shipment_id = s.id), 'fields', json_build_array(trailer_number, carrier), 'pallets', ( SELECT COALESCE(json_agg(json_build_array(p.id, p.lpn, p.first_direction, p.last_direction, p.last_dock_id) ORDER BY p.id), '[]'::json) AS "coalesce"
           FROM dockline.pallet p
          WHERE p.business_id = s.business_id AND p.shipment_id = s.id), 'checkIn', check_in, 'stepClients', step_clients, 'owner', owner, 'version', version) AS body
   FROM dockline.shipment s;

create view dockline.webhook_delivery_body as
 SELECT business_id,
    endpoint_id,
    message_id,
    status,
    json_build_object('messageId', message_id, 'messageType', type, 'shipmentId', shipment_id, 'status', status, 'tries', tries, 'failedSince', dockline.rfc3339(failed_since), 'nextAttemptAt', dockline.rfc3339(next_attempt_at), 'attempts', attempts) AS body
   FROM dockline.webhook_delivery d;

create view dockline.webhook_endpoint_body as
 SELECT e.id,
    e.business_id,
    json_build_object('id', e.id, 'business', b.slug, 'facility', f.slug, 'baseUrl', e.base_url, 'messageTypes', e.message_types, 'authentication', e.authentication, 'signingSecrets', e.signing_secrets, 'headers', e.headers, 'ratePerSecond', e.rate_per_second, 'signatures', e.signatures, 'payloadProfile', e.payload_profile, 'enabled', e.enabled, 'disabledReason', e.disabled_reason, 'version', e.version, 'createdAt', dockline.rfc3339(e.created_at), 'cursorId', e.cursor_id, 'failingSince', dockline.rfc3339(e.failing_since), 'login', e.login, 'expiredUpTo', e.expired_up_to) AS body
   FROM dockline.webhook_endpoint e
     JOIN dockline.business b ON b.id = e.business_id
     LEFT JOIN dockline.facility f ON f.id = e.facility_id;

create function dockline.alert_add(p_business bigint, p_notices json, p_limit integer, p_oldest interval, p_now timestamp with time zone) returns void
language plpgsql
as $$
declare
  v_rule text;
  v_room int;
  v_earliest timestamptz;
  v_news int;
begin
  delete from dockline.alert_notice where business_id = p_business and state <> 'WAITING' and added_at < p_now - p_oldest;
  -- The caller has locked the row of the business in alert_reader, so no other transaction adds notices to these rules.
  for v_rule in select r.slug from dockline.alert_rule r where r.business_id = p_business
      and (r.settings->>'enabled')::boolean
      and r.slug in (select e.rule from json_to_recordset(p_notices) as e(rule text))
    order by r.slug for no key update
  loop
    v_room := p_limit - (select count(*) from (select from dockline.alert_notice n where n.business_id = p_business
      and n.rule = v_rule and n.state = 'WAITING' limit p_limit) as waiting);
    with news as (
      select distinct on (e.key) e.key, e.due_at, e.notice, e.n from rows from (json_to_recordset(p_notices)
        as (rule text, key text, "dueAt" timestamptz, notice json)) with ordinality as e(rule, key, due_at, notice, n)
      where e.rule = v_rule and not exists (select from dockline.alert_notice o
        where o.business_id = p_business and o.rule = v_rule and o.key = e.key)
      order by e.key, e.n
    ), added as (
      insert into dockline.alert_notice (business_id, rule, key, id, notice, due_at, added_at)
      select p_business, v_rule, f.key, nextval('dockline.alert_notice_id'), f.notice, f.due_at, p_now
      from (select * from news order by n limit v_room) as f order by f.n
      returning due_at
    ) select (select min(a.due_at) from added a), (select count(*) from news) into v_earliest, v_news;
    update dockline.alert_rule set surplus = surplus + greatest(0, v_news - v_room),
      next_at = case when message_id is null then least(next_at, v_earliest) else next_at end
    where business_id = p_business and slug = v_rule and v_news > 0;
  end loop;
end $$;

create function dockline.alert_advance(p_business bigint, p_from bigint, p_to bigint, p_notices json, p_limit integer, p_oldest interval, p_now timestamp with time zone) returns boolean
language plpgsql
as $$
begin
  update dockline.alert_reader set cursor_id = p_to where business_id = p_business and cursor_id = p_from;
  if not found then return false; end if;
  if json_array_length(p_notices) > 0 then
    perform dockline.alert_add(p_business, p_notices, p_limit, p_oldest, coalesce(p_now, clock_timestamp()));
  end if;
  return true;
end $$;

create function dockline.alert_behind(p_after bigint, p_types text[], p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'cursorId', t.cursor_id) order by t.business_id), '[]')
    from (select s.business_id, s.cursor_id from dockline.alert_reader s
      join dockline.message_log l on l.business_id = s.business_id
      where s.business_id > p_after and l.last_id > s.cursor_id
        and exists (select from unnest(p_types) as k(type) cross join lateral (
          select m.id from dockline.message m where m.business_id = s.business_id and m.type = k.type
            and m.id > s.cursor_id order by m.type, m.id limit 1) as m)
      order by s.business_id limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

create function dockline.alert_claim(p_business bigint, p_rule text, p_message text, p_sizes json, p_lease interval, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_rule record;
  v_is_new boolean;
begin
  select r.message_id is null into v_is_new from dockline.alert_rule r where r.business_id = p_business
    and r.slug = p_rule and r.next_at <= v_now and r.leased_until <= v_now for no key update;
  if not found then return null; end if;
  update dockline.alert_rule set epoch = epoch + 1, leased_until = v_now + p_lease,
    message_id = coalesce(message_id, p_message)
  where business_id = p_business and slug = p_rule returning * into v_rule;
  if v_is_new then
    update dockline.alert_notice set message_id = p_message
    where business_id = p_business and rule = p_rule and id in (
      select n.id from dockline.alert_notice n where n.business_id = p_business and n.rule = p_rule and n.state = 'WAITING'
        and (n.key = 'test' or not exists (select from dockline.alert_notice t
          where t.business_id = p_business and t.rule = p_rule and t.key = 'test' and t.state = 'WAITING'))
      order by n.id limit (p_sizes->>(v_rule.settings->>'channel'))::int);
  end if;
  return (select json_build_object('now', dockline.rfc3339(v_now),
      'rule', dockline.alert_rule_shown(p_business, p_rule), 'messageId', v_rule.message_id, 'attempts', v_rule.attempts, 'epoch', v_rule.epoch,
      'notices', coalesce(json_agg(n.notice order by n.id), '[]'),
      'surplus', case when bool_or(n.key = 'test') then 0 else v_rule.surplus end,
      'isTest', coalesce(bool_or(n.key = 'test'), false))
    from dockline.alert_notice n where n.business_id = p_business and n.rule = p_rule and n.state = 'WAITING'
      and n.message_id = v_rule.message_id);
end $$;

create function dockline.alert_detentions(p_business bigint, p_since timestamp with time zone, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql stable
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('shipmentId', t.id, 'shipmentNumber', t.number,
      'facility', t.facility, 'dock', t.dock, 'arrivedAt', dockline.rfc3339(t.arrived_at),
      'detentionMinutes', t.detention_minutes) order by t.limit_at, t.id), '[]')
    from (select s.id, s.number, f.slug as facility, d.slug as dock, s.arrived_at, f.detention_minutes,
        s.arrived_at + f.pause as limit_at
      from (select x.id, x.slug, x.detention_minutes, make_interval(mins => x.detention_minutes) as pause
        from dockline.facility x where x.business_id = p_business) as f
      cross join lateral (select x.id, x.slug from dockline.dock x where x.facility_id = f.id
        union all select null, '') as d
      cross join lateral (
        select x.id, x.number, x.arrived_at from dockline.shipment x where x.business_id = p_business
          and x.status = 'ARRIVED' and x.dock_id = d.id
          and x.arrived_at >= p_since - f.pause and x.arrived_at < v_now - f.pause
        union all
        select x.id, x.number, x.arrived_at from dockline.shipment x where d.id is null and x.business_id = p_business
          and x.status = 'ARRIVED' and x.facility_id = f.id and x.dock_id is null
          and x.arrived_at >= p_since - f.pause and x.arrived_at < v_now - f.pause) as s
      order by limit_at desc, s.id desc limit p_limit) as t);
end $$;

create function dockline.alert_due(p_after bigint, p_rule text, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql stable
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'rule', t.slug) order by t.business_id, t.slug collate "C"), '[]')
    from (select r.business_id, r.slug from dockline.alert_rule r
      where (r.business_id, r.slug collate "C") > (p_after, p_rule) and r.next_at <= v_now and r.leased_until <= v_now
      order by r.business_id, r.slug collate "C" limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

create function dockline.alert_endpoints(p_business bigint, p_since timestamp with time zone, p_pause interval, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql stable
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('id', t.id, 'facility', t.facility, 'baseUrl', t.base_url,
      'failingSince', dockline.rfc3339(t.failing_since)) order by t.failing_since, t.id), '[]')
    from (select e.id, (select f.slug from dockline.facility f where f.id = e.facility_id) as facility, e.base_url,
        e.failing_since
      from dockline.webhook_endpoint e where e.business_id = p_business and e.disabled_reason <> 'OPERATOR'
        and e.failing_since >= p_since and e.failing_since <= v_now - p_pause
      order by e.failing_since desc, e.id desc limit p_limit) as t);
end $$;

create function dockline.alert_look(p_business bigint, p_looked timestamp with time zone, p_notices json, p_limit integer, p_oldest interval, p_now timestamp with time zone) returns boolean
language plpgsql
as $$
declare
  v_now timestamptz := date_trunc('milliseconds', coalesce(p_now, clock_timestamp()));
begin
  update dockline.alert_reader set looked_at = v_now where business_id = p_business and looked_at = p_looked;
  if not found then return false; end if;
  if json_array_length(p_notices) > 0 then
    perform dockline.alert_add(p_business, p_notices, p_limit, p_oldest, v_now);
  end if;
  return true;
end $$;

create function dockline.alert_looks(p_after bigint, p_kinds text[], p_pause interval, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql stable
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'lookedAt', dockline.rfc3339(t.looked_at)) order by t.business_id), '[]')
    from (select s.business_id, s.looked_at from dockline.alert_reader s
      where s.business_id > p_after and s.looked_at <= v_now - p_pause
        and exists (select from dockline.alert_rule r
          cross join lateral json_array_elements_text(r.settings->'kinds') as k(kind)
          where r.business_id = s.business_id and (r.settings->>'enabled')::boolean and k.kind = any (p_kinds))
      order by s.business_id limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

create function dockline.alert_notice_page(p_business bigint, p_rule text, p_before bigint, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('id', t.id, 'notice', t.notice, 'state', t.state,
      'reason', case when t.state = 'WAITING' and t.message_id is not null and r.attempts > 0 then r.last_failure
        else t.reason end,
      'addedAt', dockline.rfc3339(t.added_at), 'dueAt', dockline.rfc3339(t.due_at),
      'endedAt', coalesce(dockline.rfc3339(t.ended_at), '')) order by t.id desc), '[]')
    from (select * from dockline.alert_notice n where n.business_id = p_business and n.rule = p_rule
        and (p_before = 0 or n.id < p_before)
      order by n.business_id desc, n.rule desc, n.id desc limit p_limit) as t
    join dockline.alert_rule r on r.business_id = p_business and r.slug = p_rule);
end $$;

create function dockline.alert_pallets(p_business bigint, p_messages json) returns json
language sql stable
as $$
  select coalesce(json_agg(json_build_object('messageId', e.message_id, 'lpn', p.lpn, 'dock', d.slug,
    'shipmentNumber', s.number, 'verdict', e.verdict)), '[]')
  from json_to_recordset(p_messages) as m("messageId" bigint, "shipmentId" bigint, "palletId" bigint)
  cross join lateral (select e.* from dockline.pallet_event e where e.business_id = p_business
    and e.shipment_id = m."shipmentId" and e.pallet_id = m."palletId" and e.message_id = m."messageId" offset 0) as e
  cross join lateral (select p.lpn from dockline.pallet p
    where p.business_id = p_business and p.shipment_id = e.shipment_id and p.id = e.pallet_id offset 0) as p
  cross join lateral (select s.number from dockline.shipment s
    where s.business_id = p_business and s.id = e.shipment_id offset 0) as s
  join dockline.dock d on d.id = e.dock_id
$$;

create function dockline.alert_rule_lock(p_business bigint, p_slug text) returns json
language plpgsql
as $$
begin
  perform from dockline.business where id = p_business;
  if not found then return null; end if;
  insert into dockline.alert_reader (business_id, cursor_id) values (p_business,
    coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0)) on conflict do nothing;
  perform from dockline.alert_reader where business_id = p_business for no key update;
  -- Another transaction has meanwhile removed the last rule, and with it the row.
  if not found then raise exception 'the rules of the business were removed' using errcode = '40001'; end if;
  return json_build_object('rule', dockline.alert_rule_shown(p_business, p_slug));
end $$;

create function dockline.alert_rule_page(p_business bigint, p_after text, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(dockline.alert_rule_shown(p_business, n.slug) order by n.slug collate "C"), '[]')
    from (select r.slug from dockline.alert_rule r where r.business_id = p_business and r.slug collate "C" > p_after
      order by r.slug collate "C" limit p_limit) as n);
end $$;

create function dockline.alert_rule_put(p_business bigint, p_slug text, p_facility text, p_settings json, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_facility bigint;
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  if not found then return json_build_object('unknown', true); end if;
  update dockline.alert_rule set facility_id = v_facility, settings = p_settings,
    since = case when (settings->>'enabled')::boolean and facility_id = v_facility
      and (settings->'kinds')::jsonb = (p_settings->'kinds')::jsonb then since else v_now end,
    -- A claimed message is sent at once with the new settings, and has all its attempts again.
    next_at = case when message_id is null then next_at else v_now end, attempts = 0
  where business_id = p_business and slug = p_slug;
  if not found then
    if (select count(*) from dockline.alert_rule where business_id = p_business) >= p_limit then
      return json_build_object('full', true);
    end if;
    insert into dockline.alert_rule (business_id, slug, facility_id, settings, from_id, since, created_at)
    values (p_business, p_slug, v_facility, p_settings,
      coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0), v_now, v_now);
  end if;
  if not (p_settings->>'enabled')::boolean then perform dockline.alert_rule_silence(p_business, p_slug, v_now); end if;
  return json_build_object('rule', dockline.alert_rule_shown(p_business, p_slug));
end $$;

create function dockline.alert_rule_remove(p_business bigint, p_slug text) returns boolean
language plpgsql
as $$
begin
  perform from dockline.alert_reader where business_id = p_business for update;
  delete from dockline.alert_rule where business_id = p_business and slug = p_slug;
  if not found then return false; end if;
  delete from dockline.alert_notice where business_id = p_business and rule = p_slug;
  delete from dockline.alert_reader where business_id = p_business
    and not exists (select from dockline.alert_rule r where r.business_id = p_business);
  return true;
end $$;

create function dockline.alert_rule_shown(p_business bigint, p_slug text) returns json
language plpgsql stable
as $$
begin
  return (select b.body from dockline.alert_rule_body b where b.business_id = p_business and b.slug = p_slug);
end $$;

create function dockline.alert_rule_silence(p_business bigint, p_slug text, p_now timestamp with time zone) returns void
language sql
as $$
  update dockline.alert_notice set state = 'DROPPED', ended_at = p_now
  where business_id = p_business and rule = p_slug and state = 'WAITING';
  update dockline.alert_rule set message_id = null, next_at = null, attempts = 0, surplus = 0
  where business_id = p_business and slug = p_slug
$$;

create function dockline.alert_rules_now(p_business bigint, p_now timestamp with time zone) returns json
language plpgsql stable
as $$
begin
  return json_build_object('now', dockline.rfc3339(coalesce(p_now, clock_timestamp())),
    'rules', (select coalesce(json_agg(b.body order by b.slug collate "C"), '[]') from dockline.alert_rule_body b
      where b.business_id = p_business));
end $$;

create function dockline.alert_settle(p_business bigint, p_rule text, p_message text, p_epoch bigint, p_is_sent boolean, p_at timestamp with time zone, p_failure text, p_surplus integer, p_now timestamp with time zone) returns boolean
language plpgsql
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_next timestamptz;
begin
  update dockline.alert_rule set leased_until = '-infinity',
    last_sent_at = case when p_is_sent then v_now else last_sent_at end,
    last_failed_at = case when p_failure = '' then last_failed_at else v_now end,
    last_failure = case when p_is_sent or p_failure <> '' then p_failure else last_failure end,
    attempts = case when p_at is null then 0 when p_failure = '' then attempts else attempts + 1 end,
    next_at = p_at
  where business_id = p_business and slug = p_rule and epoch = p_epoch and message_id = p_message;
  if not found then return false; end if;
  if p_at is null then
    update dockline.alert_notice set state = case when p_is_sent then 'SENT' else 'REFUSED' end, reason = p_failure,
      ended_at = v_now
    where business_id = p_business and rule = p_rule and state = 'WAITING' and message_id = p_message;
    v_next := (select min(n.due_at) from dockline.alert_notice n
      where n.business_id = p_business and n.rule = p_rule and n.state = 'WAITING');
    update dockline.alert_rule set message_id = null, surplus = surplus - p_surplus, next_at = v_next
    where business_id = p_business and slug = p_rule;
  elsif p_failure = '' then
    v_next := least(p_at, (select n.due_at from dockline.alert_notice n
      where n.business_id = p_business and n.rule = p_rule and n.key = 'test' and n.state = 'WAITING'));
    update dockline.alert_rule set message_id = null, next_at = v_next
    where business_id = p_business and slug = p_rule and attempts = 0;
    if found then
      update dockline.alert_notice set message_id = null
      where business_id = p_business and rule = p_rule and state = 'WAITING' and message_id = p_message;
    end if;
  end if;
  return true;
end $$;

create function dockline.alert_test(p_business bigint, p_rule text, p_notice json, p_now timestamp with time zone) returns boolean
language plpgsql
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  update dockline.alert_rule set next_at = v_now, attempts = 0 where business_id = p_business and slug = p_rule;
  if not found then return false; end if;
  insert into dockline.alert_notice as n (business_id, rule, key, id, notice, due_at, added_at)
  values (p_business, p_rule, 'test', nextval('dockline.alert_notice_id'), p_notice, v_now, v_now)
  on conflict (business_id, rule, key) do update set id = excluded.id, notice = excluded.notice,
    due_at = v_now, added_at = v_now, message_id = null, state = 'WAITING', reason = '', ended_at = null
  where n.state <> 'WAITING';
  return true;
end $$;

create function dockline.alert_urls(p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('businessId', t.business_id::text, 'business', b.slug,
      'rule', t.slug, 'url', t.settings->>'url') order by t.business_id, t.slug collate "C"), '[]')
    from (select r.business_id, r.slug, r.settings from dockline.alert_rule r where r.settings->>'url' <> ''
      order by r.business_id, r.slug collate "C" limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

create function dockline.answers_keep(p_clients text[], p_keys text[], p_fingerprints text[], p_answers text[], p_here timestamp with time zone, p_now timestamp with time zone) returns void
language plpgsql
as $$
begin
  insert into dockline.idempotent_answer as kept (client_id, key, fingerprint, answer, kept_at)
  select given.client_id, given.key, given.fingerprint, given.answer, coalesce(p_now, clock_timestamp())
  from unnest(p_clients, p_keys, p_fingerprints, p_answers) as given(client_id, key, fingerprint, answer)
  on conflict (client_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
    kept_at = excluded.kept_at where dockline.key_is_free(kept.kept_at <= dockline.answers_since(p_here, p_now));
end $$;

create function dockline.answers_kept(p_clients text[], p_keys text[], p_here timestamp with time zone, p_now timestamp with time zone) returns TABLE(place integer, fingerprint text, answer text)
language plpgsql stable
as $$
begin
  return query select request.n::int, kept.fingerprint, kept.answer
  from unnest(p_clients, p_keys) with ordinality as request(client_id, key, n)
  join dockline.idempotent_answer kept on kept.client_id = request.client_id and kept.key = request.key
  where kept.kept_at > dockline.answers_since(p_here, p_now);
end $$;

create function dockline.answers_since(p_here timestamp with time zone, p_now timestamp with time zone) returns timestamp with time zone
language plpgsql stable
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_trusted timestamptz;
begin
  if p_now is null then
    select trusted_at into v_trusted from dockline.retention_clock where id = 1;
    if v_now > v_trusted + interval '1 day' then v_now := v_trusted; end if;
  end if;
  return least(p_here, v_now) - 86400000 * interval '1 millisecond';
end $$;

create function dockline.arrive_apply(p_business bigint, p_shipment bigint, p_client text, p_arrived_at timestamp with time zone, p_dock bigint, p_drafts json, p_now timestamp with time zone) returns void
language plpgsql
as $$
begin
  update dockline.shipment set status = 'ARRIVED', arrived_at = p_arrived_at, dock_id = p_dock,
    step_clients = step_clients || jsonb_build_object('ARRIVED', p_client), version = version + 1
  where business_id = p_business and id = p_shipment;
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

create function dockline.audit_page(p_scope text[], p_client text, p_subject text, p_from timestamp with time zone, p_at timestamp with time zone, p_id bigint, p_limit integer) returns SETOF dockline.audit_entry
language plpgsql stable
as $$
begin
  if p_scope is null then
    if p_subject is not null then
      return query select t.* from dockline.audit_entry t
      where (t.subject, t.at, t.id) < (p_subject, p_at, p_id)
        and (t.subject, t.at, t.id) >= (p_subject, p_from, 0) and (p_client is null or t.client_id = p_client)
      order by t.subject desc, t.at desc, t.id desc limit p_limit;
    elsif p_client is not null then
      return query select t.* from dockline.audit_entry t
      where (t.client_id, t.at, t.id) < (p_client, p_at, p_id)
        and (t.client_id, t.at, t.id) >= (p_client, p_from, 0)
      order by t.client_id desc, t.at desc, t.id desc limit p_limit;
    else
      return query select t.* from dockline.audit_entry t
      where (t.at, t.id) < (p_at, p_id)
        and (t.at, t.id) >= (p_from, 0)
      order by t.at desc, t.id desc limit p_limit;
    end if;
  elsif p_subject is not null then
    return query select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (
      select t.* from dockline.audit_entry t
      where t.business = k.business and (t.subject, t.at, t.id) < (p_subject, p_at, p_id)
        and (t.subject, t.at, t.id) >= (p_subject, p_from, 0) and (p_client is null or t.client_id = p_client)
      order by t.business desc, t.subject desc, t.at desc, t.id desc limit p_limit) as e
      order by e.at desc, e.id desc limit p_limit;
  elsif p_client is not null then
    return query select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (
      select t.* from dockline.audit_entry t
      where t.business = k.business and (t.client_id, t.at, t.id) < (p_client, p_at, p_id)
        and (t.client_id, t.at, t.id) >= (p_client, p_from, 0)
      order by t.business desc, t.client_id desc, t.at desc, t.id desc limit p_limit) as e
      order by e.at desc, e.id desc limit p_limit;
  else
    return query select e.* from (select distinct unnest(p_scope) as business) as k cross join lateral (
      select t.* from dockline.audit_entry t
      where (t.business, t.at, t.id) < (k.business, p_at, p_id)
        and (t.business, t.at, t.id) >= (k.business, p_from, 0)
      order by t.business desc, t.at desc, t.id desc limit p_limit) as e
      order by e.at desc, e.id desc limit p_limit;
  end if;
end $$;

create function dockline.board_shipments(p_business bigint, p_ids bigint[]) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('id', s.id, 'shipmentNumber', s.number, 'status', s.status,
      'direction', s.direction, 'dockSlug', coalesce((select d.slug from dockline.dock d where d.id = s.dock_id), ''),
      'carrier', s.carrier, 'trailerNumber', s.trailer_number,
      'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at),
      'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
      'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'passedPallets', p.passed,
      'lastPalletId', coalesce(p.newest[1][1], ''), 'lastPalletLpn', coalesce(p.newest[1][2], ''),
      'lastSeenAt', coalesce(p.newest[1][3], '')) order by named.nth), '[]')
    from unnest(p_ids) with ordinality as named(id, nth)
    cross join lateral (select * from dockline.shipment s where s.business_id = p_business
      and s.id = named.id offset 0) as s
    cross join lateral (
      select count(*) filter (where p.first_direction = p.last_direction and p.last_direction = case s.direction
          when 'INBOUND' then 'UNLOADING' when 'OUTBOUND' then 'LOADING' else p.last_direction end) as passed,
        (array_agg(array[p.id::text, p.lpn, dockline.rfc3339(p.last_seen_at)]
          order by p.last_seen_at desc, p.id desc))[1:1] as newest
      from dockline.pallet p where p.business_id = p_business and p.shipment_id = s.id) as p);
end $$;

create function dockline.cancel_apply(p_business bigint, p_shipment bigint, p_client text, p_cancelled_at timestamp with time zone, p_drafts json, p_now timestamp with time zone) returns void
language plpgsql
as $$
begin
  update dockline.shipment set status = 'CANCELLED', cancelled_at = p_cancelled_at, discrepant = false,
    step_clients = step_clients || jsonb_build_object('CANCELLED', p_client), version = version + 1
  where business_id = p_business and id = p_shipment;
  perform dockline.orders_end(p_business, p_shipment, 'CANCELLED');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

create function dockline.check_in_apply(p_business bigint, p_shipment bigint, p_client text, p_step text, p_check_in jsonb, p_dock bigint) returns void
language plpgsql
as $$
declare
  v_wrong int;
begin
  select count(*) into v_wrong from dockline.pallet p
  where p.business_id = p_business and p.shipment_id = p_shipment and p.last_dock_id <> p_dock;
  update dockline.shipment set check_in = p_check_in, dock_id = p_dock, wrong_dock_pallets = v_wrong,
    discrepant = missing_pallets + unexpected_pallets + v_wrong > 0,
    step_clients = step_clients || jsonb_build_object(p_step, p_client), version = version + 1
  where business_id = p_business and id = p_shipment;
end $$;

create function dockline.client_page(p_businesses text[], p_after text, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_ids text[];
begin
  if p_businesses is null then
    v_ids := array(select t.id from dockline.client t where t.id collate "C" > p_after order by t.id collate "C" limit p_limit);
  else
    with head as (
      select k.*, (select t.id collate "C" from dockline.client t
        where ((t.grants->0->>'business'), t.id collate "C") > (k.business, p_after)
          and (t.grants->0->>'business') <= k.business and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit 1) as first
      from (select distinct unnest(p_businesses) as business) as k order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then U&'\+10FFFF' else max(first) end as last from head
    )
    select array(
      select t.id from head k cross join lateral (
        select t.id from dockline.client t
        where ((t.grants->0->>'business'), t.id collate "C") >= (k.business, k.first)
          and ((t.grants->0->>'business'), t.id collate "C") <= (k.business, (select last from bound))
            and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit p_limit) as t
      where k.first is not null order by t.id collate "C" limit p_limit) into v_ids;
  end if;
  return (select coalesce(json_agg(json_build_array(c.id, (
      select 1 + coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
        then jsonb_array_length(granted->'facilities') else 1 end), 0)
      from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
    from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
      select t.id, t.grants from dockline.client t where t.id = named.id) as c);
end $$;

create function dockline.client_within(p_grants jsonb, p_businesses text[]) returns boolean
language sql immutable
RETURN ((jsonb_array_length(p_grants) > 0) AND (NOT (EXISTS (SELECT FROM jsonb_array_elements(client_within.p_grants) granted(value) WHERE ((granted.value ->> 'business'::text) <> ALL (client_within.p_businesses))))));

create function dockline.day_shipments(p_scopes json, p_from timestamp with time zone, p_to timestamp with time zone, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('id', s.id, 'shipmentNumber', s.number, 'status', s.status,
    'direction', s.direction,
      'expectedArrivalAt', dockline.rfc3339(s.expected_arrival_at), 'scheduledAt', dockline.rfc3339(s.scheduled_at),
      'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
      'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''), 'carrier', s.carrier,
      'dockSlug', coalesce((select d.slug from dockline.dock d where d.id = s.dock_id), ''),
      'suppliers', (select coalesce(json_agg(distinct o.supplier), '[]') from dockline.customer_order o
        where o.business_id = s.business_id and o.shipment_id = s.id and o.supplier <> ''),
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets,
      'palletsIn', p.unloaded, 'palletsOut', p.loaded)), '[]')
    from (
      select t.* from unnest(dockline.facilities_within(p_scopes)) as facility
      cross join (values ('SCHEDULED', false), ('SCHEDULED', true), ('ARRIVED', false), ('ARRIVED', true),
        ('DEPARTED', false), ('DEPARTED', true)) as k(status, discrepant)
      cross join lateral (
        select t.* from dockline.shipment t
        where t.status = k.status and t.discrepant = k.discrepant and t.facility_id = facility
          and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_from
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) < p_to
        order by t.status, t.discrepant, t.facility_id,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) limit p_limit) as t
      limit p_limit) as s
    cross join lateral (
      select count(*) filter (where p.last_direction = 'UNLOADING') as unloaded,
        count(*) filter (where p.last_direction = 'LOADING') as loaded
      from dockline.pallet p
      where p.business_id = s.business_id and p.shipment_id = s.id and p.first_direction = p.last_direction) as p);
end $$;

create function dockline.depart_apply(p_business bigint, p_shipment bigint, p_client text, p_departed_at timestamp with time zone, p_elsewhere json, p_drafts json, p_now timestamp with time zone) returns void
language plpgsql
as $$
begin
  update dockline.shipment set status = 'DEPARTED', departed_at = p_departed_at, elsewhere = p_elsewhere,
    step_clients = step_clients || jsonb_build_object('DEPARTED', p_client), version = version + 1
    where business_id = p_business and id = p_shipment;
  perform dockline.orders_end(p_business, p_shipment, 'COMPLETED');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

create function dockline.dock_board(p_business bigint, p_facility text, p_due timestamp with time zone, p_today timestamp with time zone, p_docked integer, p_counted integer, p_overdue integer, p_expected integer, p_departed integer) returns json
language plpgsql stable
as $$
declare
  v_facility bigint;
  v_docks json[];
  v_nowhere bigint[];
  v_left bigint;
  v_short bigint;
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  v_docks := array(
    select json_build_object('dockSlug', d.slug, 'shipments', dockline.board_shipments(p_business, t.ids[:p_docked]),
      'others', greatest(0, cardinality(t.ids) - p_docked))
    from dockline.dock d
    cross join lateral (select array(select t.id from dockline.shipment t
      where t.business_id = p_business and t.status = 'ARRIVED' and t.dock_id = d.id
      order by t.arrived_at desc, t.id desc limit p_docked + p_counted) as ids) as t
    where d.facility_id = v_facility order by d.slug collate "C");
  v_nowhere := array(select t.id from dockline.shipment t
    where t.business_id = p_business and t.status = 'ARRIVED' and t.facility_id = v_facility and t.dock_id is null
    order by t.arrived_at desc, t.id desc limit p_docked + p_counted);
  if v_nowhere <> '{}' then
    v_docks := v_docks || json_build_object('dockSlug', '',
      'shipments', dockline.board_shipments(p_business, v_nowhere[:p_docked]),
      'others', greatest(0, cardinality(v_nowhere) - p_docked));
  end if;
  select count(*), count(*) filter (where d.missing_pallets > 0) into v_left, v_short from (
    select t.missing_pallets from unnest(array[false, true]) as k(discrepant) cross join lateral (
      select t.missing_pallets, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at,
        t.id from dockline.shipment t
      where t.business_id = p_business and t.status = 'DEPARTED' and t.discrepant = k.discrepant
        and t.facility_id = v_facility
        and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_today
      order by t.status desc, t.discrepant desc, t.facility_id desc,
        coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc,
        t.id desc limit p_counted) as t
    order by t.at desc, t.id desc limit p_counted) as d;
  return json_build_object('docks', array_to_json(v_docks),
    'overdue', dockline.board_shipments(p_business, array(
      select s.id from (
        select t.at, t.id from unnest(array[false, true]) as k(discrepant) cross join lateral (
          select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
          where t.business_id = p_business and t.status = 'SCHEDULED' and t.discrepant = k.discrepant
            and t.facility_id = v_facility
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) < p_due
          order by t.status desc, t.discrepant desc, t.facility_id desc,
            coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc,
            t.id desc limit p_overdue) as t
        order by t.at desc, t.id desc limit p_overdue) as s
      order by s.at, s.id)),
    'expected', dockline.board_shipments(p_business, array(
      select s.id from (
        select t.at, t.id from unnest(array[false, true]) as k(discrepant) cross join lateral (
          select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
          where t.business_id = p_business and t.status = 'SCHEDULED' and t.discrepant = k.discrepant
            and t.facility_id = v_facility
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_due
          order by t.status, t.discrepant, t.facility_id, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at),
            t.id limit p_expected) as t
        order by t.at, t.id limit p_expected) as s
      order by s.at, s.id)),
    'departed', dockline.board_shipments(p_business, array(
      select s.id from (
        select t.at, t.id from unnest(array[false, true]) as k(discrepant) cross join lateral (
          select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
          where t.business_id = p_business and t.status = 'DEPARTED' and t.discrepant = k.discrepant
            and t.facility_id = v_facility
            and coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) >= p_today
          order by t.status desc, t.discrepant desc, t.facility_id desc,
            coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc,
            t.id desc limit p_departed) as t
        order by t.at desc, t.id desc limit p_departed) as s
      order by s.at desc, s.id desc)),
    'departedToday', v_left, 'shortToday', v_short);
end $$;

create function dockline.document_drop(p_cutoff timestamp with time zone, p_limit integer) returns integer
language plpgsql
as $$
declare
  v_last bigint;
  v_count int;
begin
  select max(old.id) into v_last from (
    select d.id, d.received_at from dockline.document_record d order by d.id limit p_limit) as old
  where old.received_at < p_cutoff;
  delete from dockline.document_order where document_id <= v_last;
  delete from dockline.document_removal where document_id <= v_last;
  delete from dockline.document_record where id <= v_last;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

create function dockline.document_oldest() returns timestamp with time zone
language plpgsql stable
as $$
begin
  return (select d.received_at from dockline.document_record d order by d.id limit 1);
end $$;

create function dockline.document_page(p_scopes json, p_number text, p_order text, p_correlation text, p_lpn text, p_outcomes text[], p_any boolean, p_after bigint, p_last bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_ids bigint[];
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  if p_number is not null then
    v_ids := array(
      select d.id from unnest(v_facilities) as k(facility) cross join lateral ((
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.id as id, r.place from dockline.document_record r
          where r.facility_id = k.facility and r.number_key = p_number and r.order_key is null
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
            and (p_order is null or r.order_key = p_order or r.order_key is null and r.number_key = p_order
              or (select true from dockline.document_order x
                where x.business_id = r.business_id and x.document_id = r.id and x.order_key = p_order))
            and (p_lpn is null or (select true from dockline.document_removal x
              where x.business_id = r.business_id and x.document_id = r.id and x.lpn_key = p_lpn))
            and (p_correlation is null or r.correlation_id = p_correlation)
          order by r.facility_id, r.number_key, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_record r
          where r.facility_id = k.facility and r.number_key >= p_number and r.number_key <= p_number
            and r.order_key is null
          order by r.facility_id, r.number_key limit 1)
      ) union all (
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.id as id, r.place from dockline.document_record r
          where r.facility_id = k.facility and r.number_key = p_number and r.order_key is not null
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
            and (p_order is null or r.order_key = p_order or r.order_key is null and r.number_key = p_order
              or (select true from dockline.document_order x
                where x.business_id = r.business_id and x.document_id = r.id and x.order_key = p_order))
            and (p_lpn is null or (select true from dockline.document_removal x
              where x.business_id = r.business_id and x.document_id = r.id and x.lpn_key = p_lpn))
            and (p_correlation is null or r.correlation_id = p_correlation)
          order by r.facility_id, r.number_key, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_record r
          where r.facility_id = k.facility and r.number_key >= p_number and r.number_key <= p_number
            and r.order_key is not null
          order by r.facility_id, r.number_key limit 1)
      )) as d
      order by d.place limit p_limit);
  elsif p_correlation is not null then
    v_ids := array(
      select d.id from unnest(v_facilities) as k(facility) cross join lateral ((
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.id as id, r.place from dockline.document_record r
          where r.facility_id = k.facility and r.correlation_id = p_correlation
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
            and (p_order is null or r.order_key = p_order or r.order_key is null and r.number_key = p_order
              or (select true from dockline.document_order x
                where x.business_id = r.business_id and x.document_id = r.id and x.order_key = p_order))
            and (p_lpn is null or (select true from dockline.document_removal x
              where x.business_id = r.business_id and x.document_id = r.id and x.lpn_key = p_lpn))
          order by r.facility_id, r.correlation_id, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_record r
          where r.facility_id = k.facility and r.correlation_id >= p_correlation and r.correlation_id <= p_correlation
          order by r.facility_id, r.correlation_id limit 1)
      )) as d
      order by d.place limit p_limit);
  elsif p_lpn is not null then
    v_ids := array(
      select d.id from unnest(v_facilities) as k(facility) cross join lateral ((
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.document_id as id, r.place from dockline.document_removal r
          where r.facility_id = k.facility and r.lpn_key = p_lpn
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
          order by r.facility_id, r.lpn_key, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_removal r
          where r.facility_id = k.facility and r.lpn_key >= p_lpn and r.lpn_key <= p_lpn
          order by r.facility_id, r.lpn_key limit 1)
      )) as d
      order by d.place limit p_limit);
  elsif p_order is not null then
    v_ids := array(
      select d.id from unnest(v_facilities) as k(facility) cross join lateral ((
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.id as id, r.place from dockline.document_record r
          where r.facility_id = k.facility and r.number_key = p_order and r.order_key is null
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
          order by r.facility_id, r.number_key, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_record r
          where r.facility_id = k.facility and r.number_key >= p_order and r.number_key <= p_order and r.order_key is null
          order by r.facility_id, r.number_key limit 1)
      ) union all (
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.id as id, r.place from dockline.document_record r
          where r.facility_id = k.facility and r.order_key = p_order and r.order_key is not null
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
          order by r.facility_id, r.order_key, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_record r
          where r.facility_id = k.facility and r.order_key >= p_order and r.order_key <= p_order
            and r.order_key is not null
          order by r.facility_id, r.order_key limit 1)
      ) union all (
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.document_id as id, r.place from dockline.document_order r
          where r.facility_id = k.facility and r.order_key = p_order
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
          order by r.facility_id, r.order_key, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_order r
          where r.facility_id = k.facility and r.order_key >= p_order and r.order_key <= p_order
          order by r.facility_id, r.order_key limit 1)
      )) as d
      order by d.place limit p_limit);
  elsif p_scopes is null and p_any then
    v_ids := array(select r.id from dockline.document_record r where r.place > p_after and r.place <= p_last
      order by r.place limit p_limit);
  else
    v_ids := array(
      select d.id from unnest(v_facilities) as k(facility) cross join lateral ((
        select t.id, t.place from unnest(p_outcomes) as o(outcome) cross join lateral (
          select r.id as id, r.place from dockline.document_record r
          where r.business_id = (select f.business_id from dockline.facility f where f.id = k.facility)
            and r.facility_id = k.facility
            and (r.outcome, r.place) > (o.outcome, p_after) and (r.outcome, r.place) <= (o.outcome, p_last)
          order by r.business_id, r.facility_id, r.outcome, r.place limit p_limit) as t
        where (select true from dockline.document_record r
          where r.business_id = (select f.business_id from dockline.facility f where f.id = k.facility)
            and r.facility_id >= k.facility and r.facility_id <= k.facility
          order by r.business_id, r.facility_id limit 1)
      )) as d
      order by d.place limit p_limit);
  end if;
  foreach v_id in array v_ids loop
    select r.row_count, r.text_size, (select b.body from dockline.document_body b where b.id = v_id)
    into v_rows, v_text, v_body from dockline.document_record r where r.id = v_id;
    v_page := v_page || json_build_array(v_rows, v_text, v_body);
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.document_shown(p_id bigint) returns json
language plpgsql stable
as $$
begin
  return (select b.body from dockline.document_body b where b.id = p_id);
end $$;

create function dockline.edi_begin(p_business bigint, p_steps json) returns json
language plpgsql
as $$
begin
  perform dockline.edi_lock(p_business);
  return json_build_object(
    'now', dockline.rfc3339(clock_timestamp()),
    'partners', (select coalesce(json_agg(json_build_object(
        'partner', (select b.body from dockline.edi_partner_body b where b.business_id = p_business and b.slug = p.slug),
        'location', json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = p.facility_id)))), '[]')
      from (select distinct (step->>'key')::bigint as epoch from json_array_elements(p_steps) as step) as named
      cross join lateral (select t.slug, t.facility_id from dockline.edi_partner t
        where t.business_id = p_business and t.epoch = named.epoch) as p),
    'states', (select json_agg(json_build_object(
        'isKnown', (select e.id from dockline.edi_file e where e.business_id = p_business and e.epoch = p.epoch
          and e.usage = p.usage
          and e.control = s.control and e.direction = 'IN') is not null,
        'isReserved', (select a.id from dockline.edi_arrival a where a.business_id = p_business
          and a.id = s.reservation) is not null,
        -- A join would read every order of the business.
        'ownIds', case when s.shipments = '{}' then '[]' else (select coalesce(json_agg(given),
          '[]') from unnest(s.shipments) as given
          where (select o.id from dockline.customer_order o where o.business_id = p_business and o.shipment_id = given
            and o.owner = p.epoch::text limit 1) is not null) end
      ) order by s.n)
      from rows from (json_to_recordset(p_steps) as (key bigint, control text, reservation bigint, shipments bigint[]))
        with ordinality as s(key, control, reservation, shipments, n)
      left join lateral (select t.epoch, t.usage from dockline.edi_partner t
        where t.business_id = p_business and t.epoch = s.key) as p on true));
end $$;

create function dockline.edi_behind(p_after bigint, p_key bigint, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'partner', p.slug, 'key', p.epoch::text,
    'facility', f.slug,
      'cursorId', p.cursor_id, 'due', p.due, 'businessId', p.business_id::text) order by p.business_id, p.epoch), '[]')
    from (select t.* from dockline.edi_partner t left join dockline.message_log l on l.business_id = t.business_id
      where (t.business_id, t.epoch) > (p_after, p_key) and t.tells <> '{}'
        and (t.due <> '{}' or l.last_id > t.cursor_id
          and ((select m.id from dockline.message m where m.facility_id = t.facility_id
          and m.type = 'SHIPMENT_COMPLETE' and m.id > t.cursor_id
          order by m.facility_id, m.type, m.id limit 1) is not null
        or (select m.id from dockline.message m where m.facility_id = t.facility_id
          and m.type = 'SHIPMENT_DISCREPANCIES' and m.id > t.cursor_id
          order by m.facility_id, m.type, m.id limit 1) is not null))
      order by t.business_id, t.epoch limit p_limit) as p
    join dockline.business b on b.id = p.business_id join dockline.facility f on f.id = p.facility_id);
end $$;

create function dockline.edi_between(p_businesses text[], p_sender_qualifier text, p_sender text, p_receiver_qualifier text, p_receiver text, p_control text, p_limit integer) returns json
language plpgsql stable
as $$
begin
  if p_businesses is null then
    return (select coalesce(json_agg(json_build_object(
        'partner', (select b.body from dockline.edi_partner_body b where b.business_id = found.business_id
          and b.slug = found.slug),
        'timeZone', (select f.time_zone from dockline.facility f where f.id = found.facility_id),
        'isKnown', (select e.id from dockline.edi_file e where e.business_id = found.business_id and e.epoch = found.epoch
          and e.usage = found.usage and e.control = p_control and e.direction = 'IN') is not null)), '[]')
    from (select p.business_id, p.slug, p.facility_id, p.epoch, p.usage from dockline.edi_partner p
      where p.their_id = p_sender and p.our_id = p_receiver
        and p.their_qualifier = p_sender_qualifier and p.our_qualifier = p_receiver_qualifier limit p_limit) as found);
  end if;
  return (select coalesce(json_agg(json_build_object(
        'partner', (select b.body from dockline.edi_partner_body b where b.business_id = found.business_id
          and b.slug = found.slug),
        'timeZone', (select f.time_zone from dockline.facility f where f.id = found.facility_id),
        'isKnown', (select e.id from dockline.edi_file e where e.business_id = found.business_id and e.epoch = found.epoch
          and e.usage = found.usage and e.control = p_control and e.direction = 'IN') is not null)), '[]')
    from (
    select p.* from (select distinct unnest(p_businesses) as slug) as named
    join dockline.business b on b.slug = named.slug
    cross join lateral (select p.business_id, p.slug, p.facility_id, p.epoch, p.usage from dockline.edi_partner p
      where p.business_id = b.id and p.their_id = p_sender and p.our_id = p_receiver
        and p.their_qualifier = p_sender_qualifier and p.our_qualifier = p_receiver_qualifier) as p
    where dockline.is_here(b.id) limit p_limit) as found);
end $$;

create function dockline.edi_drop(p_business bigint, p_cutoff timestamp with time zone, p_limit integer) returns integer
language plpgsql
as $$
declare
  v_last bigint;
  v_count int;
begin
  perform dockline.edi_lock(p_business);
  select max(old.id) into v_last from (select e.id, e.at from dockline.edi_file e where e.business_id = p_business
    order by e.business_id, e.id limit p_limit) as old where old.at < p_cutoff;
  insert into dockline.edi_dropped (business_id, epoch, facility_id, dropped_id)
  select p_business, t.epoch, t.facility_id, max(t.id) from dockline.edi_file t
  where t.business_id = p_business and t.id <= v_last and t.direction = 'OUT' and t.text_size > 0 group by t.epoch,
    t.facility_id
  on conflict (business_id, epoch) do update set dropped_id = excluded.dropped_id;
  delete from dockline.edi_set where business_id = p_business and file_id <= v_last;
  delete from dockline.edi_file_shipment where business_id = p_business and file_id <= v_last;
  delete from dockline.edi_file where business_id = p_business and id <= v_last;
  get diagnostics v_count = row_count;
  delete from dockline.edi_arrival where business_id = p_business and until < p_cutoff;
  delete from dockline.edi_word where business_id = p_business and kept_at < p_cutoff;
  return v_count;
end $$;

create function dockline.edi_expired(p_cutoff timestamp with time zone) returns SETOF bigint
language plpgsql stable
as $$
begin
  return query select l.business_id from dockline.edi_log l where (select e.at from dockline.edi_file e
    where e.business_id = l.business_id order by e.business_id, e.id limit 1) < p_cutoff
    or (select min(a.until) from dockline.edi_arrival a where a.business_id = l.business_id) < p_cutoff;
end $$;

create function dockline.edi_file_business(p_id bigint) returns bigint
language plpgsql stable
as $$
begin
  return (select t.business_id from dockline.edi_file t where t.id = p_id);
end $$;

create function dockline.edi_file_bytes(p_business bigint, p_id bigint) returns bigint
language plpgsql stable
as $$
begin
  return (select octet_length(e.text)::bigint + octet_length(e.answer) + octet_length(e.faults::text)
      + coalesce((select sum(octet_length(s.sets::text)) from dockline.edi_set s
        where s.business_id = p_business and s.file_id = p_id), 0)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$;

create function dockline.edi_file_page(p_scopes json, p_partner text, p_direction text, p_outcome text, p_shipment bigint, p_after bigint, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_directions text[] := case when p_direction is null then array['IN', 'OUT'] else array[p_direction] end;
  v_outcomes text[] := case when p_outcome is null then array['ACCEPTED', 'NOTED', 'PARTIAL', 'REJECTED', 'WAITING',
    'UNWRITTEN'] else array[p_outcome] end;
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  if p_shipment is not null then
    v_ids := array(select json_build_array(t.business_id, t.file_id) from unnest(v_facilities) as f cross join lateral (
        select l.* from dockline.edi_file_shipment l
        where l.shipment_id = p_shipment and l.facility_id = f and l.place > p_after
        order by l.shipment_id, l.facility_id, l.place limit p_limit) as t
      order by t.place limit p_limit);
  elsif p_partner is null then
    with head as (
      select k.*, (select t.place from dockline.edi_file t
        where t.facility_id = k.facility and t.direction = k.direction
          and (t.outcome, t.place) > (k.outcome, p_after) and t.outcome <= k.outcome
        order by t.facility_id, t.direction, t.outcome, t.place limit 1) as first
      from (select f, null::bigint, d, o from unnest(v_facilities) as f, unnest(v_directions) as d,
        unnest(v_outcomes) as o)
        as k(facility, epoch, direction, outcome) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select json_build_array(t.business_id, t.id) from head k cross join lateral (
        select t.* from dockline.edi_file t
        where t.facility_id = k.facility and t.direction = k.direction and (t.outcome, t.place) >= (k.outcome, k.first)
          and (t.outcome, t.place) <= (k.outcome, (select last from bound))
        order by t.facility_id, t.direction, t.outcome, t.place limit p_limit) as t
      where k.first is not null order by t.place limit p_limit) into v_ids;
  else
    with head as (
      select k.*, (select t.place from dockline.edi_file t
        where t.facility_id = k.facility and t.epoch = k.epoch and t.direction = k.direction
          and (t.outcome, t.place) > (k.outcome, p_after) and t.outcome <= k.outcome
        order by t.facility_id, t.epoch, t.direction, t.outcome, t.place limit 1) as first
      from (select p.facility_id, p.epoch, d, o from unnest(v_facilities) as f join dockline.facility g on g.id = f
          join dockline.edi_partner p on p.business_id = g.business_id and p.slug = p_partner
            and p.slug collate "C" = p_partner and p.facility_id = g.id, unnest(v_directions) as d,
              unnest(v_outcomes) as o)
        as k(facility, epoch, direction, outcome) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select json_build_array(t.business_id, t.id) from head k cross join lateral (
        select t.* from dockline.edi_file t
        where t.facility_id = k.facility and t.epoch = k.epoch and t.direction = k.direction
          and (t.outcome, t.place) >= (k.outcome, k.first)
          and (t.outcome, t.place) <= (k.outcome, (select last from bound))
        order by t.facility_id, t.epoch, t.direction, t.outcome, t.place limit p_limit) as t
      where k.first is not null order by t.place limit p_limit) into v_ids;
  end if;
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.edi_file_entry b
      where b.business_id = (v_id->>0)::bigint and b.id = (v_id->>1)::bigint);
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.edi_file_part(p_business bigint, p_id bigint, p_is_answer boolean, p_part integer) returns text
language plpgsql stable
as $$
begin
  return (select substr(case when p_is_answer then e.answer else e.text end, 1 + p_part * 2000000, 2000000)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$;

create function dockline.edi_file_shown(p_business bigint, p_id bigint) returns json
language plpgsql stable
as $$
begin
  return (select json_build_array(
      (select b.body from dockline.edi_file_entry b where b.business_id = p_business and b.id = p_id),
      coalesce((select s.sets from dockline.edi_set s where s.business_id = p_business and s.file_id = p_id
        and s.part = 0), '[]'),
      e.faults, case when e.text_size <= 2000000 then e.text end,
      case when length(e.answer) <= 2000000 then e.answer end)
    from dockline.edi_file e where e.business_id = p_business and e.id = p_id);
end $$;

create function dockline.edi_file_texts(p_business bigint, p_ids bigint[]) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_array(s.id, (select e.text from dockline.edi_file e
      where e.business_id = p_business and e.id = s.id)) order by s.id), '[]') from unnest(p_ids) as s(id));
end $$;

create function dockline.edi_known(p_business bigint, p_epoch bigint, p_control text, p_fingerprint text) returns bigint
language plpgsql stable
as $$
begin
  return (select e.id from dockline.edi_partner p join dockline.edi_file e
    on e.business_id = p_business and e.epoch = p.epoch and e.usage = p.usage and e.control = p_control
      and e.direction = 'IN'
    where p.business_id = p_business and p.epoch = p_epoch and (p_fingerprint is null or e.fingerprint = p_fingerprint));
end $$;

create function dockline.edi_lock(p_business bigint) returns void
language plpgsql
as $$
begin
  perform from dockline.edi_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.edi_log (business_id) values (p_business) on conflict do nothing;
    perform from dockline.edi_log where business_id = p_business for no key update;
  end if;
end $$;

create function dockline.edi_mark(p_business bigint, p_sets json, p_files json) returns void
language plpgsql
as $$
declare
  v_each record;
begin
  for v_each in select * from json_to_recordset(p_sets) as m(id bigint, part int, sets json) loop
    update dockline.edi_set set sets = v_each.sets
    where business_id = p_business and file_id = v_each.id and part = v_each.part;
  end loop;
  for v_each in select * from json_to_recordset(p_files) as m(id bigint, outcome text, "rejectedCount" int) loop
    update dockline.edi_file set outcome = v_each.outcome, rejected_count = v_each."rejectedCount",
      rejected_at = case when v_each.outcome in ('REJECTED', 'PARTIAL', 'UNWRITTEN')
        then coalesce(rejected_at, clock_timestamp()) end
    where business_id = p_business and id = v_each.id;
  end loop;
end $$;

create function dockline.edi_outbox(p_business bigint, p_facility text, p_partner text, p_after bigint, p_limit integer, p_text bigint) returns json
language plpgsql stable
as $$
declare
  v_dropped bigint;
  v_newest bigint;
  v_facility bigint;
  v_epoch bigint;
  v_ids bigint[];
  v_id bigint;
  v_held bigint := 0;
  v_size bigint;
  v_files json[] := '{}';
begin
  if p_facility is not null then
    select coalesce(max(f.id), 0) into v_facility from dockline.facility f
    where f.business_id = p_business and f.slug = p_facility;
  end if;
  if p_partner is not null then
    -- The partner that has the slug now; earlier partners may have had it.
    v_epoch := coalesce((select p.epoch from dockline.edi_partner p where p.business_id = p_business
      and p.slug = p_partner
      and p.slug collate "C" = p_partner and (v_facility is null or p.facility_id = v_facility)
      order by p.business_id, p.slug collate "C" limit 1), 0);
  end if;
  v_dropped := case
    when v_epoch is not null then (select d.dropped_id from dockline.edi_dropped d where d.business_id = p_business
      and d.epoch = v_epoch)
    when v_facility is not null then (select d.dropped_id from dockline.edi_dropped d where d.facility_id = v_facility
      order by d.facility_id desc, d.dropped_id desc limit 1)
    else (select d.dropped_id from dockline.edi_dropped d where d.business_id = p_business
      order by d.business_id desc, d.dropped_id desc limit 1) end;
  if p_after > 0 and p_after < v_dropped then return json_build_object('expired', v_dropped); end if;
  if p_after > 0 then
    v_newest := greatest(0, (select d.dropped_id from dockline.edi_dropped d where d.business_id = p_business
      order by d.business_id desc, d.dropped_id desc limit 1),
      (select t.id from dockline.edi_file t where t.business_id = p_business order by t.business_id desc,
        t.id desc limit 1));
    if p_after > v_newest then return json_build_object('ahead', v_newest); end if;
  end if;
  if v_epoch is not null then
    v_ids := array(select t.id from dockline.edi_file t where t.business_id = p_business and t.epoch = v_epoch
      and t.id > p_after
      and t.direction = 'OUT' and t.text_size > 0 order by t.business_id, t.epoch, t.id limit p_limit);
  elsif v_facility is not null then
    v_ids := array(select t.id from dockline.edi_file t where t.facility_id = v_facility and t.id > p_after
      and t.direction = 'OUT' and t.text_size > 0
      order by t.facility_id, t.id limit p_limit);
  else
    v_ids := array(select t.id from dockline.edi_file t where t.business_id = p_business and t.id > p_after
      and t.direction = 'OUT' and t.text_size > 0
      order by t.business_id, t.id limit p_limit);
  end if;
  foreach v_id in array v_ids loop
    v_size := (select t.text_size from dockline.edi_file t where t.business_id = p_business and t.id = v_id);
    v_held := v_held + v_size;
    v_files := v_files || (select json_build_array(b.body, v_size) from dockline.edi_file_entry b
      where b.business_id = p_business and b.id = v_id);
    -- The last entry is not on the page; it shows that more entries follow.
    exit when v_held > p_text and cardinality(v_files) > 1;
  end loop;
  return json_build_object('files', array_to_json(v_files));
end $$;

create function dockline.edi_partner_create(p_business bigint, p_draft json, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_slug text := p_draft->>'slug';
  v_facility bigint;
begin
  perform from dockline.business where id = p_business;
  if not found then return json_build_object('unknown', 'business'); end if;
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_draft->>'facility';
  if not found then return json_build_object('unknown', 'facility'); end if;
  perform dockline.edi_lock(p_business);
  perform from dockline.edi_partner where business_id = p_business and slug = v_slug;
  if found then return json_build_object('taken', true); end if;
  perform from dockline.edi_partner p where p.business_id = p_business
    and p.their_id = p_draft->'theirs'->>'id' and p.our_id = p_draft->'ours'->>'id'
    and p.their_qualifier = p_draft->'theirs'->>'qualifier' and p.our_qualifier = p_draft->'ours'->>'qualifier';
  if found then return json_build_object('taken', true); end if;
  if (select count(*) from dockline.edi_partner where business_id = p_business) >= p_limit then
    return json_build_object('full', true);
  end if;
  insert into dockline.edi_partner (business_id, slug, facility_id, name, their_qualifier, their_id, their_group,
    our_qualifier,
    our_id, our_group, release, usage, takes, tells, tells_of, units, new_purposes, next_interchange, next_group,
      cursor_id, created_at, epoch)
  values (p_business, v_slug, v_facility, p_draft->>'name', p_draft->'theirs'->>'qualifier', p_draft->'theirs'->>'id',
    p_draft->'theirs'->>'group', p_draft->'ours'->>'qualifier', p_draft->'ours'->>'id', p_draft->'ours'->>'group',
    p_draft->>'release', p_draft->>'usage', array(select json_array_elements_text(p_draft->'takes')),
    array(select json_array_elements_text(p_draft->'tells')), p_draft->>'tellsOf', coalesce(p_draft->'units', '[]'),
    array(select json_array_elements_text(p_draft->'newPurposes')), (p_draft->>'nextInterchange')::int,
    (p_draft->>'nextGroup')::int,
    coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0), p_now,
    nextval('dockline.edi_key'));
  return json_build_object('partner', dockline.edi_partner_shown(p_business, v_slug));
end $$;

create function dockline.edi_partner_page(p_business bigint, p_after text, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(dockline.edi_partner_shown(p_business, named.slug)), '[]') from (
    select p.slug from dockline.edi_partner p where p.business_id = p_business and p.slug collate "C" > p_after
    order by p.slug collate "C" limit p_limit) as named);
end $$;

create function dockline.edi_partner_remove(p_business bigint, p_slug text) returns boolean
language plpgsql
as $$
declare
  v_epoch bigint;
begin
  perform dockline.edi_lock(p_business);
  delete from dockline.edi_partner where business_id = p_business and slug = p_slug returning epoch into v_epoch;
  if not found then return false; end if;
  delete from dockline.edi_arrival where business_id = p_business and epoch = v_epoch;
  delete from dockline.edi_word where business_id = p_business and epoch = v_epoch;
  return true;
end $$;

create function dockline.edi_partner_shown(p_business bigint, p_slug text) returns json
language plpgsql stable
as $$
begin
  -- Compares with both collations, so that either index of the business finds the row at once.
  return (select b.body from dockline.edi_partner_body b where b.business_id = p_business and b.slug = p_slug
    and b.slug collate "C" = p_slug);
end $$;

create function dockline.edi_partner_update(p_business bigint, p_slug text, p_before json, p_change json) returns json
language plpgsql
as $$
declare
  v_present json;
  v_last bigint := coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0);
begin
  perform dockline.edi_lock(p_business);
  v_present := dockline.edi_partner_shown(p_business, p_slug);
  if exists (select from json_each(p_change) as c
    where (p_before->c.key)::jsonb is distinct from (v_present->c.key)::jsonb)
    then return json_build_object('other', true); end if;
  perform from dockline.edi_partner p where p.business_id = p_business and p.slug <> p_slug
    and p.their_id = p_change->'theirs'->>'id' and p.our_id = p_change->'ours'->>'id'
    and p.their_qualifier = p_change->'theirs'->>'qualifier' and p.our_qualifier = p_change->'ours'->>'qualifier';
  if found then return json_build_object('taken', true); end if;
  update dockline.edi_partner set cursor_id = case when tells = '{}'
    and json_array_length(p_change->'tells') > 0 then v_last
      else cursor_id end,
    name = p_change->>'name', their_qualifier = p_change->'theirs'->>'qualifier',
    their_id = p_change->'theirs'->>'id', their_group = p_change->'theirs'->>'group',
    our_qualifier = p_change->'ours'->>'qualifier', our_id = p_change->'ours'->>'id',
      our_group = p_change->'ours'->>'group',
    release = p_change->>'release', usage = p_change->>'usage',
    takes = array(select json_array_elements_text(p_change->'takes')),
    tells = array(select json_array_elements_text(p_change->'tells')), tells_of = p_change->>'tellsOf',
    units = p_change->'units', new_purposes = array(select json_array_elements_text(p_change->'newPurposes'))
  where business_id = p_business and slug = p_slug;
  if not found then return json_build_object('missing', true); end if;
  return json_build_object('partner', dockline.edi_partner_shown(p_business, p_slug));
end $$;

create function dockline.edi_post(p_business bigint, p_files bigint[]) returns void
language plpgsql
as $$
declare
  v_id bigint;
begin
  foreach v_id in array p_files loop
    perform dockline.outbox_append(p_business, e.facility_id, 'EDI_INTERCHANGE', coalesce(e.shipment_id, 0), '/api/edi',
      'application/edi-x12',
      e.text, null, e.at)
    from dockline.edi_file e where e.business_id = p_business and e.id = v_id;
  end loop;
end $$;

create function dockline.edi_refuse(p_business bigint, p_epoch bigint, p_control text, p_fingerprint text, p_fault text, p_text text, p_now timestamp with time zone) returns boolean
language plpgsql
as $$
declare
  v_partner record;
  v_id bigint;
  v_at timestamptz;
begin
  perform from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch and e.usage = p_fingerprint
    and e.control = p_control and e.direction = 'IN';
  if found then return false; end if;
  perform dockline.edi_lock(p_business);
  select p.facility_id, p.slug into v_partner from dockline.edi_partner p where p.business_id = p_business
    and p.epoch = p_epoch;
  if not found then return false; end if;
  v_id := nextval('dockline.edi_file_id');
  v_at := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
  insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at,
    kinds, set_count,
    rejected_count, groups, faults, text_size, text, answer, place, rejected_at)
  values (p_business, v_id, v_partner.facility_id, v_partner.slug, p_epoch, p_fingerprint, 'IN', p_control, 'REJECTED',
    v_at, '{}', 0,
    0, '[]', json_build_array(p_fault), length(p_text), p_text, '', dockline.list_place(v_at, v_id), v_at)
  on conflict do nothing;
  return found;
end $$;

create function dockline.edi_rejections(p_business bigint, p_since timestamp with time zone, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('at', dockline.rfc3339(t.rejected_at), 'file',
      (select b.body from dockline.edi_file_entry b where b.business_id = p_business and b.id = t.id))
      order by t.rejected_at, t.id), '[]')
    from (select e.id, e.rejected_at from dockline.edi_file e where e.business_id = p_business
        and e.rejected_at >= p_since and e.rejected_at is not null
      order by e.business_id desc, e.rejected_at desc limit p_limit) as t);
end $$;

create function dockline.edi_release(p_business bigint, p_id bigint) returns void
language plpgsql
as $$
begin
  delete from dockline.edi_arrival where business_id = p_business and id = p_id;
end $$;

create function dockline.edi_renew(p_business bigint, p_id bigint, p_now timestamp with time zone, p_lease integer) returns boolean
language plpgsql
as $$
begin
  update dockline.edi_arrival set until = coalesce(p_now,
    clock_timestamp()) + p_lease * interval '1 millisecond' where business_id = p_business and id = p_id;
  return found;
end $$;

create function dockline.edi_reserve(p_business bigint, p_arrivals json, p_lease integer) returns json
language plpgsql
as $$
declare
  v_found json[] := array_fill(null::json, array[json_array_length(p_arrivals)]);
  v_each record;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- In a fixed order, so that two transactions that reserve the same numbers cannot deadlock.
  for v_each in select * from rows from (json_to_recordset(p_arrivals) as (key bigint, control text, fingerprint text,
      now timestamptz)) with ordinality as a(key, control, fingerprint, now, n)
    order by a.key, a.control, a.n loop
    v_found[v_each.n] := dockline.edi_reserve_one(p_business, v_each.key, v_each.control, v_each.fingerprint, v_each.now,
      p_lease);
  end loop;
  return array_to_json(v_found);
end $$;

create function dockline.edi_reserve_one(p_business bigint, p_epoch bigint, p_control text, p_fingerprint text, p_now timestamp with time zone, p_lease integer) returns json
language plpgsql
as $$
declare
  v_usage text;
  v_id bigint := nextval('dockline.edi_key');
  v_held bigint;
  v_fingerprint text;
  v_until timestamptz;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  select p.usage into v_usage from dockline.edi_partner p where p.business_id = p_business and p.epoch = p_epoch;
  if not found then return null; end if;
  loop
    insert into dockline.edi_arrival (business_id, id, epoch, usage, control, fingerprint, until)
    values (p_business, v_id, p_epoch, v_usage, p_control, p_fingerprint, v_now + p_lease * interval '1 millisecond')
    on conflict (business_id, epoch, usage, control) do nothing;
    exit when found;
    select a.id, a.fingerprint, a.until into v_held, v_fingerprint, v_until
    from dockline.edi_arrival a where a.business_id = p_business and a.epoch = p_epoch and a.usage = v_usage
      and a.control = p_control;
    -- The other reservation may have ended meanwhile.
    continue when not found;
    if v_until > v_now then
      return json_build_array(case when v_fingerprint = p_fingerprint then 'Running' else 'Reused' end);
    end if;
    delete from dockline.edi_arrival where business_id = p_business and id = v_held and until <= v_now;
  end loop;
  -- Only a new statement sees a file that was stored while this one waited for the reservation.
  perform from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch and e.usage = v_usage
    and e.control = p_control and e.direction = 'IN';
  if not found then return json_build_array('Reserved', v_id); end if;
  delete from dockline.edi_arrival where business_id = p_business and id = v_id;
  return json_build_array('Known');
end $$;

create function dockline.edi_sent(p_business bigint, p_epoch bigint, p_usage text, p_groups integer[], p_controls text[]) returns json
language plpgsql stable
as $$
declare
  v_sent bigint[] := array(select distinct found.id from unnest(p_groups) as given cross join lateral (
    select e.id, e.first_group from dockline.edi_file e where e.business_id = p_business
      and e.epoch = p_epoch and e.usage = p_usage and e.last_group >= given and e.last_group is not null
    order by e.business_id, e.epoch, e.usage, e.last_group, e.id desc limit 1) as found where found.first_group <= given);
  v_named bigint[] := array(select distinct found.id from unnest(p_controls) as given cross join lateral (
    select e.id from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch and e.usage = p_usage
      and e.control = given and e.direction = 'OUT' and e.text_size > 0
    order by e.business_id, e.epoch, e.usage, e.control, e.id desc limit 1) as found where found.id <> all (v_sent));
begin
  return (select coalesce(json_agg(json_build_object('id', e.id, 'control', e.control, 'groups', e.groups, 'setCount',
    e.set_count)), '[]')
    from unnest(v_sent || v_named) as s(id) cross join lateral (select e.* from dockline.edi_file e
      where e.business_id = p_business and e.id = s.id offset 0) as e);
end $$;

create function dockline.edi_sets(p_business bigint, p_files bigint[], p_parts integer[]) returns json
language plpgsql stable
as $$
begin
  return (select json_agg((select s.sets from dockline.edi_set s
      where s.business_id = p_business and s.file_id = g.file and s.part = g.part) order by g.n)
    from unnest(p_files, p_parts) with ordinality as g(file, part, n));
end $$;

create function dockline.edi_sets_add(p_business bigint, p_sets json) returns void
language plpgsql
as $$
begin
  insert into dockline.edi_set (business_id, file_id, part, sets)
  select p_business, s.id, s.part, s.sets from json_to_recordset(p_sets) as s(id bigint, part int, sets json);
  perform dockline.edi_shipments_add(p_business, s.id, s.sets)
  from json_to_recordset(p_sets) as s(id bigint, sets json);
end $$;

create function dockline.edi_shipments_add(p_business bigint, p_file bigint, p_sets json) returns void
language plpgsql
as $$
begin
  insert into dockline.edi_file_shipment (business_id, file_id, shipment_id, facility_id, place)
  select p_business, p_file, s.shipment, e.facility_id, e.place
  from (select distinct (each->>'shipmentId')::bigint as shipment from json_array_elements(p_sets) as each
    where each->>'shipmentId' <> '') as s
  join dockline.edi_file e on e.business_id = p_business and e.id = p_file
  on conflict do nothing;
end $$;

create function dockline.edi_told(p_business bigint, p_epoch bigint, p_usage text, p_shipment bigint, p_text bigint) returns json
language plpgsql stable
as $$
declare
  v_each record;
  v_held bigint := 0;
  v_ids bigint[] := '{}';
begin
  for v_each in select e.id, e.text_size from dockline.edi_file e where e.business_id = p_business and e.epoch = p_epoch
      and e.shipment_id = p_shipment and e.usage = p_usage order by e.business_id, e.epoch, e.shipment_id, e.id desc loop
    v_held := v_held + v_each.text_size;
    if v_held > p_text and cardinality(v_ids) > 0 then
      return json_build_object('ids', array_to_json(v_ids), 'isWhole', false);
    end if;
    v_ids := v_ids || v_each.id;
  end loop;
  return json_build_object('ids', array_to_json(v_ids), 'isWhole', true);
end $$;

create function dockline.edi_words(p_business bigint, p_epoch bigint, p_keys text[]) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('key', w.order_key, 'words', w.words)),
    '[]') from dockline.edi_word w
    where w.business_id = p_business and w.epoch = p_epoch and w.order_key = any (p_keys));
end $$;

create function dockline.edi_write(p_business bigint, p_plan json, p_texts text[], p_answers text[]) returns json
language plpgsql
as $$
declare
  v_each record;
  v_ids bigint[] := array(select nextval('dockline.edi_file_id') from generate_series(1, cardinality(p_texts)));
begin
  for v_each in select * from json_to_recordset(p_plan->'partners') as p(key bigint, "cursorId" bigint,
    "nextInterchange" int,
      "nextGroup" int, due json) loop
    update dockline.edi_partner set cursor_id = v_each."cursorId", next_interchange = v_each."nextInterchange",
      next_group = v_each."nextGroup",
      due = case when v_each.due is null then due else array(select json_array_elements_text(v_each.due)::bigint) end
    where business_id = p_business and epoch = v_each.key;
  end loop;
  for v_each in select json_array_elements_text(p_plan->'released')::bigint as id loop
    delete from dockline.edi_arrival where business_id = p_business and id = v_each.id;
  end loop;
  if json_array_length(p_plan->'usual') > 0 then
    delete from dockline.edi_word w using json_to_recordset(p_plan->'usual') as g(key bigint, "order" text)
    where w.business_id = p_business and w.epoch = g.key and w.order_key = g."order";
  end if;
  if json_array_length(p_plan->'words') > 0 then
    insert into dockline.edi_word (business_id, epoch, order_key, words, kept_at)
    select p_business, g.key, g."order", g.words, g.at
    from json_to_recordset(p_plan->'words') as g(key bigint, "order" text, words text, at timestamptz) order by g.key,
      g."order"
    on conflict (business_id, epoch, order_key) do update set words = excluded.words, kept_at = excluded.kept_at;
  end if;
  insert into dockline.edi_file (business_id, id, facility_id, partner, epoch, usage, direction, control, outcome, at,
    kinds, set_count,
    rejected_count, first_group, last_group, shipment_id, groups, fingerprint, faults, text_size, text, answer, place, rejected_at)
  select p_business, v_ids[f.n], p.facility_id, p.slug, p.epoch, p.usage, f.direction, f.control, f.outcome, f.at,
    f.kinds, f.set_count,
    f.rejected_count, f.first_group, f.last_group,
    case when f.direction = 'OUT' then nullif(f.sets->0->>'shipmentId', '')::bigint end, f.groups, f.fingerprint,
      f.faults, length(p_texts[f.n]), p_texts[f.n], p_answers[f.n], dockline.list_place(f.at, v_ids[f.n]),
      case when f.outcome in ('REJECTED', 'PARTIAL', 'UNWRITTEN') then f.at end
  from rows from (json_to_recordset(p_plan->'files') as (key bigint, direction text, control text, outcome text,
    at timestamptz,
      kinds text[], "setCount" int, "rejectedCount" int, "firstGroup" int, "lastGroup" int, groups json,
        fingerprint text, sets json, faults json))
    with ordinality as f(key, direction, control, outcome, at, kinds, set_count, rejected_count, first_group, last_group,
      groups, fingerprint, sets,
      faults, n)
  join dockline.edi_partner p on p.business_id = p_business and p.epoch = f.key
  order by f.n;
  insert into dockline.edi_set (business_id, file_id, part, sets)
  select p_business, v_ids[f.n], 0, f.sets
  from rows from (json_to_recordset(p_plan->'files') as (sets json)) with ordinality as f(sets, n)
  where json_array_length(f.sets) > 0;
  perform dockline.edi_shipments_add(p_business, v_ids[f.n], f.sets)
  from rows from (json_to_recordset(p_plan->'files') as (sets json)) with ordinality as f(sets, n)
  where json_array_length(f.sets) > 0;
  return array_to_json(v_ids);
end $$;

create function dockline.endpoint_partition(p_id bigint) returns integer
language sql immutable
as $$
  select ((c.x # (c.x >> 16)) % 64)::int
  from (select (p_id # (p_id >> 32)) & 4294967295 as x) as a
  cross join lateral (select ((a.x # (a.x >> 16)) * 73244475) & 4294967295 as x) as b
  cross join lateral (select ((b.x # (b.x >> 16)) * 73244475) & 4294967295 as x) as c
$$;

create function dockline.epcis_behind(p_after bigint, p_types text[], p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('business', b.slug, 'businessId', t.business_id::text,
      'cursorId', t.cursor_id) order by t.business_id), '[]')
    from (select s.business_id, s.cursor_id from dockline.epcis_setting s
      join dockline.message_log l on l.business_id = s.business_id
      where s.business_id > p_after and s.publishes and l.last_id > s.cursor_id
        and exists (select from unnest(p_types) as k(type) cross join lateral (
          select m.id from dockline.message m where m.business_id = s.business_id and m.type = k.type
            and m.id > s.cursor_id order by m.type, m.id limit 1) as m)
      order by s.business_id limit p_limit) as t
    join dockline.business b on b.id = t.business_id);
end $$;

create function dockline.epcis_facts(p_business bigint, p_pallets json, p_docks bigint[], p_facilities text[], p_departures json) returns json
language sql stable
as $$
  select json_build_object(
    'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'shipmentId', p.shipment_id, 'lpn', p.lpn,
        'records', (select coalesce(json_agg(json_build_object('messageId', e.message_id, 'direction', e.direction,
            'occurredAt', dockline.rfc3339(e.occurred_at), 'dock', d.slug, 'orders', e.orders) order by e.message_id),
              '[]')
          from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
          where e.business_id = p_business and e.shipment_id = p.shipment_id and e.pallet_id = p.id
            and e.message_id <= a."upTo"))), '[]')
      from json_to_recordset(p_pallets) as a("shipmentId" bigint, "palletId" bigint, "upTo" bigint)
      cross join lateral (select p.* from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = a."shipmentId" and p.id = a."palletId" offset 0) as p),
    'docks', (select coalesce(json_agg(json_build_object('id', d.id, 'slug', d.slug)), '[]')
      from unnest(p_docks) as a(id)
      cross join lateral (select d.* from dockline.dock d where d.id = a.id offset 0) as d
      join dockline.facility f on f.id = d.facility_id and f.business_id = p_business),
    'timeZones', (select coalesce(json_agg(json_build_object('slug', f.slug, 'timeZone', f.time_zone)), '[]')
      from dockline.facility f where f.business_id = p_business and f.slug = any(p_facilities)),
    'departures', (select coalesce(json_agg(json_build_object('messageId', a."messageId",
        'departedAt', dockline.rfc3339(s.departed_at), 'trailerNumber', s.trailer_number,
        'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'shipmentId', p.shipment_id, 'lpn', p.lpn,
            'direction', seen.last) order by p.id), '[]')
          from (select e.pallet_id,
              (array_agg(e.direction order by e.occurred_at, e.message_id))[1] as first,
              (array_agg(e.direction order by e.occurred_at desc, e.message_id desc))[1] as last
            from dockline.pallet_event e where e.business_id = p_business and e.shipment_id = s.id
              and e.message_id <= a."messageId" group by e.pallet_id) as seen
          cross join lateral (select p.* from dockline.pallet p
            where p.business_id = p_business and p.shipment_id = s.id and p.id = seen.pallet_id offset 0) as p
          where seen.first = seen.last))), '[]')
      from json_to_recordset(p_departures) as a("shipmentId" bigint, "messageId" bigint)
      cross join lateral (select s.* from dockline.shipment s
        where s.business_id = p_business and s.id = a."shipmentId" offset 0) as s
      where s.departed_at is not null))
$$;

create function dockline.epcis_publish(p_business bigint, p_from bigint, p_to bigint, p_type text, p_entries json, p_now timestamp with time zone) returns boolean
language plpgsql
as $$
declare
  v_entry record;
begin
  update dockline.epcis_setting set cursor_id = p_to
  where business_id = p_business and cursor_id = p_from and publishes;
  if not found then return false; end if;
  for v_entry in select f.id as facility_id, e.* from rows from (json_to_recordset(p_entries)
      as (facility text, "shipmentId" bigint, path text, "mediaType" text, text text)) with ordinality
      as e(facility, "shipmentId", path, "mediaType", text, n)
    join dockline.facility f on f.business_id = p_business and f.slug = e.facility order by e.n
  loop
    perform dockline.outbox_append(p_business, v_entry.facility_id, p_type, v_entry."shipmentId", v_entry.path,
      v_entry."mediaType", v_entry.text, null, p_now);
  end loop;
  return true;
end $$;

create function dockline.epcis_settings(p_business bigint) returns json
language sql stable
as $$
  select json_build_object('companyPrefixes', s.company_prefixes, 'publishes', s.publishes)
  from dockline.epcis_setting s where s.business_id = p_business
$$;

create function dockline.epcis_settings_lock(p_business bigint) returns json
language plpgsql
as $$
begin
  perform from dockline.business where id = p_business;
  if not found then return null; end if;
  insert into dockline.epcis_setting (business_id) values (p_business) on conflict do nothing;
  perform from dockline.epcis_setting where business_id = p_business for no key update;
  return dockline.epcis_settings(p_business);
end $$;

create function dockline.epcis_settings_put(p_business bigint, p_prefixes text[], p_publishes boolean) returns void
language sql
as $$
  update dockline.epcis_setting s set company_prefixes = p_prefixes, publishes = p_publishes,
    cursor_id = case when s.publishes then s.cursor_id else coalesce(
      (select l.last_id from dockline.message_log l where l.business_id = p_business), 0) end
  where s.business_id = p_business
$$;

create function dockline.exception_counts(p_business bigint, p_shipments bigint[]) returns json
language plpgsql stable
as $$
begin
  return (select coalesce(json_agg(json_build_object('shipmentId', s.id, 'reported', e.reported, 'open', e.open,
    'urgent', e.urgent)), '[]')
    from unnest(p_shipments) as s(id)
    cross join lateral (
      select count(*) as reported, count(*) filter (where e.resolved_at is null) as open,
        count(*) filter (where e.resolved_at is null and e.priority = 'HIGH') as urgent
      from dockline.shipment_exception e where e.business_id = p_business and e.shipment_id = s.id) as e
    where e.reported > 0);
end $$;

create function dockline.exception_load(p_business bigint, p_shipment bigint, p_pallet bigint, p_lpn_key text, p_exception bigint) returns json
language plpgsql
as $$
declare
  v_shipment record;
  v_sent_at timestamptz;
begin
  select * into v_shipment from dockline.shipment
  where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;
  return json_build_object(
    'now', dockline.rfc3339(greatest(v_sent_at, date_trunc('milliseconds', clock_timestamp()))),
    'found', dockline.exceptions_of_shipment(p_business, p_shipment, p_exception - 1, 1),
    'number', v_shipment.number,
    'facilityId', v_shipment.facility_id,
    'shipment', json_build_object(
      'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = v_shipment.dock_id),
      'orders', (select coalesce(json_agg(o.number order by o.id + 0), '[]') from dockline.customer_order o
        where o.business_id = p_business and o.shipment_id = p_shipment)),
    'newExceptionId', case when p_exception is null then nextval('dockline.shipment_exception_id') end,
    'count', (select count(*) from dockline.shipment_exception where business_id = p_business
      and shipment_id = p_shipment),
    'pallet', case when p_pallet is not null then (select json_build_object('id', p.id, 'lpn',
      p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet)
      else (select json_build_object('id', p.id, 'lpn', p.lpn) from dockline.pallet p
        where p.business_id = p_business and p.lpn_key = p_lpn_key and p.shipment_id = p_shipment) end);
end $$;

create function dockline.exception_page(p_scopes json, p_status text, p_priority text, p_after bigint, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_statuses text[] := case when p_status is null then array['OPEN', 'RESOLVED'] else array[p_status] end;
  v_priorities text[] := case when p_priority is null then array['LOW', 'HIGH'] else array[p_priority] end;
  v_ids json[];
  v_id json;
  v_page json[] := '{}';
begin
  with head as (
    select k.*, (select t.place from dockline.shipment_exception t
      where t.facility_id = k.facility and t.status = k.status and (t.priority, t.place) > (k.priority, p_after)
        and t.priority <= k.priority
      order by t.facility_id, t.status, t.priority, t.place limit 1) as first
    from (select f, s, p from unnest(v_facilities) as f, unnest(v_statuses) as s, unnest(v_priorities) as p)
      as k(facility, status, priority) order by first limit p_limit
  ), bound as (
    select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
  )
  select array(
    select json_build_array(t.business_id, t.shipment_id, t.id) from head k cross join lateral (
      select t.* from dockline.shipment_exception t
      where t.facility_id = k.facility and t.status = k.status and (t.priority, t.place) >= (k.priority, k.first)
        and (t.priority, t.place) <= (k.priority, (select last from bound))
      order by t.facility_id, t.status, t.priority, t.place limit p_limit) as t
    where k.first is not null order by t.place limit p_limit) into v_ids;
  foreach v_id in array v_ids loop
    v_page := v_page || (select b.body from dockline.exception_body b
      where b.business_id = (v_id->>0)::bigint and b.shipment_id = (v_id->>1)::bigint and b.id = (v_id->>2)::bigint);
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.exception_report(p_business bigint, p_shipment bigint, p_facility bigint, p_exception json, p_drafts json, p_now timestamp with time zone) returns void
language plpgsql
as $$
declare
  v_at timestamptz := (p_exception->>'reportedAt')::timestamptz;
begin
  insert into dockline.shipment_exception (business_id, id, shipment_id, facility_id, pallet_id, lpn, kind, priority,
    description, reported_at, reported_by)
  values (p_business, (p_exception->>'id')::bigint, p_shipment, p_facility, (p_exception->>'palletId')::bigint,
    p_exception->>'lpn', p_exception->>'kind', p_exception->>'priority', p_exception->>'description', v_at,
    p_exception->>'reportedBy');
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

create function dockline.exception_resolve(p_business bigint, p_shipment bigint, p_exception bigint, p_note text, p_at timestamp with time zone, p_by text, p_drafts json, p_now timestamp with time zone) returns void
language plpgsql
as $$
begin
  update dockline.shipment_exception set note = p_note, resolved_at = p_at, resolved_by = p_by
  where business_id = p_business and shipment_id = p_shipment and id = p_exception;
  perform dockline.message_append(p_business, p_drafts, p_now);
end $$;

create function dockline.exceptions_of_shipment(p_business bigint, p_shipment bigint, p_after bigint, p_limit integer) returns json
language plpgsql stable
as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = s.facility_id),
    'exceptions', (select coalesce(json_agg(e.body), '[]')
      from (select x.body from dockline.exception_body x
        where x.business_id = p_business and x.shipment_id = p_shipment and x.id > p_after
        order by x.business_id, x.shipment_id, x.id limit p_limit) as e))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$;

create function dockline.exceptions_open(p_business bigint, p_facility text, p_counted integer) returns json
language plpgsql stable
as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
  v_urgent bigint := (select count(*) from (select from dockline.shipment_exception e
      where e.business_id = p_business and e.facility_id = v_facility and e.status = 'OPEN' and e.priority = 'HIGH'
      limit p_counted) as e);
begin
  return json_build_object('open',
    least(p_counted, v_urgent + (select count(*) from (select from dockline.shipment_exception e
      where e.business_id = p_business and e.facility_id = v_facility and e.status = 'OPEN' and e.priority = 'LOW'
      limit p_counted) as e)), 'urgent', v_urgent);
end $$;

create function dockline.expected_elsewhere(p_business bigint, p_shipment bigint) returns json
language plpgsql stable
as $$
declare
  v_shipment record;
begin
  select * into v_shipment from dockline.shipment where business_id = p_business and id = p_shipment;
  if v_shipment.status = 'DEPARTED' then return coalesce(v_shipment.elsewhere, '[]'); end if;
  return (select coalesce(json_agg(json_build_object('lpn', p.lpn, 'shipmentId', e.other, 'shipmentNumber',
      (select o.number from dockline.shipment o where o.business_id = p_business and o.id = e.other)) order by p.id),
        '[]')
    from dockline.pallet p cross join lateral (select i.lpn_shipment_id from dockline.order_item i
    where i.business_id = p_business and i.facility_id = v_shipment.facility_id
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(dockline.pallet_lpn(p.lpn_key, p.lpn))
        and i.lpn_shipment_id > 0 and coalesce(i.lpn_key, i.lpn) = dockline.pallet_lpn(p.lpn_key, p.lpn)
    order by i.lpn_shipment_id desc limit 1) as e(other)
    where p.business_id = p_business and p.shipment_id = p_shipment and p.lpn <> ''
      and (select i.id from dockline.order_item i
        where i.business_id + 0 = p_business and i.facility_id = v_shipment.facility_id
          and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(dockline.pallet_lpn(p.lpn_key,
            p.lpn)) and i.lpn_shipment_id = p_shipment
          and coalesce(i.lpn_key, i.lpn) = dockline.pallet_lpn(p.lpn_key, p.lpn)
        limit 1) is null);
end $$;

create function dockline.facilities_within(p_scopes json) returns bigint[]
language plpgsql stable
as $$
begin
  if p_scopes is null then return array(select f.id from dockline.facility f where dockline.is_here(f.business_id)); end if;
  return array(
    select f.id from json_array_elements(p_scopes) as s
    join dockline.business b on b.slug = s->>0
    join dockline.facility f on f.business_id = b.id
    where s->>1 is null and dockline.is_here(b.id)
    union
    select f.id from json_array_elements(p_scopes) as s
    join dockline.business b on b.slug = s->>0
    cross join json_array_elements_text(case when s->>1 is null then '[]' else s->1 end) as named
    join dockline.facility f on f.business_id = b.id and f.slug = named
    where dockline.is_here(b.id)
    union
    select f.id from json_array_elements(p_scopes) as s
    join dockline.facility f on s->>1 is null or (s->1)::jsonb ? f.slug
    where s->>0 is null and dockline.is_here(f.business_id));
end $$;

create function dockline.has_pallet(p_business bigint, p_shipment bigint, p_lpn text) returns boolean
language plpgsql stable
as $$
begin
  return coalesce((
    select p.id from dockline.pallet p
    where p.business_id = p_business and (p.lpn_key, p.shipment_id) >= ('=' || p_lpn, p_shipment)
      and (p.lpn_key, p.shipment_id) <= ('=' || p_lpn, p_shipment)
    order by p.lpn_key, p.shipment_id limit 1
  ), (
    select p.id from dockline.pallet p
    where p.business_id = p_business
      and (p.lpn_key, p.shipment_id) >= ('#' || encode(sha256(convert_to(p_lpn, 'UTF8')), 'hex'), p_shipment)
      and (p.lpn_key, p.shipment_id) <= ('#' || encode(sha256(convert_to(p_lpn, 'UTF8')), 'hex'), p_shipment)
    order by p.lpn_key, p.shipment_id limit 1
  )) is not null;
end $$;

create function dockline.id_beyond(p_sequence regclass, p_id bigint) returns bigint
language sql stable
as $$
  select p_id + ((s.seqstart - p_id) % s.seqincrement + s.seqincrement) % s.seqincrement
  from pg_sequence s where s.seqrelid = p_sequence
$$;

create function dockline.intake_apply(p_business bigint, p_begun timestamp with time zone, p_new_shipments json, p_changed_shipments json, p_counted_shipments json, p_left_shipments bigint[], p_new_orders json, p_changed_orders json, p_moved_orders bigint[], p_removed_from bigint[], p_removed_items bigint[], p_item_is_new boolean[], p_item_id bigint[], p_item_order bigint[], p_item_shipment bigint[], p_item_facility bigint[], p_item_key text[], p_item_lpn_key text[], p_item_identifier text[], p_item_lpn text[], p_item_sku text[], p_item_quantity double precision[], p_item_quantity_unit text[], p_item_purchase_order text[], p_item_description text[], p_item_upc text[], p_item_weight_per_unit double precision[], p_item_weight_unit text[], p_item_height double precision[], p_item_length double precision[], p_item_width double precision[], p_item_dimension_unit text[], p_item_is_dangerous_good boolean[], p_item_lot text[], p_item_expiration_date date[], p_item_manufacturing_date date[], p_item_case_serials jsonb[], p_records json, p_record_orders json, p_record_removals json) returns void
language plpgsql
as $$
declare
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_left bigint[];
  v_left_facilities bigint[];
  v_left_lpns text[];
begin
  if p_begun is distinct from now() then
    raise exception 'The transaction of the plans has ended' using errcode = 'serialization_failure';
  end if;

  if p_new_shipments is not null then
    insert into dockline.shipment (business_id, id, facility_id, number, number_key, status, direction, expected_arrival_at,
      scheduled_at, dock_id, additional_fields, trailer_number, carrier, created_at, text_size, missing_pallets,
      unexpected_pallets, wrong_dock_pallets, discrepant, check_in, owner)
    select p_business, r.id, r."facilityId", r.number, r."numberKey", r.status, r.direction, r."expectedArrivalAt",
      r."scheduledAt", r."dockId", r."additionalFields", r."trailerNumber", r.carrier, r."createdAt", r."textSize",
      r."missingPallets", r."unexpectedPallets", r."wrongDockPallets", r.discrepant, r."checkIn", r.owner
    from json_to_recordset(p_new_shipments) as r(
      id bigint, "facilityId" bigint, number text, "numberKey" text, status text, direction text,
      "expectedArrivalAt" timestamptz, "scheduledAt" timestamptz, "dockId" bigint, "additionalFields" jsonb,
      "trailerNumber" text, carrier text, "createdAt" timestamptz, "textSize" int, "missingPallets" int,
      "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean, "checkIn" jsonb, owner text);
  end if;
  if p_changed_shipments is not null then
    update dockline.shipment s set expected_arrival_at = r."expectedArrivalAt", dock_id = r."dockId",
      additional_fields = r."additionalFields", trailer_number = r."trailerNumber", carrier = r.carrier,
      text_size = r."textSize", missing_pallets = r."missingPallets", unexpected_pallets = r."unexpectedPallets",
      wrong_dock_pallets = r."wrongDockPallets", discrepant = r.discrepant, check_in = r."checkIn", owner = r.owner,
      step_clients = case when s.check_in->'DOOR_ASSIGNED' = r."checkIn"->'DOOR_ASSIGNED' then s.step_clients
        else s.step_clients - 'DOOR_ASSIGNED' end,
      version = s.version + 1
    from (select r.*, (select x.ctid from dockline.shipment x where x.business_id = p_business and x.id = r.id) as tid
      from json_to_recordset(p_changed_shipments) as r(
        id bigint, "expectedArrivalAt" timestamptz, "dockId" bigint, "additionalFields" jsonb, "trailerNumber" text, carrier text,
        "textSize" int, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean,
        "checkIn" jsonb, owner text)) as r
    where s.business_id + 0 = p_business and s.ctid = r.tid;
  end if;
  if p_counted_shipments is not null then
    update dockline.shipment s set missing_pallets = r."missingPallets", unexpected_pallets = r."unexpectedPallets",
      wrong_dock_pallets = r."wrongDockPallets", discrepant = r.discrepant, version = s.version + 1
    from (select r.*, (select x.ctid from dockline.shipment x where x.business_id = p_business and x.id = r.id) as tid
      from json_to_recordset(p_counted_shipments) as r(
        id bigint, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean)) as r
    where s.business_id + 0 = p_business and s.ctid = r.tid;
  end if;

  if p_new_orders is not null then
    insert into dockline.customer_order (business_id, id, facility_id, shipment_id, number, number_key, status, direction,
      order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier,
      seal_number, supplier, client, destination, created_at, row_count, text_size, owner)
    select p_business, r.id, r."facilityId", r."shipmentId", r.number, r."numberKey", r.status, r.direction,
      r."orderType", r."purchaseOrder", r."consigneeName", r."consigneePhoneNumber", r."bolNumber",
      r."expectedQuantity", r.carrier, r."sealNumber", r.supplier, r.client, r.destination, r."createdAt",
      r."rowCount", r."textSize", r.owner
    from json_to_recordset(p_new_orders) as r(
      id bigint, "facilityId" bigint, "shipmentId" bigint, number text, "numberKey" text, status text, direction text,
      "orderType" text, "purchaseOrder" text, "consigneeName" text, "consigneePhoneNumber" text, "bolNumber" text,
      "expectedQuantity" bigint, carrier text, "sealNumber" text, supplier text, client text, destination text,
      "createdAt" timestamptz, "rowCount" int, "textSize" int, owner text);
  end if;
  if p_changed_orders is not null then
    update dockline.customer_order o set shipment_id = r."shipmentId",
      order_type = r."orderType", purchase_order = r."purchaseOrder", consignee_name = r."consigneeName",
      consignee_phone_number = r."consigneePhoneNumber", bol_number = r."bolNumber",
      expected_quantity = r."expectedQuantity", carrier = r.carrier, seal_number = r."sealNumber",
      supplier = r.supplier, client = r.client, destination = r.destination, row_count = r."rowCount",
      text_size = r."textSize", owner = r.owner
    from (select r.*, (select x.ctid from dockline.customer_order x where x.business_id = p_business and x.id = r.id) as tid
      from json_to_recordset(p_changed_orders) as r(
        id bigint, "shipmentId" bigint, "orderType" text, "purchaseOrder" text, "consigneeName" text,
        "consigneePhoneNumber" text, "bolNumber" text, "expectedQuantity" bigint, carrier text, "sealNumber" text,
        supplier text, client text, destination text, "rowCount" int, "textSize" int, owner text)) as r
    where o.business_id + 0 = p_business and o.ctid = r.tid;
  end if;
  if p_left_shipments is not null then
    update dockline.shipment s set version = s.version + 1
    from (select r.*, (select x.ctid from dockline.shipment x where x.business_id = p_business and x.id = r.id) as tid
      from (select distinct l.id from unnest(p_left_shipments) as l(id)) as r) as r
    where s.business_id + 0 = p_business and s.ctid = r.tid;
  end if;
  if p_moved_orders is not null then
    select array_agg(left_behind.shipment), array_agg(left_behind.facility), array_agg(left_behind.lpn)
    into v_left, v_left_facilities, v_left_lpns from (
      select distinct i.lpn_shipment_id, i.facility_id, coalesce(i.lpn_key, i.lpn) from dockline.order_item i
      where i.business_id + 0 = p_business and i.order_id = any (p_moved_orders) and i.lpn <> ''
    ) as left_behind(shipment, facility, lpn);
    update dockline.order_item i set lpn_shipment_id = (select o.shipment_id from dockline.customer_order o
      where o.business_id = p_business and o.id = i.order_id)
    where i.business_id + 0 = p_business and i.order_id = any (p_moved_orders);
    -- A shipment that orders leave has no pallets, so all pallets that it expects are missing.
    update dockline.shipment s set missing_pallets = s.missing_pallets - r.pallets, discrepant = s.missing_pallets > r.pallets
    from (select r.*, (select x.ctid from dockline.shipment x where x.business_id = p_business and x.id = r.id) as tid from (
        select l.shipment as id, count(*) as pallets
        from unnest(v_left, v_left_facilities, v_left_lpns) as l(shipment, facility, lpn)
        where (select i.id from dockline.order_item i
          where i.business_id + 0 = p_business and i.facility_id = l.facility
            and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(l.lpn)
            and i.lpn_shipment_id = l.shipment and coalesce(i.lpn_key, i.lpn) = l.lpn
          limit 1) is null
        group by l.shipment) as r) as r
    where s.business_id + 0 = p_business and s.ctid = r.tid;
  end if;

  if p_removed_items is not null then
    delete from dockline.order_item
    where business_id + 0 = p_business and ctid = any (array(
      select (select x.ctid from dockline.order_item x
        where x.business_id = p_business and x.order_id = r.order_id and x.id = r.id)
      from unnest(p_removed_from, p_removed_items) as r(order_id, id)));
  end if;
  if true = any (p_item_is_new) then
    insert into dockline.order_item (business_id, id, order_id, item_key,
      identifier, lpn, sku, quantity, quantity_unit, purchase_order, description, upc, weight_per_unit, weight_unit,
      height, length, width, dimension_unit, is_dangerous_good, lot, expiration_date, manufacturing_date,
      case_serials, facility_id, lpn_shipment_id, lpn_key)
    select p_business, p_item_id[n], p_item_order[n], p_item_key[n],
      p_item_identifier[n], p_item_lpn[n], p_item_sku[n], p_item_quantity[n], p_item_quantity_unit[n],
      p_item_purchase_order[n], p_item_description[n], p_item_upc[n], p_item_weight_per_unit[n], p_item_weight_unit[n],
      p_item_height[n], p_item_length[n], p_item_width[n], p_item_dimension_unit[n], p_item_is_dangerous_good[n],
      p_item_lot[n], p_item_expiration_date[n], p_item_manufacturing_date[n],
      p_item_case_serials[n], p_item_facility[n], p_item_shipment[n], p_item_lpn_key[n]
    from generate_subscripts(p_item_id, 1) as n where p_item_is_new[n];
  end if;
  if false = any (p_item_is_new) then
    update dockline.order_item i set
      identifier = p_item_identifier[r.n], quantity = p_item_quantity[r.n], quantity_unit = p_item_quantity_unit[r.n],
      purchase_order = p_item_purchase_order[r.n], description = p_item_description[r.n], upc = p_item_upc[r.n],
      weight_per_unit = p_item_weight_per_unit[r.n], weight_unit = p_item_weight_unit[r.n],
      height = p_item_height[r.n], length = p_item_length[r.n], width = p_item_width[r.n],
      dimension_unit = p_item_dimension_unit[r.n], is_dangerous_good = p_item_is_dangerous_good[r.n],
      lot = p_item_lot[r.n], expiration_date = p_item_expiration_date[r.n],
      manufacturing_date = p_item_manufacturing_date[r.n], case_serials = p_item_case_serials[r.n]
    from (select n, (select x.ctid from dockline.order_item x
        where x.business_id = p_business and x.order_id = p_item_order[n] and x.id = p_item_id[n]) as tid
      from generate_subscripts(p_item_id, 1) as n where not p_item_is_new[n]) as r
    where i.business_id + 0 = p_business and i.ctid = r.tid;
  end if;

  if p_records is not null then
    insert into dockline.document_record (business_id, id, facility_id, received_at, outcome, correlation_id, number_key,
      order_key, shipment_id, new_orders, new_items, row_count, text_size, content, place)
    select p_business, r.id, r."facilityId", coalesce(r."givenNow", v_now), r.outcome, r."correlationId", r."numberKey",
      r."orderKey", r."shipmentId", r."newOrders", r."newItems", r."rowCount", r."textSize", r.content::text,
      dockline.list_place(coalesce(r."givenNow", v_now), r.id)
    from json_to_recordset(p_records) as r(
      id bigint, "facilityId" bigint, "givenNow" timestamptz, outcome text, "correlationId" text, "numberKey" text,
      "orderKey" text, "shipmentId" bigint, "newOrders" bigint[], "newItems" bigint[], "rowCount" int, "textSize" int,
      content json);
  end if;
  if p_record_orders is not null then
    insert into dockline.document_order (business_id, document_id, facility_id, order_key, outcome, place)
    select p_business, r.id, r."facilityId", r.key, r.outcome, dockline.list_place(coalesce(r."givenNow", v_now), r.id)
    from json_to_recordset(p_record_orders) as r(
      id bigint, "facilityId" bigint, "givenNow" timestamptz, outcome text, key text);
  end if;
  if p_record_removals is not null then
    insert into dockline.document_removal (business_id, document_id, facility_id, lpn_key, outcome, place)
    select p_business, r.id, r."facilityId", r.key, r.outcome, dockline.list_place(coalesce(r."givenNow", v_now), r.id)
    from json_to_recordset(p_record_removals) as r(
      id bigint, "facilityId" bigint, "givenNow" timestamptz, outcome text, key text);
  end if;
end $$;

create function dockline.intake_load(p_business bigint, p_facilities text[], p_docks text[], p_directions text[], p_shipment_keys text[], p_items integer[], p_documents integer[], p_order_keys text[], p_needing integer[], p_wait boolean) returns json
language plpgsql
as $$
declare
  -- For each document, its facility, and whether it has got its locks so far.
  v_facilities bigint[];
  v_free boolean[];
  -- Document v_claimants[n] may change shipment v_claims[n].
  v_claimants int[];
  v_claims bigint[];
  v_locked bigint[];
  v_held int[];
  -- For each document, the shipment with its number.
  v_targets bigint[];
  -- Order v_movable[n] may move to the shipment of document v_movers[n].
  v_movers int[];
  v_movable bigint[];
  -- All orders whose items are loaded.
  v_orders bigint[];
  v_candidates json[];
  v_numbers json[];
  v_items json;
begin
  v_facilities := array(
    select (select f.id from dockline.facility f where f.business_id = p_business and f.slug = d.facility)
    from unnest(p_facilities) with ordinality as d(facility, at) order by d.at);

  -- Steps 2 and 3: the numbers.
  if not p_wait then
    v_free := array(select bool_and(case
        when v_facilities[n.document] is null then true
        when n.key is null
          then pg_try_advisory_xact_lock_shared(hashtextextended('dockline.all_numbers:' || v_facilities[n.document], 0))
        else pg_try_advisory_xact_lock(hashtextextended('dockline.number:' || v_facilities[n.document] || ':' || n.key, 0))
      end)
      from (
        select d.at::int as document, null as key from unnest(v_facilities) with ordinality as d(facility, at)
        union all select d.at::int, d.key from unnest(p_shipment_keys) with ordinality as d(key, at)
        union all select * from unnest(p_documents, p_order_keys)
      ) as n
      group by n.document order by n.document);
  else
    v_free := array_fill(true, array[cardinality(v_facilities)]);
    if cardinality(p_order_keys) > 32 then
      perform pg_advisory_xact_lock(f.lock) from (
        select distinct hashtextextended('dockline.all_numbers:' || facility, 0) as lock from unnest(v_facilities) as facility
        where facility is not null order by lock
      ) as f;
    else
      perform pg_advisory_xact_lock_shared(f.lock) from (
        select distinct hashtextextended('dockline.all_numbers:' || facility, 0) as lock from unnest(v_facilities) as facility
        where facility is not null order by lock
      ) as f;
      perform pg_advisory_xact_lock(n.lock) from (
        select distinct hashtextextended('dockline.number:' || v_facilities[n.document] || ':' || n.key, 0) as lock
        from (
          select d.at::int as document, d.key from unnest(p_shipment_keys) with ordinality as d(key, at)
          union all select * from unnest(p_documents, p_order_keys)
        ) as n
        where v_facilities[n.document] is not null order by lock
      ) as n;
    end if;
  end if;

  -- Step 4: the rows. Orders may move from shipments that are scheduled and not linked; core chooses among them (Remap).
  select array_agg(s.document), array_agg(s.id) into v_claimants, v_claims from (
    select d.at::int as document, (select t.id from dockline.shipment t
        where t.business_id = p_business and t.facility_id = d.facility and t.number_key = d.key) as id
    from unnest(v_facilities, p_shipment_keys) with ordinality as d(facility, key, at)
    union
    select n.document, o.shipment_id from unnest(p_documents, p_order_keys) as n(document, key)
    cross join lateral (select o.shipment_id from dockline.customer_order o
      where o.business_id = p_business and o.facility_id = v_facilities[n.document] and o.number_key = n.key
        and o.direction = p_directions[n.document]
        and (select s.status from dockline.shipment s
          where s.business_id = p_business and s.id = o.shipment_id) = 'SCHEDULED'
        and (select l.shipment_id from dockline.shipment_link l
          where l.business_id = p_business and l.shipment_id = o.shipment_id limit 1) is null offset 0) as o
  ) as s where s.id is not null and v_free[s.document];
  if p_wait then
    perform from dockline.shipment s where s.business_id + 0 = p_business and s.id = any (v_claims)
    order by s.id for no key update;
  else
    v_locked := array(select s.id from dockline.shipment s where s.business_id + 0 = p_business and s.id = any (v_claims)
      order by s.id for no key update skip locked);
    if cardinality(v_locked) < cardinality(v_claims) then
      v_held := array(select s.document from (
          select id, document, min(document) over (partition by id) as first from unnest(v_claimants, v_claims) as s(document, id)
        ) as s where s.first < s.document or s.id <> all (v_locked));
      v_free := array(select d.free and d.at <> all (v_held) from unnest(v_free) with ordinality as d(free, at) order by d.at);
    end if;
  end if;

  -- The state under the locks. Shipments leave the state in which their orders may move, and never return to it, so each shipment of
  -- v_movable is locked. Among the orders of a number that may move, core can choose only the newest.
  v_targets := array(select (select s.id from dockline.shipment s
      where s.business_id = p_business and s.facility_id = d.facility and s.number_key = d.key and d.free)
    from unnest(v_facilities, p_shipment_keys, v_free) with ordinality as d(facility, key, free, at) order by d.at);
  select array_agg(c.document), array_agg(c.id) into v_movers, v_movable from (
    select n.document, (select o.id from dockline.customer_order o
        where o.shipment_id is distinct from v_targets[n.document]
          and o.business_id = p_business and o.facility_id = v_facilities[n.document] and o.number_key = n.key
          and o.direction = p_directions[n.document]
          and (select s.status from dockline.shipment s
            where s.business_id = p_business and s.id = o.shipment_id) = 'SCHEDULED'
          and (select l.shipment_id from dockline.shipment_link l
            where l.business_id = p_business and l.shipment_id = o.shipment_id limit 1) is null
        order by o.created_at desc, o.id desc limit 1) as id
    from unnest(p_documents, p_order_keys) as n(document, key) where v_free[n.document]
  ) as c where c.id is not null;
  v_orders := v_movable || array(select o.id from unnest(v_targets) as d(target)
    cross join lateral (select o.id from dockline.customer_order o
      where o.business_id = p_business and o.shipment_id = d.target offset 0) as o);
  -- Each part has its own statement, which costs nothing if the part is empty.
  if v_movable is not null then
    v_candidates := array(select (select json_agg(json_build_array(
          json_build_array(o.id::text, o.number, o.status, o.direction, o.shipment_id,
            dockline.rfc3339(o.created_at), json_build_array(o.order_type, o.purchase_order, o.consignee_name,
              o.consignee_phone_number, o.bol_number, o.expected_quantity, o.carrier, o.seal_number, o.supplier,
              o.client, o.destination), o.owner),
          (select s.status from dockline.shipment s where s.business_id = p_business and s.id = o.shipment_id),
          (select l.shipment_id from dockline.shipment_link l
            where l.business_id = p_business and l.shipment_id = o.shipment_id limit 1) is not null) order by o.id)
        from unnest(v_movers, v_movable) as c(document, id)
        cross join lateral (select o.* from dockline.customer_order o
          where o.business_id = p_business and o.id = c.id offset 0) as o
        where c.document = d.at)
      from generate_subscripts(v_targets, 1) as d(at) order by d.at);
  end if;
  if cardinality(p_needing) > 0 then
    v_numbers := array(select case when d.at = any (p_needing) then
        (select json_agg(json_build_array(e.number, e.is_open))
        from unnest(p_documents, p_order_keys) as n(document, key)
        cross join lateral (select max(o.number) as number,
            bool_or(o.status = 'CREATED' and o.direction = p_directions[n.document]) as is_open
          from dockline.customer_order o
          where o.business_id = p_business and o.facility_id = d.facility and o.number_key = n.key
            and o.shipment_id is distinct from d.target) as e
        where n.document = d.at and e.number is not null) end
      from unnest(v_facilities, v_targets) with ordinality as d(facility, target, at) order by d.at);
  end if;
  -- The items of all orders as columns: building a list for each field is much cheaper than an object for each item.
  if cardinality(v_orders) > 0 then
    v_items := (select json_build_object(
        'orderId', array_agg(i.order_id::text), 'id', array_agg(i.id::text),
        'identifier', array_agg(i.identifier), 'lpn', array_agg(i.lpn), 'sku', array_agg(i.sku),
        'quantity', array_agg(i.quantity), 'quantityUnit', array_agg(i.quantity_unit),
        'purchaseOrder', array_agg(i.purchase_order), 'description', array_agg(i.description), 'upc', array_agg(i.upc),
        'weightPerUnit', array_agg(i.weight_per_unit), 'weightUnit', array_agg(i.weight_unit),
        'height', array_agg(i.height), 'length', array_agg(i.length), 'width', array_agg(i.width),
        'dimensionUnit', array_agg(i.dimension_unit), 'isDangerousGood', array_agg(i.is_dangerous_good),
        'lot', array_agg(i.lot), 'expirationDate', array_agg(i.expiration_date),
        'manufacturingDate', array_agg(i.manufacturing_date), 'caseSerials', array_agg(i.case_serials))
      from (select i.* from unnest(v_orders) as o(id)
        cross join lateral (select i.* from dockline.order_item i
          where i.business_id = p_business and i.order_id = o.id offset 0) as i
        order by i.order_id, i.id) as i);
  end if;

  return json_build_object(
    'begun', now()::text,
    'now', dockline.rfc3339(clock_timestamp()),
    'business', (select json_build_object('slug', x.slug, 'name', x.name) from dockline.business x where x.id = p_business),
    'documents', (select json_agg(case
        when d.facility is null then null
        when not d.free then '"held"'::json
        else json_build_object(
          'facility', (select json_build_object('slug', x.slug, 'name', x.name)
            from dockline.facility x where x.id = d.facility),
          'facilityId', d.facility,
          'dock', (select json_build_object('id', k.id, 'slug', k.slug) from dockline.dock k
            where k.facility_id = d.facility and k.slug = d.dock),
          'target', (select s.body from dockline.shipment_body s where s.business_id = p_business and s.id = d.target),
          'orders', (select json_agg(json_build_array(o.id::text, o.number, o.status, o.direction, o.shipment_id,
              dockline.rfc3339(o.created_at), json_build_array(o.order_type, o.purchase_order, o.consignee_name,
                o.consignee_phone_number, o.bol_number, o.expected_quantity, o.carrier, o.seal_number, o.supplier,
                o.client, o.destination), o.owner) order by o.id + 0)
            from dockline.customer_order o where o.business_id = p_business and o.shipment_id = d.target),
          'candidates', v_candidates[d.at],
          'numbersInUse', v_numbers[d.at])
      end order by d.at)
      from unnest(v_facilities, p_docks, v_free, v_targets) with ordinality as d(facility, dock, free, target, at)),
    'items', v_items,
    -- As many ids as the documents may create, or more; plans use them in the order of the documents.
    'ids', json_build_object(
      'shipments', array(select nextval('dockline.shipment_id') from unnest(v_targets, p_items) as d(target, items)
        where d.target is null and d.items is not null),
      'orders', array(select nextval('dockline.customer_order_id') from unnest(p_documents) as n(document)
        where p_items[n.document] is not null),
      'items', array(select nextval('dockline.order_item_id') from unnest(p_items) as d(items)
        cross join generate_series(1, d.items)),
      'records', array(select nextval('dockline.document_record_id') from unnest(p_items) as d(items)
        where d.items is not null))
  );
end $$;

create function dockline.is_here(p_business bigint) returns boolean
language sql immutable
as $$select true$$;

create function dockline.is_similar(p_text text, p_folded text, p_ends boolean) returns boolean
language sql immutable
as $$
  select lower(p_text collate "C") = p_folded
    or p_ends and right(lower(p_text collate "C"), char_length(p_folded)) = p_folded
$$;

create function dockline.item_has(p_find text, p_lpn text, p_sku text, p_description text, p_lot text, p_purchase_order text) returns boolean
language sql immutable
as $$
  select strpos(lower(p_lpn collate "C"), p_find) > 0 or strpos(lower(p_sku collate "C"), p_find) > 0
    or strpos(lower(p_description collate "C"), p_find) > 0 or strpos(lower(p_lot collate "C"), p_find) > 0
    or strpos(lower(p_purchase_order collate "C"), p_find) > 0
$$;

create function dockline.item_with_lpn(p_facility bigint, p_lpn text, p_open boolean, p_after bigint) returns TABLE(business_id bigint, lpn_shipment_id bigint, order_id bigint, id bigint)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  v_hash bigint := dockline.lpn_hash(p_lpn);
begin
  if p_open then
    return query select t.business_id, t.lpn_shipment_id, t.order_id, t.id from dockline.order_item t
    where t.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id) < (v_hash, p_after)
      and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) >= v_hash
      and coalesce(t.lpn_key, t.lpn) = p_lpn and t.lpn_shipment_id > 0
    order by t.facility_id desc, dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) desc, t.lpn_shipment_id desc limit 1;
  else
    return query select t.business_id, t.lpn_shipment_id, t.order_id, t.id from dockline.order_item t
    where t.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id) > (v_hash, p_after)
      and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) <= v_hash
      and coalesce(t.lpn_key, t.lpn) = p_lpn and t.lpn_shipment_id < 0
    order by t.facility_id, dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id limit 1;
  end if;
end $$;

create function dockline.items_of_shipment(p_business bigint, p_shipment bigint, p_order bigint, p_find text, p_unseen boolean, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_facility bigint;
  v_order bigint;
  v_id bigint;
  v_body json;
  v_rows bigint := 0;
  v_text bigint;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  select s.facility_id into v_facility from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  if not found then return null; end if;
  for v_order, v_id in
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (t.order_id, t.id) > (k.order_id, p_after) and t.order_id <= k.order_id and t.business_id = p_business
          and (p_find is null or dockline.item_has(p_find, t.lpn, t.sku, t.description, t.lot, t.purchase_order))
          and (not p_unseen
            or t.lpn <> '' and not dockline.has_pallet(p_business, p_shipment, coalesce(t.lpn_key, t.lpn)))
        order by t.order_id, t.id limit 1) as first
      from (select o.id as order_id from dockline.customer_order o
        where o.business_id = p_business and o.shipment_id = p_shipment and (p_order is null or o.id = p_order)) as k
      order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select t.order_id, t.id from head k cross join lateral (
      select t.order_id, t.id from dockline.order_item t
      where (t.order_id, t.id) >= (k.order_id, k.first) and (t.order_id, t.id) <= (k.order_id, (select last from bound))
        and t.business_id = p_business
        and (p_find is null or dockline.item_has(p_find, t.lpn, t.sku, t.description, t.lot, t.purchase_order))
        and (not p_unseen
          or t.lpn <> '' and not dockline.has_pallet(p_business, p_shipment, coalesce(t.lpn_key, t.lpn)))
      order by t.order_id, t.id limit p_limit) as t
    where k.first is not null order by t.id limit p_limit
  loop
    select length(i.identifier) + length(i.lpn) + length(i.sku) + length(i.quantity_unit) + length(i.purchase_order)
        + length(i.description) + length(i.upc) + length(i.weight_unit) + length(i.dimension_unit) + length(i.lot)
        + (select coalesce(sum(length(serial->>'id') + 32), 0) from jsonb_array_elements(i.case_serials) as serial),
      json_build_array(o.id::text, o.number, json_build_array(i.id::text, i.identifier, i.lpn, i.sku, i.quantity,
        i.quantity_unit, i.purchase_order, i.description, i.upc, i.weight_per_unit, i.weight_unit, i.height, i.length,
          i.width,
        i.dimension_unit, i.is_dangerous_good, i.lot, coalesce(to_char(i.expiration_date, 'YYYY-MM-DD'), ''),
        coalesce(to_char(i.manufacturing_date, 'YYYY-MM-DD'), ''), i.case_serials))
    into v_text, v_body
    from dockline.order_item i join dockline.customer_order o on o.business_id = i.business_id and o.id = i.order_id
    where i.business_id = p_business and i.order_id = v_order and i.id = v_id;
    v_page := v_page || v_body;
    v_rows := v_rows + 1;
    v_text_held := v_text_held + v_text;
    exit when (v_rows > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name) from dockline.facility f where f.id = v_facility),
    'items', array_to_json(v_page));
end $$;

create function dockline.key_is_free(p_is_free boolean) returns boolean
language plpgsql immutable
as $$
begin
  if not p_is_free then raise exception 'The key was taken meanwhile' using errcode = 'serialization_failure'; end if;
  return true;
end $$;

create function dockline.link_apply(p_business bigint, p_shipment bigint, p_linked bigint) returns void
language plpgsql
as $$
begin
  insert into dockline.shipment_link (business_id, shipment_id, linked_shipment_id)
  values (p_business, p_shipment, p_linked), (p_business, p_linked, p_shipment);
  update dockline.shipment set version = version + 1 where business_id = p_business and id = p_shipment;
  update dockline.shipment set version = version + 1 where business_id = p_business and id = p_linked;
end $$;

create function dockline.link_load(p_business bigint, p_shipment bigint, p_linked bigint) returns json
language plpgsql
as $$
declare
  v_id bigint;
begin
  foreach v_id in array array[least(p_shipment, p_linked), greatest(p_shipment, p_linked)] loop
    perform from dockline.shipment where business_id = p_business and id = v_id for no key update;
  end loop;
  return json_build_array(dockline.located_shipment(p_business, p_shipment),
    dockline.located_shipment(p_business, p_linked));
end $$;

create function dockline.list_place(p_time timestamp with time zone, p_id bigint) returns bigint
language sql immutable
as $$
  select -((least(greatest(floor(extract(epoch from (p_time - timestamptz '1970-01-01 00:00:00+00')) * 1000), 2),
    4398046511102)::bigint - 2199023255552) * 4194304 + p_id % 4194304)
$$;

create function dockline.located_shipment(p_business bigint, p_shipment bigint) returns json
language plpgsql stable
as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name)
      from dockline.facility x where x.id = s.facility_id),
    'shipment', s.body,
    'orders', (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
      where o.business_id = p_business and o.shipment_id = s.id))
  from dockline.shipment_body s where s.business_id = p_business and s.id = p_shipment);
end $$;

create function dockline.lpn_hash(p_lpn text) returns bigint
language sql immutable
as $$
  select (hashtextextended((lower(right(p_lpn, 6) collate "C")), 0) & 2147483647) * 4294967296
    + (hashtextextended(p_lpn, 0) & 4294967295)
$$;

create function dockline.message_advance(p_beyond bigint, p_limit bigint, p_others bigint) returns json
language plpgsql
as $$
declare
  v_newest bigint;
  v_other record;
begin
  lock table dockline.message_log in exclusive mode;
  v_newest := dockline.message_newest();
  if p_beyond - v_newest > p_limit then return json_build_object('tooFar', v_newest); end if;
  if p_beyond > v_newest then
    perform setval('dockline.message_id', dockline.id_beyond('dockline.message_id', p_beyond));
    v_newest := p_beyond;
    for v_other in select format('%I.%I', schemaname, sequencename)::regclass as name,
        coalesce(last_value, start_value - increment_by) as last
      from pg_sequences
      where schemaname = (select relnamespace::regnamespace::text from pg_class where oid = 'dockline.message_id'::regclass)
        and sequencename <> 'message_id' and data_type = 'bigint'::regtype
    loop
      perform setval(v_other.name, dockline.id_beyond(v_other.name, v_other.last + p_others));
    end loop;
  end if;
  insert into dockline.message_log as l (business_id, last_id)
  select b.id, p_beyond from dockline.business b where dockline.is_here(b.id) order by b.id
  on conflict (business_id) do update set last_id = excluded.last_id where l.last_id < excluded.last_id;
  update dockline.webhook_endpoint e set epoch = e.epoch + 1
  where e.id in (select o.id from dockline.webhook_endpoint o order by o.id for no key update);
  return json_build_object('newestId', v_newest);
end $$;

create function dockline.message_append(p_business bigint, p_drafts json, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_sent_at timestamptz;
  v_last bigint;
  v_result json;
begin
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;
  v_sent_at := greatest(v_sent_at, coalesce(p_now, date_trunc('milliseconds', clock_timestamp())));
  with appended as (
    insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
      trace)
    select p_business, nextval('dockline.message_id'), (draft->>0)::bigint,
      (select f.slug from dockline.facility f where f.id = (draft->>0)::bigint and f.business_id = p_business),
      draft->>1, (draft->>2)::bigint, v_sent_at, length(draft->>3), (draft->>3)::json, draft->>4
    from json_array_elements(p_drafts) as draft
    returning id
  )
  select max(id), json_agg(json_build_array(id, dockline.rfc3339(v_sent_at)) order by id)
  into v_last, v_result from appended;
  update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
  where business_id = p_business and last_id < v_last;
  if not found and v_last is not null then
    raise exception 'The ids of messages have gone down; run dockline message advance';
  end if;
  return coalesce(v_result, '[]');
end $$;

create function dockline.message_append_named(p_drafts json, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_unknown json;
  v_business record;
  v_ids json;
  v_appended jsonb := '[]';
begin
  select json_build_array(draft->>0, case when b.id is not null then draft->>1 end) into v_unknown
  from json_array_elements(p_drafts) with ordinality as d(draft, n)
  left join dockline.business b on b.slug = draft->>0
  left join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
  where f.id is null order by n limit 1;
  if v_unknown is not null then return json_build_object('unknown', v_unknown); end if;
  perform from dockline.message_log l where l.business_id in (
    select b.id from json_array_elements(p_drafts) as draft join dockline.business b on b.slug = draft->>0)
  order by l.business_id for no key update;
  for v_business in
    select b.id, json_agg(json_build_array(f.id, draft->>2, draft->>3, draft->>4, draft->>5)
        order by n) as drafts,
      array_agg(n order by n) as positions
    from json_array_elements(p_drafts) with ordinality as d(draft, n)
    join dockline.business b on b.slug = draft->>0
    join dockline.facility f on f.business_id = b.id and f.slug = draft->>1
    group by b.id order by min(n)
  loop
    v_ids := dockline.message_append(v_business.id, v_business.drafts, p_now);
    v_appended := v_appended || (
      select jsonb_agg(jsonb_build_array(v_business.positions[k], id->0, id->1))
      from json_array_elements(v_ids) with ordinality as i(id, k));
  end loop;
  return json_build_object('appended', v_appended);
end $$;

create function dockline.message_drop(p_business bigint, p_after bigint, p_limit integer) returns json
language plpgsql
as $$
declare
  v_last bigint;
  v_count int;
begin
  select max(id) into v_last from (
    select m.id from dockline.message m where m.business_id = p_business and m.id > p_after
      and m.id <= (select l.dropped_id from dockline.message_log l where l.business_id = p_business)
    order by m.id limit p_limit) as old;
  delete from dockline.message where business_id = p_business and id > p_after and id <= v_last;
  get diagnostics v_count = row_count;
  return json_build_object('count', v_count, 'last', v_last);
end $$;

create function dockline.message_expire(p_business bigint, p_cutoff timestamp with time zone) returns boolean
language plpgsql
set lock_timeout=1s
as $$
declare
  v_id bigint;
  v_sent_at timestamptz;
begin
  select m.id, m.sent_at into v_id, v_sent_at from dockline.message m
  where m.business_id = p_business and m.sent_at < p_cutoff order by m.sent_at desc, m.id desc limit 1;
  if v_id > (select l.dropped_id from dockline.message_log l where l.business_id = p_business) then
    update dockline.message_log set dropped_id = v_id, dropped_sent_at = v_sent_at
    where business_id = p_business and dropped_id < v_id;
  end if;
  return true;
exception when lock_not_available then
  return false;
end $$;

create function dockline.message_expired(p_cutoff timestamp with time zone) returns SETOF bigint
language plpgsql stable
as $$
begin
  return query select l.business_id from dockline.message_log l
  where (select m.id from dockline.message m where m.business_id = l.business_id and m.id <= l.dropped_id
      order by m.id limit 1) is not null
    or (select m.id from dockline.message m where m.business_id = l.business_id and m.sent_at < p_cutoff
      order by m.sent_at, m.id limit 1) is not null
    or (select e.id from dockline.outbox_entry e where e.business_id = l.business_id and e.sent_at < p_cutoff
      order by e.sent_at, e.id limit 1) is not null
  order by l.business_id;
end $$;

create function dockline.message_last(p_business bigint) returns bigint
language plpgsql stable
as $$
begin
  return coalesce((select l.last_id from dockline.message_log l where l.business_id = p_business), 0);
end $$;

create function dockline.message_newest() returns bigint
language plpgsql
as $$
begin
  return (select case when m.is_called then m.last_value else s.seqstart - s.seqincrement end / s.seqincrement * s.seqincrement
    from dockline.message_id m, pg_sequence s where s.seqrelid = 'dockline.message_id'::regclass);
end $$;

create function dockline.message_read(p_business bigint, p_facility text, p_types text[], p_after bigint, p_since timestamp with time zone, p_limit integer, p_text bigint) returns TABLE(dropped_id double precision, last_id double precision, id double precision, facility text, type text, shipment_id double precision, sent_at double precision, payload text, trace text)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  v_log record;
  v_facility bigint;
  v_after bigint := p_after;
begin
  select * into v_log from dockline.message_log where business_id = p_business;
  if p_after < v_log.dropped_id and (p_since is null or p_since <= v_log.dropped_sent_at) then
    dropped_id := v_log.dropped_id;
    return next;
    return;
  end if;
  last_id := coalesce(v_log.last_id, 0);
  return next;
  if p_facility is not null then
    select coalesce(max(f.id), 0) into v_facility from dockline.facility f
    where f.business_id = p_business and f.slug = p_facility;
  end if;
  if p_since is not null then
    select m.id - 1 into v_after from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_since order by m.sent_at, m.id limit 1;
    v_after := greatest(p_after, coalesce(v_after, v_log.last_id));
  end if;
  return query select null::float8, null::float8, p.id::float8, p.facility, p.type, p.shipment_id::float8,
    date_part('epoch', p.sent_at) * 1000, case when p.fits then p.payload end::text, p.trace
  from (
    select m.*, row_number() over ordered <= p_limit
      and (row_number() over ordered = 1 or sum(m.size) over ordered <= p_text) as fits
    from dockline.message_scan(p_business, p_facility => v_facility, p_types => p_types, p_entries => false,
      p_after => v_after, p_to => null, p_endpoint => null, p_cursor => null, p_taken => null,
        p_limit => p_limit + 1) as m
    window ordered as (order by m.id)
  ) as p order by p.id;
end $$;

create function dockline.message_scan(p_business bigint, p_facility bigint, p_types text[], p_entries boolean, p_after bigint, p_to bigint, p_endpoint bigint, p_cursor bigint, p_taken boolean, p_limit integer) returns TABLE(id bigint, facility text, type text, shipment_id bigint, sent_at timestamp with time zone, size integer, payload json, trace text)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  v_to bigint := coalesce(p_to, 9223372036854775807);
begin
  if not p_entries and p_types @> dockline.message_types() then
    if p_facility is null then
      return query select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
      from dockline.message m
      where m.business_id = p_business and m.id > p_after and m.id <= v_to and p_types @> array[m.type]
        and (p_endpoint is null or p_taken = (m.id <= p_cursor or (select d.message_id from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
      order by m.id limit p_limit;
    else
      return query select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
      from dockline.message m
      where m.business_id = p_business and m.facility_id = p_facility and m.id > p_after and m.id <= v_to
        and p_types @> array[m.type]
        and (p_endpoint is null or p_taken = (m.id <= p_cursor or (select d.message_id from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
      order by m.id limit p_limit;
    end if;
  elsif not p_entries then
    if p_facility is null then
      return query
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and (m.type, m.id) > (k.type, p_after) and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit;
    else
      return query
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and m.facility_id = p_facility and (m.type, m.id) > (k.type, p_after)
            and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit;
    end if;
  elsif p_facility is null then
    return query select m.* from ((
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and (m.type, m.id) > (k.type, p_after) and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    ) union all (
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.outbox_entry m
          where m.business_id = p_business and (m.type, m.id) > (k.type, p_after) and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    )) as m order by m.id limit p_limit;
  else
    return query select m.* from ((
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m
          where m.business_id = p_business and m.facility_id = p_facility and (m.type, m.id) > (k.type, p_after)
            and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    ) union all (
        select m.* from unnest(p_types) as k(type) cross join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.outbox_entry m
          where m.business_id = p_business and m.facility_id = p_facility and (m.type, m.id) > (k.type, p_after)
            and (m.type, m.id) <= (k.type, v_to)
            and (p_endpoint is null or p_taken = (m.id <= p_cursor
              or (select d.message_id from dockline.webhook_delivery d
              where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id = m.id) is not null))
          order by m.type, m.id limit p_limit) as m
        order by m.id limit p_limit
    )) as m order by m.id limit p_limit;
  end if;
end $$;

create function dockline.message_text(p_id bigint, p_facility text, p_type text, p_shipment bigint, p_sent_at timestamp with time zone, p_size integer, p_payload json, p_trace text) returns text
language sql stable
as $$
  select format('[%s,%s,"%s",%s,%s,%s,%s%s]', p_id, to_json(p_facility), p_type, p_shipment,
    (extract(epoch from p_sent_at) * 1000)::bigint, p_size, p_payload, coalesce(',' || to_json(p_trace), ''))
$$;

create function dockline.message_types() returns text[]
language sql immutable
as $$
  select array['PALLET_EVENT', 'SHIPMENT_COMPLETE', 'SHIPMENT_ARRIVED', 'SHIPMENT_CANCELLED', 'SHIPMENT_DISCREPANCIES']
$$;

create function dockline.oldest_served() returns integer
language sql immutable
as $$select 1$$;

create function dockline.order_page(p_scopes json, p_number text, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_ids bigint[];
  v_id bigint;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
  v_facilities bigint[];
begin
  if p_scopes is null and p_number is null then
    v_ids := array(select t.id from dockline.customer_order t where t.id > p_after order by t.id limit p_limit);
  else
    v_facilities := dockline.facilities_within(p_scopes);
    if p_number is not null then
      with head as (
        select k.*, (select t.id from dockline.customer_order t
          where t.facility_id = k.facility and (t.number_key, t.id) > (p_number, p_after) and t.number_key <= p_number
          order by t.facility_id, t.number_key, t.id limit 1) as first
        from unnest(v_facilities) as k(facility) order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.customer_order t
          where t.facility_id = k.facility and (t.number_key, t.id) >= (p_number, k.first)
            and (t.number_key, t.id) <= (p_number, (select last from bound))
          order by t.facility_id, t.number_key, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    else
      with head as (
        select k.*, (select t.id from dockline.customer_order t
          where (t.facility_id, t.id) > (k.facility, p_after) and t.facility_id <= k.facility
          order by t.facility_id, t.id limit 1) as first
        from unnest(v_facilities) as k(facility) order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.customer_order t
          where (t.facility_id, t.id) >= (k.facility, k.first)
            and (t.facility_id, t.id) <= (k.facility, (select last from bound))
          order by t.facility_id, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    end if;
  end if;
  foreach v_id in array v_ids loop
    select o.row_count, o.text_size into v_rows, v_text from dockline.customer_order o where o.id = v_id;
    v_page := v_page || json_build_array(v_id::text, v_rows, v_text);
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.orders_end(p_business bigint, p_shipment bigint, p_status text) returns void
language plpgsql
as $$
begin
  update dockline.customer_order set status = p_status
  where business_id = p_business and shipment_id = p_shipment;
  update dockline.order_item set lpn_shipment_id = -lpn_shipment_id
  where business_id + 0 = p_business and order_id = any (array(select id from dockline.customer_order
      where business_id = p_business and shipment_id = p_shipment))
    and lpn_shipment_id + 0 > 0;
end $$;

create function dockline.orders_shown(p_ids bigint[]) returns TABLE(business json, facility json, shipment_number text, body json)
language plpgsql stable
as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.number, o.body
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.order_body o on o.id = named.id
  join dockline.shipment s on s.business_id = o.business_id and s.id = o.shipment_id
  join dockline.facility f on f.id = o.facility_id
  join dockline.business b on b.id = o.business_id
  order by named.nth;
end $$;

create function dockline.outbox_append(p_business bigint, p_facility bigint, p_type text, p_shipment bigint, p_path text, p_media_type text, p_text text, p_trace text, p_now timestamp with time zone) returns void
language plpgsql
as $$
declare
  v_sent_at timestamptz;
  v_last bigint;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('dockline.outboxes:' || p_business, 0));
  if (select e.id from dockline.webhook_endpoint e
      where e.business_id = p_business and p_type = any (e.message_types) limit 1) is null then
    return;
  end if;
  select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  if not found then
    insert into dockline.message_log (business_id) values (p_business) on conflict do nothing;
    select last_sent_at into v_sent_at from dockline.message_log where business_id = p_business for no key update;
  end if;
  v_sent_at := greatest(v_sent_at, coalesce(p_now, date_trunc('milliseconds', clock_timestamp())));
  insert into dockline.outbox_entry (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload,
    trace)
  values (p_business, nextval('dockline.message_id'), p_facility,
    (select f.slug from dockline.facility f where f.id = p_facility and f.business_id = p_business), p_type, p_shipment,
      v_sent_at,
    length(p_text), json_build_array(p_path, p_media_type, p_text), p_trace)
  returning id into v_last;
  insert into dockline.outbox (business_id, type, last_id) values (p_business, p_type, v_last)
  on conflict (business_id, type) do update set last_id = excluded.last_id;
  update dockline.message_log set last_id = v_last, last_sent_at = v_sent_at
  where business_id = p_business and last_id < v_last;
  if not found and v_last is not null then
    raise exception 'The ids of messages have gone down; run dockline message advance';
  end if;
end $$;

create function dockline.outbox_drop(p_business bigint, p_cutoff timestamp with time zone, p_limit integer) returns integer
language plpgsql
set lock_timeout=1s
as $$
declare
  v_last bigint;
  v_dropped int;
begin
  select max(id) into v_last from (
    select e.id from dockline.outbox_entry e where e.business_id = p_business and e.sent_at < p_cutoff
    order by e.sent_at, e.id limit p_limit) as old;
  with gone as (
    delete from dockline.outbox_entry where business_id = p_business and id <= v_last returning type, id, sent_at
  ), newest as (
    select type, max(id) as id, max(sent_at) as sent_at, count(*) as dropped from gone group by type
  ), marked as (
    update dockline.outbox o set dropped_id = greatest(o.dropped_id, n.id),
      dropped_sent_at = greatest(o.dropped_sent_at, n.sent_at) from newest n
    where o.business_id = p_business and o.type = n.type returning n.dropped
  )
  select coalesce(sum(dropped), 0) into v_dropped from marked;
  return v_dropped;
exception when lock_not_available then
  return null;
end $$;

create function dockline.packing_list_mapping_body(p_business bigint, p_name text) returns json
language sql stable
as $$
  select json_build_object('name', m.name, 'mapping', m.mapping, 'savedAt', dockline.rfc3339(m.saved_at))
  from dockline.packing_list_mapping m where m.business_id = p_business and m.name = p_name collate "C"
$$;

create function dockline.packing_list_mapping_load(p_business bigint, p_name text) returns json
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('dockline.packing_list_mappings:' || p_business, 0));
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'present', dockline.packing_list_mapping_body(p_business, p_name),
    'count', (select count(*) from dockline.packing_list_mapping m where m.business_id = p_business));
end $$;

create function dockline.packing_list_mapping_page(p_business bigint, p_after text, p_limit integer) returns json
language sql stable
as $$
  select coalesce(json_agg(dockline.packing_list_mapping_body(p_business, m.name) order by m.name), '[]')
  from (select name from dockline.packing_list_mapping
    where business_id = p_business and name > p_after collate "C" order by name limit p_limit) as m
$$;

create function dockline.packing_list_mapping_put(p_business bigint, p_name text, p_mapping jsonb, p_at timestamp with time zone) returns void
language plpgsql
as $$
begin
  if p_mapping is null then
    delete from dockline.packing_list_mapping m where m.business_id = p_business and m.name = p_name collate "C";
  else
    insert into dockline.packing_list_mapping (business_id, name, mapping, saved_at)
    values (p_business, p_name, p_mapping, p_at)
    on conflict (business_id, name) do update set mapping = excluded.mapping, saved_at = excluded.saved_at;
  end if;
end $$;

create function dockline.pallet_apply(p_business bigint, p_begun timestamp with time zone, p_plans json, p_drafts json, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  p record;
  v_at timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
  v_messages json;
begin
  if p_begun is distinct from now() then
    raise exception 'The transaction of the plans has ended' using errcode = 'serialization_failure';
  end if;
  for p in select * from json_to_recordset(p_plans) as r("at" int, "facilityId" bigint, "eventKey" text,
    fingerprint text, "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, "arrivedBy" text, elsewhere json, direction text,
      "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, verdict json, "labelText" int,
    "rowCount" int, "textSize" int, first text, "firstSeenAt" timestamptz, last text, "lastSeenAt" timestamptz,
    "lastDockId" bigint, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean) loop
    if p."isNewPallet" then
      insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction,
        first_seen_at,
        last_direction, last_seen_at, last_dock_id, row_count, text_size, recorded_at, place)
      values (p_business, p."palletId", p."facilityId", p."shipmentId", p.lpn, p."lpnKey", p.first, p."firstSeenAt",
        p.last,
        p."lastSeenAt", p."lastDockId", 1 + p."rowCount", p."textSize", v_at, dockline.list_place(v_at, p."palletId"));
    else
      update dockline.pallet set
        first_direction = p.first, first_seen_at = p."firstSeenAt", last_direction = p.last,
        last_seen_at = p."lastSeenAt", last_dock_id = p."lastDockId",
        row_count = row_count + p."rowCount", text_size = text_size + p."textSize"
      where business_id = p_business and shipment_id = p."shipmentId" and id = p."palletId";
    end if;
    update dockline.shipment s set pallet_events = pallet_events + 1, version = version + 1,
      label_text = label_text + p."labelText",
      status = case when status = 'SCHEDULED' then 'ARRIVED' else status end,
      arrived_at = coalesce(p."arrivedAt", arrived_at),
      step_clients = case when p."arrivedBy" is null then step_clients
        else step_clients || jsonb_build_object('ARRIVED', p."arrivedBy") end,
      dock_id = case when status = 'SCHEDULED' then p."dockId" else dock_id end,
      elsewhere = coalesce(p.elsewhere, s.elsewhere),
      missing_pallets = p."missingPallets", unexpected_pallets = p."unexpectedPallets",
      wrong_dock_pallets = p."wrongDockPallets", discrepant = p.discrepant
    where s.business_id = p_business and s.id = p."shipmentId";
  end loop;
  v_messages := dockline.message_append(p_business, p_drafts, p_now);
  insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id, pallet_id, message_id,
    direction, occurred_at, dock_id, orders, labels, verdict)
  select p_business, r."facilityId", r."eventKey", r.fingerprint, r."shipmentId", r."palletId",
    (v_messages->r."at"->>0)::bigint,
    r.direction, r."occurredAt", r."dockId", r.orders, r.labels, r.verdict
  from json_to_recordset(p_plans) as r("at" int, "facilityId" bigint, "eventKey" text, fingerprint text,
    "shipmentId" bigint, "palletId" bigint,
    "isNewPallet" boolean, lpn text, "lpnKey" text, "arrivedAt" timestamptz, elsewhere json, direction text,
      "occurredAt" timestamptz,
    "dockId" bigint, orders json, labels json, verdict json, "labelText" int,
    "rowCount" int, "textSize" int, first text, "firstSeenAt" timestamptz, last text, "lastSeenAt" timestamptz,
    "lastDockId" bigint, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean);
  return (select json_agg(m->0) from json_array_elements(v_messages) as m);
end $$;

create function dockline.pallet_load(p_business bigint, p_events json, p_wait boolean) returns json
language plpgsql
as $$
declare
  v_business dockline.business;
  v_facility dockline.facility;
  v_dock dockline.dock;
  v_event record;
  v_match bigint;
  v_way text;
  v_again bigint;
  v_pallet bigint;
  v_lock bigint;
  v_taken bigint[] := '{}';
  v_events json[] := '{}';
  e record;
begin
  if not p_wait then perform set_config('lock_timeout', '250ms', true); end if;
  select * into v_business from dockline.business where id = p_business;
  for e in select * from json_to_recordset(p_events) as r(facility text, "eventKey" text, dock text, shipment bigint,
    "numberKey" text, lpn text, "lpnKey" text, "departedSince" timestamptz, "occurredAt" timestamptz)
  loop
    if v_facility.slug is distinct from e.facility then
      select * into v_facility from dockline.facility where business_id = p_business and slug = e.facility;
    end if;
    if v_facility.id is null then
      v_events := v_events || 'null'::json;
      continue;
    end if;
    v_lock := hashtextextended('dockline.event:' || v_facility.id || ':' || e."eventKey", 0);
    if p_wait then
      perform pg_advisory_xact_lock(v_lock);
    elsif not pg_try_advisory_xact_lock(v_lock) then
      v_events := v_events || '"held"'::json;
      continue;
    end if;
    select * into v_event from dockline.pallet_event
    where business_id = p_business and facility_id = v_facility.id and event_key = e."eventKey";
    select * into v_dock from dockline.dock where facility_id = v_facility.id and slug = e.dock;
    v_match := null;
    v_way := null;
    v_pallet := null;
    if v_event.event_key is null then
      select id, way into v_match, v_way
      from dockline.pallet_match(p_business, v_facility.id, e.shipment, e."numberKey", e.lpn, v_dock.id,
        e."departedSince",
          e."occurredAt");
    end if;
    if v_match is not null then
      if p_wait then
        perform from dockline.shipment where business_id = p_business and id = v_match for no key update;
      else
        perform from dockline.shipment where business_id = p_business and id = v_match for no key update skip locked;
        if not found or v_match = any (v_taken) then
          v_events := v_events || '"held"'::json;
          continue;
        end if;
      end if;
      -- A shipment keeps its id, its number and its facility.
      if v_way <> 'given' then
        select id, way into v_again, v_way
        from dockline.pallet_match(p_business, v_facility.id, e.shipment, e."numberKey", e.lpn, v_dock.id,
          e."departedSince",
          e."occurredAt");
        if v_again is distinct from v_match then
          if not p_wait then
            v_events := v_events || '"held"'::json;
            continue;
          end if;
          raise exception 'the shipment of a pallet changed' using errcode = 'serialization_failure';
        end if;
      end if;
      v_taken := v_taken || v_match;
      select id into v_pallet from dockline.pallet
      where business_id = p_business and shipment_id = v_match and lpn_key = e."lpnKey";
    end if;
    v_events := v_events || json_build_object(
      'facility', json_build_object('slug', v_facility.slug, 'name', v_facility.name),
      'facilityId', v_facility.id,
      'dock', case when v_dock.id is not null then json_build_object('id', v_dock.id, 'slug', v_dock.slug) end,
      'recorded', case when v_event.event_key is not null then json_build_object('fingerprint', v_event.fingerprint,
        'answer', json_build_object('messageId', v_event.message_id, 'serviceShipmentId', v_event.shipment_id::text,
          'servicePalletId', v_event.pallet_id::text, 'orders', v_event.orders, 'verdict', v_event.verdict)) end,
      'way', v_way,
      'match', case when v_match is not null
        then dockline.pallet_shipment(p_business, v_match, e.lpn, v_pallet, v_way) end,
      'newPalletId', case when v_match is not null and v_pallet is null
        then nextval('dockline.pallet_id') else 0 end
    );
  end loop;
  return json_build_object(
    'begun', now()::text,
    'now', dockline.rfc3339(clock_timestamp()),
    'business', case when v_business.id is not null
      then json_build_object('slug', v_business.slug, 'name', v_business.name) end,
    'fieldMap', v_business.field_map,
    'events', array_to_json(v_events)
  );
end $$;

create function dockline.pallet_lpn(p_key text, p_lpn text) returns text
language sql immutable
as $$
  select case when p_key like '=%' then substr(p_key, 2) else p_lpn end
$$;

create function dockline.pallet_match(p_business bigint, p_facility bigint, p_shipment bigint, p_number_key text, p_lpn text, p_dock bigint, p_departed_since timestamp with time zone, p_occurred_at timestamp with time zone, OUT id bigint, OUT way text) returns record
language plpgsql stable
as $$
begin
  way := 'given';
  if p_shipment is not null then
    select s.id into id from dockline.shipment s where s.business_id = p_business and s.id = p_shipment
      and s.facility_id = p_facility;
  elsif p_number_key is not null then
    select s.id into id from dockline.shipment s
    where s.business_id = p_business and s.facility_id = p_facility and s.number_key = p_number_key;
  else
    if p_lpn is not null then
      way := 'byLpn';
      id := dockline.shipment_by_lpn(p_business, p_facility, p_lpn);
      if id is null then
        way := 'departed';
        id := dockline.shipment_departed_with(p_business, p_facility, p_lpn, p_departed_since);
      end if;
    end if;
    if id is null then
      way := 'atDock';
      id := dockline.shipment_stood_at(p_business, p_dock, p_occurred_at);
    end if;
  end if;
end $$;

create function dockline.pallet_page(p_scopes json, p_lpn_key text, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_ids bigint[];
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  with head as (
    select k.*, (select t.place from dockline.pallet t
      where t.facility_id = k.facility and (t.lpn_key, t.place) > (p_lpn_key, p_after) and t.lpn_key <= p_lpn_key
      order by t.facility_id, t.lpn_key, t.place limit 1) as first
    from unnest(dockline.facilities_within(p_scopes)) as k(facility) order by first limit p_limit
  ), bound as (
    select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
  )
  select array(
    select t.shipment_id from head k cross join lateral (
      select t.* from dockline.pallet t
      where t.facility_id = k.facility and (t.lpn_key, t.place) >= (p_lpn_key, k.first)
        and (t.lpn_key, t.place) <= (p_lpn_key, (select last from bound))
      order by t.facility_id, t.lpn_key, t.place limit p_limit) as t
    where k.first is not null order by t.place limit p_limit) into v_ids;
  foreach v_id in array v_ids loop
    select p.row_count, p.text_size, (select b.body from dockline.pallet_body b
      where b.business_id = s.business_id and b.shipment_id = s.id and b.lpn_key = p_lpn_key)
    into v_rows, v_text, v_body
    from dockline.shipment s
    join dockline.pallet p on p.business_id = s.business_id and p.lpn_key = p_lpn_key and p.shipment_id = s.id
    where s.id = v_id;
    v_page := v_page || v_body;
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.pallet_shipment(p_business bigint, p_shipment bigint, p_lpn text, p_pallet bigint, p_way text) returns json
language plpgsql stable
as $$
declare
  v_shipment record;
  v_orders json;
  v_other bigint;
begin
  select * into v_shipment from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  v_orders := (select json_agg(o.number order by o.id + 0) from dockline.customer_order o
    where o.business_id = p_business and o.shipment_id = p_shipment and exists (select from dockline.order_item i
      where i.business_id + 0 = p_business and i.facility_id = v_shipment.facility_id
        and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(p_lpn)
        and i.lpn_shipment_id = case when v_shipment.status in ('DEPARTED',
          'CANCELLED') then -p_shipment else p_shipment end
        and i.order_id = o.id and coalesce(i.lpn_key, i.lpn) = p_lpn offset 0));
  if v_orders is null and p_way = 'given' and p_lpn is not null then
    v_other := dockline.shipment_by_lpn(p_business, v_shipment.facility_id, p_lpn);
  end if;
  return json_build_array(json_build_object('id', p_shipment, 'number', v_shipment.number, 'status', v_shipment.status,
    'direction', v_shipment.direction,
    'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = v_shipment.dock_id),
    'arrivedAt', dockline.rfc3339(v_shipment.arrived_at),
    'departure', case when v_shipment.status = 'DEPARTED' then json_build_object(
      'at', dockline.rfc3339(v_shipment.departed_at), 'tracking', dockline.shipment_tracking(p_business, p_shipment)) end,
    'palletId', p_pallet,
    'orders', case when v_shipment.status = 'SCHEDULED' then (select coalesce(json_agg(o.number order by o.id + 0), '[]')
      from dockline.customer_order o where o.business_id = p_business and o.shipment_id = p_shipment) else '[]' end,
    'ordersWithLpn', coalesce(v_orders, '[]'),
    'onlyOrder', (select case when count(*) = 1 then min(few.number) end from (select o.number from dockline.customer_order o
      where o.business_id = p_business and o.shipment_id = p_shipment limit 2) as few),
    'elsewhere', case when v_other is not null then (select json_build_object('id', s.id, 'number', s.number,
        'dock', (select json_build_object('id', x.id, 'slug', x.slug) from dockline.dock x where x.id = s.dock_id))
      from dockline.shipment s where s.business_id = p_business and s.id = v_other) end,
    'events', v_shipment.pallet_events, 'labelText', v_shipment.label_text,
    'sightings', case when p_pallet is not null then (
      select json_build_object('first', p.first_direction, 'firstSeenAt', dockline.rfc3339(p.first_seen_at),
        'last', p.last_direction, 'lastSeenAt', dockline.rfc3339(p.last_seen_at), 'dockId', p.last_dock_id)
      from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = p_shipment and p.id = p_pallet) end),
    json_build_object('missingPallets', v_shipment.missing_pallets, 'unexpectedPallets', v_shipment.unexpected_pallets,
      'wrongDockPallets', v_shipment.wrong_dock_pallets));
end $$;

create function dockline.pallets_of_shipment(p_business bigint, p_shipment bigint, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_facility bigint;
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  select s.facility_id into v_facility from dockline.shipment s where s.business_id = p_business and s.id = p_shipment;
  if not found then return null; end if;
  for v_id in select p.id from dockline.pallet p
    where p.business_id = p_business and p.shipment_id = p_shipment and p.id > p_after
    order by p.business_id, p.shipment_id, p.id limit p_limit
  loop
    select p.row_count, p.text_size, b.body into v_rows, v_text, v_body
    from dockline.pallet p
    join dockline.pallet_body b on b.business_id = p.business_id and b.shipment_id = p.shipment_id and b.id = p.id
    where p.business_id = p_business and p.shipment_id = p_shipment and p.id = v_id;
    v_page := v_page || v_body;
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name) from dockline.facility x where x.id = v_facility),
    'pallets', array_to_json(v_page));
end $$;

create function dockline.pallets_of_shipments(p_business bigint, p_facility text, p_shipments bigint[], p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_facility bigint;
  v_shipment bigint;
  v_after bigint := p_after;
  v_id bigint;
  v_body json;
  v_rows bigint;
  v_text bigint;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  select f.id into v_facility from dockline.facility f where f.business_id = p_business and f.slug = p_facility;
  foreach v_shipment in array p_shipments loop
    for v_id in select p.id from dockline.pallet p
      where p.business_id = p_business and p.shipment_id = v_shipment and p.id > v_after and p.facility_id = v_facility
      order by p.business_id, p.shipment_id, p.id limit p_limit - cardinality(v_page)
    loop
      select p.row_count, p.text_size, b.body into v_rows, v_text, v_body
    from dockline.pallet p
    join dockline.pallet_body b on b.business_id = p.business_id and b.shipment_id = p.shipment_id and b.id = p.id
    where p.business_id = p_business and p.shipment_id = v_shipment and p.id = v_id;
    v_page := v_page || v_body;
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
    end loop;
    exit when cardinality(v_page) >= p_limit or (v_rows_held > p_rows or v_text_held > p_text)
      and cardinality(v_page) > 1;
    v_after := 0;
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.person_page(p_businesses text[], p_after text, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_ids text[];
begin
  if p_businesses is null then
    v_ids := array(select t.id from dockline.person t where t.id collate "C" > p_after order by t.id collate "C" limit p_limit);
  else
    with head as (
      select k.*, (select t.id collate "C" from dockline.person t
        where ((t.grants->0->>'business'), t.id collate "C") > (k.business, p_after)
          and (t.grants->0->>'business') <= k.business and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit 1) as first
      from (select distinct unnest(p_businesses) as business) as k order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then U&'\+10FFFF' else max(first) end as last from head
    )
    select array(
      select t.id from head k cross join lateral (
        select t.id from dockline.person t
        where ((t.grants->0->>'business'), t.id collate "C") >= (k.business, k.first)
          and ((t.grants->0->>'business'), t.id collate "C") <= (k.business, (select last from bound))
            and dockline.client_within(t.grants, p_businesses)
        order by (t.grants->0->>'business'), t.id collate "C" limit p_limit) as t
      where k.first is not null order by t.id collate "C" limit p_limit) into v_ids;
  end if;
  return (select coalesce(json_agg(json_build_array(c.id, (
      select 1 + coalesce(sum(case when jsonb_typeof(granted->'facilities') = 'array'
        then jsonb_array_length(granted->'facilities') else 1 end), 0)
      from jsonb_array_elements(c.grants) as granted)) order by named.n), '[]')
    from unnest(v_ids) with ordinality as named(id, n) cross join lateral (
      select t.id, t.grants from dockline.person t where t.id = named.id) as c);
end $$;

create function dockline.retention_time() returns json
language plpgsql
as $$
declare
  v_clock dockline.retention_clock;
  v_now timestamptz;
  v_ran interval;
begin
  insert into dockline.retention_clock (id, trusted_at, seen_at) values (1, clock_timestamp(),
    clock_timestamp()) on conflict do nothing;
  select * into v_clock from dockline.retention_clock where id = 1 for update;
  v_now := clock_timestamp();
  if v_now > v_clock.trusted_at + interval '1 day' then
    v_ran := coalesce(v_clock.ran, '0') + case when v_clock.ran is not null and v_now > v_clock.seen_at
      and v_now <= v_clock.seen_at + interval '2 hours' then v_now - v_clock.seen_at else '0' end;
  end if;
  if v_ran >= interval '1 day' then
    v_ran := null;
  end if;
  if v_ran is null then
    v_clock.trusted_at := v_now;
  end if;
  update dockline.retention_clock set trusted_at = v_clock.trusted_at, seen_at = v_now, ran = v_ran where id = 1;
  return json_build_object('time', trunc(extract(epoch from v_clock.trusted_at) * 1000),
    'jump', trunc(extract(epoch from v_now - v_clock.trusted_at) * 1000), 'isNew', v_clock.ran is null
      and v_ran is not null);
end $$;

create function dockline.rfc3339(timestamp with time zone) returns text
language sql stable
RETURN to_char(($1 AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

create function dockline.search_entries(p_scopes json, p_text text, p_key text, p_folded text, p_ending text, p_ends boolean, p_depth integer, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  -- The least hash of LPNs with the ending.
  v_least bigint := (hashtextextended(p_ending, 0) & 2147483647) * 4294967296;
  v_found json[];
  v_items json[];
  v_filled boolean;
begin
  v_found := array(select json_build_array('SHIPMENT', t.id, t.text, t.facility_id, t.shipment_id, '', 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.number as text, t.id as shipment_id from dockline.shipment t
      where t.business_id = (select f.business_id from dockline.facility f where f.id = k.facility_id)
        and t.facility_id = k.facility_id and t.number_key >= p_key and t.number_key <= p_key
      order by t.number_key limit p_limit) as t
    order by t.id desc limit p_limit)
  || array(select json_build_array('TRAILER', t.id, t.text, t.facility_id, t.shipment_id, '', 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.trailer_number as text, t.id as shipment_id from dockline.shipment t
      where t.facility_id = k.facility_id and t.trailer_number = p_text and t.trailer_number <> ''
        and hashtextextended(t.trailer_number, 0) >= hashtextextended(p_text, 0)
        and hashtextextended(t.trailer_number, 0) <= hashtextextended(p_text, 0)
      order by hashtextextended(t.trailer_number, 0) desc, t.id desc limit p_limit) as t
    order by t.id desc limit p_limit)
  || array(select json_build_array('ORDER', t.id, t.text, t.facility_id, t.shipment_id, t.text, 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.number as text, t.shipment_id as shipment_id from dockline.customer_order t
      where t.facility_id = k.facility_id and t.number <> '' and t.number_key >= p_key and t.number_key <= p_key
      order by t.number_key desc, t.id desc limit p_limit) as t
    order by t.id desc limit p_limit)
  || array(select json_build_array('PALLET', t.id, t.text, t.facility_id, t.shipment_id, '', 0)
    from unnest(v_facilities) as k(facility_id) cross join lateral (
      select t.facility_id, t.id, t.lpn as text, t.shipment_id as shipment_id from dockline.pallet t
      where t.facility_id = k.facility_id and t.lpn <> '' and t.lpn_key >= p_key and t.lpn_key <= p_key
      order by t.lpn_key, t.place limit p_limit) as t
    order by t.id desc limit p_limit);
  v_items := array(
    select json_build_array('ITEM', t.id, (select i.lpn from dockline.order_item i
        where i.business_id = t.business_id and i.order_id = t.order_id and i.id = t.id),
      t.facility_id, t.shipment_id, (select o.number from dockline.customer_order o
        where o.business_id = t.business_id and o.id = t.order_id), 0)
    from (
      select k.facility_id, w.business_id, abs(w.lpn_shipment_id) as shipment_id, w.order_id, w.id
      from unnest(v_facilities) as k(facility_id)
      cross join (values (true, 9223372036854775807), (false, -9223372036854775807)) as side(open, beginning)
      cross join lateral (
        with recursive walk as (
          select n.* from dockline.item_with_lpn(k.facility_id, p_text, side.open, side.beginning) as n
          union all
          select n.* from walk w
          cross join lateral dockline.item_with_lpn(k.facility_id, p_text, side.open, w.lpn_shipment_id) as n
        )
        select * from walk limit p_limit
      ) as w
    ) as t
    order by t.shipment_id desc, t.id desc limit p_limit);
  v_filled := greatest(cardinality(v_found), cardinality(v_items)) >= p_limit;
  if not v_filled then
    v_items := v_items || array(select json_build_array('SHIPMENT', t.id, t.text, t.facility_id, t.shipment_id, '',
      t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.number as text, t.number as compared, t.id as shipment_id from dockline.shipment t
          where t.facility_id = k.facility_id and lower(right(t.number, 6) collate "C") = p_ending and t.number <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('TRAILER', t.id, t.text, t.facility_id, t.shipment_id, '', t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.trailer_number as text, t.trailer_number as compared,
            t.id as shipment_id from dockline.shipment t
          where t.facility_id = k.facility_id and lower(right(t.trailer_number, 6) collate "C") = p_ending
            and t.trailer_number <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('ORDER', t.id, t.text, t.facility_id, t.shipment_id, t.text, t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.number as text, t.number as compared,
            t.shipment_id as shipment_id from dockline.customer_order t
          where t.facility_id = k.facility_id and lower(right(t.number, 6) collate "C") = p_ending and t.number <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('PALLET', t.id, t.text, t.facility_id, t.shipment_id, '', t.distance)
      from (
        select t.*, case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from unnest(v_facilities) as k(facility_id) cross join lateral (
          select t.facility_id, t.id, t.lpn as text, dockline.pallet_lpn(t.lpn_key, t.lpn) as compared,
            t.shipment_id as shipment_id from dockline.pallet t
          where t.facility_id = k.facility_id
            and lower(right(dockline.pallet_lpn(t.lpn_key, t.lpn), 6) collate "C") = p_ending
            and t.lpn <> ''
          order by t.id desc limit p_depth) as t
        where t.compared <> p_text and dockline.is_similar(t.compared, p_folded, p_ends)) as t
      order by t.distance, t.id desc limit p_limit)
    || array(select json_build_array('ITEM', t.id, t.text, t.facility_id, t.shipment_id,
        (select o.number from dockline.customer_order o where o.business_id = t.business_id and o.id = t.order_id),
          t.distance)
      from (
        select distinct on (t.shipment_id, t.compared) t.*,
          case when lower(t.compared collate "C") = p_folded then 1 else 2 end as distance
        from (
          select i.*, (select o.shipment_id from dockline.customer_order o
            where o.business_id = i.business_id and o.id = i.order_id) as shipment_id
          from (
            select t.* from unnest(v_facilities) as k(facility_id) cross join lateral (
              select t.business_id, t.facility_id, t.id, t.lpn as text, coalesce(t.lpn_key, t.lpn) as compared, t.order_id
              from dockline.order_item t
              where t.facility_id = k.facility_id and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) >= v_least
                and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) <= v_least + 4294967295
              order by t.facility_id, dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)), t.lpn_shipment_id, t.order_id
              limit p_depth) as t
            where lower(right(t.compared, 6) collate "C") = p_ending and t.compared <> p_text
              and dockline.is_similar(t.compared, p_folded, p_ends)
          ) as i
        ) as t
        order by t.shipment_id, t.compared, t.id desc) as t
      order by t.distance, t.shipment_id desc, t.id desc limit p_limit);
  end if;
  return json_build_object('removed', array(select r.lpn from (
      select p_text as lpn, 0 as distance, 0 as document_id
      where p_key like '=%' and exists (select from unnest(v_facilities) as k(facility_id)
        where (select t.document_id from dockline.document_removal t
          where t.facility_id = k.facility_id and t.lpn_key = p_key limit 1) is not null)
      union all
      select t.lpn, case when lower(t.lpn collate "C") = p_folded then 1 else 2 end, t.document_id
      from unnest(v_facilities) as k(facility_id) cross join lateral (
        select substr(t.lpn_key, 2) as lpn, t.document_id from dockline.document_removal t
        where not v_filled and t.facility_id = k.facility_id
          and lower(right(substr(t.lpn_key, 2), 6) collate "C") = p_ending
          and t.lpn_key like '=%'
        order by t.document_id desc limit p_depth) as t
      where t.lpn <> p_text and dockline.is_similar(t.lpn, p_folded, p_ends)
    ) as r group by r.lpn, r.distance order by r.distance, max(r.document_id) desc, r.lpn limit p_limit),
    'entries', coalesce((
    select json_agg(json_build_object('kind', e->>0, 'id', e->1, 'text', e->>2, 'shipmentId', s.id,
      'shipmentNumber', s.number, 'status', s.status,
      'missingPallets', s.missing_pallets, 'unexpectedPallets', s.unexpected_pallets, 'orderNumber', e->>5,
      'location', json_build_object('business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name))))
    from unnest(v_found || v_items) as e
    join dockline.facility f on f.id = (e->>3)::bigint
    join dockline.business b on b.id = f.business_id
    cross join lateral (select s.* from dockline.shipment s where s.business_id = f.business_id and s.id = (e->>4)::bigint
      offset 0) as s), '[]'));
end $$;

create function dockline.shipment_business(p_id bigint) returns bigint
language plpgsql stable
as $$
begin
  return (select t.business_id from dockline.shipment t where t.id = p_id);
end $$;

create function dockline.shipment_by_lpn(p_business bigint, p_facility bigint, p_lpn text) returns bigint
language plpgsql stable
as $$
begin
  return (select i.lpn_shipment_id from dockline.order_item i
    where i.business_id = p_business and i.facility_id = p_facility
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(p_lpn) and i.lpn_shipment_id > 0
        and coalesce(i.lpn_key, i.lpn) = p_lpn
    order by i.lpn_shipment_id desc limit 1);
end $$;

create function dockline.shipment_departed_with(p_business bigint, p_facility bigint, p_lpn text, p_since timestamp with time zone) returns bigint
language plpgsql stable
as $$
begin
  return (select -i.lpn_shipment_id from dockline.order_item i
    where i.business_id = p_business and i.facility_id = p_facility
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) = dockline.lpn_hash(p_lpn) and i.lpn_shipment_id < 0
        and coalesce(i.lpn_key, i.lpn) = p_lpn
      and (select s.departed_at from dockline.shipment s
        where s.business_id + 0 = p_business and s.id = -i.lpn_shipment_id) >= p_since
    order by i.lpn_shipment_id limit 1);
end $$;

create function dockline.shipment_page(p_scopes json, p_number text, p_lpn text, p_status text, p_discrepancies boolean, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_ids bigint[];
  v_facilities bigint[];
  v_statuses text[] := case when p_status is not null then array[p_status]
    when p_discrepancies then array['SCHEDULED', 'ARRIVED', 'DEPARTED']
    else array['SCHEDULED', 'ARRIVED', 'DEPARTED', 'CANCELLED'] end;
begin
  if p_scopes is null and p_number is null and p_lpn is null and p_status is null and not p_discrepancies then
    v_ids := array(select t.id from dockline.shipment t where t.id > p_after order by t.id limit p_limit);
  else
    v_facilities := dockline.facilities_within(p_scopes);
    if p_lpn is not null then
      v_ids := dockline.shipments_with_lpn(v_facilities, p_lpn, p_after, p_limit);
    elsif p_number is not null then
      v_ids := array(
        select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
        cross join lateral (select s.id, s.status, s.discrepant from dockline.shipment s
          where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number offset 0) as t
        where t.id > p_after and t.status = any (v_statuses) and (not p_discrepancies or t.discrepant)
        order by t.id limit p_limit);
    elsif p_discrepancies then
      with head as (
        select k.*, (select t.id from dockline.shipment t
          where t.facility_id = k.facility and (t.status, t.id) > (k.status, p_after) and t.status <= k.status
            and t.discrepant
          order by t.facility_id, t.status, t.id limit 1) as first
        from (select facility, status from unnest(v_facilities) as facility cross join unnest(v_statuses) as status) as k
        order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.shipment t
          where t.facility_id = k.facility and (t.status, t.id) >= (k.status, k.first)
            and (t.status, t.id) <= (k.status, (select last from bound)) and t.discrepant
          order by t.facility_id, t.status, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    else
      with head as (
        select k.*, (select t.id from dockline.shipment t
          where t.status = k.status and (t.facility_id, t.id) > (k.facility, p_after) and t.facility_id <= k.facility
          order by t.status, t.facility_id, t.id limit 1) as first
        from (select facility, status from unnest(v_facilities) as facility cross join unnest(v_statuses) as status) as k
        order by first limit p_limit
      ), bound as (
        select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
      )
      select array(
        select t.id from head k cross join lateral (
          select t.id from dockline.shipment t
          where t.status = k.status and (t.facility_id, t.id) >= (k.facility, k.first)
            and (t.facility_id, t.id) <= (k.facility, (select last from bound))
          order by t.status, t.facility_id, t.id limit p_limit) as t
        where k.first is not null order by t.id limit p_limit) into v_ids;
    end if;
  end if;
  return dockline.shipments_within(v_ids, p_rows, p_text);
end $$;

create function dockline.shipment_page_by_time(p_scopes json, p_number text, p_status text, p_discrepancies boolean, p_carrier text, p_trailer text, p_latest boolean, p_first timestamp with time zone, p_first_id bigint, p_last timestamp with time zone, p_last_id bigint, p_limit integer, p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_ids bigint[];
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_statuses text[];
  v_discrepant boolean[];
begin
  select array_agg(k.status), array_agg(k.discrepant) into v_statuses, v_discrepant
  from (values ('SCHEDULED', false), ('SCHEDULED', true), ('ARRIVED', false), ('ARRIVED', true), ('DEPARTED', false),
    ('DEPARTED', true), ('CANCELLED', false)) as k(status, discrepant)
  where (p_status is null or k.status = p_status) and (not p_discrepancies or k.discrepant);
  if p_number is not null then
    v_ids := array(
      select t.id from unnest(v_facilities) as named(id) join dockline.facility f on f.id = named.id
      cross join lateral (
        select s.id, s.status, s.discrepant, s.carrier, s.trailer_number,
          coalesce(s.departed_at, s.arrived_at, s.expected_arrival_at) as at
        from dockline.shipment s
        where s.business_id = f.business_id and s.facility_id = f.id and s.number_key = p_number) as t
      where (t.at, t.id) >= (p_first, p_first_id) and (t.at, t.id) <= (p_last, p_last_id)
        and (p_carrier is null or t.carrier = p_carrier) and (p_trailer is null or t.trailer_number = p_trailer)
        and (p_status is null or t.status = p_status) and (not p_discrepancies or t.discrepant)
      order by case when p_latest then t.at end desc, case when p_latest then t.id end desc, t.at, t.id limit p_limit);
  elsif p_latest then
    with head as (
      select k.*, t.at, t.id from (select facility, kind.status, kind.discrepant
        from unnest(v_facilities) as facility cross join unnest(v_statuses, v_discrepant) as kind(status, discrepant)) as k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
        order by t.status desc, t.discrepant desc, t.facility_id desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit 1
      )) as t
      order by t.at desc, t.id desc limit p_limit
    ), bound as (
      select at, id from head order by at desc, id desc offset p_limit - 1 limit 1
    )
    select array(
      select t.id from head k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            >= (coalesce((select at from bound), p_first), coalesce((select id from bound), p_first_id))
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (k.at, k.id)
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            >= (coalesce((select at from bound), p_first), coalesce((select id from bound), p_first_id))
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (k.at, k.id)
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0) desc, t.facility_id desc, t.status desc, t.discrepant desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            >= (coalesce((select at from bound), p_first), coalesce((select id from bound), p_first_id))
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (k.at, k.id)
        order by t.status desc, t.discrepant desc, t.facility_id desc,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) desc, t.id desc limit p_limit
      )) as t
      order by t.at desc, t.id desc limit p_limit) into v_ids;
  else
    with head as (
      select k.*, t.at, t.id from (select facility, kind.status, kind.discrepant
        from unnest(v_facilities) as facility cross join unnest(v_statuses, v_discrepant) as kind(status, discrepant)) as k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit 1
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (p_first, p_first_id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) <= (p_last, p_last_id)
        order by t.status, t.discrepant, t.facility_id, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at),
          t.id limit 1
      )) as t
      order by t.at, t.id limit p_limit
    ), bound as (
      select at, id from head order by at, id offset p_limit - 1 limit 1
    )
    select array(
      select t.id from head k
      cross join lateral ((
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is not null and hashtextextended(t.carrier, 0) = hashtextextended(p_carrier, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (k.at, k.id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            <= (coalesce((select at from bound), p_last), coalesce((select id from bound), p_last_id))
          and t.carrier <> '' and t.carrier = p_carrier
        order by hashtextextended(t.carrier, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_trailer is not null and hashtextextended(t.trailer_number, 0) = hashtextextended(p_trailer, 0)
          and t.facility_id = k.facility and t.status = k.status and t.discrepant = k.discrepant
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (k.at, k.id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            <= (coalesce((select at from bound), p_last), coalesce((select id from bound), p_last_id))
          and t.trailer_number <> '' and t.trailer_number = p_trailer
        order by hashtextextended(t.trailer_number, 0), t.facility_id, t.status, t.discrepant,
          coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id limit p_limit
      ) union all (
        select coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at) as at, t.id from dockline.shipment t
        where p_carrier is null and p_trailer is null and t.status = k.status and t.discrepant = k.discrepant
          and t.facility_id = k.facility
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id) >= (k.at, k.id)
          and (coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at), t.id)
            <= (coalesce((select at from bound), p_last), coalesce((select id from bound), p_last_id))
        order by t.status, t.discrepant, t.facility_id, coalesce(t.departed_at, t.arrived_at, t.expected_arrival_at),
          t.id limit p_limit
      )) as t
      order by t.at, t.id limit p_limit) into v_ids;
  end if;
  return dockline.shipments_within(v_ids, p_rows, p_text);
end $$;

create function dockline.shipment_stood_at(p_business bigint, p_dock bigint, p_at timestamp with time zone) returns bigint
language plpgsql stable
as $$
declare
  v_id bigint;
begin
  select t.id into v_id from (
    (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'ARRIVED'
      and s.arrived_at <= p_at order by s.arrived_at desc, s.id desc limit 1)
    union all
    (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'DEPARTED' and s.departed_at >= p_at
      and s.arrived_at <= p_at order by s.arrived_at desc, s.id desc limit 1)
  ) as t order by t.arrived_at desc, t.id desc limit 1;
  if v_id is null then
    select t.id into v_id from (
      (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'ARRIVED'
      and s.arrived_at > p_at order by s.arrived_at asc, s.id asc limit 1)
      union all
      (select s.id, s.arrived_at from dockline.shipment s
    where s.business_id = p_business and s.dock_id = p_dock and s.status = 'DEPARTED' and s.departed_at >= p_at
      and s.arrived_at > p_at order by s.arrived_at asc, s.id asc limit 1)
    ) as t order by t.arrived_at, t.id limit 1;
  end if;
  return v_id;
end $$;

create function dockline.shipment_tracking(p_business bigint, p_shipment bigint) returns json
language plpgsql stable
as $$
begin
  return (select json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', f.slug, 'name', f.name)
      from dockline.facility f where f.id = s.facility_id),
    'direction', s.direction,
    'status', s.status,
    'dock', (select json_build_object('id', d.id, 'slug', d.slug) from dockline.dock d where d.id = s.dock_id),
    'lpns', (select coalesce(json_agg(i.lpn order by o.id + 0, i.id), '[]') from dockline.customer_order o
      cross join lateral (select i.id, i.lpn from dockline.order_item i
        where i.business_id = p_business and i.order_id = o.id and i.lpn <> '' offset 0) as i
      where o.business_id = p_business and o.shipment_id = p_shipment),
    'pallets', (select coalesce(json_agg(json_build_object('id', p.id, 'lpn', p.lpn, 'first', p.first_direction,
        'last', p.last_direction, 'dockId', p.last_dock_id,
        'dockSlug', (select d.slug from dockline.dock d where d.id = p.last_dock_id)) order by p.id), '[]')
      from dockline.pallet p where p.business_id = p_business and p.shipment_id = p_shipment),
    'elsewhere', dockline.expected_elsewhere(p_business, p_shipment))
  from dockline.shipment s where s.business_id = p_business and s.id = p_shipment);
end $$;

create function dockline.shipment_with_lpn(p_facility bigint, p_lpn text, p_after bigint) returns bigint
language plpgsql stable
as $$
declare
  v_hash bigint := dockline.lpn_hash(p_lpn);
begin
  return least((
    select i.lpn_shipment_id from dockline.order_item i
    where i.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)), i.lpn_shipment_id) > (v_hash, p_after)
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) <= v_hash and coalesce(i.lpn_key, i.lpn) = p_lpn
    order by dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)), i.lpn_shipment_id limit 1
  ), -(
    select i.lpn_shipment_id from dockline.order_item i
    where i.facility_id = p_facility
      and (dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)), i.lpn_shipment_id) < (v_hash, -p_after)
      and dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) >= v_hash and coalesce(i.lpn_key, i.lpn) = p_lpn
    order by dockline.lpn_hash(coalesce(i.lpn_key, i.lpn)) desc, i.lpn_shipment_id desc limit 1
  ));
end $$;

create function dockline.shipments_shown(p_ids bigint[], p_most_characters integer) returns TABLE(business json, facility json, shipment json, orders json, characters bigint)
language plpgsql stable
as $$
begin
  return query select json_build_object('slug', b.slug, 'name', b.name),
    json_build_object('slug', f.slug, 'name', f.name), s.body,
    case when p_most_characters is null or w.characters <= p_most_characters then
      (select coalesce(json_agg(o.body order by o.id + 0), '[]') from dockline.order_body o
        where o.business_id = s.business_id and o.shipment_id = s.id) end,
    w.characters
  from unnest(p_ids) with ordinality as named(id, nth)
  join dockline.shipment_body s on s.id = named.id
  join dockline.facility f on f.id = s.facility_id
  join dockline.business b on b.id = s.business_id
  cross join lateral (select coalesce(sum(o.row_count::bigint * 329 + o.text_size), 0)::bigint as characters
    from dockline.customer_order o
    where p_most_characters is not null and o.business_id = s.business_id and o.shipment_id = s.id) as w
  order by named.nth;
end $$;

create function dockline.shipments_with_lpn(p_facilities bigint[], p_lpn text, p_after bigint, p_limit integer) returns bigint[]
language plpgsql stable
as $$
begin
  return (
    with recursive head as (
      select k.facility, dockline.shipment_with_lpn(k.facility, p_lpn, p_after) as id
      from unnest(p_facilities) as k(facility) order by id limit p_limit
    ), bound as (
      select case when count(id) < p_limit then 9223372036854775807 else max(id) end as last from head
    ), found as (
      select facility, id, 1 as place from head where id is not null
      union all
      select k.facility, t.id, k.place + 1
      from found k cross join lateral (select dockline.shipment_with_lpn(k.facility, p_lpn, k.id) as id offset 0) as t
      where t.id <= (select last from bound) and k.place < p_limit
    )
    select array(select id from found order by id limit p_limit));
end $$;

create function dockline.shipments_within(p_ids bigint[], p_rows integer, p_text integer) returns json
language plpgsql stable
as $$
declare
  v_id bigint;
  v_rows bigint;
  v_text bigint;
  v_time timestamptz;
  v_rows_held bigint := 0;
  v_text_held bigint := 0;
  v_page json[] := '{}';
begin
  foreach v_id in array p_ids loop
    select 1 + o.row_count + (select count(*) from (select from dockline.pallet p
        where p.business_id = s.business_id and p.shipment_id = s.id limit p_rows + 1) as p),
      s.text_size + o.text_size, coalesce(s.departed_at, s.arrived_at, s.expected_arrival_at)
    into v_rows, v_text, v_time
    from dockline.shipment s cross join lateral (
      select coalesce(sum(o.row_count), 0) as row_count, coalesce(sum(o.text_size), 0) as text_size
      from (select o.row_count, o.text_size from dockline.customer_order o
        where o.business_id = s.business_id and o.shipment_id = s.id limit p_rows + 1) as o) as o
    where s.id = v_id;
    v_page := v_page || json_build_array(v_id::text, v_rows, v_text, dockline.rfc3339(v_time));
    v_rows_held := v_rows_held + v_rows;
    v_text_held := v_text_held + v_text;
    exit when (v_rows_held > p_rows or v_text_held > p_text) and cardinality(v_page) > 1;
  end loop;
  return array_to_json(v_page);
end $$;

create function dockline.sku_apply(p_business bigint, p_facility bigint, p_writes jsonb, p_deletes text[]) returns void
language plpgsql
as $$
begin
  insert into dockline.sku (business_id, facility_id, id, facts, created_at, updated_at)
  select p_business, p_facility, r.id, r.facts, r."createdAt", r."updatedAt"
  from jsonb_to_recordset(p_writes) as r(id text, facts jsonb, "createdAt" timestamptz, "updatedAt" timestamptz)
  on conflict (business_id, facility_id, id) do update set facts = excluded.facts, updated_at = excluded.updated_at;
  delete from dockline.sku k where k.business_id = p_business and k.facility_id = p_facility and k.id = any (p_deletes);
end $$;

create function dockline.sku_characters(p_id text, p_facts jsonb) returns integer
language sql immutable
as $$
  select length(p_id) + length(p_facts::text) + 160
$$;

create function dockline.sku_descriptions(p_business bigint, p_shipment bigint, p_ids text[]) returns json
language plpgsql stable
as $$
declare
  v_facility bigint := (select s.facility_id from dockline.shipment s where s.business_id = p_business
    and s.id = p_shipment);
begin
  return (select coalesce(json_agg(found.body), '[]') from unnest(p_ids) as named(id)
    cross join lateral (select json_build_object('id', k.id, 'description', k.facts->'description',
        'casesPerPallet', k.facts->'casesPerPallet') as body from dockline.sku k
      where k.business_id = p_business and k.facility_id = v_facility and k.id = named.id collate "C" offset 0) as found);
end $$;

create function dockline.sku_load(p_business bigint, p_facility text, p_ids text[]) returns json
language plpgsql
as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
begin
  perform pg_advisory_xact_lock(hashtextextended('dockline.skus:' || v_facility, 0));
  return json_build_object(
    'business', (select json_build_object('slug', b.slug, 'name', b.name) from dockline.business b where b.id = p_business),
    'facility', (select json_build_object('slug', x.slug, 'name', x.name) from dockline.facility x where x.id = v_facility),
    'facilityId', v_facility,
    'count', (select count(*) from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility),
    'stored', (select coalesce(json_agg(found.body), '[]') from unnest(p_ids) as named(id)
      cross join lateral (select json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at),
        dockline.rfc3339(k.updated_at)) as body from dockline.sku k
        where k.business_id = p_business and k.facility_id = v_facility and k.id = named.id collate "C" offset 0) as found));
end $$;

create function dockline.sku_page(p_business bigint, p_facility text, p_after text, p_limit integer, p_most_characters integer) returns json
language plpgsql stable
as $$
begin
  return dockline.skus_shown(p_business,
    (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility), p_after, 0, p_limit,
    p_most_characters, null);
end $$;

create function dockline.sku_slice(p_business bigint, p_facility text, p_id text, p_offset bigint, p_limit integer, p_most_characters integer) returns json
language plpgsql stable
as $$
declare
  v_facility bigint := (select f.id from dockline.facility f where f.business_id = p_business and f.slug = p_facility);
begin
  if p_id is not null then
    return (select json_build_object('total', count(*),
        'characters', coalesce(sum(dockline.sku_characters(k.id, k.facts)), 0),
        'skus', coalesce(json_agg(json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at),
          dockline.rfc3339(k.updated_at))) filter (where p_offset = 0 and p_limit > 0), '[]'))
      from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility and k.id = p_id collate "C");
  end if;
  return dockline.skus_shown(p_business, v_facility, '', p_offset, p_limit, p_most_characters,
    (select count(*) from dockline.sku k where k.business_id = p_business and k.facility_id = v_facility));
end $$;

create function dockline.skus_shown(p_business bigint, p_facility bigint, p_after text, p_offset bigint, p_limit integer, p_most_characters integer, p_total bigint) returns json
language plpgsql stable
as $$
declare
  v_characters bigint;
begin
  select coalesce(sum(dockline.sku_characters(k.id, k.facts)), 0) into v_characters from (
    select k.id, k.facts from dockline.sku k
    where k.business_id = p_business and k.facility_id = p_facility and k.id > p_after collate "C"
    order by k.business_id, k.facility_id, k.id offset p_offset limit p_limit) as k;
  if v_characters > p_most_characters then return json_build_object('total', p_total, 'characters', v_characters); end if;
  return json_build_object('total', p_total, 'characters', v_characters, 'skus', (
    select coalesce(json_agg(json_build_array(k.id, k.facts, dockline.rfc3339(k.created_at), dockline.rfc3339(k.updated_at))), '[]')
    from (
      select k.id, k.facts, k.created_at, k.updated_at from dockline.sku k
      where k.business_id = p_business and k.facility_id = p_facility and k.id > p_after collate "C"
      order by k.business_id, k.facility_id, k.id offset p_offset limit p_limit) as k));
end $$;

create function dockline.step_load(p_business bigint, p_shipment bigint, p_dock text, p_pallets boolean) returns json
language plpgsql
as $$
declare
  v_facility bigint;
begin
  select facility_id into v_facility from dockline.shipment
  where business_id = p_business and id = p_shipment for no key update;
  if not found then return null; end if;
  return json_build_object(
    'found', dockline.located_shipment(p_business, p_shipment),
    'now', dockline.rfc3339(clock_timestamp()),
    'facilityId', v_facility,
    'fieldMap', (select field_map from dockline.business where id = p_business),
    'dock', (select json_build_object('id', id, 'slug', slug) from dockline.dock
      where facility_id = v_facility and slug = p_dock),
    'elsewhere', case when p_pallets then dockline.expected_elsewhere(p_business, p_shipment) else '[]' end,
    'pallets', (
      select coalesce(json_agg(json_build_object('palletId', e.pallet_id, 'messageId', e.message_id, 'direction',
        e.direction,
        'occurredAt', dockline.rfc3339(e.occurred_at), 'dock', json_build_object('id', d.id, 'slug', d.slug),
        'orders', e.orders, 'labels', e.labels) order by e.message_id), '[]')
      from dockline.pallet_event e join dockline.dock d on d.id = e.dock_id
      where p_pallets and e.business_id = p_business and e.shipment_id = p_shipment)
  );
end $$;

create function dockline.trace_page(p_scopes json, p_key text, p_text text, p_most integer, p_after bigint, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_facilities bigint[] := dockline.facilities_within(p_scopes);
  v_businesses bigint[];
  v_orders bigint[];
  v_ids bigint[];
  v_entries json[] := '{}';
  v_item record;
  v_keys text[];
  v_pallet record;
begin
  if p_key = 'lot' then
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (hashtextextended(t.lot, t.facility_id), t.id) > (hashtextextended(p_text, k.facility), p_after)
          and hashtextextended(t.lot, t.facility_id) <= hashtextextended(p_text, k.facility)
          and t.lot = p_text and t.lot <> '' and t.facility_id = k.facility
        order by hashtextextended(t.lot, t.facility_id), t.id limit 1) as first
      from unnest(v_facilities) as k(facility) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array_agg(i.business_id), array_agg(i.order_id), array_agg(i.id) into v_businesses, v_orders, v_ids from (
      select t.* from head k cross join lateral (
        select t.business_id, t.order_id, t.id from dockline.order_item t
        where (hashtextextended(t.lot, t.facility_id), t.id) >= (hashtextextended(p_text, k.facility), k.first)
          and (hashtextextended(t.lot, t.facility_id), t.id) <= (hashtextextended(p_text, k.facility), (select last from bound))
          and t.lot = p_text and t.lot <> '' and t.facility_id = k.facility
        order by hashtextextended(t.lot, t.facility_id), t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) as i;
  elsif p_key = 'sku' then
    with head as (
      select k.*, (select t.id from dockline.order_item t
        where (hashtextextended(t.sku, t.facility_id), t.id) > (hashtextextended(p_text, k.facility), p_after)
          and hashtextextended(t.sku, t.facility_id) <= hashtextextended(p_text, k.facility)
          and t.sku = p_text and t.sku <> '' and t.facility_id = k.facility
        order by hashtextextended(t.sku, t.facility_id), t.id limit 1) as first
      from unnest(v_facilities) as k(facility) order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array_agg(i.business_id), array_agg(i.order_id), array_agg(i.id) into v_businesses, v_orders, v_ids from (
      select t.* from head k cross join lateral (
        select t.business_id, t.order_id, t.id from dockline.order_item t
        where (hashtextextended(t.sku, t.facility_id), t.id) >= (hashtextextended(p_text, k.facility), k.first)
          and (hashtextextended(t.sku, t.facility_id), t.id) <= (hashtextextended(p_text, k.facility), (select last from bound))
          and t.sku = p_text and t.sku <> '' and t.facility_id = k.facility
        order by hashtextextended(t.sku, t.facility_id), t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) as i;
  else
    select array_agg(i.business_id), array_agg(i.order_id), array_agg(i.id) into v_businesses, v_orders, v_ids
    from unnest(v_facilities) as k(facility) cross join lateral (
      select t.business_id, t.order_id, t.id from dockline.order_item t
      where t.facility_id = k.facility and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) >= dockline.lpn_hash(p_text)
        and dockline.lpn_hash(coalesce(t.lpn_key, t.lpn)) <= dockline.lpn_hash(p_text)
        and coalesce(t.lpn_key, t.lpn) = p_text
      limit p_most + 1
    ) as i;
    if cardinality(v_ids) > p_most then return json_build_array(json_build_object('id', '0')); end if;
  end if;
  for v_item in
    select i.*, o.number as order_number, o.shipment_id, o.purchase_order as order_purchase_order, o.supplier,
      o.consignee_name, o.destination
    from unnest(v_businesses, v_orders, v_ids) as k(business_id, order_id, id)
    cross join lateral (select i.* from dockline.order_item i
      where i.business_id = k.business_id and i.order_id = k.order_id and i.id = k.id) as i
    cross join lateral (select o.* from dockline.customer_order o
      where o.business_id = i.business_id and o.id = i.order_id) as o
    where k.id > p_after order by k.id limit p_limit
  loop
    -- The two keys that a pallet with the LPN may have (BusinessRows.ts): of a short and of a long LPN. An item without an LPN has none.
    v_keys := case when v_item.lpn <> '' then array['=' || coalesce(v_item.lpn_key, v_item.lpn),
      '#' || encode(sha256(convert_to(coalesce(v_item.lpn_key, v_item.lpn), 'UTF8')), 'hex')] end;
    -- The pallet of the shipment of the item, or else the newest one at the facility (place: see list_place).
    select p.* into v_pallet from unnest(v_keys) as named(key) cross join lateral (
      select p.shipment_id, p.id, p.last_direction, p.last_dock_id, p.last_seen_at from dockline.pallet p
      where p.business_id = v_item.business_id and (p.lpn_key, p.shipment_id) >= (named.key, v_item.shipment_id)
        and (p.lpn_key, p.shipment_id) <= (named.key, v_item.shipment_id)
      order by p.lpn_key, p.shipment_id limit 1) as p limit 1;
    if v_pallet.id is null then
      select p.* into v_pallet from unnest(v_keys) as named(key) cross join lateral (
        select p.shipment_id, p.id, p.last_direction, p.last_dock_id, p.last_seen_at from dockline.pallet p
        where p.facility_id = v_item.facility_id and p.lpn_key >= named.key and p.lpn_key <= named.key
        order by p.lpn_key, p.place limit 1) as p limit 1;
    end if;
    v_entries := v_entries || (select json_build_object('id', v_item.id::text, 'lot', v_item.lot, 'sku', v_item.sku,
        'lpn', v_item.lpn, 'quantity', v_item.quantity, 'quantityUnit', v_item.quantity_unit,
        'expirationDate', coalesce(to_char(v_item.expiration_date, 'YYYY-MM-DD'), ''),
        'business', json_build_object('slug', b.slug, 'name', b.name),
        'facility', json_build_object('slug', f.slug, 'name', f.name),
        'orderNumber', v_item.order_number,
        'purchaseOrder', coalesce(nullif(v_item.purchase_order, ''), v_item.order_purchase_order),
        'supplier', v_item.supplier, 'consigneeName', v_item.consignee_name, 'destination', v_item.destination,
        'shipmentId', s.id, 'shipmentNumber', s.number, 'status', s.status, 'direction', s.direction,
        'carrier', s.carrier, 'trailerNumber', s.trailer_number,
        'arrivedAt', coalesce(dockline.rfc3339(s.arrived_at), ''),
        'departedAt', coalesce(dockline.rfc3339(s.departed_at), ''),
        'palletId', coalesce(v_pallet.id::text, ''), 'seenShipmentId', coalesce(v_pallet.shipment_id, 0),
        'seenShipmentNumber', coalesce((select seen.number from dockline.shipment seen
          where seen.business_id = s.business_id and seen.id = v_pallet.shipment_id), ''),
        'seenDirection', coalesce(v_pallet.last_direction, ''),
        'seenDockSlug', coalesce((select d.slug from dockline.dock d where d.id = v_pallet.last_dock_id), ''),
        'seenAt', coalesce(dockline.rfc3339(v_pallet.last_seen_at), ''))
      from dockline.shipment s
      join dockline.facility f on f.id = s.facility_id
      join dockline.business b on b.id = s.business_id
      where s.business_id = v_item.business_id and s.id = v_item.shipment_id);
  end loop;
  return array_to_json(v_entries);
end $$;

create function dockline.webhook_arrange(p_business bigint, p_touched json, p_demote boolean, p_now timestamp with time zone) returns void
language plpgsql
as $$
declare
  v_now timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
begin
  if p_demote then
    update dockline.webhook_delivery d set next_attempt_at = null
    where d.business_id + 0 = p_business and d.ctid = any (array(select o.ctid from (
        select t.business, t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.business_id + 0 = t.business and p.shipment_id = t.shipment and p.endpoint_id = t.endpoint
            and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select p_business as business, (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair) as t
      ) as l, lateral (select p.ctid from dockline.webhook_delivery p
      where p.business_id = l.business and (p.shipment_id, p.endpoint_id) >= (l.shipment, l.endpoint)
        and (p.shipment_id, p.endpoint_id) <= (l.shipment, l.endpoint)
        and p.next_attempt_at is not null and p.message_id > l.first
      order by p.shipment_id, p.endpoint_id) as o));
  end if;
  update dockline.webhook_delivery d set next_attempt_at = v_now
  where d.business_id + 0 = p_business and d.ctid = any (array(select (select p.ctid from dockline.webhook_delivery p
    where p.business_id = l.business and p.endpoint_id = l.endpoint and p.message_id = l.first
      and p.next_attempt_at is null)
    from (
        select t.business, t.endpoint, t.shipment, (select p.message_id from dockline.webhook_delivery p
          where p.business_id + 0 = t.business and p.shipment_id = t.shipment and p.endpoint_id = t.endpoint
            and p.status = 'PENDING'
          order by p.message_id limit 1) as first
        from (select p_business as business, (pair->>0)::bigint as endpoint, (pair->>1)::bigint as shipment
          from json_array_elements(p_touched) as pair) as t
      ) as l));
end $$;

create function dockline.webhook_backlog(p_limit integer, p_endpoints integer) returns json
language plpgsql stable
as $$
declare
  v_endpoint record;
  v_count bigint;
  v_oldest bigint;
  v_entry_id bigint;
  v_dropped bigint;
  v_rows json[] := '{}';
begin
  for v_endpoint in
    select e.*, b.slug as business, coalesce(l.last_id, 0) as last_id, l.dropped_id, l.dropped_sent_at
    from dockline.webhook_endpoint e
    join dockline.business b on b.id = e.business_id
    left join dockline.message_log l on l.business_id = e.business_id
    order by e.id limit p_endpoints
  loop
    select count(*), min(pending.message_id) into v_count, v_oldest from (
      select d.message_id from dockline.webhook_delivery d
      where d.business_id = v_endpoint.business_id and d.endpoint_id = v_endpoint.id
        and d.status = 'PENDING' order by d.message_id limit p_limit) as pending;
    v_dropped := v_endpoint.dropped_id;
    v_entry_id := 0;
    if not v_endpoint.message_types <@ dockline.message_types() then
      select coalesce(max(o.last_id), 0), greatest(v_dropped, max(o.dropped_id)) into v_entry_id, v_dropped
      from dockline.outbox o where o.business_id = v_endpoint.business_id and o.type = any (v_endpoint.message_types);
    end if;
    if v_endpoint.last_id > v_endpoint.cursor_id then
      select v_count + count(*), least(v_oldest, min(m.id)) into v_count, v_oldest
      from dockline.message_scan(v_endpoint.business_id, p_facility => v_endpoint.facility_id,
        p_types => v_endpoint.message_types, p_entries => v_entry_id > v_endpoint.cursor_id,
          p_after => v_endpoint.cursor_id, p_to => null,
        p_endpoint => v_endpoint.id, p_cursor => 0, p_taken => false, p_limit => p_limit) as m;
    end if;
    v_rows := v_rows || json_build_object('endpointId', v_endpoint.id, 'business', v_endpoint.business,
      'enabled', v_endpoint.enabled, 'disabledReason', v_endpoint.disabled_reason,
      'failingSince', dockline.rfc3339(v_endpoint.failing_since), 'awaitsLogin', v_endpoint.login is not null,
      'messages', least(v_count, p_limit), 'oldestAt', dockline.rfc3339(case when v_oldest is null then null
        when v_oldest <= v_dropped then greatest(v_endpoint.dropped_sent_at,
          (select max(o.dropped_sent_at) from dockline.outbox o
            where o.business_id = v_endpoint.business_id and o.type = any (v_endpoint.message_types)))
        else coalesce((select m.sent_at from dockline.message m
            where m.business_id = v_endpoint.business_id and m.id = v_oldest),
          (select e.sent_at from dockline.outbox_entry e where e.business_id = v_endpoint.business_id
            and e.id = v_oldest),
          (select max(o.dropped_sent_at) from dockline.outbox o
            where o.business_id = v_endpoint.business_id and o.dropped_id >= v_oldest)) end));
  end loop;
  return array_to_json(v_rows);
end $$;

create function dockline.webhook_business(p_id bigint) returns bigint
language plpgsql stable
as $$
begin
  return (select t.business_id from dockline.webhook_endpoint t where t.id = p_id);
end $$;

create function dockline.webhook_create(p_business bigint, p_draft json, p_from bigint, p_limit integer, p_backlog integer, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_types text[] := array(select json_array_elements_text(p_draft->'messageTypes'));
  v_facility bigint;
  v_log record;
  v_dropped bigint;
  v_id bigint;
begin
  if not v_types <@ dockline.message_types() then
    perform pg_advisory_xact_lock(hashtextextended('dockline.outboxes:' || p_business, 0));
  end if;
  perform from dockline.business where id = p_business for no key update;
  if not found then return json_build_object('unknown', 'business'); end if;
  if p_draft->>'facility' is not null then
    select id into v_facility from dockline.facility
    where business_id = p_business and slug = p_draft->>'facility';
    if v_facility is null then return json_build_object('unknown', 'facility'); end if;
  end if;
  if (select count(*) from dockline.webhook_endpoint where business_id = p_business) >= p_limit then
    return json_build_object('full', true);
  end if;
  select * into v_log from dockline.message_log where business_id = p_business;
  v_dropped := greatest(v_log.dropped_id, (select max(o.dropped_id) from dockline.outbox o
    where o.business_id = p_business and o.type = any (v_types)));
  if p_from <= v_dropped then return json_build_object('expired', v_dropped); end if;
  if p_from > coalesce(v_log.last_id, 0) + 1 then
    return json_build_object('ahead', coalesce(v_log.last_id, 0));
  end if;
  insert into dockline.webhook_endpoint (business_id, id, facility_id, base_url, message_types, authentication,
    signing_secrets, headers, rate_per_second, signatures, payload_profile, enabled, disabled_reason, cursor_id,
      created_at)
  values (p_business, nextval('dockline.webhook_endpoint_id'), v_facility, p_draft->>'baseUrl',
    v_types, (p_draft->'authentication')::jsonb,
    (p_draft->'signingSecrets')::jsonb, (p_draft->'headers')::jsonb, (p_draft->>'ratePerSecond')::int,
    array(select json_array_elements_text(p_draft->'signatures')), p_draft->>'payloadProfile',
      (p_draft->>'enabled')::boolean,
    case when (p_draft->>'enabled')::boolean then '' else 'OPERATOR' end,
    coalesce(p_from - 1, v_log.last_id, 0), p_now)
  returning id into v_id;
  return json_build_object('shown', dockline.webhook_shown(p_business, v_id, p_backlog));
end $$;

create function dockline.webhook_delivery_page(p_business bigint, p_endpoint bigint, p_status text, p_after bigint, p_limit integer, p_text integer) returns TABLE(body json)
language plpgsql stable
as $$
declare
  v_before bigint := case when p_after = 0 then 9223372036854775807 else p_after end;
begin
  return query select case when page.place = 1 or (page.place <= p_limit and page.text <= p_text)
      then (select b.body from dockline.webhook_delivery_body b
        where b.business_id = p_business and b.endpoint_id = p_endpoint and b.message_id = page.message_id) end
    from (
      select d.message_id, row_number() over newest as place, sum((
        select coalesce(sum(length(attempt->>3) + length(attempt->>4)), 0)
        from jsonb_array_elements(d.attempts) as attempt)) over newest as text
      from ((
        select t.message_id, t.attempts from dockline.webhook_delivery t
        where p_status is null and t.business_id = p_business and t.endpoint_id = p_endpoint and t.message_id < v_before
        order by t.message_id desc limit p_limit + 1
      ) union all (
        select t.message_id, t.attempts from dockline.webhook_delivery t
        where p_status = 'DELIVERED' and t.business_id = p_business and t.endpoint_id = p_endpoint
          and t.message_id < v_before
          and t.status = 'DELIVERED'
        order by t.message_id desc limit p_limit + 1
      ) union all (
        select t.message_id, t.attempts from dockline.webhook_delivery t
        where p_status <> 'DELIVERED' and t.business_id = p_business and t.endpoint_id = p_endpoint
          and t.message_id < v_before
          and t.status = p_status and t.status <> 'DELIVERED'
        order by t.message_id desc limit p_limit + 1
      )) as d
      window newest as (order by d.message_id desc)
    ) as page order by page.message_id desc;
end $$;

create function dockline.webhook_drop(p_business bigint, p_endpoint bigint, p_after bigint, p_limit integer) returns json
language plpgsql
set lock_timeout=1s
as $$
declare
  v_dropped bigint;
  v_last bigint;
  v_count int;
begin
  perform from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if found then
    v_dropped := greatest((select l.dropped_id from dockline.message_log l where l.business_id = p_business),
          (select max(o.dropped_id) from dockline.outbox o where o.business_id = p_business));
  else
    v_dropped := 9223372036854775807;
  end if;
  select max(message_id) into v_last from (
    select d.message_id from dockline.webhook_delivery d
    where d.business_id = p_business and d.endpoint_id = p_endpoint and d.message_id > p_after
      and d.message_id <= v_dropped
      and (d.status <> 'PENDING' or v_dropped = 9223372036854775807)
    order by d.message_id limit p_limit) as old;
  delete from dockline.webhook_delivery where business_id = p_business and endpoint_id = p_endpoint
    and message_id > p_after
    and message_id <= v_last and (status <> 'PENDING' or v_dropped = 9223372036854775807);
  get diagnostics v_count = row_count;
  return json_build_object('count', v_count, 'last', v_last);
exception when lock_not_available then
  return null;
end $$;

create function dockline.webhook_endpoint_page(p_businesses text[], p_after bigint, p_limit integer) returns bigint[]
language plpgsql stable
as $$
declare
  v_ids bigint[];
begin
  if p_businesses is null then
    v_ids := array(select t.id from dockline.webhook_endpoint t where t.id > p_after order by t.id limit p_limit);
  else
    with head as (
      select k.*, (select t.id from dockline.webhook_endpoint t
        where (t.business_id, t.id) > (k.id, p_after) and t.business_id <= k.id
        order by t.business_id, t.id limit 1) as first
      from (select b.id from dockline.business b where b.slug = any (p_businesses)) as k order by first limit p_limit
    ), bound as (
      select case when count(first) < p_limit then 9223372036854775807 else max(first) end as last from head
    )
    select array(
      select t.id from head k cross join lateral (
        select t.* from dockline.webhook_endpoint t
        where (t.business_id, t.id) >= (k.id, k.first)
          and (t.business_id, t.id) <= (k.id, (select last from bound))
        order by t.business_id, t.id limit p_limit) as t
      where k.first is not null order by t.id limit p_limit) into v_ids;
  end if;
  return v_ids;
end $$;

create function dockline.webhook_expired() returns TABLE(business bigint, endpoint bigint)
language plpgsql stable
as $$
begin
  return query with recursive leap as (
    (select d.business_id, d.endpoint_id from dockline.webhook_delivery d order by d.business_id, d.endpoint_id limit 1)
    union all
    select next.business_id, next.endpoint_id from leap cross join lateral (
      select d.business_id, d.endpoint_id from dockline.webhook_delivery d
      where (d.business_id, d.endpoint_id) > (leap.business_id, leap.endpoint_id)
      order by d.business_id, d.endpoint_id limit 1) as next
  )
  select leap.business_id, leap.endpoint_id from leap where
    (select e.id from dockline.webhook_endpoint e
      where e.business_id = leap.business_id and e.id = leap.endpoint_id) is null
    or (select d.message_id from dockline.webhook_delivery d
      where d.business_id = leap.business_id and d.endpoint_id = leap.endpoint_id
        and d.message_id <= greatest((select l.dropped_id from dockline.message_log l where l.business_id = leap.business_id),
          (select max(o.dropped_id) from dockline.outbox o where o.business_id = leap.business_id))
        and d.status <> 'PENDING' order by d.message_id limit 1) is not null;
end $$;

create function dockline.webhook_message(p_business bigint, p_id bigint) returns text
language plpgsql stable
as $$
begin
  return (select dockline.message_text(m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload,
    m.trace) from (
    select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
    from dockline.message m where m.business_id = p_business and m.id = p_id
    union all
    select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
    from dockline.outbox_entry m where m.business_id = p_business and m.id = p_id) as m);
end $$;

create function dockline.webhook_of_message(p_business bigint, p_message bigint) returns TABLE(endpoint_id bigint, body json)
language plpgsql stable
as $$
begin
  return query select e.id, json_build_object(
      'messageId', d.message_id, 'messageType', d.type, 'shipmentId', d.shipment_id, 'status', d.status,
      'tries', d.tries, 'failedSince', dockline.rfc3339(d.failed_since),
      'nextAttemptAt', dockline.rfc3339(d.next_attempt_at),
      'attempts', coalesce(jsonb_path_query_array(d.attempts, '$[last]'), '[]'))
    from dockline.webhook_endpoint e
    join dockline.webhook_delivery d
      on d.business_id = e.business_id and d.endpoint_id = e.id and d.message_id = p_message
    where e.business_id = p_business order by e.id;
end $$;

create function dockline.webhook_open(p_business bigint, p_ids bigint[]) returns json
language plpgsql
as $$
declare
  v_opened json;
begin
  perform from dockline.webhook_endpoint e
  where e.business_id + 0 = p_business and e.id = any (p_ids) order by e.id for no key update;
  with opened as (
    update dockline.webhook_endpoint e set epoch = e.epoch + 1, settlements = 0
    where e.business_id + 0 = p_business and e.id = any (p_ids) and e.enabled
    returning e.id, e.epoch
  )
  select coalesce(json_agg(json_build_array(o.epoch, (select b.body from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = o.id)) order by o.id), '[]') into v_opened from opened o;
  return v_opened;
end $$;

create function dockline.webhook_ready(p_partitions integer[], p_now timestamp with time zone) returns json
language plpgsql stable
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return (
    select json_build_object(
      'endpoints', coalesce(json_agg(r.id order by r.id) filter (where r.due_at <= v_now), '[]'),
      'nextDueAt', dockline.rfc3339(min(r.due_at) filter (where r.due_at > v_now)), 'now', dockline.rfc3339(v_now))
    from (
      select e.id, greatest(work.at, (e.login->>'retryAt')::timestamptz) as due_at
      from dockline.webhook_endpoint e
      left join dockline.message_log l on l.business_id = e.business_id
      cross join lateral (select case when l.last_id > e.cursor_id then v_now
        else (select d.next_attempt_at from dockline.webhook_delivery d
          where d.business_id = e.business_id and d.endpoint_id = e.id and d.next_attempt_at is not null
          order by d.next_attempt_at limit 1) end as at) as work
      where e.enabled and dockline.endpoint_partition(e.id) = any (p_partitions) and work.at is not null
    ) as r);
end $$;

create function dockline.webhook_remove(p_business bigint, p_id bigint) returns boolean
language plpgsql
as $$
begin
  delete from dockline.webhook_endpoint where business_id = p_business and id = p_id;
  return found;
end $$;

create function dockline.webhook_replay(p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_limit integer, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_endpoint record;
  v_count bigint;
  v_last bigint;
  v_touched json;
  -- The newest id of the outboxes from which the endpoint receives entries, or 0.
  v_entry_id bigint := 0;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business
    and id = p_endpoint for no key update;
  if v_endpoint.id is null then return null; end if;
  if not v_endpoint.message_types <@ dockline.message_types() then
    select coalesce(max(o.last_id), 0) into v_entry_id
    from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
  end if;
  with written as (
    insert into dockline.webhook_delivery as d (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
      attempts)
    select p_business, p_endpoint, m.id, m.type, m.shipment_id, 'PENDING', 0, '[]'::jsonb
    from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
      p_entries => v_entry_id >= p_first, p_after => p_first - 1, p_to => p_last, p_endpoint => p_endpoint,
      p_cursor => v_endpoint.cursor_id, p_taken => true, p_limit => p_limit) as m
    on conflict (business_id, endpoint_id, message_id) do update set status = 'PENDING', tries = 0, failed_since = null,
      next_attempt_at = null
    returning d.message_id, d.shipment_id
  )
  select count(*), max(message_id), json_agg(distinct jsonb_build_array(p_endpoint, shipment_id))
  into v_count, v_last, v_touched from written;
  if v_count > 0 then perform dockline.webhook_arrange(p_business, v_touched, true, p_now); end if;
  return json_build_object('count', v_count, 'last', v_last);
end $$;

create function dockline.webhook_replay_one(p_business bigint, p_endpoint bigint, p_message bigint, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_shipment bigint;
begin
  perform from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint for no key update;
  if not found then return json_build_object('missing', 'endpoint'); end if;
  update dockline.webhook_delivery set status = 'PENDING', tries = 0, failed_since = null, next_attempt_at = null
  where business_id = p_business and endpoint_id = p_endpoint
    and message_id = p_message returning shipment_id into v_shipment;
  if v_shipment is null then return json_build_object('missing', 'delivery'); end if;
  perform dockline.webhook_arrange(p_business, json_build_array(json_build_array(p_endpoint, v_shipment)), true, p_now);
  return json_build_object('business', (select slug from dockline.business where id = p_business));
end $$;

create function dockline.webhook_replay_range(p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_from timestamp with time zone, p_to timestamp with time zone, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_endpoint record;
  v_first bigint := p_first;
  v_last bigint := p_last;
  v_count bigint;
  -- The newest id of the outboxes from which the endpoint receives entries, or 0.
  v_entry_id bigint := 0;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_endpoint;
  if v_endpoint.id is null then return null; end if;
  if not v_endpoint.message_types <@ dockline.message_types() then
    select coalesce(max(o.last_id), 0) into v_entry_id
    from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
  end if;
  if p_from is not null then
    select m.id into v_first from dockline.message m
    where m.business_id = p_business and m.sent_at >= p_from order by m.sent_at, m.id limit 1;
    select m.id into v_last from dockline.message m
    where m.business_id = p_business and m.sent_at <= p_to
    order by m.sent_at desc, m.id desc limit 1;
    if v_entry_id > 0 then
      v_first := least(v_first, (select m.id from dockline.outbox_entry m
        where m.business_id = p_business and m.sent_at >= p_from order by m.sent_at, m.id limit 1));
      v_last := greatest(v_last, (select m.id from dockline.outbox_entry m
        where m.business_id = p_business and m.sent_at <= p_to order by m.sent_at desc, m.id desc limit 1));
    end if;
  end if;
  if v_first is null then v_last := 0; end if;
  v_first := coalesce(v_first, 1);
  v_last := least(coalesce(v_last, 0), greatest(v_endpoint.cursor_id, (select d.message_id
    from dockline.webhook_delivery d where d.business_id = p_business
      and d.endpoint_id = p_endpoint order by d.message_id desc limit 1)));
  select count(*) into v_count
  from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
    p_entries => v_entry_id >= v_first, p_after => v_first - 1, p_to => v_last, p_endpoint => p_endpoint,
    p_cursor => v_endpoint.cursor_id, p_taken => true, p_limit => p_limit + 1) as m;
  return json_build_array((select slug from dockline.business where id = p_business),
    v_first, v_last, v_count);
end $$;

create function dockline.webhook_settle(p_business bigint, p_settlements json, p_results json, p_parked json, p_settled json, p_pending json, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_held bigint[];
  v_all boolean;
  v_now timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
begin
  if json_array_length(p_settlements) > 1 then
    perform from dockline.webhook_endpoint e
    where e.business_id = p_business
      and e.id = any (array(select (s->>'endpointId')::bigint from json_array_elements(p_settlements) as s))
    order by e.id for no key update;
  end if;
  with changed as (
    update dockline.webhook_endpoint e set settlements = s.settlements + 1,
      cursor_id = greatest(e.cursor_id, s."cursorId"),
      failing_since = s."failingSince", login = s.login, enabled = e.enabled and s.disable is null,
      disabled_reason = case when e.enabled then coalesce(s.disable, '') else e.disabled_reason end,
      expired_up_to = greatest(e.expired_up_to, s."expiredUpTo")
    from json_to_recordset(p_settlements) as s("endpointId" bigint, epoch bigint, settlements bigint, "cursorId" bigint,
      "failingSince" timestamptz, login jsonb, disable text, "expiredUpTo" bigint)
    where e.business_id = p_business and e.id = s."endpointId" and e.epoch = s.epoch
      and e.settlements - s.settlements in (0, 1) and s."cursorId" <= coalesce((
      select l.last_id from dockline.message_log l where l.business_id = p_business), 0)
    returning e.id
  )
  select coalesce(array_agg(id), '{}') into v_held from changed;
  v_all := cardinality(v_held) = json_array_length(p_settlements);
  insert into dockline.webhook_delivery as d (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
    failed_since, next_attempt_at, attempts)
  select p_business, r."endpointId", r."messageId", r."messageType", r."shipmentId", r.status, r.tries, r."failedSince",
    case when r.status = 'PENDING' then coalesce(r."nextAttemptAt", v_now) end, r.attempts
  from json_to_recordset(p_results) as r("endpointId" bigint, "messageId" bigint, "messageType" text,
    "shipmentId" bigint, status text, tries int, "failedSince" timestamptz, "nextAttemptAt" timestamptz, attempts jsonb)
  where v_all or r."endpointId" = any (v_held)
  on conflict (business_id, endpoint_id, message_id) do update set status = excluded.status, tries = excluded.tries,
    failed_since = excluded.failed_since, next_attempt_at = excluded.next_attempt_at,
    -- The newest 50 attempts.
    attempts = jsonb_path_query_array(d.attempts || excluded.attempts, '$[last - 49 to last]');
  if json_array_length(p_parked) > 0 then
    insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries,
      attempts)
    select p_business, p."endpointId", p."messageId", p."messageType", p."shipmentId", 'PENDING', 0, '[]'
    from json_to_recordset(p_parked) as p("endpointId" bigint, "messageId" bigint, "messageType" text,
      "shipmentId" bigint)
    where v_all or p."endpointId" = any (v_held)
    on conflict (business_id, endpoint_id, message_id) do nothing;
  end if;
  if not v_all then
    p_settled := (select coalesce(json_agg(t), '[]') from json_array_elements(p_settled) as t
      where (t->>0)::bigint = any (v_held));
    p_pending := (select coalesce(json_agg(t), '[]') from json_array_elements(p_pending) as t
      where (t->>0)::bigint = any (v_held));
  end if;
  if json_array_length(p_settled) > 0 and (select d.message_id from unnest(v_held) as held(id) cross join lateral (
      select d.message_id from dockline.webhook_delivery d
      where d.business_id = p_business and (d.endpoint_id, d.status) >= (held.id, 'PENDING')
        and (d.endpoint_id, d.status) <= (held.id, 'PENDING') and d.status <> 'DELIVERED'
      order by d.endpoint_id, d.status limit 1
    ) as d limit 1) is not null
  then
    perform dockline.webhook_arrange(p_business, p_settled, false, v_now);
  end if;
  if json_array_length(p_pending) > 0 then
    perform dockline.webhook_arrange(p_business, p_pending, true, v_now);
  end if;
  return to_json(v_held);
end $$;

create function dockline.webhook_shown(p_business bigint, p_id bigint, p_limit integer) returns json
language plpgsql stable
as $$
declare
  v_endpoint record;
  v_backlog bigint;
  -- A delivery after the cursor. Most endpoints have none, and then no message is looked up in the record.
  v_ahead bigint;
  -- The newest id of the outboxes from which the endpoint receives entries, or 0.
  v_entry_id bigint := 0;
begin
  select * into v_endpoint from dockline.webhook_endpoint where business_id = p_business and id = p_id;
  if v_endpoint.id is null then return null; end if;
  select count(*) into v_backlog from (select from dockline.webhook_delivery d
    where d.business_id = p_business and d.endpoint_id = p_id and d.status = 'PENDING' limit p_limit) as pending;
  select d.message_id into v_ahead from dockline.webhook_delivery d
  where d.business_id = p_business and d.endpoint_id = p_id and d.message_id > v_endpoint.cursor_id limit 1;
  if v_backlog < p_limit then
    if not v_endpoint.message_types <@ dockline.message_types() then
      select coalesce(max(o.last_id), 0) into v_entry_id
      from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
    end if;
    select v_backlog + count(*) into v_backlog
    from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
      p_entries => v_entry_id > v_endpoint.cursor_id, p_after => v_endpoint.cursor_id, p_to => null,
      p_endpoint => case when v_ahead is not null then p_id end, p_cursor => 0, p_taken => false,
        p_limit => p_limit) as m;
  end if;
  return (select json_build_array(b.body, least(v_backlog, p_limit)) from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = p_id);
end $$;

create function dockline.webhook_take(p_business bigint, p_request json, p_now timestamp with time zone) returns text
language plpgsql stable
as $$
declare
  r record;
  v_endpoint record;
  v_body text;
  v_after bigint;
  v_entry_id bigint;
  v_dropped bigint;
  v_cut boolean;
  v_count bigint;
  v_text bigint;
  v_due text;
  v_gone text;
  v_more boolean;
  v_read_to bigint;
  v_fresh text;
  v_blocked text;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  select * into r from json_to_record(p_request) as q(
    endpoint bigint, epoch bigint, settlements bigint, version int, after bigint, taken bigint[], room int, text bigint);
  select e.id, e.epoch, e.settlements, e.enabled, e.version, e.business_id, e.facility_id, e.message_types,
    to_json(b.slug)::text as business, coalesce(l.last_id, 0) as last_id, coalesce(l.dropped_id, 0) as dropped_id,
    (select d.next_attempt_at from dockline.webhook_delivery d
      where d.business_id = p_business and d.endpoint_id = e.id and d.next_attempt_at is not null
      order by d.next_attempt_at limit 1) <= v_now as has_due
  into v_endpoint
  from dockline.webhook_endpoint e
  join dockline.business b on b.id = e.business_id
  left join dockline.message_log l on l.business_id = e.business_id
  where e.business_id = p_business and e.id = r.endpoint;
  if v_endpoint.epoch is distinct from r.epoch or v_endpoint.settlements < r.settlements or r.after > v_endpoint.last_id then
    return '"lost"';
  end if;
  if not v_endpoint.enabled then return '"closed"'; end if;
  v_body := 'null';
  if v_endpoint.version <> r.version then
    select b.body::text into v_body from dockline.webhook_endpoint_body b
    where b.business_id = p_business and b.id = v_endpoint.id;
  end if;
  v_cut := false;
  v_count := 0;
  v_text := 0;
  v_due := '';
  v_gone := '';
  if v_endpoint.has_due then
    -- Due deliveries that fit, in the order of their times. Whether a message fits depends on its position and the text up to it; the first
    -- text always fits. Messages are joined one by one.
    select coalesce(bool_or(not p.fits), false), count(*) filter (where p.fits),
      coalesce(sum(p.size) filter (where p.fits), 0),
      coalesce(string_agg(format('[%s,%s,%s]',
          dockline.message_text(p.id, p.facility, p.type, p.shipment_id, p.sent_at, p.size, p.payload, p.trace),
          p.tries, coalesce(to_json(dockline.rfc3339(p.failed_since))::text, 'null')), ',')
        filter (where p.fits and p.id is not null), ''),
      coalesce(string_agg((select b.body::text from dockline.webhook_delivery_body b
          where b.business_id = p_business and b.endpoint_id = v_endpoint.id and b.message_id = p.message_id), ',')
        filter (where p.fits and p.id is null), '')
    into v_cut, v_count, v_text, v_due, v_gone
    from (
      select s.*, row_number() over ordered <= r.room
        and (sum(coalesce(s.size, 0)) over ordered <= r.text
          or sum(coalesce(s.size, 0)) over ordered = coalesce(s.size, 0)) as fits
      from (
        select d.message_id, d.tries, d.failed_since, d.next_attempt_at, m.* from (
          select * from dockline.webhook_delivery d
          where d.business_id = p_business and d.endpoint_id = v_endpoint.id and d.next_attempt_at <= v_now
            and d.message_id not in (select unnest(r.taken))
          order by d.next_attempt_at, d.message_id limit r.room + 1
        ) as d
        left join lateral (
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.message m where m.business_id = p_business and m.id = d.message_id
          union all
          select m.id, m.facility, m.type, m.shipment_id, m.sent_at, m.size, m.payload, m.trace
          from dockline.outbox_entry m
          where d.type <> all (dockline.message_types()) and m.business_id = p_business and m.id = d.message_id
        ) as m on true
      ) as s
      window ordered as (order by s.next_attempt_at, s.message_id)
    ) as p;
  end if;
  v_dropped := v_endpoint.dropped_id;
  v_entry_id := 0;
  if not v_endpoint.message_types <@ dockline.message_types() then
    select coalesce(max(o.last_id), 0), greatest(v_dropped, max(o.dropped_id)) into v_entry_id, v_dropped
    from dockline.outbox o where o.business_id = p_business and o.type = any (v_endpoint.message_types);
  end if;
  v_after := greatest(r.after, v_dropped);
  v_more := v_cut;
  v_read_to := null;
  v_fresh := '';
  v_blocked := '';
  if not v_cut and v_endpoint.last_id > v_after then
    -- The look-up of blocked messages goes by shipment: a plan that was made while the table was empty or small might read all deliveries
    -- of the business. Only the index of pending deliveries by shipment has their ids in order.
    with fresh as materialized (
      select m.*, (select d.message_id from dockline.webhook_delivery d
          where d.business_id + 0 = p_business and d.shipment_id = m.shipment_id
            and d.endpoint_id = v_endpoint.id
              and d.status = 'PENDING' order by d.message_id limit 1) is not null as blocked
      from dockline.message_scan(p_business, p_facility => v_endpoint.facility_id, p_types => v_endpoint.message_types,
        p_entries => v_entry_id > v_after, p_after => v_after, p_to => null, p_endpoint => v_endpoint.id,
        p_cursor => 0, p_taken => false, p_limit => (r.room - v_count + 1)::int) as m
    )
    select coalesce(bool_or(not p.fits), false), max(p.id) filter (where p.fits),
      coalesce(string_agg(dockline.message_text(p.id, p.facility, p.type, p.shipment_id, p.sent_at, p.size, p.payload,
        p.trace), ',')
        filter (where p.fits and not p.blocked), ''),
      coalesce(string_agg(format('[%s,"%s",%s]', p.id, p.type, p.shipment_id), ',') filter (where p.fits and p.blocked),
        '')
    into v_more, v_read_to, v_fresh, v_blocked
    from (
      select s.*, v_count + row_number() over ordered <= r.room
        and (v_text + sum(s.text) over ordered <= r.text or v_text + sum(s.text) over ordered = s.text) as fits
      from (select f.*, case when f.blocked then 0 else f.size end as text from fresh as f) as s
      window ordered as (order by s.id)
    ) as p;
    if not v_more then v_read_to := v_endpoint.last_id; end if;
  end if;
  return format(
    '{"endpoint":%s,"business":%s,"due":[%s],"gone":[%s],"fresh":[%s],"blocked":[%s],"readTo":%s,"more":%s,'
      '"expiredUpTo":%s}',
    v_body, v_endpoint.business, v_due, v_gone, v_fresh, v_blocked,
    case when v_cut then r.after else coalesce(v_read_to, v_after) end, v_more::text,
    case when not v_cut and r.after < v_dropped then v_dropped::text else 'null' end);
end $$;

create function dockline.webhook_update(p_business bigint, p_id bigint, p_version integer, p_was_enabled boolean, p_change json, p_backlog integer, p_now timestamp with time zone) returns json
language plpgsql
as $$
declare
  v_types text[] := array(select json_array_elements_text(p_change->'messageTypes'));
  v_enabled boolean := p_change->>'enabled';
  v_anew boolean := v_enabled and not p_was_enabled;
  v_now timestamptz := coalesce(p_now, date_trunc('milliseconds', clock_timestamp()));
begin
  if not v_types <@ dockline.message_types() then
    perform pg_advisory_xact_lock(hashtextextended('dockline.outboxes:' || p_business, 0));
  end if;
  update dockline.webhook_endpoint e set version = e.version + 1, base_url = p_change->>'baseUrl',
    message_types = v_types,
    authentication = (p_change->'authentication')::jsonb, signing_secrets = (p_change->'signingSecrets')::jsonb,
    headers = (p_change->'headers')::jsonb, rate_per_second = (p_change->>'ratePerSecond')::int,
    signatures = array(select json_array_elements_text(p_change->'signatures')),
    payload_profile = p_change->>'payloadProfile',
    enabled = v_enabled, disabled_reason = p_change->>'disabledReason',
    failing_since = case when not v_anew then e.failing_since end, login = null,
    epoch = e.epoch + v_anew::int
  where e.business_id = p_business and e.id = p_id and e.version = p_version and e.enabled = p_was_enabled;
  if not found then return null; end if;
  if v_anew then
    update dockline.webhook_delivery d set tries = 0, failed_since = null,
      next_attempt_at = case when d.next_attempt_at is not null then v_now end
    where d.business_id = p_business and d.endpoint_id = p_id and d.status = 'PENDING'
      and (d.tries > 0 or d.failed_since is not null or d.next_attempt_at is not null);
  end if;
  return dockline.webhook_shown(p_business, p_id, p_backlog);
end $$;

create function dockline.webhooks_open(p_ids bigint[]) returns SETOF json
language plpgsql
as $$
begin
  return query select dockline.webhook_open(o.business, o.ids) from (
    select e.business_id as business, array_agg(e.id order by e.id) as ids from unnest(p_ids) as named(id)
    cross join lateral (select e.business_id, e.id from dockline.webhook_endpoint e where e.id = named.id offset 0) as e
    group by e.business_id order by e.business_id) as o;
end $$;

create function dockline.webhooks_shown(p_ids bigint[], p_limit integer) returns TABLE(shown json)
language plpgsql stable
as $$
begin
  return query select dockline.webhook_shown(
    (select e.business_id from dockline.webhook_endpoint e where e.id = named.id), named.id, p_limit)
  from unnest(p_ids) with ordinality as named(id, nth) order by named.nth;
end $$;
