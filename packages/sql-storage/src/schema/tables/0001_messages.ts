/** A part of migration 1: the log of messages, outboxes, webhook endpoints and the record of their deliveries. */

/** The columns of a message, and of an entry of an outbox. trace: the W3C traceparent of the request that appended it. */
const row = `business_id bigint not null,
    id bigint not null,
    facility_id bigint not null,
    facility text not null,
    type text not null,
    shipment_id bigint not null,
    sent_at timestamptz not null,
    size int not null,
    payload json not null,
    trace text,
    primary key (business_id, id)`

export const messages = [
  `create sequence dockline.message_id`,
  `create table dockline.message_log (
    business_id bigint primary key references dockline.business,
    last_id bigint not null default 0,
    last_sent_at timestamptz not null default '-infinity',
    dropped_id bigint not null default 0,
    dropped_sent_at timestamptz not null default '-infinity'
  ) with (fillfactor = 50)`,
  `create table dockline.message (
    ${row}
  )`,
  // For readers of some types in a business, of all types in a facility, and of some there (byTypes in LogScans.ts).
  `create index message_type on dockline.message (business_id, type, id)`,
  `create index message_facility on dockline.message (facility_id, id)`,
  `create index message_sent_at on dockline.message (business_id, sent_at, id)`,
  `create index message_facility_type on dockline.message (facility_id, type, id)`
]

/**
 * What endpoints get and readers of the log do not (core's `OutboxEntry.ts`). The ids of entries are ids of the log of their business, whose
 * lock their writers hold. An outbox is of one type; it has a row from its first entry on.
 * payload: [path, media type, text], of which the size is that of the text.
 */
export const outboxes = [
  `create table dockline.outbox (
    business_id bigint not null,
    type text not null,
    last_id bigint not null,
    dropped_id bigint not null default 0,
    dropped_sent_at timestamptz not null default '-infinity',
    primary key (business_id, type)
  ) with (fillfactor = 50)`,
  `create table dockline.outbox_entry (
    ${row}
  )`,
  `create index outbox_entry_type on dockline.outbox_entry (business_id, type, id)`,
  `create index outbox_entry_facility on dockline.outbox_entry (facility_id, type, id)`,
  `create index outbox_entry_sent_at on dockline.outbox_entry (business_id, sent_at, id)`
]

export const webhooks = [
  `create sequence dockline.webhook_endpoint_id`,
  // Half of a page is for new versions of its rows: cursors move all the time, without a change of an index.
  `create table dockline.webhook_endpoint (
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
    cursor_id bigint not null,
    failing_since timestamptz,
    login jsonb,
    expired_up_to bigint,
    created_at timestamptz not null,
    primary key (business_id, id)
  ) with (fillfactor = 50)`,
  `alter sequence dockline.webhook_endpoint_id owned by dockline.webhook_endpoint.id`,
  `create index webhook_endpoint_by_id on dockline.webhook_endpoint (id)`,
  /*
   * The deliveries of an endpoint, and the exceptions after its cursor (ADR 12). Of each shipment only the earliest pending
   * delivery has a next_attempt_at: the others wait for it (D9.4). An endpoint is removed at once and its deliveries later
   * in batches, so there is no reference to it. attempts: [[at, status, duration in milliseconds, response, error], …].
   * Writers lock the rows of endpoints in id order and compare the epoch, so that the holder of an old lease writes nothing.
   */
  `create table dockline.webhook_delivery (
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
  )`,
  // A delivery that succeeds at once, as nearly all do, is in none of the next four.
  `create index webhook_pending on dockline.webhook_delivery (shipment_id, endpoint_id, message_id)
    where status = 'PENDING'`,
  `create index webhook_head on dockline.webhook_delivery (shipment_id, endpoint_id)
    where next_attempt_at is not null`,
  `create index webhook_due on dockline.webhook_delivery (business_id, endpoint_id, next_attempt_at, message_id)
    where next_attempt_at is not null`,
  `create index webhook_exception on dockline.webhook_delivery (business_id, endpoint_id, status, message_id)
    where status <> 'DELIVERED'`,
  `create index webhook_delivered on dockline.webhook_delivery (business_id, endpoint_id, message_id) where status = 'DELIVERED'`
]
