import http from 'node:http';
import { Provider } from 'oidc-provider';
import pg from 'pg';

// oidc-provider as its documentation has it, with the rows of its models in PostgreSQL by prepared statements, and what
// our own service does as well: opaque access tokens, refresh tokens that are used once, users that are rows. Beside it a
// route that makes refresh tokens, because nobody has to sign in for what is measured.

const { PORT, DATABASE_URL, ISSUER, CLIENT_ID, CLIENT_SECRET, JWK } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const ask = (name, text, values) => pool.query({ name, text, values });

await pool.query(`
  CREATE TABLE models (
    id text NOT NULL, type text NOT NULL, payload jsonb NOT NULL, grant_id text, user_code text, uid text,
    expires_at timestamptz, consumed_at timestamptz, PRIMARY KEY (id, type));
  CREATE INDEX models_by_grant ON models (grant_id);
  CREATE INDEX models_by_user_code ON models (user_code);
  CREATE INDEX models_by_uid ON models (uid);
  CREATE TABLE accounts (id text PRIMARY KEY, email text NOT NULL);
  INSERT INTO accounts SELECT 'person-' || n, 'person-' || n || '@example.com' FROM generate_series(1, 1000) n;`);

const RECORD = `payload || CASE WHEN consumed_at IS NULL THEN '{}' ELSE jsonb_build_object('consumed', true) END AS payload`;

class PostgresAdapter {
  constructor(type) {
    this.type = type;
  }

  async upsert(id, payload, expiresIn) {
    const { grantId, userCode, uid } = payload;
    await ask(
      'upsert',
      `INSERT INTO models (id, type, payload, grant_id, user_code, uid, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
       ON CONFLICT (id, type) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
         user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
      [id, this.type, payload, grantId, userCode, uid, expiresIn],
    );
  }

  async find(id) {
    const text = `SELECT ${RECORD} FROM models WHERE id = $1 AND type = $2 AND (expires_at IS NULL OR expires_at > now())`;
    return (await ask('find', text, [id, this.type])).rows[0]?.payload;
  }

  async findByUid(uid) {
    const text = `SELECT ${RECORD} FROM models WHERE uid = $1 AND type = $2`;
    return (await ask('find-by-uid', text, [uid, this.type])).rows[0]?.payload;
  }

  async findByUserCode(code) {
    const text = `SELECT ${RECORD} FROM models WHERE user_code = $1 AND type = $2`;
    return (await ask('find-by-user-code', text, [code, this.type])).rows[0]?.payload;
  }

  async consume(id) {
    await ask('consume', `UPDATE models SET consumed_at = now() WHERE id = $1 AND type = $2`, [
      id,
      this.type,
    ]);
  }

  async destroy(id) {
    await ask('destroy', `DELETE FROM models WHERE id = $1 AND type = $2`, [id, this.type]);
  }

  async revokeByGrantId(grantId) {
    await ask('revoke', `DELETE FROM models WHERE grant_id = $1`, [grantId]);
  }
}

const provider = new Provider(ISSUER, {
  adapter: PostgresAdapter,
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: ['http://localhost:3000/callback'],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  jwks: { keys: [JSON.parse(JWK)] },
  scopes: ['openid', 'offline_access', 'profile', 'email'],
  claims: { email: ['email'] },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
  },
  rotateRefreshToken: true,
  async findAccount(_, id) {
    const { rows } = await ask('account', 'SELECT id, email FROM accounts WHERE id = $1', [id]);
    return rows[0] && { accountId: id, claims: async () => ({ sub: id, email: rows[0].email }) };
  },
});

async function makeRefreshToken(number) {
  const accountId = `person-${1 + (number % 1000)}`;
  const scope = 'openid offline_access email';
  const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  const client = await provider.Client.find(CLIENT_ID);
  const token = new provider.RefreshToken({
    accountId,
    client,
    grantId,
    gty: 'authorization_code',
    scope,
    authTime: Math.floor(Date.now() / 1000),
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  return await token.save();
}

const answer = provider.callback();
http
  .createServer((request, response) => {
    if (request.url === '/ready') return response.end('ready');
    if (!request.url.startsWith('/refresh-tokens/')) return answer(request, response);
    const count = Number(request.url.split('/').at(-1));
    Promise.all(Array.from({ length: count }, (_, number) => makeRefreshToken(number))).then(
      (tokens) => response.end(JSON.stringify(tokens)),
      (error) => response.writeHead(500).end(String(error)),
    );
  })
  .listen(Number(PORT), '127.0.0.1');
