-- Migration 1 of exceptions (D13.5).

create sequence dockline.shipment_exception_id;

-- facility_id repeats a value of the shipment, without a foreign key. No pallet needs to have the lpn. place: see list_place.
create table dockline.shipment_exception (
  business_id bigint not null,
  shipment_id bigint not null,
  id bigint not null default nextval('dockline.shipment_exception_id'),
  facility_id bigint not null,
  pallet_id bigint,
  lpn text not null,
  kind text not null,
  priority text not null,
  description text not null,
  reported_at timestamptz not null,
  reported_by text not null,
  note text,
  resolved_at timestamptz,
  resolved_by text,
  status text not null generated always as (case when resolved_at is null then 'OPEN' else 'RESOLVED' end) stored,
  place bigint not null generated always as (-((least(greatest(
    floor(extract(epoch from (reported_at - timestamptz '1970-01-01 00:00:00+00')) * 1000), 2), 4398046511102)::bigint
    - 2199023255552) * 4194304 + id % 4194304)) stored,
  primary key (business_id, shipment_id, id),
  foreign key (business_id, shipment_id) references dockline.shipment,
  foreign key (business_id, shipment_id, pallet_id) references dockline.pallet,
  check (num_nulls(note, resolved_at, resolved_by) in (0, 3))
);
alter sequence dockline.shipment_exception_id owned by dockline.shipment_exception.id;

-- The exceptions of a status and a priority, newest first.
create index shipment_exception_list on dockline.shipment_exception (facility_id, status, priority, place);
