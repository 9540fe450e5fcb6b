import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../applications/applications.store.js';
import {
  CreateOidcApplication,
  type OidcApplicationSettings,
} from '../applications/create-oidc-application.js';
import { oidcConfigSchema, type OidcConfig } from '../applications/oidc-config.js';
import { EventsStore } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import { changesTo } from '../shared/changed-fields.js';
import type { Tx } from '../shared/unit-of-work.js';

/**
 * The application by which the console signs people in: public, with PKCE, and without a refresh token, so that whatever it
 * may do ends with the session it came from. The service owns it: nobody is asked to agree, and its addresses are made to
 * follow PUBLIC_URL, which is the one thing of it that bootstrap changes.
 */
@Injectable()
export class EnsureConsole {
  constructor(
    private readonly instance: InstanceStore,
    private readonly applications: ApplicationsStore,
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly events: EventsStore,
  ) {}

  /** @param publicUrl without a slash at its end */
  async execute(tx: Tx, publicUrl: string): Promise<void> {
    const instance = await this.instance.find(tx);
    if (instance === undefined) throw new Error('the instance is not set up yet');
    const addresses = {
      redirectUris: [`${publicUrl}/console/callback`],
      postLogoutRedirectUris: [`${publicUrl}/`],
      devMode: !publicUrl.startsWith('https:'),
    };
    const settings: OidcApplicationSettings = {
      orgId: instance.defaultOrgId,
      projectId: instance.apiProjectId,
      name: 'Console',
      ...oidcConfigSchema.parse({
        appType: 'user_agent',
        authMethod: 'none',
        ...addresses,
        managementAccess: 'instance',
      }),
    };
    const known = await this.instance.findConsoleClient(tx);
    const console = known === undefined ? undefined : await this.applications.findBrowserClient(known);
    if (console === undefined) {
      const { clientId } = await this.createOidcApplication.store(tx, settings, null);
      await this.instance.setConsoleClient(tx, clientId);
      return;
    }
    if (console.redirectUris.join(' ') === addresses.redirectUris.join(' ')) return;
    const { orgId, projectId, id } = console;
    const place = { orgId, projectId, id };
    // nobody changes it between its being read and written
    const credentials = await this.applications.lock(tx, place);
    const before = await this.applications.find(place, tx);
    if (credentials === undefined || before?.type !== 'oidc') return;
    const config: OidcConfig = { ...before.config, ...addresses };
    const details = await this.applications.replaceConfig(tx, place, config, {
      hash: credentials.clientSecretHash,
      endsTokens: false,
      endsAuthorizations: false,
    });
    if (details === undefined) return;
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence: details.sequence,
      type: 'application.oidc.changed',
      actorId: null,
      fields: changesTo(before.config, addresses),
    });
  }
}
