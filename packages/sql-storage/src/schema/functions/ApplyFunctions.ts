import { changes, itemColumns, names, orderColumns, shipmentColumns, typed, values } from "../Columns.ts"
import type { Column } from "../Columns.ts"
import { itemLpn, lpnHash } from "../Endings.ts"
import { sql } from "../Plans.ts"
import { placeOf as placeInList } from "../Streams.ts"

const shipment = `id bigint, "facilityId" bigint, number text, "numberKey" text, status text, direction text,
      "expectedArrivalAt" timestamptz, "scheduledAt" timestamptz, "dockId" bigint, "additionalFields" jsonb,
      ${typed(shipmentColumns)}, "createdAt" timestamptz,
      "textSize" int, "missingPallets" int, "unexpectedPallets" int, "wrongDockPallets" int, discrepant boolean, "checkIn" jsonb, owner text`

const order =
  `id bigint, "facilityId" bigint, "shipmentId" bigint, "newShipment" int, number text, "numberKey" text, status text,
        direction text, ${
    typed(orderColumns)
  }, "createdAt" timestamptz, "rowCount" int, "textSize" int, owner text`

const itemArrays = [
  "bigint",
  "int",
  "text",
  "text",
  ...itemColumns.map(({ isDate, type }: Column) => isDate ? "date" : type)
].map((type, index) => `p_items[${index + 1}]::${type}[]`).join(", ")

/**
 * Where a row is, looked up by the id of `r`. A join by ids would read the rows of the business where the planner does not know
 * how many there are (the hints in Plans.ts).
 */
const placeOf = (table: string) =>
  `(select x.ctid from dockline.${table} x where x.business_id = p_business and x.id = r.id)`

/** Where an item is, by its order and its id. */
const placeOfItem = `(select x.ctid from dockline.order_item x
      where x.business_id = p_business and x.order_id = v_order_of[r.place] and x.id = r.id)`

const itemValues = itemColumns.map(({ name }) => `r.${name}`).join(", ")

const changedItem = itemColumns.flatMap(({ isFixed, name }) => isFixed ? [] : [`${name} = r.${name}`]).join(
  ", "
)

const item = `r(id, place, key, lpn_key, ${names(itemColumns)})`

/**
 * Writes the plans of documents, each set of them in one statement, in the transaction that began at p_begun: another one
 * would not hold the documents' locks.
 *
 * p_plans has rows under core's names: newShipments, changedShipments, countedShipments (their headers stay: only counts and versions
 * are written), newOrders and changedOrders; the rows of what is new have their position from 1, "at". An order has its shipmentId or
 * newShipment, the position in newShipments. movedOrders are ids of changedOrders that leave another shipment, leftShipments the ids of
 * these shipments, and newItems is the number of new items.
 *
 * Columns come as texts of arrays: an array of each field takes a tenth of the time of an object for each item.
 * - p_orders_of_items, orders whose items change: the id, the shipment, the facility. The id of what is new is its position with a minus.
 * - p_removed, removed items: the position in p_orders_of_items, and the id.
 * - p_items, items: the id (the position among new items with a minus, for a new one), the position in p_orders_of_items, the key, the key
 *   of the lpn (an array that ends early lacks nulls), then the fields.
 * - p_records, the record of documents, with p_contents, its contents, one a line; p_orders, further orders, and p_removals, LPNs that a
 *   document removed, both with the position in p_records.
 *
 * Ids are drawn before rows are written, so that what refers to a row needs no answer of its statement.
 *
 * Returns the new ids in the order of the rows. The items of a departed shipment do not change.
 */
export const intakeApply = sql`
create or replace function dockline.intake_apply(
  p_business bigint, p_begun timestamptz, p_plans jsonb, p_orders_of_items text[], p_removed text[], p_items text[], p_records text[], p_contents text, p_orders text[],
  p_removals text[]
) returns json
language plpgsql as $$
declare
  v_shipments bigint[] := '{}';
  v_orders bigint[] := '{}';
  v_items bigint[] := '{}';
  v_records bigint[] := '{}';
  v_places bigint[] := '{}';
  v_outcomes text[] := p_records[3]::text[];
  v_times timestamptz[] := p_records[2]::timestamptz[];
  v_order_of bigint[] := p_orders_of_items[1]::bigint[];
  v_shipment_of bigint[] := p_orders_of_items[2]::bigint[];
  v_facility_of bigint[] := p_orders_of_items[3]::bigint[];
  v_moved bigint[];
  v_left bigint[];
  v_left_facilities bigint[];
  v_left_lpns text[];
begin
  if p_begun is distinct from now() then
    raise exception 'The transaction of the plans has ended' using errcode = 'serialization_failure';
  end if;
  if p_plans ? 'newShipments' then
    for v_at in 1..jsonb_array_length(p_plans->'newShipments') loop
      v_shipments[v_at] := nextval('dockline.shipment_id');
    end loop;
    insert into dockline.shipment (business_id, id, facility_id, number, number_key, status, direction, expected_arrival_at,
      scheduled_at, dock_id, additional_fields, ${names(shipmentColumns)},
      created_at, text_size, missing_pallets, unexpected_pallets, wrong_dock_pallets, discrepant, check_in, owner)
    select p_business, v_shipments[r.at], r."facilityId", r.number, r."numberKey", r.status, r.direction,
      r."expectedArrivalAt", r."scheduledAt", r."dockId", r."additionalFields", ${
  values(shipmentColumns, "r")
}, r."createdAt",
      r."textSize", r."missingPallets", r."unexpectedPallets", r."wrongDockPallets", r.discrepant, r."checkIn", r.owner
    from jsonb_to_recordset(p_plans->'newShipments') as r(at int, ${shipment});
  end if;
  if p_plans ? 'changedShipments' then
    update dockline.shipment s set expected_arrival_at = r."expectedArrivalAt", dock_id = r."dockId",
      additional_fields = r."additionalFields", ${changes(shipmentColumns, "r")}, text_size = r."textSize",
      missing_pallets = r."missingPallets", unexpected_pallets = r."unexpectedPallets",
      wrong_dock_pallets = r."wrongDockPallets", discrepant = r.discrepant, check_in = r."checkIn",
      owner = r.owner, version = s.version + 1
    from (select r.*, ${placeOf("shipment")} as at
      from jsonb_to_recordset(p_plans->'changedShipments') as r(${shipment})) as r
    where s.business_id + 0 = p_business and s.ctid = r.at;
  end if;
  if p_plans ? 'countedShipments' then
    update dockline.shipment s set missing_pallets = r."missingPallets", unexpected_pallets = r."unexpectedPallets",
      wrong_dock_pallets = r."wrongDockPallets", discrepant = r.discrepant, version = s.version + 1
    from (select r.*, ${placeOf("shipment")} as at
      from jsonb_to_recordset(p_plans->'countedShipments') as r(id bigint, "missingPallets" int, "unexpectedPallets" int,
        "wrongDockPallets" int, discrepant boolean)) as r
    where s.business_id + 0 = p_business and s.ctid = r.at;
  end if;
  if p_plans ? 'newOrders' then
    for v_at in 1..jsonb_array_length(p_plans->'newOrders') loop
      v_orders[v_at] := nextval('dockline.customer_order_id');
    end loop;
    insert into dockline.customer_order (business_id, id, facility_id, shipment_id, number, number_key, status, direction,
      ${names(orderColumns)}, created_at, row_count, text_size, owner)
    select p_business, v_orders[r.at], r."facilityId",
      coalesce(r."shipmentId", v_shipments[r."newShipment"]), r.number, r."numberKey", r.status, r.direction, ${
  values(orderColumns, "r")
}, r."createdAt", r."rowCount", r."textSize", r.owner
    from jsonb_to_recordset(p_plans->'newOrders') as r(at int, ${order});
  end if;
  if p_plans ? 'changedOrders' then
    update dockline.customer_order o set shipment_id = coalesce(r."shipmentId", v_shipments[r."newShipment"]),
      ${changes(orderColumns, "r")}, row_count = r."rowCount", text_size = r."textSize", owner = r.owner
    from (select r.*, ${placeOf("customer_order")} as at
      from jsonb_to_recordset(p_plans->'changedOrders') as r(${order})) as r
    where o.business_id + 0 = p_business and o.ctid = r.at;
  end if;
  if p_plans ? 'leftShipments' then
    update dockline.shipment s set version = s.version + 1
    from (select r.*, ${placeOf("shipment")} as at
      from (select distinct l.id::bigint as id from jsonb_array_elements(p_plans->'leftShipments') as l(id)) as r) as r
    where s.business_id + 0 = p_business and s.ctid = r.at;
  end if;
  if p_plans ? 'movedOrders' then
    v_moved := array(select jsonb_array_elements(p_plans->'movedOrders')::bigint);
    select array_agg(left_behind.shipment), array_agg(left_behind.facility), array_agg(left_behind.lpn)
    into v_left, v_left_facilities, v_left_lpns from (
      select distinct i.lpn_shipment_id, i.facility_id, ${itemLpn("i")} from dockline.order_item i
      where i.business_id + 0 = p_business and i.order_id = any (v_moved) and i.lpn <> ''
    ) as left_behind(shipment, facility, lpn);
    update dockline.order_item i set lpn_shipment_id = (select o.shipment_id from dockline.customer_order o
      where o.business_id = p_business and o.id = i.order_id)
    where i.business_id + 0 = p_business and i.order_id = any (v_moved);
    -- A shipment that orders leave has no pallets: it misses all that it expects.
    update dockline.shipment s set missing_pallets = s.missing_pallets - r.pallets, discrepant = s.missing_pallets > r.pallets
    from (select r.*, ${placeOf("shipment")} as at from (
        select l.shipment as id, count(*) as pallets
        from unnest(v_left, v_left_facilities, v_left_lpns) as l(shipment, facility, lpn)
        where (select i.id from dockline.order_item i
          where i.business_id + 0 = p_business and i.facility_id = l.facility
            and ${lpnHash(itemLpn("i"))} = ${lpnHash("l.lpn")} and i.lpn_shipment_id = l.shipment and ${
  itemLpn("i")
} = l.lpn
          limit 1) is null
        group by l.shipment) as r) as r
    where s.business_id + 0 = p_business and s.ctid = r.at;
  end if;
  for v_at in 1..coalesce(cardinality(v_order_of), 0) loop
    if v_order_of[v_at] < 0 then v_order_of[v_at] := v_orders[-v_order_of[v_at]]; end if;
    if v_shipment_of[v_at] < 0 then v_shipment_of[v_at] := v_shipments[-v_shipment_of[v_at]]; end if;
  end loop;
  if cardinality(p_removed) > 0 then
    delete from dockline.order_item
    where business_id + 0 = p_business and ctid = any (array(select ${placeOfItem}
      from unnest(p_removed[1]::int[], p_removed[2]::bigint[]) as r(place, id)));
  end if;
  if p_plans ? 'newItems' then
    for v_at in 1..(p_plans->'newItems')::int loop
      v_items[v_at] := nextval('dockline.order_item_id');
    end loop;
    insert into dockline.order_item (
      business_id, id, order_id, item_key, ${names(itemColumns)}, facility_id, lpn_shipment_id, lpn_key)
    select p_business, v_items[-r.id], v_order_of[r.place], r.key, ${itemValues},
      v_facility_of[r.place], v_shipment_of[r.place], r.lpn_key
    from unnest(${itemArrays}) as ${item} where r.id < 0;
  end if;
  if p_plans ? 'changesItems' then
    update dockline.order_item i set ${changedItem}
    from (select r.*, ${placeOfItem} as at
      from unnest(${itemArrays}) as ${item} where r.id > 0) as r
    where i.business_id + 0 = p_business and i.ctid = r.at;
  end if;
  if cardinality(v_outcomes) > 0 then
    for v_at in 1..cardinality(v_outcomes) loop
      v_records[v_at] := nextval('dockline.document_record_id');
      v_times[v_at] := coalesce(v_times[v_at], date_trunc('milliseconds', clock_timestamp()));
      v_places[v_at] := ${placeInList("v_times[v_at]", "v_records[v_at]")};
    end loop;
    insert into dockline.document_record (business_id, id, facility_id, received_at, outcome, correlation_id, number_key, order_key,
      shipment_id, new_orders, new_items, row_count, text_size, content, place)
    select p_business, r.id, r.facility, r.received_at, r.outcome, r.correlation, r.number_key, r.order_key,
      coalesce(r.shipment, v_shipments[r.new_shipment]), v_orders[r.first_order:r.last_order], v_items[r.first_item:r.last_item],
      r.row_count, r.text_size, r.content, r.place
    from unnest(v_records, p_records[1]::bigint[], v_times, v_outcomes, p_records[4]::text[],
      p_records[5]::text[], p_records[6]::text[], p_records[7]::bigint[], p_records[8]::int[], p_records[9]::int[],
      p_records[10]::int[], p_records[11]::int[], p_records[12]::int[], p_records[13]::int[], p_records[14]::int[],
      string_to_array(p_contents, e'\n'), v_places
    ) as r(id, facility, received_at, outcome, correlation, number_key, order_key, shipment, new_shipment, first_order, last_order,
      first_item, last_item, row_count, text_size, content, place);
  end if;
  if cardinality(p_orders) > 0 then
    insert into dockline.document_order (business_id, document_id, facility_id, order_key, outcome, place)
    select p_business, v_records[r.place], r.facility, r.key, v_outcomes[r.place], v_places[r.place]
    from unnest(p_orders[1]::int[], p_orders[2]::bigint[], p_orders[3]::text[]) as r(place, facility, key);
  end if;
  if cardinality(p_removals) > 0 then
    insert into dockline.document_removal (business_id, document_id, facility_id, lpn_key, outcome, place)
    select p_business, v_records[r.place], r.facility, r.key, v_outcomes[r.place], v_places[r.place]
    from unnest(p_removals[1]::int[], p_removals[2]::bigint[], p_removals[3]::text[]) as r(place, facility, key);
  end if;
  return json_build_array(v_shipments, v_orders::text[], v_items::text[]);
end $$`
