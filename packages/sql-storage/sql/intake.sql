-- Intake: documents are loaded under locks (intake_load), decided by core, and written (intake_apply), all in one transaction.
--
-- The locks of the transaction, in the order in which it takes them. It has them until its end:
--
-- 1. The idempotency keys of the requests (stores/KeptAnswers). They are only tried: a request whose key is in use is refused.
-- 2. All numbers of each facility ('all_numbers'), shared, in the order of the keys of the locks. A batch of more than 32 orders takes this
--    lock exclusively, and then no lock of step 3, so that the number of its locks is bounded.
-- 3. Each number of a shipment or an order at its facility ('number'), in the order of the keys of the locks, so that documents that share
--    a number run one after another.
-- 4. The rows of the shipments that the documents may change, in the order of their ids: those with the numbers of the documents, and those
--    from which orders may move.
--
-- Documents do not deadlock, because each transaction that waits takes its locks in this order, and all other functions that lock shipments
-- (as in steps.sql and movement.sql) lock their rows before the log of the business, and take no lock of steps 2 and 3. Writing
-- (intake_apply) waits for nobody: it changes rows of locked shipments, and adds rows whose numbers are locked.
--
-- A batch that may not wait (p_wait is false) tries the locks of steps 2 to 4, each number by itself however many there are. If another
-- transaction has a lock, the documents that need it are 'held', and the others of the batch go on. If two documents of a batch may change
-- the same shipment, the first one may, and the second is 'held'.
--
-- The text of an advisory lock does not begin with the name of a table: in the shards of a cluster such a name is rewritten. The hints to
-- the planner (scalar subqueries, offset 0, column + 0, ctid) are explained in src/connections/Planner.ts.

-- Locks the documents of a batch, and returns the data by which core decides them. Documents count from 1: p_facilities, p_docks,
-- p_directions, p_shipment_keys and p_items have one entry for each, and order p_order_keys[n] belongs to document p_documents[n]. p_items
-- is the number of items that a document may create, null for a dry run. For the documents in p_needing the result also has their numbers
-- in use on other shipments. In the result, a document is null if it has no facility, and 'held' if it could not get its locks without
-- waiting.
create or replace function dockline.intake_load(
  p_business bigint, p_facilities text[], p_docks text[], p_directions text[], p_shipment_keys text[], p_items int[],
  p_documents int[], p_order_keys text[], p_needing int[], p_wait boolean
) returns json
language plpgsql as $$
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

-- Writes the plans of documents, each set of rows in one statement, in the transaction that began at p_begun: another one would not hold
-- the documents' locks. Members have core's names; a set without rows is null. All ids are known, because the load drew the ids of new
-- entities.
--
-- p_counted_shipments: shipments whose headers stay, so only counts and versions are written. p_left_shipments: the shipments that
-- p_moved_orders leave. p_removed_items[n] was an item of order p_removed_from[n]. Items come as columns, whose arrays take a tenth of the
-- time of an object for each item; item n has the nth member of each, because `unnest` of 26 arrays takes 0.1 ms by itself.
-- p_item_lpn_key is null where the key equals the lpn, and may end early. p_records is the record of documents, p_record_orders their orders
-- after the first, p_record_removals the LPNs that they removed; a document without a time of receipt gets the present time.
--
-- A row is found by a scalar subquery and changed by its ctid: a join would read all rows of the business where the planner does not know
-- how many there are. The ctid of a row is safe to use: the transaction has locked its shipment (step 4), whose orders and items nobody
-- else changes, and one statement both finds and changes it. The items of a departed shipment do not change.
create or replace function dockline.intake_apply(
  p_business bigint, p_begun timestamptz, p_new_shipments json, p_changed_shipments json, p_counted_shipments json,
  p_left_shipments bigint[], p_new_orders json, p_changed_orders json, p_moved_orders bigint[], p_removed_from bigint[],
  p_removed_items bigint[],
  p_item_is_new boolean[], p_item_id bigint[], p_item_order bigint[], p_item_shipment bigint[],
  p_item_facility bigint[], p_item_key text[], p_item_lpn_key text[], p_item_identifier text[], p_item_lpn text[],
  p_item_sku text[], p_item_quantity float8[], p_item_quantity_unit text[], p_item_purchase_order text[],
  p_item_description text[], p_item_upc text[], p_item_weight_per_unit float8[], p_item_weight_unit text[],
  p_item_height float8[], p_item_length float8[], p_item_width float8[], p_item_dimension_unit text[],
  p_item_is_dangerous_good boolean[], p_item_lot text[], p_item_expiration_date date[],
  p_item_manufacturing_date date[], p_item_case_serials jsonb[],
  p_records json, p_record_orders json, p_record_removals json
) returns void
language plpgsql as $$
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
