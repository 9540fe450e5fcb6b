import { Injectable } from '@nestjs/common';
import { FindFlow, type Flow } from '../authorize/find-flow.js';
import { AskDirectory, type DirectoryProvider } from '../identity-providers/ask-directory.js';
import { ExternalSignInsStore, sessionOf } from '../identity-providers/external-sign-ins.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import {
  ProviderRefused,
  ProviderUnavailable,
  type ExternalIdentity,
} from '../identity-providers/provider-client.js';
import { settledSessions } from '../sessions/session.js';
import { UserAgents } from '../sessions/user-agents.js';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { sha256 } from '../shared/random.js';
import { canonicalTyped } from '../sign-in/resolve-login-name.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { Counters } from '../statistics/counters.js';
import { BeginExternalSignIn } from './begin-external-sign-in.js';

export interface DirectoryPlace {
  readonly providerId: IdentityProviderId;
  readonly state: string;
  readonly userAgentSecret: string | undefined;
}

/** A form for name and password of somebody in a directory. */
export interface DirectoryForm {
  readonly provider: DirectoryProvider;
  /** Where they sign in. */
  readonly orgId: OrgId;
  /** Undefined for somebody who is signed in, and adds an identity to their account. */
  readonly flow: Flow | undefined;
}

/**
 * A directory has no page to send people to: they type their name and password in a form of ours, under the provider's name. The
 * sign-in that was begun stays until they are right, so that they may try again.
 */
@Injectable()
export class SignInByDirectory {
  constructor(
    private readonly begin: BeginExternalSignIn,
    private readonly agents: UserAgents,
    private readonly findFlow: FindFlow,
    private readonly signIns: ExternalSignInsStore,
    private readonly providers: IdentityProvidersStore,
    private readonly directory: AskDirectory,
    private readonly padding: ResponseTimePadding,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  /** Undefined where it was not begun in this browser, or not any more. */
  async find({ providerId, state, userAgentSecret }: DirectoryPlace): Promise<DirectoryForm | undefined> {
    const agent = await this.agents.find(userAgentSecret);
    if (agent === undefined || state === '') return undefined;
    const begun = await this.signIns.find(sha256(state), { providerId, userAgentId: agent.id });
    if (begun === undefined) return undefined;
    const { purpose } = begun;
    const flow = 'flowId' in purpose ? await this.findFlow.find(purpose.flowId, userAgentSecret) : undefined;
    const session = sessionOf(purpose);
    const orgId =
      session === undefined
        ? flow && (await this.begin.organizationOf(flow))
        : settledSessions(agent).find(({ id }) => id === session)?.orgId;
    const provider = orgId && (await this.providers.findUsable(orgId, providerId));
    if (provider === undefined || orgId === undefined || !isDirectory(provider)) return undefined;
    return { provider, orgId, flow };
  }

  /** Refusals take alike, as far as the directory is quicker than the padding. */
  async check(
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

function isDirectory(provider: IdentityProvider): provider is DirectoryProvider {
  return provider.kind === 'ldap';
}
