import { Injectable } from '@nestjs/common';
import { PasswordsStore, type AttemptedName } from '../../passwords/passwords.store.js';
import { LockoutPolicies } from '../../policies/security-policy.js';
import { Sealer } from '../../secrets/sealer.js';
import { claimAt } from '../claim-mapping.js';
import type { IdentityProvider } from '../identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers.store.js';
import { ProviderRefused } from '../provider-client.js';
import { LdapDirectory, type DirectoryAnswer, type DirectoryCredentials } from './ldap-directory.js';
import { TRUSTED_EMAIL } from './ldap-kind.js';
import { attributesOf, directorySubject, oneSpelling } from './ldap-rules.js';

export type DirectoryProvider = Extract<IdentityProvider, { kind: 'ldap' }>;

/**
 * Asks a directory about somebody, once. Wrong passwords count as those of our own users do, by the typed name before the
 * directory is asked at all, and by whom it means before their password is tried: somebody who is found by several names has no
 * more tries for that, and guesses here do not lock them out there.
 */
@Injectable()
export class AskDirectory {
  constructor(
    private readonly directory: LdapDirectory,
    private readonly providers: IdentityProvidersStore,
    private readonly passwords: PasswordsStore,
    private readonly lockout: LockoutPolicies,
    private readonly sealer: Sealer,
  ) {}

  /**
   * @param name what was typed in canonical form
   * @throws ProviderUnavailable, ProviderRefused
   */
  async ask(
    provider: DirectoryProvider,
    credentials: DirectoryCredentials,
    name: string,
  ): Promise<DirectoryAnswer> {
    // an empty password would be taken by many directories, for nobody (RFC 4513 §5.1.2)
    if (credentials.password === '') return { kind: 'no', reason: 'wrong password' };
    // of whoever keeps the directory: an organization that may use the instance's grants nobody more tries at it
    const { orgId } = provider;
    const policy = orgId === null ? await this.lockout.usual() : await this.lockout.find(orgId);
    const counted: AttemptedName[] = [];
    const admit = async (kind: 'name' | 'subject', value: string): Promise<boolean> => {
      const attempt = this.attemptAt(provider, kind, value);
      if (!(await this.passwords.takeNameAttempt(attempt, policy))) return false;
      counted.push(attempt);
      return true;
    };
    if (!(await admit('name', oneSpelling(name)))) return { kind: 'no', reason: 'blocked' };
    try {
      const admitSubject = (subject: string): Promise<boolean> => admit('subject', oneSpelling(subject));
      const answer = await this.signIn(provider, credentials, admitSubject);
      if (answer.kind === 'identity') {
        for (const attempt of counted) await this.passwords.forgetNameAttempts(attempt);
      }
      return answer;
    } catch (error) {
      // an outage is nobody's failure
      for (const attempt of counted) await this.passwords.giveBackNameAttempt(attempt);
      throw error;
    }
  }

  private async signIn(
    { id, version, settings, mapping }: DirectoryProvider,
    credentials: DirectoryCredentials,
    admit: (subject: string) => Promise<boolean>,
  ): Promise<DirectoryAnswer> {
    const bindPassword = await this.providers.openSecret(id);
    if (bindPassword === undefined) throw new ProviderRefused('there is no bind password');
    const access = {
      key: `${id} ${version}`,
      settings,
      bindPassword,
      attributes: attributesOf(settings, mapping),
      deadline: AbortSignal.timeout(settings.timeoutMs),
    };
    const answer = await this.directory.signIn(access, credentials, admit);
    if (answer.kind === 'no') return answer;
    const { claims } = answer.identity;
    const subject = directorySubject(settings, answer.identity.subject);
    for (const [claim, value] of Object.entries(settings.requiredClaims)) {
      const values: readonly unknown[] = [claimAt(claims, claim)].flat();
      if (!values.includes(value)) return { kind: 'no', reason: 'disabled' };
    }
    // what a directory says of an address it cannot mark as verified
    const trusted = settings.trustEmail ? { [TRUSTED_EMAIL]: true } : {};
    return { kind: 'identity', identity: { subject, claims: { ...claims, ...trusted } } };
  }

  private attemptAt({ id }: DirectoryProvider, kind: 'name' | 'subject', value: string): AttemptedName {
    const place = `identity-provider ${id}`;
    return { place, hash: this.sealer.mac('attempted-name', `${place} ${kind} ${value}`) };
  }
}
