import { Injectable } from '@nestjs/common';
import type { Flow } from '../../authorize/find-flow.js';
import type { DirectoryProvider } from '../../identity-providers/ask-directory.js';
import type { IdentityProvider } from '../../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../../identity-providers/identity-providers.store.js';
import type { OrgId } from '../../shared/ids.js';
import { FindBegunSignIn, type ReturnPlace } from '../find-begun-sign-in.js';
import { ProvidersOfFlow } from '../providers-of-flow.js';

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
    const orgId = 'flow' in begun ? await this.providersOfFlow.organizationOf(begun.flow) : begun.own.orgId;
    const provider = orgId && (await this.providers.findUsable(orgId, place.providerId));
    if (provider === undefined || orgId === undefined || !isDirectory(provider)) return undefined;
    return { provider, orgId, flow };
  }
}

function isDirectory(provider: IdentityProvider): provider is DirectoryProvider {
  return provider.kind === 'ldap';
}
