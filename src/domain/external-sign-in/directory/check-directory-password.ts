import { Injectable } from '@nestjs/common';
import { AskDirectory } from '../../identity-providers/ldap/ask-directory.js';
import {
  ProviderRefused,
  ProviderUnavailable,
  type ExternalIdentity,
} from '../../identity-providers/provider-client.js';
import { Log } from '../../shared/log.js';
import { canonicalTyped } from '../../sign-in/resolve-login-name.js';
import { ResponseTimePadding } from '../../sign-in/response-time-padding.js';
import { Counters } from '../../statistics/counters.js';
import type { DirectoryForm } from './find-directory-form.js';

/** Has a directory say who somebody is by their name and password. */
@Injectable()
export class CheckDirectoryPassword {
  constructor(
    private readonly directory: AskDirectory,
    private readonly padding: ResponseTimePadding,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  /** Refusals take alike, as far as the directory is quicker than the padding. */
  async execute(
    { provider, orgId }: DirectoryForm,
    loginName: string,
    password: string,
  ): Promise<ExternalIdentity | 'wrong-credentials' | 'idp-unavailable'> {
    const startedAt = performance.now();
    const { id: providerId } = provider;
    try {
      const name = canonicalTyped(loginName);
      const answer =
        name === undefined
          ? ({ kind: 'no', reason: 'nobody' } as const)
          : await this.directory.ask(provider, { loginName: loginName.trim(), password }, name);
      if (answer.kind === 'identity') return answer.identity;
      // never the typed name: people type passwords into that field
      this.log.info('a sign-in by a directory is refused', { providerId, reason: answer.reason });
      this.counters.add(provider.orgId ?? orgId, 'signInsRefused');
      await this.padding.settle(startedAt);
      return 'wrong-credentials';
    } catch (error) {
      if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefused)) throw error;
      this.log.warn('an identity provider is not available', { providerId, reason: error.message });
      return 'idp-unavailable';
    }
  }
}
