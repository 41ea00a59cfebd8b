-- Migration 1 of packing lists: the mappings that businesses save by name (D25.7).

create table dockline.packing_list_mapping (
  business_id bigint not null references dockline.business,
  name text collate "C" not null,
  mapping jsonb not null,
  saved_at timestamptz not null,
  primary key (business_id, name)
);
