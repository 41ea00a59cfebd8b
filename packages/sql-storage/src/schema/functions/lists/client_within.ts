/** Whether a client or a person has grants, and all are at these businesses. */
export default `create or replace function dockline.client_within(p_grants jsonb, p_businesses text[]) returns boolean immutable
return jsonb_array_length(p_grants) > 0 and not exists (select from jsonb_array_elements(p_grants) as granted
  where granted->>'business' <> all (p_businesses))`
