/**
 * Migration 5: webhook endpoints and the record of their deliveries.
 *
 * An endpoint's state is its cursor into the log and its exceptions: what comes after the cursor has no line here. Of
 * each shipment the earliest pending delivery alone has a `next_attempt_at`: the others wait behind it (D9.4).
 *
 * Locks: whoever writes deliveries of an endpoint holds its row, in id order where there are several; the epoch is
 * compared under that lock, so that the holder of an old lease writes nothing. No lock is held for long: what may
 * concern many deliveries is done in batches. Everything here is frozen: later changes are later migrations.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { operating } from "./0005_operating.ts"
import { reading } from "./0005_reading.ts"
import { settling } from "./0005_settling.ts"

const tables = [
  // Half of a page is left to new versions of its rows: cursors move all the time, and no index has to be changed.
  `create table dockline.webhook_endpoint (
    id bigint generated always as identity primary key,
    business_id bigint not null references dockline.business,
    facility_id bigint references dockline.facility,
    base_url text not null,
    message_types text[] not null,
    authentication jsonb not null,
    signing_secrets jsonb not null,
    enabled boolean not null,
    disabled_reason text not null,
    version int not null default 1,
    epoch bigint not null default 0,
    cursor_id bigint not null,
    failing_since timestamptz,
    login jsonb,
    expired_up_to bigint,
    created_at timestamptz not null
  ) with (fillfactor = 50)`,
  `create index webhook_endpoint_business on dockline.webhook_endpoint (business_id, id)`,
  /*
   * No reference to the endpoint: it is removed at once, its deliveries in batches after it. message_id refers to the
   * log, which forgets with age. attempts: [[at, status, duration in milliseconds, response, error], …].
   */
  `create table dockline.webhook_delivery (
    endpoint_id bigint not null,
    message_id bigint not null,
    type text not null,
    shipment_id bigint not null,
    status text not null check (status in ('PENDING', 'DELIVERED', 'DEAD')),
    tries int not null,
    failed_since timestamptz,
    next_attempt_at timestamptz check (next_attempt_at is null or status = 'PENDING'),
    attempts jsonb not null,
    primary key (endpoint_id, message_id)
  )`,
  // A delivery that succeeds at once, as nearly all do, is in none of these. "+ 0": whoever looks for a shipment says so
  // too, and no other index of endpoints can be taken for it, however little the planner knows of the table.
  `create index webhook_pending on dockline.webhook_delivery (shipment_id, (endpoint_id + 0), message_id)
    where status = 'PENDING'`,
  `create index webhook_head on dockline.webhook_delivery (shipment_id, (endpoint_id + 0))
    where next_attempt_at is not null`,
  `create index webhook_due on dockline.webhook_delivery (endpoint_id, next_attempt_at, message_id)
    where next_attempt_at is not null`,
  `create index webhook_exception on dockline.webhook_delivery (endpoint_id, status, message_id)
    where status <> 'DELIVERED'`
]

/** Runs the migration. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    [...tables, ...reading, ...settling, ...operating],
    (statement) => sql.unsafe(statement),
    {
      discard: true
    }
  )
})
