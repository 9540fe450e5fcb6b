import { Secret, TOTP } from 'otpauth';
import { Sealer } from '../../src/domain/secrets/sealer.js';
import { SessionsStore } from '../../src/domain/sessions/sessions.store.js';
import { toBase32 } from '../../src/domain/shared/base32.js';
import { Clock } from '../../src/domain/shared/clock.js';
import type { SessionId, UserId } from '../../src/domain/shared/ids.js';
import { randomBytes } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { totpPlace } from '../../src/storage/postgres/users/user-rows.js';
import type { TestApi } from './api.js';

type Settings = { readonly algorithm?: string; readonly digits?: number; readonly period?: number };

/** An authenticator app with one seed. */
export class TestAuthenticator {
  constructor(
    readonly secret: string,
    private readonly settings: Settings = {},
  ) {}

  /** @param steps of how many time steps after the one of that moment */
  codeAt(milliseconds: number, steps = 0): string {
    const { period = 30 } = this.settings;
    const timestamp = milliseconds + steps * period * 1000;
    return TOTP.generate({ ...this.settings, secret: Secret.fromBase32(this.secret), timestamp });
  }

  /** As the app shows it now, by the clock of the API. */
  code(api: Pick<TestApi, 'app'>, steps = 0): string {
    return this.codeAt(api.app.get(Clock).nowMs(), steps);
  }
}

/**
 * Has a user trust the browsers that they are signed in with, and has them there with the password alone: as the next sign-in after
 * the box was ticked. The policy of their organization must allow it.
 */
export async function trustBrowsersOf(api: TestApi, userId: UserId): Promise<void> {
  const { rows } = await api.sql.query<{ id: SessionId }>(
    `UPDATE sessions SET second_factor_at = app_now() WHERE user_id = $1 AND ended_at IS NULL RETURNING id`,
    [userId],
  );
  const sessions = api.app.get(SessionsStore);
  await api.app.get(UnitOfWork).run(async (tx) => {
    for (const { id } of rows) await sessions.trustBrowser(tx, id);
  });
  await api.sql.query(
    `UPDATE sessions SET second_factor_at = NULL, browser_trusted = true WHERE user_id = $1 AND ended_at IS NULL`,
    [userId],
  );
}

/** Gives a user a TOTP secret, as an import does: nobody has shown a code of it yet. */
export async function aTotpSecret(
  api: TestApi,
  userId: UserId,
  settings: Settings = {},
): Promise<TestAuthenticator> {
  const secret = toBase32(randomBytes(20));
  const { algorithm, digits, period } = settings;
  const parameters = Object.entries({ secret, algorithm, digits, period }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text =
    parameters.length === 1
      ? secret
      : `otpauth://totp/x?${new URLSearchParams(parameters as [string, string][]).toString()}`;
  const { sealed, dataKeyId } = api.app.get(Sealer).seal(totpPlace(userId), Buffer.from(text));
  await api.sql.query(
    `INSERT INTO user_totp_secrets (user_id, org_id, secret_sealed, data_key_id)
     SELECT id, org_id, $2, $3 FROM users WHERE id = $1`,
    [userId, sealed, dataKeyId],
  );
  return new TestAuthenticator(secret, settings);
}
