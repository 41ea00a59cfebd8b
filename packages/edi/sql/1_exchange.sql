-- Migration 1 of EDI: partners, and the record of what is exchanged with them (D18.3).

create sequence dockline.edi_file_id;

-- The ids of reservations, and of the series in which the control numbers of a partner are unique.
create sequence dockline.edi_reservation_id;

-- Who changes anything of a business's exchange locks its row, so that ids of files grow in the order of commits.
create table dockline.edi_log (business_id bigint primary key references dockline.business);

-- The newest interchange to be sent that was dropped, of each partner.
create table dockline.edi_dropped (
  business_id bigint not null,
  epoch bigint not null,
  facility_id bigint not null,
  dropped_id bigint not null,
  primary key (business_id, epoch)
);
create index edi_dropped_newest on dockline.edi_dropped (business_id, dropped_id);
create index edi_dropped_facility on dockline.edi_dropped (facility_id, dropped_id);

-- The epoch is the key of a partner: one that is made anew under a slug has another. What is of a partner is of its
-- epoch; the slug is what people call it.
create table dockline.edi_partner (
  business_id bigint not null references dockline.business,
  slug text not null,
  facility_id bigint not null references dockline.facility,
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
  next_interchange int not null,
  next_group int not null,
  cursor_id bigint not null,
  due bigint[] not null default '{}',
  created_at timestamptz not null,
  epoch bigint not null,
  primary key (business_id, epoch),
  unique (business_id, slug),
  unique (business_id, their_id, our_id, their_qualifier, our_qualifier)
) with (fillfactor = 50);
create index edi_partner_list on dockline.edi_partner (business_id, slug collate "C");
create index edi_partner_sides on dockline.edi_partner (their_id, our_id);

-- Interchanges that are being done, each until its lease ends.
create table dockline.edi_arrival (
  business_id bigint not null,
  id bigint not null,
  epoch bigint not null,
  usage text not null,
  control text not null,
  fingerprint text not null,
  until timestamptz not null,
  primary key (business_id, id),
  unique (business_id, epoch, usage, control)
);

-- Rows come and go with every interchange: those that were left behind are found among them.
create index edi_arrival_left on dockline.edi_arrival (business_id, until);

-- The words in which sets of a partner have said the goods of an order (Keys.ts).
create table dockline.edi_word (
  business_id bigint not null,
  epoch bigint not null,
  order_key text not null,
  words text not null,
  kept_at timestamptz not null,
  primary key (business_id, epoch, order_key)
);
create index edi_word_old on dockline.edi_word (business_id, kept_at);

-- partner is the slug that its partner had: a file stays when its partner goes. Control numbers count within the epoch
-- of the partner and its usage: tests count apart. A file that was refused as a whole takes no number (edi_refuse). An
-- interchange that was sent has the groups first_group to last_group. text_size counts the characters of the text. One
-- that tells of a shipment has its id. groups are those of one that was sent: [{group, groupControl, kind, setCount}].
-- The fingerprint of one that came knows it again. rejected_at is when sets of it were rejected, or could not be written.
create table dockline.edi_file (
  business_id bigint not null,
  id bigint not null default nextval('dockline.edi_file_id'),
  facility_id bigint not null,
  partner text not null,
  epoch bigint not null,
  usage text not null,
  direction text not null check (direction in ('IN', 'OUT')),
  control text not null,
  outcome text not null,
  at timestamptz not null,
  kinds text[] not null,
  set_count int not null,
  rejected_count int not null,
  first_group int,
  last_group int,
  shipment_id bigint,
  groups json not null,
  fingerprint text not null default '',
  faults json not null,
  text_size int not null,
  text text not null,
  answer text not null,
  place bigint not null,
  rejected_at timestamptz,
  primary key (business_id, id)
);

-- The sets of files, in parts (SetParts.ts), from 0 on.
create table dockline.edi_set (
  business_id bigint not null,
  file_id bigint not null,
  part int not null,
  sets json not null,
  primary key (business_id, file_id, part)
);

-- The shipments that the sets of files are about, each once for a file, with the file's facility and its place in lists.
create table dockline.edi_file_shipment (
  business_id bigint not null,
  file_id bigint not null,
  shipment_id bigint not null,
  facility_id bigint not null,
  place bigint not null,
  primary key (business_id, file_id, shipment_id)
);
create index edi_file_shipment_list on dockline.edi_file_shipment (shipment_id, facility_id, place);

alter sequence dockline.edi_file_id owned by dockline.edi_file.id;
create unique index edi_file_control on dockline.edi_file (business_id, epoch, usage, control) where direction = 'IN';
create index edi_file_sent on dockline.edi_file (business_id, epoch, usage, control, id desc) where direction = 'OUT' and text_size > 0;
create index edi_file_group on dockline.edi_file (business_id, epoch, usage, last_group, id desc) where last_group is not null;
create index edi_file_told on dockline.edi_file (business_id, epoch, shipment_id, id desc) where shipment_id is not null;
create index edi_file_list on dockline.edi_file (facility_id, direction, outcome, place);
create index edi_file_partner on dockline.edi_file (facility_id, epoch, direction, outcome, place);
create index edi_outbox on dockline.edi_file (business_id, id) where direction = 'OUT' and text_size > 0;
create index edi_outbox_facility on dockline.edi_file (facility_id, id) where direction = 'OUT' and text_size > 0;
create index edi_outbox_partner on dockline.edi_file (business_id, epoch, id) where direction = 'OUT' and text_size > 0;
create index edi_file_rejected on dockline.edi_file (business_id, rejected_at) where rejected_at is not null;
create index edi_file_by_id on dockline.edi_file (id);
