-- Migration 1 of EDI: partners, and the record of what is exchanged with them (D18.3).

create sequence dockline.edi_file_id;

-- The ids of reservations, and the epochs of partners.
create sequence dockline.edi_key;

-- Each transaction that changes the exchange of a business first locks the row of the business here (edi_lock), so that the ids of files
-- grow in the order of commits.
create table dockline.edi_log (business_id bigint primary key references dockline.business);

-- For each partner, the newest outgoing interchange that was dropped.
create table dockline.edi_dropped (
  business_id bigint not null,
  epoch bigint not null,
  facility_id bigint not null,
  dropped_id bigint not null,
  primary key (business_id, epoch)
);
create index edi_dropped_newest on dockline.edi_dropped (business_id, dropped_id);
create index edi_dropped_facility on dockline.edi_dropped (facility_id, dropped_id);

-- The epoch is the key of a partner. If a partner is removed and created again under the same slug, it gets a new epoch. All rows of a
-- partner refer to its epoch.
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
  -- The kinds of sets that we accept from the partner, and that we send to it.
  takes text[] not null,
  tells text[] not null,
  -- The orders about which sets are sent: OWN for those that the partner's files created, or ALL.
  tells_of text not null,
  -- The units that the partner means by its unit codes.
  units json not null,
  -- The purposes of ship notices (BSN01), besides 00, that mean a new notice.
  new_purposes text[] not null,
  next_interchange int not null,
  next_group int not null,
  -- The message of the log up to which the partner was told about departures.
  cursor_id bigint not null,
  -- The rejected files to be sent again, the oldest request first.
  due bigint[] not null default '{}',
  created_at timestamptz not null,
  epoch bigint not null,
  primary key (business_id, epoch),
  unique (business_id, slug),
  unique (business_id, their_id, our_id, their_qualifier, our_qualifier)
) with (fillfactor = 50);
create index edi_partner_list on dockline.edi_partner (business_id, slug collate "C");
create index edi_partner_sides on dockline.edi_partner (their_id, our_id);

-- Received interchanges that are being processed. Each is reserved until its lease ends.
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

-- Finds the reservations that expired without being released, among the many that come and go.
create index edi_arrival_left on dockline.edi_arrival (business_id, until);

-- The codes and units in which the sets of a partner named the goods of an order (Words.ts).
create table dockline.edi_word (
  business_id bigint not null,
  epoch bigint not null,
  order_key text not null,
  words text not null,
  kept_at timestamptz not null,
  primary key (business_id, epoch, order_key)
);
create index edi_word_old on dockline.edi_word (business_id, kept_at);

-- The interchanges that were received from partners or sent to them. A file stays when its partner is removed. The control number of a
-- received interchange is unique within the epoch and the usage of a partner, so tests have numbers of their own.
create table dockline.edi_file (
  business_id bigint not null,
  id bigint not null default nextval('dockline.edi_file_id'),
  facility_id bigint not null,
  -- The slug that the partner had.
  partner text not null,
  epoch bigint not null,
  -- P or T. A file that was refused as a whole has its fingerprint here, so that it occupies no control number (edi_refuse).
  usage text not null,
  direction text not null check (direction in ('IN', 'OUT')),
  control text not null,
  outcome text not null,
  at timestamptz not null,
  kinds text[] not null,
  set_count int not null,
  rejected_count int not null,
  -- The first and the last group control number of a sent interchange.
  first_group int,
  last_group int,
  -- The shipment that a sent interchange reports.
  shipment_id bigint,
  -- The groups of a sent interchange: [{group, groupControl, kind, setCount}].
  groups json not null,
  -- Recognises a received interchange that is sent again.
  fingerprint text not null default '',
  faults json not null,
  -- The number of characters of the text.
  text_size int not null,
  text text not null,
  answer text not null,
  -- The position in lists, by time and id (list_place).
  place bigint not null,
  -- The time at which sets were rejected or could not be written.
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

-- The shipments that the sets of files are about, each once for a file, with the file's facility and its position in lists (list_place).
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
