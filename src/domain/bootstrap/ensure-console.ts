import { Injectable } from '@nestjs/common';
import { ApplicationsStore, type ApplicationPlace } from '../applications/applications.store.js';
import { consoleSettingsOf } from '../applications/console-application.js';
import {
  CreateOidcApplication,
  type OidcApplicationSettings,
} from '../applications/create-oidc-application.js';
import { oidcConfigSchema } from '../applications/oidc-config.js';
import { EventsStore, type AuditEvent } from '../events/events.store.js';
import { InstanceStore } from '../organizations/instance.store.js';
import { changesTo } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import type { Tx } from '../shared/unit-of-work.js';

export interface EnsuredConsole {
  /** At the first set-up, and where somebody has deleted it. */
  readonly isNew: boolean;
  /** What of it was made to hold again, by the names that events have for it. */
  readonly changed: readonly string[];
}

/**
 * The application by which the console signs people in: public, with PKCE, and without a refresh token, so that whatever it
 * may do ends with the session it came from. The service owns it: nobody is asked to agree. Its addresses follow PUBLIC_URL, and
 * what else the console needs is made to hold again; bootstrap changes nothing more of it.
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
  async execute(tx: Tx, publicUrl: string): Promise<EnsuredConsole> {
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
      return { isNew: true, changed: [] };
    }
    const { orgId, projectId, id } = console;
    return { isNew: false, changed: await this.mend(tx, { orgId, projectId, id }, settings) };
  }

  /** The API refuses most of what is undone here; this brings back a console that was changed before it did. */
  private async mend(
    tx: Tx,
    place: ApplicationPlace,
    wanted: OidcApplicationSettings,
  ): Promise<readonly string[]> {
    // nobody changes it between its being read and written
    const credentials = await this.applications.lock(tx, place);
    const before = await this.applications.find(place, tx);
    if (credentials === undefined || before?.type !== 'oidc') return [];
    const changed: string[] = [];
    if (before.state === 'inactive') {
      await this.record(tx, place, await this.applications.setState(tx, place, 'active'), {
        type: 'application.reactivated',
      });
      changed.push('state');
    }
    const { managementAccess: access = 'none', ...settings } = consoleSettingsOf(wanted);
    const given = await this.applications.lockAccess(tx, place.id);
    if (given !== undefined && (given.access !== access || !given.firstParty)) {
      const details = await this.applications.setAccess(tx, place.id, { access, givenBy: null });
      await this.record(tx, place, details, {
        type: 'application.management_access.changed',
        fields: ['managementAccess'],
        data: { from: given.access, to: access },
      });
      changed.push('managementAccess');
    }
    const { redirectUris, postLogoutRedirectUris } = wanted;
    const isMoved = changesTo(before.config, { redirectUris }).length > 0;
    const changes = { ...settings, ...(isMoved && { postLogoutRedirectUris }) };
    const fields = changesTo(before.config, changes);
    if (fields.length === 0) return changed;
    // a secret that is no longer needed, and users by other names, end what was obtained with them
    const ends = changesTo(before.config, {
      authMethod: settings.authMethod,
      subjectType: settings.subjectType,
      sectorIdentifierUri: settings.sectorIdentifierUri,
    });
    const isOver = ends.length > 0;
    const details = await this.applications.replaceConfig(
      tx,
      place,
      { ...before.config, ...changes },
      { hash: null, endsTokens: isOver, endsAuthorizations: isOver },
    );
    await this.record(tx, place, details, { type: 'application.oidc.changed', fields });
    return [...changed, ...fields];
  }

  private async record(
    tx: Tx,
    { orgId, id }: ApplicationPlace,
    details: ResourceDetails | undefined,
    event: Pick<AuditEvent, 'type' | 'fields' | 'data'>,
  ): Promise<void> {
    if (details === undefined) return;
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence: details.sequence,
      actorId: null,
      ...event,
    });
  }
}
