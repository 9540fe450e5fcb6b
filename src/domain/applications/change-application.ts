import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { changesTo } from '../shared/changed-fields.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { UserId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { applicationNotFound } from './application.js';
import {
  ApplicationsStore,
  type ApplicationPlace,
  type ApplicationType,
  type CreatedApplication,
  type NewApiApplication,
  type SecretChange,
} from './applications.store.js';
import { ChangeManagementAccess } from './change-management-access.js';
import { makeClientSecret, newClientSecret } from './client-secret.js';
import { ConsoleApplication } from './console-application.js';
import { requireApiRules, requireRules, requireServedAlgorithm } from './oidc-config-rules.js';
import { needsSecret, type ApiConfig, type OidcConfig } from './oidc-config.js';
import { SectorIdentifiers, sectorOf } from './sector-identifier.js';
import { isFapi, type Profiled } from './security-profile.js';

/** Details of a change, with a secret where it made one. It is shown this once; only its hash is stored. */
export interface ChangedApplication {
  readonly details: ResourceDetails;
  readonly clientSecret?: string;
}

/**
 * Changes applications, and adds APIs. Whatever takes a secret away, or the application itself, raises its token epoch in
 * the same statement (architecture §3), so that what the old secret obtained ends with it, on every replica.
 */
@Injectable()
export class ChangeApplication {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly access: ChangeManagementAccess,
    private readonly sectors: SectorIdentifiers,
    private readonly keys: KeySettings,
    private readonly console: ConsoleApplication,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param knownSecretHash as for an OpenID Connect client
   * @throws ApiError already-exists, invalid-argument, not-found for the project
   */
  async addApi(
    tx: Tx,
    application: Omit<NewApiApplication, 'clientSecretHash'>,
    actorId: UserId,
    knownSecretHash?: Buffer,
  ): Promise<CreatedApplication & { readonly clientSecret?: string }> {
    requireApiRules(application);
    const { clientSecret, clientSecretHash } = newClientSecret(application.authMethod, knownSecretHash);
    const added = await this.applications.add(tx, 'api', { ...application, clientSecretHash });
    const { orgId, projectId } = application;
    const place = { orgId, projectId, id: added.id };
    await this.record(tx, place, actorId, added.details, 'application.api.added');
    return { ...added, ...(clientSecret !== undefined && { clientSecret }) };
  }

  /** @throws ApiError not-found, already-exists, permission-denied where it has access that the actor could not give */
  async rename(tx: Tx, place: ApplicationPlace, name: string, acting: Acting): Promise<ResourceDetails> {
    await this.access.requireMayChange(tx, acting, place);
    const details = await this.applications.rename(tx, place, name);
    if (details === undefined) throw applicationNotFound();
    await this.record(tx, place, acting.actorId, details, 'application.changed', ['name']);
    return details;
  }

  /** What `replaceOidc` does not ask: it goes by what is on file, and another host has a say in it. @throws ApiError invalid-argument */
  async checkOidc(place: ApplicationPlace, config: OidcConfig): Promise<void> {
    requireRules(config);
    const found = await this.applications.find(place);
    const before = found?.type === 'oidc' ? found.config : undefined;
    requireServedAlgorithm(config, this.keys, before?.userinfoAlgorithm);
    await this.sectors.require(config, before);
  }

  /**
   * Replaces the configuration as a whole, save that its access stays where none is named. A method that needs a secret
   * gets one where there was none.
   *
   * @throws ApiError not-found, invalid-argument as when it was registered, failed-precondition for an API, with keys on file where
   *   it is to publish them, and for what the console needs, permission-denied where it has, or is to have, access that the actor may not give
   */
  async replaceOidc(
    tx: Tx,
    place: ApplicationPlace,
    config: OidcConfig,
    acting: Acting,
  ): Promise<ChangedApplication> {
    requireRules(config);
    const sector = sectorOf(config, place.orgId);
    const { secret, change } = await this.secretOfChange(tx, place, 'oidc', config, sector);
    await this.console.requireKept(tx, place, config);
    // a change of its access is recorded by itself
    const { managementAccess, ...others } = config;
    let before: string | undefined;
    if (managementAccess === undefined) await this.access.requireMayChange(tx, acting, place);
    else before = await this.access.change(tx, acting, place, managementAccess);
    const fields = await this.changesTo(tx, place, others);
    const replaced = await this.applications.replaceConfig(tx, place, config, change);
    if (replaced === undefined) throw applicationNotFound();
    await this.record(tx, place, acting.actorId, replaced, 'application.oidc.changed', fields);
    const details = before === undefined ? replaced : { ...replaced, before };
    return { details, ...(secret !== undefined && { clientSecret: secret }) };
  }

  /** @throws ApiError not-found, invalid-argument, failed-precondition for an OpenID Connect client, or as `replaceOidc` */
  async replaceApi(
    tx: Tx,
    place: ApplicationPlace,
    config: ApiConfig,
    actorId: UserId,
  ): Promise<ChangedApplication> {
    requireApiRules(config);
    const { secret, change } = await this.secretOfChange(tx, place, 'api', config);
    const fields = await this.changesTo(tx, place, config);
    const details = await this.applications.replaceConfig(tx, place, config, change);
    if (details === undefined) throw applicationNotFound();
    await this.record(tx, place, actorId, details, 'application.api.changed', fields);
    return { details, ...(secret !== undefined && { clientSecret: secret }) };
  }

  /**
   * A new secret; the old one is dead when the transaction commits, and so is what it obtained.
   * @throws ApiError not-found, failed-precondition where the application authenticates without a secret,
   *   permission-denied where it has access that the actor could not give
   */
  async regenerateSecret(
    tx: Tx,
    place: ApplicationPlace,
    type: ApplicationType,
    acting: Acting,
  ): Promise<ChangedApplication & { readonly clientSecret: string }> {
    const { authMethod } = await this.requireType(tx, place, type);
    await this.access.requireMayChange(tx, acting, place);
    if (!needsSecret(authMethod)) {
      throw new ApiError(
        'failed-precondition',
        'The application authenticates without a secret',
        'COMMAND-Ma8sd',
      );
    }
    const clientSecret = makeClientSecret();
    const details = await this.applications.setSecret(tx, place.id, sha256(clientSecret));
    await this.record(tx, place, acting.actorId, details, `application.${type}.secret.changed`);
    return { details, clientSecret };
  }

  /** @throws ApiError not-found, failed-precondition, also for the console's */
  async deactivate(tx: Tx, place: ApplicationPlace, actorId: UserId): Promise<ResourceDetails> {
    await this.console.requireOther(tx, place);
    const details = await this.applications.setState(tx, place, 'inactive');
    if (details === undefined) throw await this.refusal(place, 'Application is deactivated', 'COMMAND-dsh35');
    await this.record(tx, place, actorId, details, 'application.deactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition */
  async reactivate(tx: Tx, place: ApplicationPlace, actorId: UserId): Promise<ResourceDetails> {
    const details = await this.applications.setState(tx, place, 'active');
    if (details === undefined)
      throw await this.refusal(place, 'Application is not inactive', 'COMMAND-1n8cM');
    await this.record(tx, place, actorId, details, 'application.reactivated');
    return details;
  }

  /** @throws ApiError not-found, failed-precondition for the console's */
  async remove(tx: Tx, place: ApplicationPlace, actorId: UserId): Promise<ResourceDetails> {
    await this.console.requireOther(tx, place);
    const details = await this.applications.remove(tx, place);
    if (details === undefined) throw applicationNotFound();
    await this.record(tx, place, actorId, details, 'application.removed');
    return details;
  }

  /**
   * The current secret stays if the new method uses one; else a first one is created, or the last one removed. Another `jwksUri`
   * removes the keys from the previous one. Another sector gives every user another subject: no token stays valid under
   * the previous one (Core §5.3.2, §12.2), nor one with the user's id. A security profile ends all tokens from before, which may be
   * unbound.
   */
  private async secretOfChange(
    tx: Tx,
    place: ApplicationPlace,
    type: ApplicationType,
    { authMethod: wanted, jwksUri, ...profiled }: Pick<OidcConfig, 'authMethod' | 'jwksUri'> & Profiled,
    sector: string | null = null,
  ): Promise<{ readonly secret?: string; readonly change: SecretChange }> {
    const locked = await this.requireType(tx, place, type);
    const { clientSecretHash: hash, authMethod, jwksUri: before, pairwiseSector } = locked;
    if (jwksUri !== null && before === null && (await this.applications.hasKeys(tx, place))) {
      throw new ApiError('failed-precondition', 'The application has keys on file: remove them first');
    }
    const renamesUsers = sector !== pairwiseSector;
    const endsTokens =
      renamesUsers || (before !== null && before !== jwksUri) || (isFapi(profiled) && !isFapi(locked));
    if (!needsSecret(wanted)) {
      // nobody could use a code or a refresh token without the secret or key; from now on, its name would be enough
      const endsAuthorizations = renamesUsers || (wanted === 'none' && authMethod !== 'none');
      return {
        change: {
          hash: null,
          endsTokens: hash !== null || endsTokens || endsAuthorizations,
          endsAuthorizations,
        },
      };
    }
    const ends = { endsTokens, endsAuthorizations: renamesUsers };
    if (hash !== null) return { change: { hash, ...ends } };
    const secret = makeClientSecret();
    return { secret, change: { hash: sha256(secret), ...ends } };
  }

  /** What is to be recorded of a change; while the application is locked. */
  private async changesTo(
    tx: Tx,
    place: ApplicationPlace,
    config: ApiConfig | Omit<OidcConfig, 'managementAccess'>,
  ): Promise<readonly string[]> {
    const found = await this.applications.find(place, tx);
    if (found === undefined) throw applicationNotFound();
    return changesTo(found.config, config);
  }

  private async requireType(tx: Tx, place: ApplicationPlace, type: ApplicationType) {
    const found = await this.applications.lock(tx, place);
    if (found === undefined) throw applicationNotFound();
    if (found.type === type) return found;
    throw new ApiError('failed-precondition', `The application is not of the ${type} kind`, 'COMMAND-Gr2fa');
  }

  private async refusal(place: ApplicationPlace, text: string, id: string): Promise<ApiError> {
    const found = await this.applications.find(place);
    return found === undefined ? applicationNotFound() : new ApiError('failed-precondition', text, id);
  }

  private async record(
    tx: Tx,
    { orgId, projectId, id }: ApplicationPlace,
    actorId: UserId,
    { sequence }: ResourceDetails,
    type: EventType,
    fields: readonly string[] = [],
  ): Promise<void> {
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence,
      type,
      actorId,
      fields,
      data: { projectId },
    });
  }
}
