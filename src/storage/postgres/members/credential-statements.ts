// SQL by hand: one UNION lists credentials of eight kinds, and one statement ends them with their events
import { insertEvents } from '../events/insert-events.js';

export const LIST_CREDENTIALS = {
  name: 'credentials-list',
  text: `
    SELECT 'personal_access_token' AS kind, id, made_by AS "madeBy", created_at::text AS "madeAt" FROM personal_access_tokens
    WHERE user_id = $1 AND revoked_at IS NULL
    UNION ALL
    SELECT 'machine_key', id, made_by, created_at::text FROM service_user_keys WHERE user_id = $1
    UNION ALL
    SELECT 'machine_secret', user_id, secret_made_by, secret_made_at::text
    FROM service_users WHERE user_id = $1 AND secret_hash IS NOT NULL
    UNION ALL
    -- The one that its user chose is their own. Where the log still says who set it, that counts: the release before does not write who
    -- made a password that replaces another one.
    SELECT 'password', p.user_id, nullif(made.by, ''), p.changed_at::text
    FROM user_passwords p
    LEFT JOIN LATERAL (
      SELECT type, actor_id FROM events
      WHERE aggregate_type = 'user' AND aggregate_id = p.user_id AND (p.made_by <> '') IS NOT FALSE
        AND (type IN ('user.human.password.set', 'user.human.password.changed', 'user.human.password.reset',
                      'user.human.initialised', 'user.human.registered', 'user.human.migrated')
             -- adding or importing a user can set a password
             OR type IN ('user.human.added', 'user.human.imported', 'user.human.changed') AND 'password' = ANY (fields))
      ORDER BY sequence DESC, position DESC LIMIT 1) last ON true
    CROSS JOIN LATERAL (
      SELECT CASE
        WHEN last.type IS NULL THEN p.made_by
        WHEN last.type = 'user.human.migrated' THEN '@organization'
        WHEN last.type IN ('user.human.password.set', 'user.human.added', 'user.human.imported', 'user.human.changed')
          THEN nullif(last.actor_id, p.user_id)
      END AS by) made
    WHERE p.user_id = $1 AND made.by IS NOT NULL
    UNION ALL
    -- what its user added after a sign-in is their own; what came of a link or an import is of whoever could have used it themselves
    SELECT 'passkey', id, nullif(link_made_by, ''), coalesce(imported_at, created_at)::text FROM passkeys
    WHERE user_id = $1 AND link_made_by IS NOT NULL
    UNION ALL
    SELECT 'passkey_link', id, nullif(made_by, ''), created_at::text FROM verification_codes
    WHERE user_id = $1 AND purpose = 'register_passkey' AND ended_at IS NULL AND expires_at > app_now()
    UNION ALL
    -- what its user came back with from the provider is their own; what a manager named may be the manager
    SELECT 'identity', id, nullif(made_by, ''), created_at::text FROM user_identities
    WHERE user_id = $1 AND made_by IS NOT NULL
    UNION ALL
    -- the access is checked at every use, by the current roles of its giver
    SELECT 'application', a.id, CASE WHEN a.first_party THEN '' ELSE a.access_given_by END, app_now()::text
    FROM consents c JOIN applications a ON a.id = c.application_id WHERE c.user_id = $1 AND c.access <> 'none'
    ORDER BY kind, id`,
};

export const END_CREDENTIALS = {
  name: 'credentials-end',
  text: `
    WITH doomed AS (
      SELECT * FROM unnest($2::text[], $3::text[]) AS doomed (kind, id)
    ), tokens AS (
      UPDATE personal_access_tokens t SET revoked_at = app_now(), sequence = t.sequence + 1, changed_at = app_now()
      FROM doomed WHERE doomed.kind = 'personal_access_token' AND t.id = doomed.id AND t.user_id = $1
        AND t.revoked_at IS NULL
      RETURNING t.org_id, t.id, t.sequence
    ), keys AS (
      DELETE FROM service_user_keys k USING doomed
      WHERE doomed.kind = 'machine_key' AND k.id = doomed.id AND k.user_id = $1
      RETURNING k.org_id, k.id, k.sequence + 1 AS sequence
    ), secrets AS (
      UPDATE service_users m SET secret_hash = NULL, secret_made_by = NULL, secret_made_at = NULL
      WHERE m.user_id = $1 AND 'machine_secret' = ANY ($2)
    ), passwords AS (
      DELETE FROM user_passwords WHERE user_id = $1 AND 'password' = ANY ($2)
    ), passkeys_gone AS (
      DELETE FROM passkeys k USING doomed WHERE doomed.kind = 'passkey' AND k.id = doomed.id AND k.user_id = $1
    ), identities_gone AS (
      DELETE FROM user_identities i USING doomed
      WHERE doomed.kind = 'identity' AND i.id = doomed.id AND i.user_id = $1
      RETURNING i.provider_id
    ), links AS (
      UPDATE verification_codes v SET ended_at = app_now() FROM doomed
      WHERE doomed.kind = 'passkey_link' AND v.id = doomed.id AND v.user_id = $1 AND v.ended_at IS NULL
    ), raised AS (
      -- a personal access token is looked up at every use; tokens obtained with other credentials end by the epoch
      UPDATE users SET token_epoch = token_epoch + ($2 <> array_fill('personal_access_token'::text, ARRAY[cardinality($2)]))::int,
        sequence = sequence + 1, changed_at = app_now() WHERE id = $1
      RETURNING org_id, id, sequence
    )
    ${insertEvents('actorId', 'data')}
    SELECT org_id, 'personal_access_token', id, sequence, 'user.personal_access_token.removed', $4::text,
           jsonb_build_object('userId', $1::text, 'reason', 'user_promoted') FROM tokens
    UNION ALL
    SELECT org_id, 'machine_key', id, sequence, 'user.machine.key.removed', $4,
           jsonb_build_object('userId', $1, 'reason', 'user_promoted') FROM keys
    UNION ALL
    SELECT raised.org_id, 'user', raised.id, raised.sequence, CASE doomed.kind
             WHEN 'password' THEN 'user.human.password.removed' ELSE 'user.machine.secret.removed' END, $4,
           jsonb_build_object('reason', 'user_promoted')
    FROM raised, doomed WHERE doomed.kind IN ('machine_secret', 'password')
    UNION ALL
    SELECT raised.org_id, 'user', raised.id, raised.sequence, 'user.human.passkey.removed', $4,
           jsonb_build_object('reason', 'user_promoted', 'passkeyId', doomed.id)
    FROM raised, doomed WHERE doomed.kind = 'passkey'
    UNION ALL
    SELECT raised.org_id, 'user', raised.id, raised.sequence, 'user.human.identity.removed', $4,
           jsonb_build_object('reason', 'user_promoted', 'providerId', identities_gone.provider_id)
    FROM raised, identities_gone`,
};
