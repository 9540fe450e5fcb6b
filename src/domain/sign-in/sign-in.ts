import { Injectable } from '@nestjs/common';
import { CheckPassword } from '../passwords/check-password.js';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import { MigrateUser } from '../user-migration/migrate-user.js';
import type { ActiveMigration } from '../user-migration/user-migration.js';
import { RefuseSignIn, type RefusedUser } from './refuse-sign-in.js';
import { ResolveLoginName } from './resolve-login-name.js';
import type { SignInPlace } from './sign-in-names.store.js';
import type { AuthenticatedUser } from './start-session.js';

export interface Credentials {
  readonly loginName: string;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
}

/** What was on file, and why it did not do. */
interface Tried extends RefusedUser {
  readonly canonical: string | undefined;
  readonly isKnown: boolean;
}

/**
 * Checks login name and password. Refusals look alike and take equally long: an unknown user costs
 * one native hash, and every refusal is padded to a fixed response time. If an organization's users are migrated from an
 * old system (user-migration), a refused user may be one of them; the padding then includes the old system's timeout,
 * whether it was queried or not.
 */
@Injectable()
export class SignIn {
  constructor(
    private readonly resolveLoginName: ResolveLoginName,
    private readonly checkPassword: CheckPassword,
    private readonly migrateUser: MigrateUser,
    private readonly refuseSignIn: RefuseSignIn,
  ) {}

  /**
   * @returns undefined for an unknown name, a wrong password, an inactive user: all the same outside
   */
  async authenticate(credentials: Credentials, place: SignInPlace): Promise<AuthenticatedUser | undefined> {
    const startedAt = performance.now();
    const tried = await this.tryPassword(credentials, place);
    if ('userId' in tried) return tried;
    const migration =
      tried.canonical === undefined ? undefined : await this.migrateUser.migrationAt(tried.canonical, place);
    if (migration !== undefined) {
      const newcomer = await this.migrate(migration, credentials, place, tried);
      if (newcomer !== undefined) return newcomer;
    }
    await this.refuseSignIn.execute(tried, place, startedAt, migration);
    return undefined;
  }

  private async tryPassword(
    { loginName, password, source }: Credentials,
    place: SignInPlace,
  ): Promise<AuthenticatedUser | Tried> {
    const { user, canonical, isKnown } = await this.resolveLoginName.lookUp(loginName, place);
    const usable = user?.active === true ? user : undefined;
    const { matches, blocked, setAt } = await this.checkPassword.check(
      usable?.userId,
      password,
      // of a place that whoever asks has chosen, whomever the name means
      HashingBill.signIn(place.named ?? place.application, usable?.orgId, source),
    );
    if (usable !== undefined && matches) {
      return { orgId: usable.orgId, userId: usable.userId, proofs: ['password'], passwordSetAt: setAt };
    }
    return { user, canonical, isKnown, blocked };
  }

  /** A user who is migrated from the old system now, or was a moment ago by a concurrent sign-in. */
  private async migrate(
    migration: ActiveMigration,
    credentials: Credentials,
    place: SignInPlace,
    { user, canonical = '', isKnown }: Tried,
  ): Promise<AuthenticatedUser | undefined> {
    const { password, source } = credentials;
    const meant = user ?? (isKnown ? 'several' : 'nobody');
    const result = await this.migrateUser.execute(migration, { name: canonical, password, source, meant });
    if (result.kind === 'refused') return undefined;
    if (result.kind === 'migrated') {
      const { orgId, userId, setAt } = result;
      return { orgId, userId, proofs: ['password'], passwordSetAt: setAt };
    }
    const again = await this.tryPassword(credentials, place);
    return 'userId' in again ? again : undefined;
  }
}
