// Part of the baseline 1764000800000, and so never changed. Its parameter keeps the name that it had in version 0.1: to
// rename it PostgreSQL would have to drop the function, and with it what an operator granted on it.
export const EXCHANGE_HOLDS = `
      CREATE OR REPLACE FUNCTION exchange_holds(ties jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
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
      $$
    `;
