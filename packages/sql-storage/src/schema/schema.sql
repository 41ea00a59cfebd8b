-- The schema as migrations and definitions leave it, written by test/schema/Schema.test.ts.

create sequence dockline.message_id;

create sequence dockline.pallet_id;

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
  sandbox boolean not null default false,
  PRIMARY KEY (id)
);
CREATE INDEX business_list ON dockline.business USING btree (slug COLLATE "C");
CREATE INDEX business_slug ON dockline.business USING btree (slug);

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
  id bigint not null generated always as identity,
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
  UNIQUE (business_id, shipment_id, number_key),
  PRIMARY KEY (business_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id),
  FOREIGN KEY (facility_id) REFERENCES dockline.facility(id),
  CHECK ((status = ANY (ARRAY['CREATED'::text, 'COMPLETED'::text, 'CANCELLED'::text])))
);
CREATE INDEX customer_order_by_id ON dockline.customer_order USING btree (id);
CREATE INDEX customer_order_list ON dockline.customer_order USING btree (((facility_id + 0)), id);
CREATE INDEX customer_order_number ON dockline.customer_order USING btree (((facility_id + 0)), number_key, id);
CREATE INDEX customer_order_search ON dockline.customer_order USING btree (facility_id, lower(("right"(number, 6) COLLATE "C")), id) WHERE (number <> ''::text);

create table dockline.definition (
  name text not null,
  kind text not null,
  hash text not null,
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
  PRIMARY KEY (business_id, document_id, order_key)
);
CREATE INDEX document_order_by_id ON dockline.document_order USING btree (document_id);
CREATE INDEX document_order_key ON dockline.document_order USING btree (facility_id, order_key, outcome, document_id);

create table dockline.document_record (
  business_id bigint not null,
  id bigint not null generated always as identity,
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
  PRIMARY KEY (business_id, facility_id, outcome, id)
);
CREATE INDEX document_record_by_id ON dockline.document_record USING btree (id);
CREATE INDEX document_record_correlation ON dockline.document_record USING btree (facility_id, correlation_id, outcome, id);
CREATE INDEX document_record_number ON dockline.document_record USING btree (facility_id, number_key, outcome, id) WHERE (order_key IS NULL);
CREATE INDEX document_record_order ON dockline.document_record USING btree (facility_id, order_key, outcome, id) WHERE (order_key IS NOT NULL);
CREATE INDEX document_record_shipment ON dockline.document_record USING btree (facility_id, number_key, outcome, id) WHERE (order_key IS NOT NULL);

create table dockline.document_removal (
  business_id bigint not null,
  document_id bigint not null,
  facility_id bigint not null,
  lpn_key text not null,
  outcome text not null,
  PRIMARY KEY (business_id, document_id, lpn_key)
);
CREATE INDEX document_removal_by_id ON dockline.document_removal USING btree (document_id);
CREATE INDEX document_removal_key ON dockline.document_removal USING btree (facility_id, lpn_key, outcome, document_id);
CREATE INDEX document_removal_search ON dockline.document_removal USING btree (facility_id, lower(("right"(substr(lpn_key, 2), 6) COLLATE "C")), document_id) WHERE (lpn_key ~~ '=%'::text);

create table dockline.facility (
  id bigint not null generated always as identity,
  business_id bigint not null,
  slug text not null,
  name text not null,
  time_zone text not null default 'UTC'::text,
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
CREATE INDEX message_facility_pallet ON dockline.message USING btree (facility_id, id) WHERE (type = 'PALLET_EVENT'::text);
CREATE INDEX message_facility_rare ON dockline.message USING btree (facility_id, id) WHERE (type <> 'PALLET_EVENT'::text);
CREATE INDEX message_pallet ON dockline.message USING btree (business_id, id) WHERE (type = 'PALLET_EVENT'::text);
CREATE INDEX message_rare ON dockline.message USING btree (business_id, id) WHERE (type <> 'PALLET_EVENT'::text);
CREATE INDEX message_sent_at ON dockline.message USING btree (business_id, sent_at, id);

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
  id bigint not null generated always as identity,
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
  PRIMARY KEY (business_id, order_id, item_key),
  FOREIGN KEY (business_id, order_id) REFERENCES dockline.customer_order(business_id, id)
);
CREATE INDEX order_item_list ON dockline.order_item USING btree (((order_id + 0)), id);
CREATE INDEX order_item_lpn ON dockline.order_item USING btree (facility_id, ((((hashtextextended(lower(("right"(lpn, 6) COLLATE "C")), (0)::bigint) & (2147483647)::bigint) * '4294967296'::bigint) + (hashtextextended(lpn, (0)::bigint) & '4294967295'::bigint))), lpn_shipment_id, order_id);

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
  UNIQUE (business_id, lpn_key, shipment_id),
  PRIMARY KEY (business_id, shipment_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id)
);
CREATE INDEX pallet_lpn ON dockline.pallet USING btree (facility_id, lpn_key, ((- id)));
CREATE INDEX pallet_search ON dockline.pallet USING btree (facility_id, lower(("right"(lpn, 6) COLLATE "C")), id) WHERE (lpn <> ''::text);

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

create table dockline.shipment (
  business_id bigint not null,
  id bigint not null generated always as identity,
  facility_id bigint not null,
  number text not null,
  number_key text not null,
  status text not null,
  direction text not null,
  expected_arrival_at timestamp with time zone not null,
  scheduled_at timestamp with time zone not null,
  arrived_at timestamp with time zone,
  departed_at timestamp with time zone,
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
CREATE INDEX shipment_list ON dockline.shipment USING btree (status, facility_id, id);
CREATE INDEX shipment_search ON dockline.shipment USING btree (facility_id, lower(("right"(number, 6) COLLATE "C")), id) WHERE (number <> ''::text);
CREATE INDEX shipment_time ON dockline.shipment USING btree (status, discrepant, facility_id, COALESCE(departed_at, arrived_at, expected_arrival_at), id);
CREATE INDEX shipment_trailer ON dockline.shipment USING btree (hashtextextended(trailer_number, (0)::bigint), facility_id, status, discrepant, COALESCE(departed_at, arrived_at, expected_arrival_at), id) WHERE (trailer_number <> ''::text);
CREATE INDEX shipment_trailer_search ON dockline.shipment USING btree (facility_id, lower(("right"(trailer_number, 6) COLLATE "C")), id) WHERE (trailer_number <> ''::text);

create table dockline.shipment_exception (
  business_id bigint not null,
  shipment_id bigint not null,
  id bigint not null generated always as identity,
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
  PRIMARY KEY (business_id, shipment_id, id),
  FOREIGN KEY (business_id, shipment_id) REFERENCES dockline.shipment(business_id, id),
  FOREIGN KEY (business_id, shipment_id, pallet_id) REFERENCES dockline.pallet(business_id, shipment_id, id),
  CHECK ((num_nulls(note, resolved_at, resolved_by) = ANY (ARRAY[0, 3])))
);
CREATE INDEX shipment_exception_list ON dockline.shipment_exception USING btree (facility_id, status, priority, ((- id)));

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
CREATE INDEX webhook_head ON dockline.webhook_delivery USING btree (shipment_id, ((endpoint_id + 0))) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX webhook_pending ON dockline.webhook_delivery USING btree (shipment_id, ((endpoint_id + 0)), message_id) WHERE (status = 'PENDING'::text);

create table dockline.webhook_endpoint (
  business_id bigint not null,
  id bigint not null generated always as identity,
  facility_id bigint,
  base_url text not null,
  message_types text[] not null,
  authentication jsonb not null,
  signing_secrets jsonb not null,
  enabled boolean not null,
  disabled_reason text not null,
  version integer not null default 1,
  epoch bigint not null default 0,
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

create view dockline.document_body as
 SELECT d.business_id,
    d.facility_id,
    d.outcome,
    d.id,
    json_build_array(json_build_object('slug', b.slug, 'name', b.name), json_build_object('slug', f.slug, 'name', f.name), d.id, dockline.rfc3339(d.received_at), d.outcome, d.correlation_id, d.shipment_id, d.new_orders::text[], d.new_items::text[], d.content) AS body
   FROM dockline.document_record d
     JOIN dockline.business b ON b.id = d.business_id
     JOIN dockline.facility f ON f.id = d.facility_id;

create view dockline.exception_body as
 SELECT business_id,
    shipment_id,
    id,
    json_build_object('location', json_build_object('business', ( SELECT json_build_object('slug', b.slug, 'name', b.name) AS json_build_object
           FROM dockline.business b
          WHERE b.id = e.business_id), 'facility', ( SELECT json_build_object('slug', f.slug, 'name', f.name) AS json_build_object
           FROM dockline.facility f
          WHERE f.id = e.facility_id)), 'shipmentId', shipment_id, 'shipmentNumber', ( SELECT s.number
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
    json_build_array(json_build_array(id::text, number, status, direction, shipment_id, dockline.rfc3339(created_at), json_build_array(order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier, seal_number, supplier, client, destination)), ( SELECT COALESCE(json_agg(json_build_array(i.id::text, i.identifier, i.lpn, i.sku, i.quantity, i.quantity_unit, i.purchase_order, i.description, i.upc, i.weight_per_unit, i.weight_unit, i.height, i.length, i.width, i.dimension_unit, i.is_dangerous_good, i.lot, COALESCE(to_char(i.expiration_date::timestamp with time zone, 'YYYY-MM-DD'::text), ''::text), COALESCE(to_char(i.manufacturing_date::timestamp with time zone, 'YYYY-MM-DD'::text), ''::text), i.case_serials) ORDER BY i.id), '[]'::json) AS "coalesce"
           FROM dockline.order_item i
          WHERE i.business_id = o.business_id AND i.order_id = o.id)) AS body
   FROM dockline.customer_order o;

create view dockline.pallet_body as
 SELECT p.business_id,
    p.shipment_id,
    p.id,
    p.lpn_key,
    json_build_array(( SELECT json_build_object('slug', b.slug, 'name', b.name) AS json_build_object
           FROM dockline.business b
          WHERE b.id = p.business_id), ( SELECT json_build_object('slug', f.slug, 'name', f.name) AS json_build_object
           FROM dockline.facility f
          WHERE f.id = p.facility_id), s.id, s.number, p.id, p.lpn, ( SELECT COALESCE(json_agg(o.number ORDER BY (o.id + 0)), '[]'::json) AS "coalesce"
           FROM dockline.customer_order o
          WHERE o.business_id = p.business_id AND p.lpn <> ''::text AND (o.id IN ( SELECT i.order_id
                   FROM dockline.order_item i
                  WHERE (i.business_id + 0) = p.business_id AND i.facility_id = p.facility_id AND ((hashtextextended(lower("right"(i.lpn, 6) COLLATE "C"), 0::bigint) & 2147483647::bigint) * '4294967296'::bigint + (hashtextextended(i.lpn, 0::bigint) & '4294967295'::bigint)) = ((hashtextextended(lower("right"(p.lpn, 6) COLLATE "C"), 0::bigint) & 2147483647::bigint) * '4294967296'::bigint + (hashtextextended(p.lpn, 0::bigint) & '4294967295'::bigint)) AND i.lpn_shipment_id =
                        CASE
                            WHEN s.status = 'DEPARTED'::text THEN - s.id
                            ELSE s.id
                        END AND i.lpn = p.lpn))), ( SELECT
                CASE
                    WHEN count(*) = 1 THEN min(few.number)
                    ELSE NULL::text
                END AS "case"
           FROM ( SELECT o.number
                   FROM dockline.customer_order o
                  WHERE o.business_id = p.business_id AND o.shipment_id = p.shipment_id
                 LIMIT 2) few), ( SELECT json_agg(json_build_array(e.direction, dockline.rfc3339(e.occurred_at), d.id, d.slug, e.message_id, e.labels) ORDER BY e.occurred_at, e.message_id) AS json_agg
           FROM dockline.pallet_event e
             JOIN dockline.dock d ON d.id = e.dock_id
          WHERE (e.business_id + 0) = p.business_id AND e.shipment_id = p.shipment_id AND e.pallet_id = p.id)) AS body
   FROM dockline.pallet p
     JOIN dockline.shipment s ON s.business_id = p.business_id AND s.id = p.shipment_id;

create view dockline.shipment_body as
 SELECT business_id,
    id,
    facility_id,
    number_key,
    json_build_array(id, number, status, direction, dockline.rfc3339(expected_arrival_at), dockline.rfc3339(scheduled_at), dockline.rfc3339(arrived_at), dockline.rfc3339(departed_at), ( SELECT json_build_object('id', d.id, 'slug', d.slug) AS json_build_object
           FROM dockline.dock d
          WHERE d.id = s.dock_id), additional_fields, ( SELECT COALESCE(json_agg(l.linked_shipment_id ORDER BY l.linked_shipment_id), '[]'::json) AS "coalesce"
           FROM dockline.shipment_link l
          WHERE l.business_id = s.business_id AND l.shipment_id = s.id), json_build_array(trailer_number, carrier), ( SELECT COALESCE(json_agg(json_build_array(p.id, p.lpn, p.first_direction, p.last_direction, p.last_dock_id) ORDER BY p.id), '[]'::json) AS "coalesce"
           FROM dockline.pallet p
          WHERE p.business_id = s.business_id AND p.shipment_id = s.id)) AS body
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
    json_build_object('id', e.id, 'business', b.slug, 'facility', f.slug, 'baseUrl', e.base_url, 'messageTypes', e.message_types, 'authentication', e.authentication, 'signingSecrets', e.signing_secrets, 'enabled', e.enabled, 'disabledReason', e.disabled_reason, 'version', e.version, 'createdAt', dockline.rfc3339(e.created_at), 'cursorId', e.cursor_id, 'failingSince', dockline.rfc3339(e.failing_since), 'login', e.login, 'expiredUpTo', e.expired_up_to) AS body
   FROM dockline.webhook_endpoint e
     JOIN dockline.business b ON b.id = e.business_id
     LEFT JOIN dockline.facility f ON f.id = e.facility_id;

-- arrive_apply(p_business bigint, p_shipment bigint, p_arrived_at timestamp with time zone, p_dock bigint) returns void
-- audit_page(p_scope text[], p_client text, p_subject text, p_from timestamp with time zone, p_at timestamp with time zone, p_id bigint, p_limit integer) returns SETOF dockline.audit_entry stable
-- business_page(p_slugs text[], p_after text, p_limit integer) returns TABLE(slug text, name text, sandbox boolean) stable
-- cancel_apply(p_business bigint, p_shipment bigint) returns void
-- client_page(p_businesses text[], p_after text, p_limit integer) returns json stable
-- client_within(p_grants jsonb, p_businesses text[]) returns boolean immutable
-- clients_shown(p_ids text[], p_businesses text[]) returns SETOF dockline.client stable
-- depart_apply(p_business bigint, p_shipment bigint, p_departed_at timestamp with time zone, p_elsewhere json, p_drafts json, p_now timestamp with time zone) returns void
-- dock_page(p_business text, p_facility text, p_after text, p_limit integer) returns TABLE(slug text) stable
-- document_at(p_time timestamp with time zone) returns bigint stable
-- document_drop(p_cutoff timestamp with time zone, p_limit integer) returns integer
-- document_page(p_scopes json, p_number text, p_order text, p_correlation text, p_lpn text, p_outcomes text[], p_any boolean, p_from timestamp with time zone, p_to timestamp with time zone, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- exception_load(p_business bigint, p_shipment bigint, p_pallet bigint, p_lpn_key text, p_exception bigint) returns json
-- exception_page(p_scopes json, p_status text, p_priority text, p_after bigint, p_limit integer) returns json stable
-- exception_resolve(p_business bigint, p_shipment bigint, p_exception bigint, p_note text, p_at timestamp with time zone, p_by text) returns void
-- exceptions_of_shipment(p_business bigint, p_shipment bigint, p_after bigint, p_limit integer) returns json stable
-- expected_elsewhere(p_business bigint, p_shipment bigint) returns json stable
-- facilities_within(p_scopes json) returns bigint[] stable
-- facility_page(p_business text, p_after text, p_limit integer) returns TABLE(slug text, name text, "timeZone" text) stable
-- intake_apply(p_business bigint, p_begun timestamp with time zone, p_plans jsonb, p_removed text[], p_items text[], p_records text[], p_contents text, p_orders text[], p_removals text[]) returns json
-- intake_load(p_business bigint, p_facilities text[], p_docks text[], p_directions text[], p_shipment_keys text[], p_documents integer[], p_order_keys text[], p_wait boolean) returns json
-- intake_lock(p_business bigint, p_facilities bigint[], p_directions text[], p_shipment_keys text[], p_documents integer[], p_order_keys text[], p_wait boolean) returns boolean[]
-- items_of_shipment(p_business bigint, p_shipment bigint, p_order bigint, p_find text, p_unseen boolean, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- link_load(p_business bigint, p_shipment bigint, p_linked bigint) returns json
-- located_shipment(p_business bigint, p_shipment bigint) returns json stable
-- message_advance(p_beyond bigint, p_limit bigint, p_others bigint) returns json
-- message_append(p_business bigint, p_drafts json, p_now timestamp with time zone) returns json
-- message_append_named(p_drafts json, p_now timestamp with time zone) returns json
-- message_drop(p_business bigint, p_after bigint, p_limit integer) returns json
-- message_expire(p_business bigint, p_cutoff timestamp with time zone) returns boolean
-- message_expired(p_cutoff timestamp with time zone) returns SETOF bigint stable
-- message_read(p_business bigint, p_facility text, p_types text[], p_after bigint, p_since timestamp with time zone, p_limit integer, p_text bigint) returns TABLE(head text, id double precision, facility text, type text, shipment_id double precision, sent_at double precision, payload text, trace text) stable
-- oldest_served() returns integer immutable
-- order_page(p_scopes json, p_number text, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- orders_end(p_business bigint, p_shipment bigint, p_status text) returns void
-- orders_shown(p_ids bigint[]) returns TABLE(business json, facility json, shipment_number text, body json) stable
-- pallet_apply(p_business bigint, p_begun timestamp with time zone, p_plans json, p_drafts json, p_now timestamp with time zone) returns json
-- pallet_load(p_business bigint, p_events json, p_wait boolean) returns json
-- pallet_match(p_business bigint, p_facility bigint, p_shipment bigint, p_number_key text, p_lpn text, p_dock bigint, OUT id bigint, OUT way text) returns record stable
-- pallet_page(p_scopes json, p_lpn_key text, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- pallet_shipment(p_business bigint, p_shipment bigint, p_lpn text, p_pallet bigint) returns json stable
-- pallet_tracked(p_business bigint, p_shipment bigint, p_pallet bigint) returns json stable
-- pallets_of_shipment(p_business bigint, p_shipment bigint, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- people_shown(p_ids text[], p_businesses text[]) returns SETOF dockline.person stable
-- person_page(p_businesses text[], p_after text, p_limit integer) returns json stable
-- rfc3339(timestamp with time zone) returns text stable
-- search_entries(p_scopes json, p_ending text, p_text text, p_ends boolean, p_depth integer, p_limit integer) returns json stable
-- shipment_business(p_shipment bigint) returns bigint stable
-- shipment_by_lpn(p_business bigint, p_facility bigint, p_lpn text) returns bigint stable
-- shipment_page(p_scopes json, p_number text, p_lpn text, p_status text, p_discrepancies boolean, p_after bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- shipment_page_by_time(p_scopes json, p_number text, p_status text, p_discrepancies boolean, p_carrier text, p_trailer text, p_latest boolean, p_first timestamp with time zone, p_first_id bigint, p_last timestamp with time zone, p_last_id bigint, p_limit integer, p_rows integer, p_text integer) returns json stable
-- shipment_tracking(p_business bigint, p_shipment bigint) returns json stable
-- shipments_shown(p_ids bigint[], p_small integer) returns TABLE(business json, facility json, shipment json, orders json, characters bigint) stable
-- step_load(p_business bigint, p_shipment bigint, p_dock text, p_pallets boolean) returns json
-- webhook_arrange(p_business bigint, p_touched json, p_demote boolean, p_now timestamp with time zone) returns void
-- webhook_backlog(p_limit integer, p_endpoints integer) returns json stable
-- webhook_business(p_endpoint bigint) returns bigint stable
-- webhook_create(p_business bigint, p_draft json, p_from bigint, p_limit integer, p_now timestamp with time zone) returns json
-- webhook_drop(p_business bigint, p_endpoint bigint, p_after bigint, p_limit integer) returns json
-- webhook_endpoint_page(p_businesses text[], p_after bigint, p_limit integer) returns bigint[] stable
-- webhook_expired() returns TABLE(business bigint, endpoint bigint) stable
-- webhook_open(p_business bigint, p_ids bigint[]) returns json
-- webhook_ready(p_partitions integer[], p_count integer, p_now timestamp with time zone) returns json stable
-- webhook_replay(p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_limit integer, p_now timestamp with time zone) returns json
-- webhook_replay_one(p_business bigint, p_endpoint bigint, p_message bigint, p_now timestamp with time zone) returns json
-- webhook_replay_range(p_business bigint, p_endpoint bigint, p_first bigint, p_last bigint, p_from timestamp with time zone, p_to timestamp with time zone, p_limit integer) returns json stable
-- webhook_settle(p_business bigint, p_settlements json, p_results json, p_parked json, p_settled json, p_pending json, p_now timestamp with time zone) returns json
-- webhook_shown(p_business bigint, p_id bigint, p_limit integer) returns json stable
-- webhook_take(p_business bigint, p_request json, p_now timestamp with time zone) returns text stable
-- webhook_update(p_business bigint, p_id bigint, p_version integer, p_was_enabled boolean, p_change json, p_now timestamp with time zone) returns boolean
