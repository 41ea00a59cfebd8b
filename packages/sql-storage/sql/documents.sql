-- The record of documents.
--
-- In every index of a list, including the primary key, the outcome comes before the place, so that a page quickly finds a rare outcome
-- among many documents with one number. The documents of each outcome are a stream (shipment_lists.sql), which is read only if it has any.

-- A page of recorded documents, newest first: [[rows, characters, body]] of those within the budget of p_rows and p_text, but at least two.
-- p_lpn and p_order are not combined. p_scopes: see facilities_within. Each filter may be null. The documents are found by the shipment's
-- number, else by the correlation id, else by a removed LPN, else by an order's number: one shipment or request has few documents, while
-- very many orders may have the number N/A. p_outcomes are the outcomes in rows (DocumentRows.ts), and p_any says that they are all.
-- p_after (exclusive) and p_last (inclusive) are the range of places (list_place).
create or replace function dockline.document_page(
  p_scopes json, p_number text, p_order text, p_correlation text, p_lpn text, p_outcomes text[], p_any boolean,
  p_after bigint, p_last bigint, p_limit int, p_rows int, p_text int
) returns json
language plpgsql stable as $$
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

-- A recorded document, as DocumentRows.ts reads it.
create or replace view dockline.document_body as
select d.business_id, d.facility_id, d.outcome, d.id, json_build_array(
  json_build_object('slug', b.slug, 'name', b.name), json_build_object('slug', f.slug, 'name', f.name),
  d.id, dockline.rfc3339(d.received_at), d.outcome, d.correlation_id, d.shipment_id, d.new_orders::text[],
    d.new_items::text[],
  d.content) as body
from dockline.document_record d join dockline.business b on b.id = d.business_id join dockline.facility f on f.id = d.facility_id;

create or replace function dockline.document_shown(p_id bigint) returns json
language plpgsql stable as $$
begin
  return (select b.body from dockline.document_body b where b.id = p_id);
end $$;

-- The time of the oldest recorded document; null if there is none.
create or replace function dockline.document_oldest() returns timestamptz
language plpgsql stable as $$
begin
  return (select d.received_at from dockline.document_record d order by d.id limit 1);
end $$;

-- Deletes the oldest recorded documents from before the cutoff, up to p_limit, and returns their number.
create or replace function dockline.document_drop(p_cutoff timestamptz, p_limit int) returns int
language plpgsql as $$
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
