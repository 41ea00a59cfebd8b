-- Migration 1 of the SKU master (D17.4).

-- The SKU master of each facility. facts is the data of a SKU; its id has a limited length, because it is a key.
create table dockline.sku (
  business_id bigint not null references dockline.business,
  facility_id bigint not null references dockline.facility,
  id text collate "C" not null,
  facts jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (business_id, facility_id, id)
);
