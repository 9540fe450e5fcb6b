-- What the migrations make, told by the catalogue of a migrated database. For reading in review; never edited by
-- hand and never run. Write it anew with: npx vitest run -u --project storage schema

CREATE SEQUENCE id_numbers AS bigint MINVALUE 0 MAXVALUE 4194303 START 0 INCREMENT 1 CYCLE;

CREATE OR REPLACE FUNCTION public.announce_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM pg_notify('keys', '');
        RETURN NULL;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.announce_outbox()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM pg_notify('outbox', '');
        RETURN NULL;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.app_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$ SELECT clock_timestamp() $function$;

CREATE OR REPLACE FUNCTION public.claim_client_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        IF NEW.client_id <> NEW.id THEN PERFORM claim_id(NEW.client_id, 'client', 'applications_client_id'); END IF;
        RETURN NULL;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.claim_id(claimed text, wanted text, owner_key text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM pg_advisory_xact_lock(1763704000, 1);
        INSERT INTO known_ids AS k (id, kind) VALUES (claimed, wanted)
          ON CONFLICT (id) DO UPDATE SET kind = excluded.kind WHERE k.kind = excluded.kind;
        IF NOT FOUND OR EXISTS (SELECT FROM users u WHERE u.id = claimed) THEN
          RAISE unique_violation USING CONSTRAINT = owner_key, MESSAGE = 'the id stands for something else';
        END IF;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.claim_own_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM claim_id(NEW.id, TG_ARGV[0], TG_TABLE_NAME || '_pkey');
        RETURN NULL;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.drop_event_partitions(retention interval, most integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET lock_timeout TO '2s'
 SET search_path TO 'public', 'pg_temp'
AS $function$
      DECLARE
        partition text;
      BEGIN
        IF retention < interval '30 days' THEN
          RAISE EXCEPTION 'events are kept for 30 days at least';
        END IF;
        PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('events partitions'::text)::bigint);
        FOR partition IN
          SELECT month.name FROM (
            SELECT c.relname::text AS name FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'events'::regclass::oid) AS month
          WHERE month.name ~ '^events_[0-9]{4}_[0-9]{2}$'::text
            AND (pg_catalog.to_date(pg_catalog.substr(month.name, 8), 'YYYY_MM'::text)::timestamp + interval '1 month') AT TIME ZONE 'UTC'::text
              <= app_now() - retention
          ORDER BY month.name LIMIT most
        LOOP
          EXECUTE pg_catalog.format('DROP TABLE %I', partition);
          RETURN NEXT partition;
        END LOOP;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.ensure_event_partitions()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      DECLARE
        first_day timestamptz;
        partition text;
      BEGIN
        PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('events partitions'::text)::bigint);
        FOR months IN 0..3 LOOP
          first_day := (pg_catalog.date_trunc('month'::text, pg_catalog.clock_timestamp() AT TIME ZONE 'UTC'::text) + pg_catalog.make_interval(months => months))
                       AT TIME ZONE 'UTC'::text;
          partition := 'events_'::text || pg_catalog.to_char(first_day AT TIME ZONE 'UTC'::text, 'YYYY_MM'::text);
          -- a month that already has rows in the default partition stays there: moving them would lock the log
          IF pg_catalog.to_regclass(partition) IS NULL
             AND NOT EXISTS (SELECT FROM events_default e
                             WHERE e.created_at >= first_day
                               AND e.created_at < (first_day AT TIME ZONE 'UTC'::text + interval '1 month') AT TIME ZONE 'UTC'::text)
          THEN
            EXECUTE pg_catalog.format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)', partition,
              first_day, (first_day AT TIME ZONE 'UTC'::text + interval '1 month') AT TIME ZONE 'UTC'::text);
          END IF;
        END LOOP;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.exchange_holds(ties jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
        SELECT
          -- whoever acts is active, and none of their tokens was ended
          NOT EXISTS (
            SELECT FROM jsonb_to_recordset(ties -> 'users') AS t("userId" text, epoch integer)
            LEFT JOIN users u ON u.id = t."userId" AND u.state = 'active'
            LEFT JOIN organizations o ON o.id = u.org_id AND o.state = 'active' AND u.token_epoch + o.token_epoch = t.epoch
            WHERE o.id IS NULL)
          -- the authorizations, sessions and personal access tokens that the tokens came from have not ended, nor have
          -- the applications of those authorizations
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'grants') AS t(id)
            LEFT JOIN authorizations g ON g.id = t.id AND g.revoked_at IS NULL
            LEFT JOIN applications a ON a.id = g.application_id AND a.state = 'active'
            LEFT JOIN projects j ON j.id = a.project_id AND j.state = 'active'
            LEFT JOIN organizations o ON o.id = a.org_id AND o.state = 'active' AND a.authorization_epoch + o.token_epoch = g.client_epoch
            WHERE j.id IS NULL OR o.id IS NULL)
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'sessions') AS t(id)
            LEFT JOIN sessions s ON s.id = t.id AND s.ended_at IS NULL
            WHERE s.id IS NULL)
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'personalAccessTokens') AS t(id)
            LEFT JOIN personal_access_tokens p ON p.id = t.id AND p.revoked_at IS NULL
              AND (p.expires_at IS NULL OR p.expires_at > app_now())
            WHERE p.id IS NULL)
          -- nor the access tokens themselves, one by one; a row of these stays for as long as something is tied to it
          AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(ties -> 'tokens') AS t(jti)
            JOIN revoked_tokens r ON r.jti = t.jti)
          -- impersonation is still allowed, by roles that are still held
          AND (ties -> 'roles' = '[]' OR EXISTS (SELECT FROM security_settings WHERE enable_impersonation))
          AND NOT EXISTS (
            SELECT FROM jsonb_to_recordset(ties -> 'roles') AS t("userId" text, role text, "orgId" text)
            WHERE NOT EXISTS (
              SELECT FROM memberships m
              WHERE m.user_id = t."userId" AND m.role = t.role AND m.org_id IS NOT DISTINCT FROM t."orgId"))
          -- whoever is impersonated has not risen since
          AND NOT EXISTS (
            SELECT FROM jsonb_to_recordset(ties -> 'subjects') AS t("userId" text, roles jsonb)
            JOIN memberships m ON m.user_id = t."userId"
            WHERE NOT EXISTS (
              SELECT FROM jsonb_to_recordset(t.roles) AS r(role text, "orgId" text)
              WHERE r.role = m.role AND r."orgId" IS NOT DISTINCT FROM m.org_id))
      $function$;

CREATE OR REPLACE FUNCTION public.keep_ids_of_others()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(1763704000, 1);
        IF EXISTS (SELECT FROM added a JOIN known_ids k ON k.id = a.id) THEN
          RAISE unique_violation USING CONSTRAINT = 'users_pkey', MESSAGE = 'the id stands for something else';
        END IF;
        RETURN NULL;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.new_id()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
      DECLARE
        drawn text;
      BEGIN
        LOOP
          drawn := (((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1735689600000) * 4194304
            + nextval('id_numbers'))::text;
          EXIT WHEN NOT EXISTS (SELECT FROM users u WHERE u.id = drawn)
            AND NOT EXISTS (SELECT FROM known_ids k WHERE k.id = drawn);
        END LOOP;
        RETURN drawn;
      END
      $function$;

CREATE OR REPLACE FUNCTION public.remove_stray_events(retention interval, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      DECLARE
        removed bigint;
      BEGIN
        IF retention < interval '30 days' THEN
          RAISE EXCEPTION 'events are kept for 30 days at least';
        END IF;
        WITH doomed AS MATERIALIZED (
          SELECT created_at, position FROM events_default
          WHERE created_at < (SELECT app_now()) - retention LIMIT most FOR UPDATE SKIP LOCKED
        )
        DELETE FROM events_default e USING doomed d WHERE e.created_at = d.created_at AND e.position = d.position;
        GET DIAGNOSTICS removed = ROW_COUNT;
        RETURN removed;
      END
      $function$;

CREATE TABLE alarms (
  kind text NOT NULL,
  times bigint NOT NULL DEFAULT 1,
  raised_at timestamp with time zone NOT NULL,
  CONSTRAINT alarms_pkey PRIMARY KEY (kind)
);

CREATE TABLE application_keys (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  application_id text NOT NULL,
  public_jwk jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  client_kid text,
  CONSTRAINT application_keys_pkey PRIMARY KEY (id),
  CONSTRAINT application_keys_application FOREIGN KEY (org_id, application_id) REFERENCES applications(org_id, id) ON DELETE CASCADE,
  CONSTRAINT application_keys_public CHECK ((NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[])))
);

CREATE TABLE applications (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  project_id text NOT NULL,
  client_id text NOT NULL DEFAULT new_id(),
  name text NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  kind text NOT NULL,
  app_type text NOT NULL DEFAULT 'web'::text,
  auth_method text NOT NULL,
  client_secret_hash bytea,
  response_types text[] NOT NULL DEFAULT '{code}'::text[],
  grant_types text[] NOT NULL DEFAULT '{authorization_code}'::text[],
  redirect_uris text[] NOT NULL DEFAULT '{}'::text[],
  post_logout_redirect_uris text[] NOT NULL DEFAULT '{}'::text[],
  additional_origins text[] NOT NULL DEFAULT '{}'::text[],
  origins text[] NOT NULL DEFAULT '{}'::text[],
  access_token_type text NOT NULL DEFAULT 'opaque'::text,
  id_token_userinfo_assertion boolean NOT NULL DEFAULT false,
  access_token_role_assertion boolean NOT NULL DEFAULT false,
  id_token_role_assertion boolean NOT NULL DEFAULT false,
  dev_mode boolean NOT NULL DEFAULT false,
  clock_skew_seconds integer NOT NULL DEFAULT 0,
  skip_native_app_success_page boolean NOT NULL DEFAULT false,
  back_channel_logout_uri text,
  token_epoch integer NOT NULL DEFAULT 0,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  assertion_issuer_only boolean NOT NULL DEFAULT false,
  id_token_algorithm text,
  management_access text NOT NULL DEFAULT 'none'::text,
  access_given_by text,
  first_party boolean NOT NULL DEFAULT false,
  authorization_epoch integer NOT NULL DEFAULT 0,
  missed_settings text[] NOT NULL DEFAULT '{}'::text[],
  claims_webhook boolean NOT NULL DEFAULT false,
  require_pushed_authorization_requests boolean NOT NULL DEFAULT false,
  dpop_bound_access_tokens boolean NOT NULL DEFAULT false,
  access_token_at_jwt boolean NOT NULL DEFAULT false,
  userinfo_algorithm text,
  registration text,
  allowed_scopes text[],
  authorization_algorithm text,
  security_profile text NOT NULL DEFAULT 'none'::text,
  front_channel_logout_uri text,
  front_channel_logout_session_required boolean NOT NULL DEFAULT false,
  session_management boolean NOT NULL DEFAULT false,
  subject_type text NOT NULL DEFAULT 'public'::text,
  sector_identifier_uri text,
  pairwise_sector text,
  tls_client_certificate_bound_access_tokens boolean NOT NULL DEFAULT false,
  tls_client_auth_subject_dn text,
  tls_client_auth_san_dns text,
  tls_client_auth_san_uri text,
  tls_client_auth_san_ip text,
  tls_client_auth_san_email text,
  jwks_uri text,
  require_signed_request_object boolean NOT NULL DEFAULT false,
  initiate_login_uri text,
  request_uris text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT applications_pkey PRIMARY KEY (id),
  CONSTRAINT applications_client_id UNIQUE (client_id),
  CONSTRAINT applications_in_org UNIQUE (org_id, id),
  CONSTRAINT applications_project FOREIGN KEY (org_id, project_id) REFERENCES projects(org_id, id),
  CONSTRAINT applications_access_given CHECK (((management_access = 'none'::text) = ((access_given_by IS NULL) AND (NOT first_party)))),
  CONSTRAINT applications_access_token_type CHECK ((access_token_type = ANY (ARRAY['opaque'::text, 'jwt'::text]))),
  CONSTRAINT applications_app_type CHECK ((app_type = ANY (ARRAY['web'::text, 'user_agent'::text, 'native'::text]))),
  CONSTRAINT applications_auth_method CHECK ((auth_method = ANY (ARRAY['client_secret_basic'::text, 'client_secret_post'::text, 'none'::text, 'private_key_jwt'::text, 'tls_client_auth'::text, 'self_signed_tls_client_auth'::text]))),
  CONSTRAINT applications_authorization_algorithm CHECK ((authorization_algorithm = ANY (ARRAY['RS256'::text, 'PS256'::text, 'ES256'::text, 'EdDSA'::text]))),
  CONSTRAINT applications_clock_skew CHECK (((clock_skew_seconds >= 0) AND (clock_skew_seconds <= 5))),
  CONSTRAINT applications_first_party CHECK (((NOT first_party) OR (access_given_by IS NULL))),
  CONSTRAINT applications_grant_types CHECK ((grant_types <@ '{authorization_code,implicit,refresh_token,client_credentials,urn:ietf:params:oauth:grant-type:jwt-bearer,urn:ietf:params:oauth:grant-type:token-exchange,urn:ietf:params:oauth:grant-type:device_code}'::text[])),
  CONSTRAINT applications_id_token_algorithm CHECK ((id_token_algorithm = ANY (ARRAY['RS256'::text, 'PS256'::text, 'ES256'::text, 'EdDSA'::text]))),
  CONSTRAINT applications_kind CHECK ((kind = ANY (ARRAY['oidc'::text, 'api'::text]))),
  CONSTRAINT applications_management_access CHECK ((management_access = ANY (ARRAY['none'::text, 'organization'::text, 'instance'::text]))),
  CONSTRAINT applications_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT applications_own_sector CHECK (((pairwise_sector IS NULL) OR starts_with(pairwise_sector, (org_id || ' '::text)))),
  CONSTRAINT applications_pairwise_sector CHECK (((subject_type = 'pairwise'::text) = (pairwise_sector IS NOT NULL))),
  CONSTRAINT applications_redirect_uris CHECK (((cardinality(redirect_uris) <= 100) AND (cardinality(post_logout_redirect_uris) <= 100) AND (cardinality(additional_origins) <= 100))),
  CONSTRAINT applications_registration CHECK ((registration = ANY (ARRAY['initial_access_token'::text, 'anyone'::text, 'document'::text]))),
  CONSTRAINT applications_request_uris CHECK ((cardinality(request_uris) <= 10)),
  CONSTRAINT applications_response_types CHECK ((response_types <@ '{code,id_token,"id_token token","code id_token","code token","code id_token token"}'::text[])),
  CONSTRAINT applications_secret CHECK (((auth_method ~~ 'client_secret_%'::text) = (client_secret_hash IS NOT NULL))),
  CONSTRAINT applications_security_profile CHECK ((security_profile = ANY (ARRAY['none'::text, 'fapi2'::text, 'fapi2_message_signing'::text]))),
  CONSTRAINT applications_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text]))),
  CONSTRAINT applications_subject_type CHECK ((subject_type = ANY (ARRAY['public'::text, 'pairwise'::text]))),
  CONSTRAINT applications_userinfo_algorithm CHECK ((userinfo_algorithm = ANY (ARRAY['RS256'::text, 'PS256'::text, 'ES256'::text, 'EdDSA'::text])))
);

CREATE TABLE auth_requests (
  id text NOT NULL,
  user_agent_id text NOT NULL,
  destination text NOT NULL,
  application_id text,
  redirect_uri text,
  response_type text,
  response_mode text,
  scopes text[] NOT NULL DEFAULT '{}'::text[],
  state text,
  nonce text,
  code_challenge text,
  prompts text[] NOT NULL DEFAULT '{}'::text[],
  max_age integer,
  login_hint text,
  ui_locales text[] NOT NULL DEFAULT '{}'::text[],
  acr_values text[] NOT NULL DEFAULT '{}'::text[],
  claims jsonb,
  hinted_user_id text,
  session_id text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  acr_essential boolean NOT NULL DEFAULT false,
  pending_identity jsonb,
  device_authorization_id text,
  dpop_jkt text,
  pushed boolean NOT NULL DEFAULT false,
  CONSTRAINT auth_requests_pkey PRIMARY KEY (id),
  CONSTRAINT auth_requests_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE,
  CONSTRAINT auth_requests_session FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT auth_requests_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents(id) ON DELETE CASCADE,
  CONSTRAINT auth_requests_complete CHECK (((destination <> 'application'::text) OR ((application_id IS NOT NULL) AND (redirect_uri IS NOT NULL) AND (response_type IS NOT NULL)))),
  CONSTRAINT auth_requests_destination CHECK ((destination = ANY (ARRAY['application'::text, 'home'::text, 'queues'::text, 'account'::text])))
);

CREATE TABLE authorizations (
  id text NOT NULL,
  org_id text NOT NULL,
  user_id text NOT NULL,
  application_id text NOT NULL,
  session_id text,
  scopes text[] NOT NULL,
  audience text[] NOT NULL,
  auth_time timestamp with time zone NOT NULL,
  amr text[] NOT NULL,
  acr text,
  nonce text,
  claims jsonb,
  actor jsonb,
  subject_epoch integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  revoked_at timestamp with time zone,
  revoke_reason text,
  lineage jsonb,
  access_token_type text,
  lineage_tokens text[],
  client_epoch integer NOT NULL DEFAULT 0,
  CONSTRAINT authorizations_pkey PRIMARY KEY (id),
  CONSTRAINT authorizations_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE,
  CONSTRAINT authorizations_session FOREIGN KEY (org_id, session_id) REFERENCES sessions(org_id, id) ON DELETE SET NULL (session_id),
  CONSTRAINT authorizations_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT authorizations_access_token_type CHECK ((access_token_type = ANY (ARRAY['opaque'::text, 'jwt'::text]))),
  CONSTRAINT authorizations_end CHECK (((revoked_at IS NULL) = (revoke_reason IS NULL)))
);

CREATE TABLE branding_policies (
  org_id text NOT NULL,
  display_name text,
  accent_color text,
  logo bytea,
  logo_name text,
  default_language text,
  help_url text,
  privacy_url text,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT branding_policies_pkey PRIMARY KEY (org_id),
  CONSTRAINT branding_policies_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT branding_policies_accent_color CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
  CONSTRAINT branding_policies_default_language CHECK ((default_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'::text)),
  CONSTRAINT branding_policies_display_name CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 200))),
  CONSTRAINT branding_policies_help_url CHECK (((help_url ~ '^https://'::text) AND (char_length(help_url) <= 2048))),
  CONSTRAINT branding_policies_logo CHECK (((octet_length(logo) >= 1) AND (octet_length(logo) <= 131072))),
  CONSTRAINT branding_policies_logo_name CHECK ((logo_name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'::text)),
  CONSTRAINT branding_policies_logo_named CHECK (((logo IS NULL) = (logo_name IS NULL))),
  CONSTRAINT branding_policies_privacy_url CHECK (((privacy_url ~ '^https://'::text) AND (char_length(privacy_url) <= 2048)))
);

CREATE TABLE bulk_action_users (
  bulk_action_id text NOT NULL,
  user_id text NOT NULL,
  outcome text,
  reason text,
  CONSTRAINT bulk_action_users_pkey PRIMARY KEY (bulk_action_id, user_id),
  CONSTRAINT bulk_action_users_action FOREIGN KEY (bulk_action_id) REFERENCES bulk_actions(id) ON DELETE CASCADE,
  CONSTRAINT bulk_action_users_outcome CHECK ((outcome = ANY (ARRAY['done'::text, 'failed'::text])))
);

CREATE TABLE bulk_actions (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  action text NOT NULL,
  state text NOT NULL DEFAULT 'running'::text,
  created_by text NOT NULL,
  through text,
  finished_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  token_id text,
  subject_epoch integer,
  CONSTRAINT bulk_actions_pkey PRIMARY KEY (id),
  CONSTRAINT bulk_actions_org FOREIGN KEY (org_id) REFERENCES organizations(id),
  CONSTRAINT bulk_actions_action CHECK ((action = ANY (ARRAY['lock'::text, 'unlock'::text, 'deactivate'::text, 'reactivate'::text, 'sign_out'::text, 'delete'::text]))),
  CONSTRAINT bulk_actions_state CHECK ((state = ANY (ARRAY['running'::text, 'cancelled'::text, 'done'::text])))
);

CREATE TABLE claims_webhooks (
  org_id text NOT NULL,
  url text NOT NULL,
  timeout_seconds integer NOT NULL DEFAULT 1,
  on_failure text NOT NULL DEFAULT 'issue'::text,
  secret_sealed bytea NOT NULL,
  data_key_id integer NOT NULL,
  former_secret_sealed bytea,
  former_data_key_id integer,
  former_secret_until timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT claims_webhooks_pkey PRIMARY KEY (org_id),
  CONSTRAINT claims_webhooks_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT claims_webhooks_former_data_key FOREIGN KEY (former_data_key_id) REFERENCES data_keys(id),
  CONSTRAINT claims_webhooks_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT claims_webhooks_former CHECK ((num_nulls(former_secret_sealed, former_data_key_id, former_secret_until) = ANY (ARRAY[0, 3]))),
  CONSTRAINT claims_webhooks_on_failure CHECK ((on_failure = ANY (ARRAY['issue'::text, 'refuse'::text]))),
  CONSTRAINT claims_webhooks_timeout CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 3))),
  CONSTRAINT claims_webhooks_url CHECK (((char_length(url) >= 1) AND (char_length(url) <= 2000)))
);

CREATE TABLE client_registrations (
  application_id text NOT NULL,
  org_id text NOT NULL,
  token_hash bytea,
  metadata jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  fresh_until timestamp with time zone,
  logo bytea,
  logo_name text,
  logo_source text,
  logo_tried_at timestamp with time zone,
  CONSTRAINT client_registrations_pkey PRIMARY KEY (application_id),
  CONSTRAINT client_registrations_application FOREIGN KEY (org_id, application_id) REFERENCES applications(org_id, id) ON DELETE CASCADE,
  CONSTRAINT client_registrations_kind CHECK (((token_hash IS NULL) = (fresh_until IS NOT NULL))),
  CONSTRAINT client_registrations_logo CHECK (((octet_length(logo) >= 1) AND (octet_length(logo) <= 102400))),
  CONSTRAINT client_registrations_logo_name CHECK ((logo_name ~ '^[0-9a-f]{64}[.](png|jpg|webp)$'::text)),
  CONSTRAINT client_registrations_logo_named CHECK ((((logo IS NULL) = (logo_name IS NULL)) AND ((logo IS NULL) OR (logo_source IS NOT NULL))))
);

CREATE TABLE codes (
  hash bytea NOT NULL,
  authorization_id text NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  session_id text,
  dpop_jkt text,
  CONSTRAINT codes_pkey PRIMARY KEY (hash),
  CONSTRAINT codes_authorization FOREIGN KEY (authorization_id) REFERENCES authorizations(id) ON DELETE CASCADE
);

CREATE TABLE consents (
  user_id text NOT NULL,
  application_id text NOT NULL,
  org_id text NOT NULL,
  access text NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  scopes text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT consents_pkey PRIMARY KEY (user_id, application_id),
  CONSTRAINT consents_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE,
  CONSTRAINT consents_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT consents_access CHECK ((access = ANY (ARRAY['none'::text, 'organization'::text, 'instance'::text])))
);

CREATE TABLE data_keys (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  wrapped bytea NOT NULL,
  master_key_id text NOT NULL,
  state text NOT NULL DEFAULT 'current'::text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT data_keys_pkey PRIMARY KEY (id),
  CONSTRAINT data_keys_state CHECK ((state = ANY (ARRAY['current'::text, 'previous'::text])))
);

CREATE TABLE device_authorizations (
  id text NOT NULL,
  application_id text NOT NULL,
  device_code_hash bytea NOT NULL,
  user_code text NOT NULL,
  scopes text[] NOT NULL,
  asked_from text NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  user_id text,
  code_hash bytea,
  poll_seconds integer NOT NULL,
  polled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT device_authorizations_pkey PRIMARY KEY (id),
  CONSTRAINT device_authorizations_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE,
  CONSTRAINT device_authorizations_approved CHECK (((state = 'approved'::text) = (code_hash IS NOT NULL))),
  CONSTRAINT device_authorizations_state CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text])))
);

CREATE TABLE events (
  "position" bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
  org_id text,
  aggregate_type text NOT NULL,
  aggregate_id text NOT NULL,
  sequence bigint NOT NULL,
  type text NOT NULL,
  actor_id text,
  fields text[] NOT NULL DEFAULT '{}'::text[],
  data jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT events_pkey PRIMARY KEY (created_at, "position")
) PARTITION BY RANGE (created_at);

CREATE TABLE events_default PARTITION OF events DEFAULT;

CREATE TABLE external_sign_ins (
  state_hash bytea NOT NULL,
  provider_id text NOT NULL,
  user_agent_id text NOT NULL,
  flow_id text,
  link_session_id text,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  max_age integer,
  expires_at timestamp with time zone NOT NULL,
  answer jsonb,
  answer_hash bytea,
  confirm_session_id text,
  answers_read smallint NOT NULL DEFAULT 0,
  realm_org_id text,
  CONSTRAINT external_sign_ins_pkey PRIMARY KEY (state_hash),
  CONSTRAINT external_sign_ins_provider FOREIGN KEY (provider_id) REFERENCES identity_providers(id) ON DELETE CASCADE,
  CONSTRAINT external_sign_ins_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents(id) ON DELETE CASCADE,
  CONSTRAINT external_sign_ins_answer CHECK (((answer IS NULL) = (answer_hash IS NULL))),
  CONSTRAINT external_sign_ins_purpose CHECK ((num_nonnulls(flow_id, link_session_id, confirm_session_id) = 1))
);

CREATE TABLE factor_policies (
  org_id text NOT NULL,
  is_set boolean NOT NULL DEFAULT true,
  second_factor text NOT NULL DEFAULT 'required'::text,
  required_for text NOT NULL DEFAULT 'owners'::text,
  kinds text[] NOT NULL DEFAULT '{passkey,totp,email,sms}'::text[],
  trusted_browser_days integer NOT NULL DEFAULT 0,
  passkey_counter text NOT NULL DEFAULT 'event'::text,
  step_up text NOT NULL DEFAULT 'off'::text,
  step_up_max_age_seconds integer NOT NULL DEFAULT 3600,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT factor_policies_pkey PRIMARY KEY (org_id),
  CONSTRAINT factor_policies_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT factor_policies_kinds CHECK ((((cardinality(kinds) >= 1) AND (cardinality(kinds) <= 4)) AND (kinds <@ ARRAY['passkey'::text, 'totp'::text, 'email'::text, 'sms'::text]))),
  CONSTRAINT factor_policies_passkey_counter CHECK ((passkey_counter = ANY (ARRAY['event'::text, 'refuse'::text]))),
  CONSTRAINT factor_policies_required_for CHECK ((required_for = ANY (ARRAY['all'::text, 'owners'::text]))),
  CONSTRAINT factor_policies_second_factor CHECK ((second_factor = ANY (ARRAY['off'::text, 'offered'::text, 'required'::text]))),
  CONSTRAINT factor_policies_step_up CHECK ((step_up = ANY (ARRAY['off'::text, 'mfa'::text, 'phr'::text]))),
  CONSTRAINT factor_policies_step_up_max_age CHECK (((step_up_max_age_seconds >= 60) AND (step_up_max_age_seconds <= 86400))),
  CONSTRAINT factor_policies_trusted_browser_days CHECK (((trusted_browser_days >= 0) AND (trusted_browser_days <= 90)))
);

CREATE TABLE factor_settings (
  id boolean NOT NULL DEFAULT true,
  second_factor text NOT NULL DEFAULT 'required'::text,
  required_for text NOT NULL DEFAULT 'owners'::text,
  kinds text[] NOT NULL DEFAULT '{passkey,totp,email,sms}'::text[],
  trusted_browser_days integer NOT NULL DEFAULT 0,
  passkey_counter text NOT NULL DEFAULT 'event'::text,
  step_up text NOT NULL DEFAULT 'off'::text,
  step_up_max_age_seconds integer NOT NULL DEFAULT 3600,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT factor_settings_pkey PRIMARY KEY (id),
  CONSTRAINT factor_settings_kinds CHECK ((((cardinality(kinds) >= 1) AND (cardinality(kinds) <= 4)) AND (kinds <@ ARRAY['passkey'::text, 'totp'::text, 'email'::text, 'sms'::text]))),
  CONSTRAINT factor_settings_one_row CHECK (id),
  CONSTRAINT factor_settings_passkey_counter CHECK ((passkey_counter = ANY (ARRAY['event'::text, 'refuse'::text]))),
  CONSTRAINT factor_settings_required_for CHECK ((required_for = ANY (ARRAY['all'::text, 'owners'::text]))),
  CONSTRAINT factor_settings_second_factor CHECK ((second_factor = ANY (ARRAY['off'::text, 'offered'::text, 'required'::text]))),
  CONSTRAINT factor_settings_step_up CHECK ((step_up = ANY (ARRAY['off'::text, 'mfa'::text, 'phr'::text]))),
  CONSTRAINT factor_settings_step_up_max_age CHECK (((step_up_max_age_seconds >= 60) AND (step_up_max_age_seconds <= 86400))),
  CONSTRAINT factor_settings_trusted_browser_days CHECK (((trusted_browser_days >= 0) AND (trusted_browser_days <= 90)))
);

CREATE TABLE heartbeats (
  queue text NOT NULL,
  consumed_at timestamp with time zone NOT NULL,
  worker text NOT NULL,
  CONSTRAINT heartbeats_pkey PRIMARY KEY (queue)
);

CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  org_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  status integer NOT NULL,
  body_sealed bytea NOT NULL,
  data_key_id integer NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, org_id, route, key),
  CONSTRAINT idempotency_keys_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT idempotency_keys_key CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

CREATE TABLE identity_providers (
  id text NOT NULL DEFAULT new_id(),
  org_id text,
  name text NOT NULL,
  kind text NOT NULL,
  state text NOT NULL DEFAULT 'inactive'::text,
  settings jsonb NOT NULL,
  mapping jsonb NOT NULL DEFAULT '{}'::jsonb,
  allow_creation boolean NOT NULL DEFAULT false,
  allow_linking boolean NOT NULL DEFAULT true,
  update_on_sign_in boolean NOT NULL DEFAULT false,
  home_realm boolean NOT NULL DEFAULT false,
  secret_sealed bytea,
  data_key_id integer,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone,
  warned_of timestamp with time zone,
  CONSTRAINT identity_providers_pkey PRIMARY KEY (id),
  CONSTRAINT identity_providers_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT identity_providers_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT identity_providers_home_realm CHECK (((NOT home_realm) OR (org_id IS NOT NULL))),
  CONSTRAINT identity_providers_kind CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 40))),
  CONSTRAINT identity_providers_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT identity_providers_sealed CHECK (((secret_sealed IS NULL) = (data_key_id IS NULL))),
  CONSTRAINT identity_providers_settings CHECK (((jsonb_typeof(settings) = 'object'::text) AND (jsonb_typeof(mapping) = 'object'::text))),
  CONSTRAINT identity_providers_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text])))
);

CREATE TABLE import_chunks (
  import_id text NOT NULL,
  org_id text NOT NULL,
  number integer NOT NULL,
  first_line integer NOT NULL,
  records integer NOT NULL,
  records_org_id text,
  state text NOT NULL DEFAULT 'pending'::text,
  fence bigint NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  claimed_until timestamp with time zone,
  payload bytea,
  results bytea,
  failed_payload bytea,
  data_key_id integer,
  created integer NOT NULL DEFAULT 0,
  updated integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  weak integer NOT NULL DEFAULT 0,
  removed integer,
  kept integer,
  notified boolean NOT NULL DEFAULT false,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  pass integer NOT NULL DEFAULT 50,
  totp_secrets integer NOT NULL DEFAULT 0,
  held integer NOT NULL DEFAULT 0,
  recovery_codes integer NOT NULL DEFAULT 0,
  code_factors integer NOT NULL DEFAULT 0,
  passkeys integer NOT NULL DEFAULT 0,
  foreign_passkeys integer NOT NULL DEFAULT 0,
  identities integer NOT NULL DEFAULT 0,
  known_identities integer NOT NULL DEFAULT 0,
  refused_identities integer NOT NULL DEFAULT 0,
  CONSTRAINT import_chunks_pkey PRIMARY KEY (import_id, number),
  CONSTRAINT import_chunks_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT import_chunks_import FOREIGN KEY (org_id, import_id) REFERENCES imports(org_id, id) ON DELETE CASCADE,
  CONSTRAINT import_chunks_outcomes CHECK (((state <> 'done'::text) OR ((((created + updated) + skipped) + failed) = records))),
  CONSTRAINT import_chunks_payload CHECK (((state = ANY (ARRAY['pending'::text, 'queued'::text, 'running'::text])) = (payload IS NOT NULL))),
  CONSTRAINT import_chunks_sealed CHECK (((data_key_id IS NOT NULL) OR ((payload IS NULL) AND (results IS NULL) AND (failed_payload IS NULL)))),
  CONSTRAINT import_chunks_state CHECK ((state = ANY (ARRAY['pending'::text, 'queued'::text, 'running'::text, 'done'::text, 'split'::text, 'cancelled'::text])))
);

CREATE TABLE import_names (
  import_id text NOT NULL,
  hash bigint NOT NULL,
  CONSTRAINT import_names_pkey PRIMARY KEY (import_id, hash),
  CONSTRAINT import_names_import FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE
);

CREATE TABLE imports (
  id text NOT NULL,
  org_id text NOT NULL,
  instance_wide boolean NOT NULL DEFAULT false,
  created_by text NOT NULL,
  caller_key bytea,
  state text NOT NULL DEFAULT 'reading'::text,
  reason text,
  format text NOT NULL,
  mode text NOT NULL,
  dry_run boolean NOT NULL DEFAULT false,
  notify text NOT NULL,
  initial_state text,
  update_passwords boolean NOT NULL DEFAULT false,
  file_name text,
  bytes_received bigint NOT NULL DEFAULT 0,
  records_total integer,
  checksum bytea,
  retry_of text,
  undo_state text,
  notify_state text,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  reading_until timestamp with time zone,
  token_id text,
  undone_by text,
  notified_by text,
  created_through text,
  undone_through text,
  notified_through text,
  bytes_stored bigint NOT NULL DEFAULT 0,
  bytes_held bigint NOT NULL DEFAULT 0,
  bytes_expected bigint,
  bytes_arrived bigint NOT NULL DEFAULT 0,
  subject_epoch integer,
  undone_token_id text,
  undone_subject_epoch integer,
  notified_token_id text,
  notified_subject_epoch integer,
  CONSTRAINT imports_pkey PRIMARY KEY (id),
  CONSTRAINT imports_in_org UNIQUE (org_id, id),
  CONSTRAINT imports_org FOREIGN KEY (org_id) REFERENCES organizations(id),
  CONSTRAINT imports_finished CHECK (((state = ANY (ARRAY['cancelled'::text, 'failed'::text, 'done'::text, 'undone'::text])) = (finished_at IS NOT NULL))),
  CONSTRAINT imports_format CHECK ((format = ANY (ARRAY['json'::text, 'ndjson'::text, 'csv'::text]))),
  CONSTRAINT imports_initial_state CHECK ((initial_state = ANY (ARRAY['active'::text, 'initial'::text, 'inactive'::text, 'locked'::text]))),
  CONSTRAINT imports_mode CHECK ((mode = ANY (ARRAY['insert'::text, 'skip'::text, 'upsert'::text]))),
  CONSTRAINT imports_notify CHECK ((notify = ANY (ARRAY['now'::text, 'deferred'::text, 'none'::text]))),
  CONSTRAINT imports_notify_state CHECK ((notify_state = ANY (ARRAY['running'::text, 'done'::text]))),
  CONSTRAINT imports_state CHECK ((state = ANY (ARRAY['reading'::text, 'queued'::text, 'running'::text, 'paused'::text, 'cancelling'::text, 'cancelled'::text, 'failed'::text, 'done'::text, 'undone'::text]))),
  CONSTRAINT imports_undo_state CHECK ((undo_state = ANY (ARRAY['running'::text, 'done'::text])))
);

CREATE TABLE initial_access_tokens (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  project_id text NOT NULL,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  most_uses integer NOT NULL,
  uses integer NOT NULL DEFAULT 0,
  expires_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT initial_access_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT initial_access_tokens_hash UNIQUE (token_hash),
  CONSTRAINT initial_access_tokens_project FOREIGN KEY (org_id, project_id) REFERENCES projects(org_id, id) ON DELETE CASCADE,
  CONSTRAINT initial_access_tokens_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT initial_access_tokens_uses CHECK (((uses >= 0) AND (uses <= most_uses)))
);

CREATE TABLE instance (
  id boolean NOT NULL DEFAULT true,
  default_org_id text NOT NULL,
  api_project_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  console_client_id text,
  CONSTRAINT instance_pkey PRIMARY KEY (id),
  CONSTRAINT instance_api_project FOREIGN KEY (default_org_id, api_project_id) REFERENCES projects(org_id, id),
  CONSTRAINT instance_default_org FOREIGN KEY (default_org_id) REFERENCES organizations(id),
  CONSTRAINT instance_one_row CHECK (id)
);

CREATE TABLE instance_counts (
  hour timestamp with time zone NOT NULL,
  counted text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT instance_counts_pkey PRIMARY KEY (hour, counted),
  CONSTRAINT instance_counts_positive CHECK ((count > 0))
);

CREATE TABLE key_schedule (
  id boolean NOT NULL DEFAULT true,
  rotation_seconds integer NOT NULL DEFAULT 7776000,
  lead_seconds integer NOT NULL DEFAULT 86400,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT key_schedule_pkey PRIMARY KEY (id),
  CONSTRAINT key_schedule_lead CHECK ((lead_seconds > 0)),
  CONSTRAINT key_schedule_one_row CHECK (id),
  CONSTRAINT key_schedule_rotation CHECK ((rotation_seconds >= 0))
);

CREATE TABLE key_set_readers (
  reader bytea NOT NULL,
  reads bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  last_read_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT key_set_readers_pkey PRIMARY KEY (reader)
);

CREATE TABLE known_ids (
  id text NOT NULL,
  kind text NOT NULL,
  CONSTRAINT known_ids_pkey PRIMARY KEY (id),
  CONSTRAINT known_ids_kind CHECK ((kind = ANY (ARRAY['organization'::text, 'project'::text, 'application'::text, 'client'::text, 'application_key'::text, 'machine_key'::text, 'project_grant'::text])))
);

CREATE TABLE lockout_policies (
  org_id text NOT NULL,
  max_attempts integer NOT NULL DEFAULT 10,
  free_attempts integer NOT NULL DEFAULT 5,
  first_wait_seconds integer NOT NULL DEFAULT 2,
  lock_seconds integer NOT NULL DEFAULT 900,
  is_set boolean NOT NULL DEFAULT true,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT lockout_policies_pkey PRIMARY KEY (org_id),
  CONSTRAINT lockout_policies_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT lockout_policies_first_wait CHECK (((first_wait_seconds >= 1) AND (first_wait_seconds <= 60))),
  CONSTRAINT lockout_policies_free_attempts CHECK (((free_attempts >= 1) AND (free_attempts <= max_attempts))),
  CONSTRAINT lockout_policies_lock CHECK (((lock_seconds >= 60) AND (lock_seconds <= 43200))),
  CONSTRAINT lockout_policies_max_attempts CHECK (((max_attempts >= 1) AND (max_attempts <= 100)))
);

CREATE TABLE login_identifiers (
  canonical text NOT NULL,
  kind text NOT NULL,
  org_id text NOT NULL,
  user_id text NOT NULL,
  proven boolean NOT NULL DEFAULT false,
  CONSTRAINT login_identifiers_pkey PRIMARY KEY (canonical, kind, org_id),
  CONSTRAINT login_identifiers_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT login_identifiers_kind CHECK ((kind = ANY (ARRAY['user_name'::text, 'email'::text]))),
  CONSTRAINT login_identifiers_proven CHECK (((kind = 'email'::text) OR (NOT proven)))
);

CREATE TABLE login_policies (
  org_id text NOT NULL,
  allow_register boolean NOT NULL DEFAULT false,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  is_set boolean NOT NULL DEFAULT true,
  require_login_name boolean NOT NULL DEFAULT false,
  allow_account_deletion boolean NOT NULL DEFAULT false,
  allow_external_idps boolean NOT NULL DEFAULT true,
  instance_idps text[] NOT NULL DEFAULT '{}'::text[],
  home_realm_idp_id text,
  CONSTRAINT login_policies_pkey PRIMARY KEY (org_id),
  CONSTRAINT login_policies_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

CREATE TABLE logout_endpoints (
  application_id text NOT NULL,
  uri text NOT NULL,
  failures integer NOT NULL,
  failing_since timestamp with time zone NOT NULL DEFAULT app_now(),
  next_try_at timestamp with time zone NOT NULL,
  CONSTRAINT logout_endpoints_pkey PRIMARY KEY (application_id),
  CONSTRAINT logout_endpoints_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE,
  CONSTRAINT logout_endpoints_failures CHECK ((failures > 0))
);

CREATE TABLE logout_notices (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  application_id text NOT NULL,
  outbox_id bigint,
  state text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  fence bigint NOT NULL DEFAULT 0,
  claimed_until timestamp with time zone,
  last_error text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  finished_at timestamp with time zone,
  CONSTRAINT logout_notices_pkey PRIMARY KEY (id),
  CONSTRAINT logout_notices_once UNIQUE (session_id, application_id),
  CONSTRAINT logout_notices_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE,
  CONSTRAINT logout_notices_org FOREIGN KEY (org_id) REFERENCES organizations(id),
  CONSTRAINT logout_notices_finished CHECK (((state = ANY (ARRAY['delivered'::text, 'abandoned'::text])) = (finished_at IS NOT NULL))),
  CONSTRAINT logout_notices_state CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'abandoned'::text])))
);

CREATE TABLE memberships (
  user_id text NOT NULL,
  user_org_id text NOT NULL,
  role text NOT NULL,
  org_id text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  id text NOT NULL DEFAULT new_id(),
  sequence bigint NOT NULL DEFAULT 1,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT memberships_pkey PRIMARY KEY (id),
  CONSTRAINT memberships_once UNIQUE NULLS NOT DISTINCT (user_id, role, org_id),
  CONSTRAINT memberships_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT memberships_user FOREIGN KEY (user_org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT memberships_role CHECK ((role = ANY (ARRAY['IAM_OWNER'::text, 'IAM_OWNER_VIEWER'::text, 'IAM_END_USER_IMPERSONATOR'::text, 'IAM_ADMIN_IMPERSONATOR'::text, 'ORG_OWNER'::text, 'ORG_USER_MANAGER'::text, 'ORG_OWNER_VIEWER'::text, 'ORG_END_USER_IMPERSONATOR'::text, 'ORG_ADMIN_IMPERSONATOR'::text]))),
  CONSTRAINT memberships_scope CHECK (((role ~~ 'IAM\_%'::text) = (org_id IS NULL)))
);

CREATE TABLE message_templates (
  id text NOT NULL DEFAULT new_id(),
  org_id text,
  type text NOT NULL,
  language text NOT NULL,
  subject text,
  title text,
  preheader text,
  greeting text,
  text text,
  button text,
  footer text,
  sms_text text,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT message_templates_pkey PRIMARY KEY (id),
  CONSTRAINT message_templates_once UNIQUE NULLS NOT DISTINCT (org_id, type, language),
  CONSTRAINT message_templates_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT message_templates_channel CHECK (
CASE
    WHEN (type = ANY (ARRAY['verify_phone'::text, 'second_factor_sms'::text])) THEN (num_nonnulls(subject, title, preheader, greeting, text, button, footer) = 0)
    ELSE (sms_text IS NULL)
END),
  CONSTRAINT message_templates_footer CHECK (((char_length(footer) >= 1) AND (char_length(footer) <= 1000))),
  CONSTRAINT message_templates_language CHECK ((language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'::text)),
  CONSTRAINT message_templates_lines CHECK ((((char_length(subject) >= 1) AND (char_length(subject) <= 120)) AND ((char_length(title) >= 1) AND (char_length(title) <= 120)) AND ((char_length(preheader) >= 1) AND (char_length(preheader) <= 250)) AND ((char_length(greeting) >= 1) AND (char_length(greeting) <= 120)) AND ((char_length(button) >= 1) AND (char_length(button) <= 60)) AND (subject !~ '[\r\n]'::text))),
  CONSTRAINT message_templates_sms_text CHECK (((char_length(sms_text) >= 1) AND (char_length(sms_text) <= 160))),
  CONSTRAINT message_templates_some CHECK (((sequence = 0) OR (num_nonnulls(subject, title, preheader, greeting, text, button, footer, sms_text) > 0))),
  CONSTRAINT message_templates_text CHECK (((char_length(text) >= 1) AND (char_length(text) <= 4000))),
  CONSTRAINT message_templates_type CHECK ((type = ANY (ARRAY['initialise'::text, 'verify_email'::text, 'verify_phone'::text, 'reset_password'::text, 'register'::text, 'password_changed'::text, 'account_exists'::text, 'email_changed'::text, 'reset_choice'::text, 'passkey_added'::text, 'passkey_removed'::text, 'factor_added'::text, 'factor_removed'::text, 'recovery_codes_made'::text, 'recovery_code_used'::text, 'factors_reset'::text, 'account_deleted'::text, 'second_factor_email'::text, 'second_factor_sms'::text, 'phone_changed'::text])))
);

CREATE TABLE name_attempts (
  place text NOT NULL,
  name_hash bytea NOT NULL,
  attempts integer NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT name_attempts_pkey PRIMARY KEY (place, name_hash),
  CONSTRAINT name_attempts_count CHECK ((attempts >= 0))
);

CREATE TABLE notification_provider_health (
  provider_id text NOT NULL,
  version text NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  openings integer NOT NULL DEFAULT 0,
  open_until timestamp with time zone,
  paused boolean NOT NULL DEFAULT false,
  reason text,
  probe_until timestamp with time zone,
  urgent_probe_until timestamp with time zone,
  next_turn_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT notification_provider_health_pkey PRIMARY KEY (provider_id)
);

CREATE TABLE notification_providers (
  id text NOT NULL DEFAULT new_id(),
  name text NOT NULL,
  kind text NOT NULL,
  channel text NOT NULL,
  state text NOT NULL DEFAULT 'inactive'::text,
  priority integer NOT NULL,
  rate_per_second integer,
  connections integer NOT NULL,
  settings jsonb NOT NULL,
  secret_sealed bytea,
  data_key_id integer,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT notification_providers_pkey PRIMARY KEY (id),
  CONSTRAINT notification_providers_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT notification_providers_kind CHECK ((((kind = 'smtp'::text) AND (channel = 'email'::text)) OR ((kind = ANY (ARRAY['twilio_messages'::text, 'twilio_verify'::text])) AND (channel = 'sms'::text)) OR ((kind = 'http'::text) AND (channel = ANY (ARRAY['email'::text, 'sms'::text]))))),
  CONSTRAINT notification_providers_limits CHECK (((rate_per_second > 0) AND (connections > 0))),
  CONSTRAINT notification_providers_sealed CHECK (((secret_sealed IS NULL) = (data_key_id IS NULL))),
  CONSTRAINT notification_providers_settings CHECK ((jsonb_typeof(settings) = 'object'::text)),
  CONSTRAINT notification_providers_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text])))
);

CREATE TABLE notifications (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  user_id text,
  channel text NOT NULL,
  template text NOT NULL,
  code_id text,
  outbox_id bigint,
  content_sealed bytea,
  data_key_id integer,
  state text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  fence bigint NOT NULL DEFAULT 0,
  hand_overs integer NOT NULL DEFAULT 0,
  claimed_until timestamp with time zone,
  last_error text,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  finished_at timestamp with time zone,
  registration_id text,
  provider_id text,
  provider_message_id text,
  failures integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone,
  ambiguous boolean NOT NULL DEFAULT false,
  dead_letter boolean NOT NULL DEFAULT false,
  reported text,
  delivered_at timestamp with time zone,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  last_failure jsonb,
  source bytea,
  CONSTRAINT notifications_pkey PRIMARY KEY (id),
  CONSTRAINT notifications_once UNIQUE (user_id, template, code_id),
  CONSTRAINT notifications_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT notifications_registration FOREIGN KEY (registration_id) REFERENCES registrations(id) ON DELETE SET NULL,
  CONSTRAINT notifications_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT notifications_channel CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  CONSTRAINT notifications_content CHECK (((state = ANY (ARRAY['pending'::text, 'sending'::text, 'retrying'::text])) OR dead_letter OR (content_sealed IS NULL))),
  CONSTRAINT notifications_dead_letter CHECK (((NOT dead_letter) OR (state = ANY (ARRAY['failed'::text, 'abandoned'::text])))),
  CONSTRAINT notifications_finished CHECK (((state = ANY (ARRAY['sent'::text, 'delivered'::text, 'failed'::text, 'abandoned'::text])) = (finished_at IS NOT NULL))),
  CONSTRAINT notifications_recipient CHECK (((user_id IS NULL) OR (registration_id IS NULL))),
  CONSTRAINT notifications_reported CHECK ((reported = ANY (ARRAY['delivered'::text, 'failed'::text]))),
  CONSTRAINT notifications_sealed CHECK (((content_sealed IS NULL) = (data_key_id IS NULL))),
  CONSTRAINT notifications_state CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'retrying'::text, 'sent'::text, 'delivered'::text, 'failed'::text, 'abandoned'::text]))),
  CONSTRAINT notifications_template CHECK ((template = ANY (ARRAY['initialise'::text, 'verify_email'::text, 'verify_phone'::text, 'reset_password'::text, 'password_changed'::text, 'register'::text, 'account_exists'::text, 'email_changed'::text, 'reset_choice'::text, 'passkey_added'::text, 'passkey_removed'::text, 'factor_added'::text, 'factor_removed'::text, 'recovery_codes_made'::text, 'recovery_code_used'::text, 'factors_reset'::text, 'account_deleted'::text, 'second_factor_email'::text, 'second_factor_sms'::text, 'phone_changed'::text, 'template_test'::text])))
);

CREATE TABLE oidc_settings (
  id boolean NOT NULL DEFAULT true,
  access_token_seconds integer,
  id_token_seconds integer,
  refresh_idle_seconds integer,
  refresh_absolute_seconds integer,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT oidc_settings_pkey PRIMARY KEY (id),
  CONSTRAINT oidc_settings_access_token CHECK (((access_token_seconds >= 60) AND (access_token_seconds <= 2592000))),
  CONSTRAINT oidc_settings_id_token CHECK (((id_token_seconds >= 60) AND (id_token_seconds <= 2592000))),
  CONSTRAINT oidc_settings_one_row CHECK (id),
  CONSTRAINT oidc_settings_refresh_absolute CHECK (((refresh_absolute_seconds >= 300) AND (refresh_absolute_seconds <= 31536000))),
  CONSTRAINT oidc_settings_refresh_idle CHECK (((refresh_idle_seconds >= 300) AND (refresh_idle_seconds <= 31536000)))
);

CREATE TABLE organization_counts (
  org_id text NOT NULL,
  hour timestamp with time zone NOT NULL,
  counted text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT organization_counts_pkey PRIMARY KEY (org_id, hour, counted),
  CONSTRAINT organization_counts_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT organization_counts_positive CHECK ((count > 0))
);

CREATE TABLE organization_domains (
  org_id text NOT NULL,
  domain text NOT NULL,
  is_verified boolean NOT NULL DEFAULT false,
  is_primary boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  validation_token text,
  sequence bigint NOT NULL DEFAULT 1,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT organization_domains_pkey PRIMARY KEY (org_id, domain),
  CONSTRAINT organization_domains_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT organization_domains_domain CHECK (((domain = lower(domain)) AND ((char_length(domain) >= 1) AND (char_length(domain) <= 253)))),
  CONSTRAINT organization_domains_primary CHECK ((is_verified OR (NOT is_primary)))
);

CREATE TABLE organizations (
  id text NOT NULL DEFAULT new_id(),
  name text NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  erased_at timestamp with time zone,
  token_epoch integer NOT NULL DEFAULT 0,
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_erased CHECK (((erased_at IS NULL) OR (state = 'removed'::text))),
  CONSTRAINT organizations_id CHECK ((((octet_length(id) >= 1) AND (octet_length(id) <= 200)) AND (id !~ '[^!-~]'::text))),
  CONSTRAINT organizations_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT organizations_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text, 'removed'::text])))
);

CREATE TABLE outbox (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  queue text NOT NULL,
  job_name text NOT NULL,
  payload jsonb NOT NULL,
  lane text NOT NULL DEFAULT 'normal'::text,
  state text NOT NULL DEFAULT 'pending'::text,
  epoch integer NOT NULL DEFAULT 0,
  available_at timestamp with time zone NOT NULL DEFAULT app_now(),
  published_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  traceparent text,
  CONSTRAINT outbox_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_lane CHECK ((lane = ANY (ARRAY['priority'::text, 'normal'::text, 'bulk'::text]))),
  CONSTRAINT outbox_queue CHECK ((queue = ANY (ARRAY['imports'::text, 'notifications'::text, 'keys'::text, 'maintenance'::text]))),
  CONSTRAINT outbox_state CHECK ((state = ANY (ARRAY['pending'::text, 'published'::text])))
);

CREATE TABLE passkey_challenges (
  hash bytea NOT NULL,
  purpose text NOT NULL,
  bound_to text NOT NULL,
  user_agent_id text,
  org_id text,
  user_id text,
  user_handle bytea,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (hash),
  CONSTRAINT passkey_challenges_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT passkey_challenges_handle CHECK (((user_handle IS NOT NULL) = (purpose = 'register'::text))),
  CONSTRAINT passkey_challenges_purpose CHECK ((purpose = ANY (ARRAY['register'::text, 'sign-in'::text, 'second-factor'::text]))),
  CONSTRAINT passkey_challenges_user_known CHECK (((user_id IS NULL) = (org_id IS NULL)))
);

CREATE TABLE passkeys (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  user_id text NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  user_handle bytea NOT NULL,
  sign_count bigint NOT NULL DEFAULT 0,
  transports text[] NOT NULL DEFAULT '{}'::text[],
  name text NOT NULL,
  passwordless boolean NOT NULL DEFAULT false,
  backup_eligible boolean NOT NULL DEFAULT false,
  backed_up boolean NOT NULL DEFAULT false,
  last_used_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  counter_went_back_at timestamp with time zone,
  link_made_by text,
  imported_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_credential UNIQUE (credential_id),
  CONSTRAINT passkeys_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT passkeys_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT passkeys_sign_count CHECK ((sign_count >= 0))
);

CREATE TABLE password_attempts (
  user_id text NOT NULL,
  org_id text NOT NULL,
  attempts integer NOT NULL,
  forgiven integer NOT NULL DEFAULT 0,
  wrong integer NOT NULL DEFAULT 0,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT password_attempts_pkey PRIMARY KEY (user_id),
  CONSTRAINT password_attempts_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT password_attempts_count CHECK ((((forgiven >= 0) AND (forgiven <= attempts)) AND ((wrong >= 0) AND (wrong <= (attempts - forgiven)))))
);

CREATE TABLE password_policies (
  org_id text NOT NULL,
  min_length integer NOT NULL DEFAULT 8,
  has_lowercase boolean NOT NULL DEFAULT true,
  has_uppercase boolean NOT NULL DEFAULT true,
  has_number boolean NOT NULL DEFAULT true,
  has_symbol boolean NOT NULL DEFAULT true,
  is_set boolean NOT NULL DEFAULT true,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT password_policies_pkey PRIMARY KEY (org_id),
  CONSTRAINT password_policies_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT password_policies_min_length CHECK (((min_length >= 8) AND (min_length <= 72)))
);

CREATE TABLE personal_access_tokens (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  user_id text NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  made_by text,
  CONSTRAINT personal_access_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT personal_access_tokens_hash UNIQUE (token_hash),
  CONSTRAINT personal_access_tokens_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE
);

CREATE TABLE project_grant_roles (
  project_grant_id text NOT NULL,
  project_id text NOT NULL,
  role_key text NOT NULL,
  CONSTRAINT project_grant_roles_pkey PRIMARY KEY (project_grant_id, role_key),
  CONSTRAINT project_grant_roles_grant FOREIGN KEY (project_id, project_grant_id) REFERENCES project_grants(project_id, id) ON DELETE CASCADE,
  CONSTRAINT project_grant_roles_role FOREIGN KEY (project_id, role_key) REFERENCES project_roles(project_id, key) ON DELETE CASCADE
);

CREATE TABLE project_grants (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  project_id text NOT NULL,
  granted_org_id text NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  state text NOT NULL DEFAULT 'active'::text,
  CONSTRAINT project_grants_pkey PRIMARY KEY (id),
  CONSTRAINT project_grants_of_project UNIQUE (project_id, id),
  CONSTRAINT project_grants_once UNIQUE (project_id, granted_org_id),
  CONSTRAINT project_grants_to_org UNIQUE (granted_org_id, project_id, id),
  CONSTRAINT project_grants_granted_org FOREIGN KEY (granted_org_id) REFERENCES organizations(id),
  CONSTRAINT project_grants_project FOREIGN KEY (org_id, project_id) REFERENCES projects(org_id, id) ON DELETE CASCADE,
  CONSTRAINT project_grants_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text]))),
  CONSTRAINT project_grants_to_another CHECK ((granted_org_id <> org_id))
);

CREATE TABLE project_roles (
  org_id text NOT NULL,
  project_id text NOT NULL,
  key text NOT NULL,
  display_name text NOT NULL,
  role_group text NOT NULL DEFAULT ''::text,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT project_roles_pkey PRIMARY KEY (project_id, key),
  CONSTRAINT project_roles_project FOREIGN KEY (org_id, project_id) REFERENCES projects(org_id, id) ON DELETE CASCADE,
  CONSTRAINT project_roles_key CHECK ((key ~ '^[!#-[\]-~]{1,200}$'::text))
);

CREATE TABLE projects (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  project_role_assertion boolean NOT NULL DEFAULT false,
  project_role_check boolean NOT NULL DEFAULT false,
  has_project_check boolean NOT NULL DEFAULT false,
  private_labeling_setting text NOT NULL DEFAULT 'PRIVATE_LABELING_SETTING_UNSPECIFIED'::text,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  resource_uri text,
  open_resource boolean NOT NULL DEFAULT false,
  CONSTRAINT projects_pkey PRIMARY KEY (id),
  CONSTRAINT projects_in_org UNIQUE (org_id, id),
  CONSTRAINT projects_name_in_org UNIQUE (org_id, name),
  CONSTRAINT projects_resource_uri UNIQUE (resource_uri, org_id),
  CONSTRAINT projects_org FOREIGN KEY (org_id) REFERENCES organizations(id),
  CONSTRAINT projects_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT projects_private_labeling CHECK ((private_labeling_setting = ANY (ARRAY['PRIVATE_LABELING_SETTING_UNSPECIFIED'::text, 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY'::text, 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'::text]))),
  CONSTRAINT projects_resource_uri_length CHECK (((char_length(resource_uri) >= 1) AND (char_length(resource_uri) <= 500))),
  CONSTRAINT projects_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text])))
);

CREATE TABLE provider_sessions (
  session_id text NOT NULL,
  provider_id text NOT NULL,
  subject text NOT NULL,
  provider_session text,
  id_token_sealed bytea,
  data_key_id integer,
  provider_name text,
  CONSTRAINT provider_sessions_pkey PRIMARY KEY (session_id),
  CONSTRAINT provider_sessions_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT provider_sessions_provider FOREIGN KEY (provider_id) REFERENCES identity_providers(id) ON DELETE CASCADE,
  CONSTRAINT provider_sessions_session FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT provider_sessions_sealed CHECK (((id_token_sealed IS NULL) = (data_key_id IS NULL)))
);

CREATE TABLE provider_sign_outs (
  state_hash bytea NOT NULL,
  provider_id text NOT NULL,
  user_agent_id text NOT NULL,
  target text,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT provider_sign_outs_pkey PRIMARY KEY (state_hash),
  CONSTRAINT provider_sign_outs_provider FOREIGN KEY (provider_id) REFERENCES identity_providers(id) ON DELETE CASCADE,
  CONSTRAINT provider_sign_outs_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents(id) ON DELETE CASCADE
);

CREATE TABLE provisioned_groups (
  project_id text NOT NULL,
  role_key text NOT NULL,
  org_id text NOT NULL,
  external_id text NOT NULL,
  CONSTRAINT provisioned_groups_pkey PRIMARY KEY (project_id, role_key),
  CONSTRAINT provisioned_groups_external_id UNIQUE (org_id, external_id),
  CONSTRAINT provisioned_groups_role FOREIGN KEY (project_id, role_key) REFERENCES project_roles(project_id, key) ON DELETE CASCADE,
  CONSTRAINT provisioned_groups_external_id_length CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200)))
);

CREATE TABLE provisioned_users (
  user_id text NOT NULL,
  org_id text NOT NULL,
  external_id text,
  user_name text NOT NULL,
  was_locked boolean NOT NULL DEFAULT false,
  CONSTRAINT provisioned_users_pkey PRIMARY KEY (user_id),
  CONSTRAINT provisioned_users_external_id UNIQUE (org_id, external_id),
  CONSTRAINT provisioned_users_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT provisioned_users_external_id_length CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200)))
);

CREATE TABLE pushed_requests (
  hash bytea NOT NULL,
  application_id text NOT NULL,
  request jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT pushed_requests_pkey PRIMARY KEY (hash),
  CONSTRAINT pushed_requests_application FOREIGN KEY (application_id) REFERENCES applications(id) ON DELETE CASCADE
);

CREATE TABLE refresh_token_families (
  authorization_id text NOT NULL,
  absolute_expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  dpop_jkt text,
  CONSTRAINT refresh_token_families_pkey PRIMARY KEY (authorization_id),
  CONSTRAINT refresh_token_families_authorization FOREIGN KEY (authorization_id) REFERENCES authorizations(id) ON DELETE CASCADE
);

CREATE TABLE refresh_tokens (
  hash bytea NOT NULL,
  authorization_id text NOT NULL,
  idle_expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  used_at timestamp with time zone,
  successor_hash bytea,
  successor_sealed bytea,
  retried_at timestamp with time zone,
  hand_outs smallint NOT NULL DEFAULT 1,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT refresh_tokens_family FOREIGN KEY (authorization_id) REFERENCES refresh_token_families(authorization_id) ON DELETE CASCADE,
  CONSTRAINT refresh_tokens_successor CHECK (((used_at IS NULL) = (successor_hash IS NULL)))
);

CREATE TABLE registrations (
  id text NOT NULL,
  org_id text NOT NULL,
  flow_id text,
  first_name text NOT NULL DEFAULT ''::text,
  last_name text NOT NULL DEFAULT ''::text,
  email text NOT NULL,
  email_canonical text NOT NULL,
  login_name text NOT NULL,
  user_name text NOT NULL,
  locale text NOT NULL,
  password_hash text,
  code_id text,
  code_hash bytea,
  attempts integer NOT NULL DEFAULT 0,
  resends integer NOT NULL DEFAULT 0,
  mailed boolean NOT NULL,
  sent_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  ended_at timestamp with time zone,
  external boolean NOT NULL DEFAULT false,
  source bytea,
  CONSTRAINT registrations_pkey PRIMARY KEY (id),
  CONSTRAINT registrations_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT registrations_attempts CHECK (((attempts >= 0) AND (attempts <= 5))),
  CONSTRAINT registrations_code CHECK (((code_id IS NULL) = (code_hash IS NULL))),
  CONSTRAINT registrations_resends CHECK (((resends >= 0) AND (resends <= 2))),
  CONSTRAINT registrations_secrets CHECK (((ended_at IS NULL) OR (password_hash IS NULL)))
);

CREATE TABLE revoked_tokens (
  jti text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT revoked_tokens_pkey PRIMARY KEY (jti)
);

CREATE TABLE role_assignment_roles (
  role_assignment_id text NOT NULL,
  project_id text NOT NULL,
  role_key text NOT NULL,
  project_grant_id text,
  rests_on text NOT NULL DEFAULT ''::text,
  CONSTRAINT role_assignment_roles_pkey PRIMARY KEY (role_assignment_id, role_key),
  CONSTRAINT role_assignment_roles_assignment FOREIGN KEY (project_id, role_assignment_id, rests_on) REFERENCES role_assignments(project_id, id, rests_on) ON DELETE CASCADE,
  CONSTRAINT role_assignment_roles_granted FOREIGN KEY (project_grant_id, role_key) REFERENCES project_grant_roles(project_grant_id, role_key) ON DELETE CASCADE,
  CONSTRAINT role_assignment_roles_role FOREIGN KEY (project_id, role_key) REFERENCES project_roles(project_id, key) ON DELETE CASCADE,
  CONSTRAINT role_assignment_roles_rests_on CHECK ((rests_on = COALESCE(project_grant_id, ''::text)))
);

CREATE TABLE role_assignments (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  user_id text NOT NULL,
  project_id text NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  project_org_id text NOT NULL,
  project_grant_id text,
  rests_on text NOT NULL DEFAULT ''::text,
  CONSTRAINT role_assignments_pkey PRIMARY KEY (id),
  CONSTRAINT role_assignments_of_project UNIQUE (project_id, id),
  CONSTRAINT role_assignments_once UNIQUE (user_id, project_id),
  CONSTRAINT role_assignments_rest UNIQUE (project_id, id, rests_on),
  CONSTRAINT role_assignments_project FOREIGN KEY (project_org_id, project_id) REFERENCES projects(org_id, id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_project_grant FOREIGN KEY (org_id, project_id, project_grant_id) REFERENCES project_grants(granted_org_id, project_id, id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_own_or_granted CHECK (((project_org_id = org_id) = (project_grant_id IS NULL))),
  CONSTRAINT role_assignments_rests_on CHECK ((rests_on = COALESCE(project_grant_id, ''::text))),
  CONSTRAINT role_assignments_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text])))
);

CREATE TABLE scim_tokens (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  project_id text,
  trusts_emails boolean NOT NULL DEFAULT false,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT scim_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT scim_tokens_hash UNIQUE (token_hash),
  CONSTRAINT scim_tokens_org FOREIGN KEY (org_id) REFERENCES organizations(id),
  CONSTRAINT scim_tokens_project FOREIGN KEY (org_id, project_id) REFERENCES projects(org_id, id) ON DELETE SET NULL (project_id),
  CONSTRAINT scim_tokens_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

CREATE TABLE security_settings (
  id boolean NOT NULL DEFAULT true,
  enable_impersonation boolean NOT NULL DEFAULT false,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT security_settings_pkey PRIMARY KEY (id),
  CONSTRAINT security_settings_one_row CHECK (id)
);

CREATE TABLE service_user_keys (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  user_id text NOT NULL,
  public_jwk jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  made_by text,
  CONSTRAINT service_user_keys_pkey PRIMARY KEY (id),
  CONSTRAINT service_user_keys_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT service_user_keys_public CHECK ((NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[])))
);

CREATE TABLE service_users (
  user_id text NOT NULL,
  org_id text NOT NULL,
  name text NOT NULL,
  description text,
  access_token_type text NOT NULL DEFAULT 'opaque'::text,
  secret_hash bytea,
  secret_made_by text,
  secret_made_at timestamp with time zone,
  CONSTRAINT service_users_pkey PRIMARY KEY (user_id),
  CONSTRAINT service_users_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT service_users_access_token_type CHECK ((access_token_type = ANY (ARRAY['opaque'::text, 'jwt'::text])))
);

CREATE TABLE sessions (
  id text NOT NULL,
  org_id text NOT NULL,
  user_id text NOT NULL,
  user_agent_id text NOT NULL,
  auth_time timestamp with time zone NOT NULL,
  amr text[] NOT NULL,
  subject_epoch integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT app_now(),
  ended_at timestamp with time zone,
  end_reason text,
  device text,
  proofs jsonb NOT NULL DEFAULT '{}'::jsonb,
  second_factor_at timestamp with time zone,
  browser_trusted boolean NOT NULL DEFAULT false,
  factors_postponed boolean NOT NULL DEFAULT false,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_in_org UNIQUE (org_id, id),
  CONSTRAINT sessions_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT sessions_user_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents(id) ON DELETE CASCADE,
  CONSTRAINT sessions_device CHECK (((char_length(device) >= 1) AND (char_length(device) <= 60))),
  CONSTRAINT sessions_end CHECK (((ended_at IS NULL) = (end_reason IS NULL)))
);

CREATE TABLE signing_keys (
  kid text NOT NULL,
  algorithm text NOT NULL,
  state text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_sealed bytea,
  data_key_id integer,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  current_since timestamp with time zone,
  previous_since timestamp with time zone,
  gone_at timestamp with time zone,
  activates_at timestamp with time zone,
  retires_at timestamp with time zone,
  removed_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  by_emergency boolean NOT NULL DEFAULT false,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT signing_keys_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT signing_keys_algorithm CHECK ((algorithm = ANY (ARRAY['RS256'::text, 'PS256'::text, 'ES256'::text, 'EdDSA'::text]))),
  CONSTRAINT signing_keys_private CHECK (((state = ANY (ARRAY['previous'::text, 'gone'::text])) OR (private_sealed IS NOT NULL))),
  CONSTRAINT signing_keys_sealed CHECK (((private_sealed IS NULL) = (data_key_id IS NULL))),
  CONSTRAINT signing_keys_state CHECK ((state = ANY (ARRAY['next'::text, 'current'::text, 'previous'::text, 'gone'::text])))
);

CREATE TABLE sms_blocks (
  prefix text NOT NULL,
  reason text NOT NULL,
  blocked_until timestamp with time zone NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT sms_blocks_pkey PRIMARY KEY (prefix)
);

CREATE TABLE sms_quotas (
  id text NOT NULL,
  used bigint NOT NULL DEFAULT 0,
  ends_at timestamp with time zone NOT NULL,
  earlier bigint[] NOT NULL DEFAULT '{}'::bigint[],
  quiet_until timestamp with time zone,
  CONSTRAINT sms_quotas_pkey PRIMARY KEY (id),
  CONSTRAINT sms_quotas_used CHECK ((used >= 0))
);

CREATE TABLE sms_sends (
  code_id text NOT NULL,
  prefix text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  verified_at timestamp with time zone,
  CONSTRAINT sms_sends_pkey PRIMARY KEY (code_id)
);

CREATE TABLE token_keys (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  state text NOT NULL,
  sealed bytea NOT NULL,
  data_key_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  activates_at timestamp with time zone,
  current_since timestamp with time zone,
  previous_since timestamp with time zone,
  retires_at timestamp with time zone,
  gone_at timestamp with time zone,
  removed_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  by_emergency boolean NOT NULL DEFAULT false,
  CONSTRAINT token_keys_pkey PRIMARY KEY (id),
  CONSTRAINT token_keys_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT token_keys_state CHECK ((state = ANY (ARRAY['next'::text, 'current'::text, 'previous'::text, 'gone'::text])))
);

CREATE TABLE token_policies (
  org_id text NOT NULL,
  access_token_seconds integer,
  id_token_seconds integer,
  refresh_idle_seconds integer,
  refresh_absolute_seconds integer,
  is_set boolean NOT NULL DEFAULT true,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT token_policies_pkey PRIMARY KEY (org_id),
  CONSTRAINT token_policies_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT token_policies_access_token CHECK (((access_token_seconds >= 60) AND (access_token_seconds <= 86400))),
  CONSTRAINT token_policies_id_token CHECK (((id_token_seconds >= 60) AND (id_token_seconds <= 86400))),
  CONSTRAINT token_policies_refresh_absolute CHECK (((refresh_absolute_seconds >= 300) AND (refresh_absolute_seconds <= 31536000))),
  CONSTRAINT token_policies_refresh_idle CHECK (((refresh_idle_seconds >= 300) AND (refresh_idle_seconds <= 31536000)))
);

CREATE TABLE totp_enrolments (
  user_id text NOT NULL,
  org_id text NOT NULL,
  bound_to text NOT NULL,
  secret_sealed bytea NOT NULL,
  data_key_id integer NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT totp_enrolments_pkey PRIMARY KEY (user_id),
  CONSTRAINT totp_enrolments_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT totp_enrolments_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE
);

CREATE TABLE trusted_browsers (
  user_agent_id text NOT NULL,
  user_id text NOT NULL,
  org_id text NOT NULL,
  mark bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT trusted_browsers_pkey PRIMARY KEY (user_agent_id, user_id),
  CONSTRAINT trusted_browsers_agent FOREIGN KEY (user_agent_id) REFERENCES user_agents(id) ON DELETE CASCADE,
  CONSTRAINT trusted_browsers_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE
);

CREATE TABLE upkeep_walks (
  kind text NOT NULL,
  walked_to timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT upkeep_walks_pkey PRIMARY KEY (kind)
);

CREATE TABLE used_assertions (
  hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_assertions_pkey PRIMARY KEY (hash)
);

CREATE UNLOGGED TABLE used_proofs (
  hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_proofs_pkey PRIMARY KEY (hash)
);

CREATE UNLOGGED TABLE used_proofs_since (
  id boolean NOT NULL DEFAULT true,
  memory uuid NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT used_proofs_since_pkey PRIMARY KEY (id),
  CONSTRAINT used_proofs_since_one_row CHECK (id)
);

CREATE TABLE user_agents (
  id text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  last_seen_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT user_agents_pkey PRIMARY KEY (id),
  CONSTRAINT user_agents_secret UNIQUE (secret_hash)
);

CREATE TABLE user_code_factors (
  user_id text NOT NULL,
  kind text NOT NULL,
  org_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT user_code_factors_pkey PRIMARY KEY (user_id, kind),
  CONSTRAINT user_code_factors_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT user_code_factors_kind CHECK ((kind = ANY (ARRAY['email'::text, 'sms'::text])))
);

CREATE TABLE user_humans (
  user_id text NOT NULL,
  org_id text NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  middle_name text,
  nick_name text,
  display_name text NOT NULL,
  preferred_language text,
  gender text,
  profile_url text,
  picture_url text,
  website_url text,
  birthdate text,
  zoneinfo text,
  email text NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  phone text,
  phone_verified boolean NOT NULL DEFAULT false,
  address_formatted text,
  address_street text,
  address_locality text,
  address_region text,
  address_postal_code text,
  address_country text,
  pending_email text,
  CONSTRAINT user_humans_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_humans_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT user_humans_birthdate CHECK ((birthdate ~ '^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$'::text)),
  CONSTRAINT user_humans_gender CHECK ((gender = ANY (ARRAY['female'::text, 'male'::text, 'diverse'::text]))),
  CONSTRAINT user_humans_pending_email CHECK (((pending_email IS NULL) OR ((pending_email <> email) AND email_verified))),
  CONSTRAINT user_humans_phone CHECK ((phone ~ '^\+[0-9]{3,15}$'::text)),
  CONSTRAINT user_humans_phone_verified CHECK (((phone IS NOT NULL) OR (NOT phone_verified)))
);

CREATE TABLE user_identities (
  id text NOT NULL DEFAULT new_id(),
  provider_id text NOT NULL,
  subject text NOT NULL,
  org_id text NOT NULL,
  user_id text NOT NULL,
  display_name text NOT NULL DEFAULT ''::text,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  last_used_at timestamp with time zone,
  made_by text,
  CONSTRAINT user_identities_pkey PRIMARY KEY (id),
  CONSTRAINT user_identities_subject UNIQUE (provider_id, subject),
  CONSTRAINT user_identities_provider FOREIGN KEY (provider_id) REFERENCES identity_providers(id) ON DELETE CASCADE,
  CONSTRAINT user_identities_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT user_identities_named CHECK ((((char_length(subject) >= 1) AND (char_length(subject) <= 255)) AND (char_length(display_name) <= 200)))
);

CREATE TABLE user_metadata (
  org_id text NOT NULL,
  user_id text NOT NULL,
  key text NOT NULL,
  value bytea NOT NULL,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT user_metadata_pkey PRIMARY KEY (user_id, key),
  CONSTRAINT user_metadata_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT user_metadata_key CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
  CONSTRAINT user_metadata_value CHECK (((octet_length(value) >= 1) AND (octet_length(value) <= 500000)))
);

CREATE TABLE user_migration_entries (
  org_id text NOT NULL,
  entry_hash bytea NOT NULL,
  user_id text NOT NULL,
  CONSTRAINT user_migration_entries_pkey PRIMARY KEY (org_id, entry_hash),
  CONSTRAINT user_migration_entries_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT user_migration_entries_hash CHECK ((octet_length(entry_hash) = 32))
);

CREATE TABLE user_migration_names (
  org_id text NOT NULL,
  name_hash bytea NOT NULL,
  CONSTRAINT user_migration_names_pkey PRIMARY KEY (org_id, name_hash),
  CONSTRAINT user_migration_names_migration FOREIGN KEY (org_id) REFERENCES user_migrations(org_id) ON DELETE CASCADE,
  CONSTRAINT user_migration_names_hash CHECK ((octet_length(name_hash) = 32))
);

CREATE TABLE user_migrations (
  org_id text NOT NULL,
  kind text NOT NULL,
  settings jsonb NOT NULL,
  is_active boolean NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  expected_users integer,
  requests_per_minute integer NOT NULL,
  deadline_ms integer NOT NULL,
  secret_sealed bytea,
  data_key_id integer,
  asked bigint NOT NULL DEFAULT 0,
  migrated bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone,
  warned_of timestamp with time zone,
  CONSTRAINT user_migrations_pkey PRIMARY KEY (org_id),
  CONSTRAINT user_migrations_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT user_migrations_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT user_migrations_expected CHECK ((expected_users >= 0)),
  CONSTRAINT user_migrations_kind CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 40))),
  CONSTRAINT user_migrations_limits CHECK (((requests_per_minute > 0) AND (deadline_ms > 0))),
  CONSTRAINT user_migrations_sealed CHECK (((secret_sealed IS NULL) = (data_key_id IS NULL))),
  CONSTRAINT user_migrations_settings CHECK ((jsonb_typeof(settings) = 'object'::text))
);

CREATE TABLE user_passwords (
  user_id text NOT NULL,
  org_id text NOT NULL,
  hash text NOT NULL,
  scheme text NOT NULL,
  weak boolean NOT NULL DEFAULT false,
  change_required boolean NOT NULL DEFAULT false,
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  rehash_withheld_at timestamp with time zone,
  reset_by_email_at timestamp with time zone,
  made_by text DEFAULT ''::text,
  CONSTRAINT user_passwords_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_passwords_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE
);

CREATE TABLE user_recovery_codes (
  user_id text NOT NULL,
  hash text NOT NULL,
  org_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  used_at timestamp with time zone,
  CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, hash),
  CONSTRAINT user_recovery_codes_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT user_recovery_codes_hash CHECK (((char_length(hash) >= 1) AND (char_length(hash) <= 500)))
);

CREATE TABLE user_totp_secrets (
  user_id text NOT NULL,
  org_id text NOT NULL,
  secret_sealed bytea NOT NULL,
  data_key_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  last_step bigint,
  CONSTRAINT user_totp_secrets_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_totp_secrets_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT user_totp_secrets_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE
);

CREATE TABLE users (
  id text NOT NULL DEFAULT new_id(),
  org_id text NOT NULL,
  kind text NOT NULL,
  user_name text NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  token_epoch integer NOT NULL DEFAULT 0,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  factors_offered_at timestamp with time zone,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_in_org UNIQUE (org_id, id),
  CONSTRAINT users_org FOREIGN KEY (org_id) REFERENCES organizations(id),
  CONSTRAINT users_id CHECK ((((octet_length(id) >= 1) AND (octet_length(id) <= 200)) AND (id !~ '[^!-~]'::text))),
  CONSTRAINT users_kind CHECK ((kind = ANY (ARRAY['human'::text, 'machine'::text]))),
  CONSTRAINT users_state CHECK ((state = ANY (ARRAY['initial'::text, 'active'::text, 'inactive'::text, 'locked'::text, 'deleted'::text]))),
  CONSTRAINT users_user_name CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 200)))
);

CREATE TABLE verification_codes (
  id text NOT NULL,
  org_id text NOT NULL,
  user_id text NOT NULL,
  purpose text NOT NULL,
  target text NOT NULL,
  code_hash bytea,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  flow_id text,
  provider_id text,
  proves_address boolean NOT NULL DEFAULT true,
  made_by text,
  source bytea,
  CONSTRAINT verification_codes_pkey PRIMARY KEY (id),
  CONSTRAINT verification_codes_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id) ON DELETE CASCADE,
  CONSTRAINT verification_codes_attempts CHECK (((attempts >= 0) AND (attempts <= 5))),
  CONSTRAINT verification_codes_maker CHECK (((code_hash IS NULL) = (provider_id IS NOT NULL))),
  CONSTRAINT verification_codes_purpose CHECK ((purpose = ANY (ARRAY['initialise'::text, 'verify_email'::text, 'verify_phone'::text, 'reset_password'::text, 'second_factor_email'::text, 'second_factor_sms'::text, 'register_passkey'::text])))
);

CREATE TABLE webhook_dead_letters (
  id text NOT NULL DEFAULT new_id(),
  webhook_id text NOT NULL,
  event_at timestamp with time zone NOT NULL,
  event_position bigint NOT NULL,
  event_type text NOT NULL,
  state text NOT NULL DEFAULT 'dead'::text,
  reason text NOT NULL,
  attempts integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  CONSTRAINT webhook_dead_letters_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_dead_letters_event UNIQUE (webhook_id, event_at, event_position),
  CONSTRAINT webhook_dead_letters_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  CONSTRAINT webhook_dead_letters_state CHECK ((state = ANY (ARRAY['dead'::text, 'queued'::text])))
);

CREATE TABLE webhooks (
  id text NOT NULL DEFAULT new_id(),
  org_id text,
  name text NOT NULL,
  url text NOT NULL,
  event_types text[] NOT NULL,
  state text NOT NULL DEFAULT 'active'::text,
  secret_sealed bytea,
  data_key_id integer,
  former_secret_sealed bytea,
  former_data_key_id integer,
  former_secret_until timestamp with time zone,
  cursor_at timestamp with time zone NOT NULL DEFAULT app_now(),
  cursor_position bigint NOT NULL DEFAULT 0,
  fence bigint NOT NULL DEFAULT 0,
  claimed_until timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT app_now(),
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  last_delivered_at timestamp with time zone,
  sequence bigint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT app_now(),
  changed_at timestamp with time zone NOT NULL DEFAULT app_now(),
  cursor_highest bigint,
  reread_until timestamp with time zone,
  reread_above bigint,
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_data_key FOREIGN KEY (data_key_id) REFERENCES data_keys(id),
  CONSTRAINT webhooks_former_data_key FOREIGN KEY (former_data_key_id) REFERENCES data_keys(id),
  CONSTRAINT webhooks_org FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT webhooks_event_types CHECK (((cardinality(event_types) >= 1) AND (cardinality(event_types) <= 50))),
  CONSTRAINT webhooks_former CHECK ((num_nulls(former_secret_sealed, former_data_key_id, former_secret_until) = ANY (ARRAY[0, 3]))),
  CONSTRAINT webhooks_name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT webhooks_reread CHECK (((reread_until IS NULL) = (reread_above IS NULL))),
  CONSTRAINT webhooks_sealed CHECK (((secret_sealed IS NULL) = (data_key_id IS NULL))),
  CONSTRAINT webhooks_state CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text]))),
  CONSTRAINT webhooks_url CHECK (((char_length(url) >= 1) AND (char_length(url) <= 2000)))
);

CREATE TABLE workers (
  id text NOT NULL,
  host text NOT NULL,
  version text NOT NULL,
  queues text[] NOT NULL,
  started_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT workers_pkey PRIMARY KEY (id)
);

CREATE INDEX application_keys_by_application ON public.application_keys USING btree (org_id, application_id);
CREATE UNIQUE INDEX application_keys_client_kid ON public.application_keys USING btree (application_id, client_kid) WHERE (client_kid IS NOT NULL);
CREATE INDEX applications_by_age ON public.applications USING btree (project_id, created_at, id);
CREATE INDEX applications_by_giver ON public.applications USING btree (access_given_by) WHERE (access_given_by IS NOT NULL);
CREATE INDEX applications_by_name ON public.applications USING btree (project_id, lower(name) COLLATE "C", id);
CREATE UNIQUE INDEX applications_name_in_project ON public.applications USING btree (project_id, name) WHERE (registration IS NULL);
CREATE INDEX applications_origins ON public.applications USING gin (origins);
CREATE INDEX applications_registered_in_project ON public.applications USING btree (project_id) WHERE (registration IS NOT NULL);
CREATE INDEX auth_requests_by_session ON public.auth_requests USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX auth_requests_by_user_agent ON public.auth_requests USING btree (user_agent_id);
CREATE INDEX auth_requests_expiry ON public.auth_requests USING btree (expires_at);
CREATE INDEX authorizations_by_age ON public.authorizations USING btree (created_at);
CREATE INDEX authorizations_by_lineage ON public.authorizations USING gin (lineage) WHERE (lineage IS NOT NULL);
CREATE INDEX authorizations_by_lineage_token ON public.authorizations USING gin (lineage_tokens) WHERE (lineage_tokens IS NOT NULL);
CREATE INDEX authorizations_by_session ON public.authorizations USING btree (session_id);
CREATE INDEX authorizations_by_user ON public.authorizations USING btree (org_id, user_id);
CREATE INDEX branding_policies_by_logo ON public.branding_policies USING btree (logo_name);
CREATE INDEX bulk_action_users_failed ON public.bulk_action_users USING btree (bulk_action_id, user_id) WHERE (outcome = 'failed'::text);
CREATE INDEX bulk_action_users_pending ON public.bulk_action_users USING btree (bulk_action_id, user_id) WHERE (outcome IS NULL);
CREATE INDEX bulk_actions_of_org ON public.bulk_actions USING btree (org_id, finished_at);
CREATE INDEX client_registrations_by_logo ON public.client_registrations USING btree (logo_name);
CREATE INDEX client_registrations_expiry ON public.client_registrations USING btree (expires_at);
CREATE INDEX client_registrations_of_org ON public.client_registrations USING btree (org_id);
CREATE INDEX codes_by_authorization ON public.codes USING btree (authorization_id);
CREATE INDEX codes_expiry ON public.codes USING btree (expires_at);
CREATE INDEX codes_live_by_session ON public.codes USING btree (session_id, expires_at) WHERE (used_at IS NULL);
CREATE INDEX consents_by_application ON public.consents USING btree (application_id);
CREATE UNIQUE INDEX data_keys_one_current ON public.data_keys USING btree (state) WHERE (state = 'current'::text);
CREATE INDEX device_authorizations_by_application ON public.device_authorizations USING btree (application_id);
CREATE UNIQUE INDEX device_authorizations_device_code ON public.device_authorizations USING btree (device_code_hash);
CREATE INDEX device_authorizations_expiry ON public.device_authorizations USING btree (expires_at);
CREATE UNIQUE INDEX device_authorizations_user_code ON public.device_authorizations USING btree (user_code) WHERE (state = 'pending'::text);
CREATE INDEX events_of_actor ON ONLY public.events USING btree (actor_id, created_at, "position") WHERE (actor_id IS NOT NULL);
CREATE INDEX events_of_aggregate ON ONLY public.events USING btree (aggregate_id, created_at, "position");
CREATE INDEX events_of_organization ON ONLY public.events USING btree (org_id, created_at, "position");
CREATE INDEX events_of_type ON ONLY public.events USING btree (type, created_at, "position");
CREATE INDEX events_of_type_in_organization ON ONLY public.events USING btree (org_id, type, created_at, "position");
CREATE INDEX external_sign_ins_by_provider ON public.external_sign_ins USING btree (provider_id);
CREATE INDEX external_sign_ins_by_user_agent ON public.external_sign_ins USING btree (user_agent_id);
CREATE INDEX external_sign_ins_expiry ON public.external_sign_ins USING btree (expires_at);
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX identity_providers_expiry ON public.identity_providers USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX identity_providers_of_org ON public.identity_providers USING btree (org_id, created_at);
CREATE UNIQUE INDEX identity_providers_one_home_realm ON public.identity_providers USING btree (org_id) WHERE home_realm;
CREATE INDEX import_chunks_unfinished ON public.import_chunks USING btree (org_id, state, import_id, pass, number) WHERE (state = ANY (ARRAY['pending'::text, 'queued'::text, 'running'::text]));
CREATE INDEX imports_expiry ON public.imports USING btree (expires_at);
CREATE INDEX imports_held ON public.imports USING btree (org_id, bytes_held) WHERE (bytes_held > 0);
CREATE INDEX imports_listed ON public.imports USING btree (org_id, created_at, id);
CREATE UNIQUE INDEX imports_once ON public.imports USING btree (org_id, created_by, caller_key) WHERE (caller_key IS NOT NULL);
CREATE INDEX imports_post_import ON public.imports USING btree (id) WHERE ((undo_state = 'running'::text) OR (notify_state = 'running'::text));
CREATE INDEX imports_unfinished ON public.imports USING btree (org_id, state) WHERE (state = ANY (ARRAY['reading'::text, 'queued'::text, 'running'::text, 'paused'::text, 'cancelling'::text]));
CREATE INDEX initial_access_tokens_of_org ON public.initial_access_tokens USING btree (org_id, project_id);
CREATE INDEX key_set_readers_by_time ON public.key_set_readers USING btree (last_read_at);
CREATE INDEX login_identifiers_by_user ON public.login_identifiers USING btree (user_id);
CREATE INDEX logout_notices_by_application ON public.logout_notices USING btree (application_id);
CREATE INDEX logout_notices_by_end ON public.logout_notices USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX logout_notices_unfinished ON public.logout_notices USING btree (created_at) WHERE (finished_at IS NULL);
CREATE INDEX memberships_of_org ON public.memberships USING btree (org_id);
CREATE INDEX name_attempts_age ON public.name_attempts USING btree (last_at);
CREATE INDEX notifications_by_end ON public.notifications USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX notifications_by_organization ON public.notifications USING btree (org_id, created_at, id);
CREATE INDEX notifications_by_registration ON public.notifications USING btree (registration_id) WHERE (registration_id IS NOT NULL);
CREATE INDEX notifications_by_time ON public.notifications USING btree (created_at, id);
CREATE INDEX notifications_dead ON public.notifications USING btree (finished_at) WHERE dead_letter;
CREATE INDEX notifications_unfinished ON public.notifications USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text, 'retrying'::text]));
CREATE INDEX organization_counts_by_hour ON public.organization_counts USING btree (hour);
CREATE INDEX organization_counts_of_sms ON public.organization_counts USING btree (hour) WHERE (counted = ANY (ARRAY['smsAdmitted'::text, 'smsCost'::text, 'smsRefused'::text]));
CREATE UNIQUE INDEX organization_domains_one_primary ON public.organization_domains USING btree (org_id) WHERE is_primary;
CREATE UNIQUE INDEX organization_domains_verified ON public.organization_domains USING btree (domain) WHERE is_verified;
CREATE INDEX organizations_by_age ON public.organizations USING btree (created_at, id) WHERE (state <> 'removed'::text);
CREATE INDEX organizations_by_name ON public.organizations USING btree (lower(name) COLLATE "C", id) WHERE (state <> 'removed'::text);
CREATE INDEX outbox_pending ON public.outbox USING btree (queue, lane, available_at, id) WHERE (state = 'pending'::text);
CREATE INDEX outbox_published ON public.outbox USING btree (queue, published_at) WHERE (state = 'published'::text);
CREATE INDEX passkey_challenges_by_user ON public.passkey_challenges USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX passkey_challenges_expiry ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id);
CREATE INDEX personal_access_tokens_by_user ON public.personal_access_tokens USING btree (org_id, user_id);
CREATE INDEX project_grant_roles_by_role ON public.project_grant_roles USING btree (project_id, role_key);
CREATE INDEX project_grants_by_org ON public.project_grants USING btree (org_id);
CREATE INDEX projects_by_age ON public.projects USING btree (org_id, created_at, id);
CREATE INDEX projects_by_name ON public.projects USING btree (org_id, lower(name) COLLATE "C", id);
CREATE INDEX provider_sessions_by_name ON public.provider_sessions USING btree (provider_id, provider_name) WHERE (provider_name IS NOT NULL);
CREATE INDEX provider_sessions_by_session ON public.provider_sessions USING btree (provider_id, provider_session) WHERE (provider_session IS NOT NULL);
CREATE INDEX provider_sessions_by_subject ON public.provider_sessions USING btree (provider_id, subject);
CREATE INDEX provider_sign_outs_by_provider ON public.provider_sign_outs USING btree (provider_id);
CREATE INDEX provider_sign_outs_by_user_agent ON public.provider_sign_outs USING btree (user_agent_id);
CREATE INDEX provider_sign_outs_expiry ON public.provider_sign_outs USING btree (expires_at);
CREATE INDEX pushed_requests_by_application ON public.pushed_requests USING btree (application_id);
CREATE INDEX pushed_requests_expiry ON public.pushed_requests USING btree (expires_at);
CREATE INDEX refresh_token_families_expiry ON public.refresh_token_families USING btree (absolute_expires_at);
CREATE INDEX refresh_tokens_by_authorization ON public.refresh_tokens USING btree (authorization_id);
CREATE UNIQUE INDEX refresh_tokens_one_unused ON public.refresh_tokens USING btree (authorization_id) WHERE (used_at IS NULL);
CREATE INDEX registrations_by_org ON public.registrations USING btree (org_id);
CREATE INDEX registrations_by_target ON public.registrations USING btree (email_canonical, created_at);
CREATE INDEX registrations_expiry ON public.registrations USING btree (expires_at);
CREATE INDEX revoked_tokens_expiry ON public.revoked_tokens USING btree (expires_at);
CREATE INDEX role_assignment_roles_by_project_grant ON public.role_assignment_roles USING btree (project_grant_id, role_key) WHERE (project_grant_id IS NOT NULL);
CREATE INDEX role_assignment_roles_by_role ON public.role_assignment_roles USING btree (project_id, role_key);
CREATE INDEX role_assignments_by_project ON public.role_assignments USING btree (org_id, project_id, created_at, id);
CREATE INDEX role_assignments_by_project_grant ON public.role_assignments USING btree (project_grant_id) WHERE (project_grant_id IS NOT NULL);
CREATE INDEX scim_tokens_of_org ON public.scim_tokens USING btree (org_id);
CREATE INDEX service_user_keys_by_user ON public.service_user_keys USING btree (org_id, user_id);
CREATE INDEX service_users_by_name ON public.service_users USING btree (org_id, lower(name) text_pattern_ops);
CREATE INDEX service_users_listed ON public.service_users USING btree (org_id, user_id);
CREATE INDEX sessions_by_age ON public.sessions USING btree (created_at) WHERE (ended_at IS NULL);
CREATE INDEX sessions_by_end ON public.sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX sessions_by_user ON public.sessions USING btree (org_id, user_id);
CREATE INDEX sessions_by_user_agent ON public.sessions USING btree (user_agent_id);
CREATE UNIQUE INDEX sessions_one_live_per_user ON public.sessions USING btree (user_agent_id, user_id) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX signing_keys_one_current ON public.signing_keys USING btree (algorithm) WHERE (state = 'current'::text);
CREATE UNIQUE INDEX signing_keys_one_next ON public.signing_keys USING btree (algorithm) WHERE (state = 'next'::text);
CREATE INDEX sms_blocks_by_end ON public.sms_blocks USING btree (blocked_until);
CREATE INDEX sms_quotas_by_end ON public.sms_quotas USING btree (ends_at);
CREATE INDEX sms_sends_by_prefix ON public.sms_sends USING btree (prefix, created_at);
CREATE INDEX sms_sends_by_time ON public.sms_sends USING btree (created_at);
CREATE UNIQUE INDEX token_keys_one_current ON public.token_keys USING btree (state) WHERE (state = 'current'::text);
CREATE UNIQUE INDEX token_keys_one_next ON public.token_keys USING btree (state) WHERE (state = 'next'::text);
CREATE INDEX totp_enrolments_expiry ON public.totp_enrolments USING btree (expires_at);
CREATE INDEX trusted_browsers_by_user ON public.trusted_browsers USING btree (user_id);
CREATE INDEX trusted_browsers_expiry ON public.trusted_browsers USING btree (expires_at);
CREATE INDEX used_assertions_expiry ON public.used_assertions USING btree (expires_at);
CREATE INDEX used_proofs_expiry ON public.used_proofs USING btree (expires_at);
CREATE INDEX user_agents_last_seen ON public.user_agents USING btree (last_seen_at);
CREATE INDEX user_humans_search_display_name ON public.user_humans USING btree (org_id, lower(display_name) text_pattern_ops);
CREATE INDEX user_humans_search_email ON public.user_humans USING btree (org_id, lower(email) text_pattern_ops);
CREATE INDEX user_humans_search_first_name ON public.user_humans USING btree (org_id, lower(first_name) text_pattern_ops);
CREATE INDEX user_humans_search_inside ON public.user_humans USING gin (lower(((((((((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text)) || ' '::text) || COALESCE(nick_name, ''::text)) || ' '::text) || COALESCE(display_name, ''::text)) || ' '::text) || COALESCE(email, ''::text))) trigrams.gin_trgm_ops);
CREATE INDEX user_humans_search_last_name ON public.user_humans USING btree (org_id, lower(last_name) text_pattern_ops);
CREATE INDEX user_humans_search_phone ON public.user_humans USING gin (phone trigrams.gin_trgm_ops) WHERE (phone IS NOT NULL);
CREATE INDEX user_identities_by_user ON public.user_identities USING btree (org_id, user_id);
CREATE INDEX user_migration_entries_by_user ON public.user_migration_entries USING btree (org_id, user_id);
CREATE INDEX user_migrations_active ON public.user_migrations USING btree (ends_at) WHERE is_active;
CREATE INDEX user_migrations_expiry ON public.user_migrations USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX users_by_state ON public.users USING btree (org_id, state, id) WHERE ((state <> 'active'::text) AND (state <> 'deleted'::text));
CREATE INDEX users_listed ON public.users USING btree (org_id, id) WHERE (state <> 'deleted'::text);
CREATE INDEX users_search_inside ON public.users USING gin (lower(user_name) trigrams.gin_trgm_ops);
CREATE INDEX users_search_name ON public.users USING btree (org_id, lower(user_name) text_pattern_ops);
CREATE INDEX verification_codes_by_user ON public.verification_codes USING btree (user_id, purpose, created_at);
CREATE INDEX verification_codes_expiry ON public.verification_codes USING btree (expires_at);
CREATE UNIQUE INDEX verification_codes_one_live ON public.verification_codes USING btree (user_id, purpose) WHERE (ended_at IS NULL);
CREATE INDEX webhook_dead_letters_by_age ON public.webhook_dead_letters USING btree (created_at);
CREATE INDEX webhook_dead_letters_queued ON public.webhook_dead_letters USING btree (webhook_id) WHERE (state = 'queued'::text);
CREATE INDEX webhooks_of_org ON public.webhooks USING btree (org_id, created_at);

CREATE TRIGGER application_keys_claim_id AFTER INSERT ON public.application_keys FOR EACH ROW EXECUTE FUNCTION claim_own_id('application_key');
CREATE TRIGGER applications_claim_client_id AFTER INSERT OR UPDATE OF client_id ON public.applications FOR EACH ROW EXECUTE FUNCTION claim_client_id();
CREATE TRIGGER applications_claim_id AFTER INSERT ON public.applications FOR EACH ROW EXECUTE FUNCTION claim_own_id('application');
CREATE TRIGGER key_schedule_announce AFTER INSERT OR DELETE OR UPDATE ON public.key_schedule FOR EACH STATEMENT EXECUTE FUNCTION announce_keys();
CREATE TRIGGER organizations_claim_id AFTER INSERT ON public.organizations FOR EACH ROW EXECUTE FUNCTION claim_own_id('organization');
CREATE TRIGGER outbox_announce AFTER INSERT ON public.outbox FOR EACH STATEMENT EXECUTE FUNCTION announce_outbox();
CREATE TRIGGER project_grants_claim_id AFTER INSERT ON public.project_grants FOR EACH ROW EXECUTE FUNCTION claim_own_id('project_grant');
CREATE TRIGGER projects_claim_id AFTER INSERT ON public.projects FOR EACH ROW EXECUTE FUNCTION claim_own_id('project');
CREATE TRIGGER service_user_keys_claim_id AFTER INSERT ON public.service_user_keys FOR EACH ROW EXECUTE FUNCTION claim_own_id('machine_key');
CREATE TRIGGER signing_keys_announce AFTER INSERT OR DELETE OR UPDATE ON public.signing_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_keys();
CREATE TRIGGER token_keys_announce AFTER INSERT OR DELETE OR UPDATE ON public.token_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_keys();
CREATE TRIGGER users_keep_ids_of_others AFTER INSERT ON public.users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_ids_of_others();
