import { Injectable } from '@nestjs/common';
import type { Flow } from '../../authorize/flow/find-flow.js';
import type { IdentityProvider } from '../../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../../identity-providers/identity-providers.store.js';
import type { DirectoryProvider } from '../../identity-providers/ldap/ask-directory.js';
import type { IdentityProviderId, OrgId } from '../../shared/ids.js';
import { FindBegunSignIn, type ReturnPlace } from '../find-begun-sign-in.js';
import { ProvidersOfFlow, type ProviderInFlow } from '../providers-of-flow.js';

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
export class FindDirectoryForm {
  constructor(
    private readonly findBegun: FindBegunSignIn,
    private readonly providersOfFlow: ProvidersOfFlow,
    private readonly providers: IdentityProvidersStore,
  ) {}

  /** Undefined where it was not begun in this browser, or not any more. */
  async find(place: ReturnPlace): Promise<DirectoryForm | undefined> {
    const begun = await this.findBegun.find(place);
    if (begun === undefined) return undefined;
    const flow = 'flow' in begun ? begun.flow : undefined;
    const found =
      'flow' in begun
        ? await this.providersOfFlow.find(begun.flow, place.providerId, begun.realmOrgId)
        : await this.ofUser(begun.own.orgId, place.providerId);
    if (found === undefined || !isDirectory(found.provider)) return undefined;
    return { provider: found.provider, orgId: found.orgId, flow };
  }

  private async ofUser(orgId: OrgId, id: IdentityProviderId): Promise<ProviderInFlow | undefined> {
    const provider = await this.providers.findUsable(orgId, id);
    return provider && { orgId, provider };
  }
}

function isDirectory(provider: IdentityProvider): provider is DirectoryProvider {
  return provider.kind === 'ldap';
}
