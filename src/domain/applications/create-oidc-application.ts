import { Injectable } from '@nestjs/common';
import { EventsStore } from '../events/events.store.js';
import type { Acting } from '../permissions/acting.js';
import { projectNotFound } from '../projects/project-not-found.js';
import { ProjectsStore } from '../projects/projects.store.js';
import type { ResourceDetails } from '../shared/details.js';
import type { ApplicationId, ClientId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { KeySettings } from '../signing-keys/key-settings.js';
import { ApplicationsStore, type NewOidcApplication } from './applications.store.js';
import { ChangeManagementAccess } from './change-management-access.js';
import { newClientSecret } from './client-secret.js';
import { complianceProblems, type ComplianceProblem } from './oidc-compliance.js';
import { requireRules, requireServedAlgorithm } from './oidc-config-rules.js';
import { SectorIdentifiers } from './sector-identifier.js';

export type OidcApplicationSettings = Omit<NewOidcApplication, 'clientSecretHash' | 'accessGivenBy'>;

export interface CreatedOidcApplication {
  readonly id: ApplicationId;
  readonly clientId: ClientId;
  /** Shown this once; only its hash is stored. Undefined for clients without a secret. */
  readonly clientSecret: string | undefined;
  readonly details: ResourceDetails;
  readonly problems: readonly ComplianceProblem[];
}

/** Registers an OpenID Connect client: `check` what was asked for, then `store` it in a transaction. */
@Injectable()
export class CreateOidcApplication {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly projects: ProjectsStore,
    private readonly access: ChangeManagementAccess,
    private readonly sectors: SectorIdentifiers,
    private readonly keys: KeySettings,
    private readonly events: EventsStore,
  ) {}

  /** What `check` does not ask, since another host has a say in it. @throws ApiError invalid-argument */
  async checkSector(settings: OidcApplicationSettings): Promise<void> {
    await this.sectors.require(settings);
  }

  /** @throws ApiError invalid-argument naming the URI and the rule it breaks, not-found for the project */
  async check(settings: OidcApplicationSettings): Promise<void> {
    requireRules(settings);
    requireServedAlgorithm(settings, this.keys);
    this.sectors.requireServed(settings);
    if (!(await this.projects.isActive(settings.orgId, settings.projectId))) {
      throw projectNotFound();
    }
  }

  /**
   * @param acting null for bootstrap, whose applications are the service's own: nobody need agree to them
   * @param knownSecretHash of a secret that it has elsewhere, and keeps; without one a secret is made
   * @throws ApiError already-exists, permission-denied for more access than the actor may give
   */
  async store(
    tx: Tx,
    settings: OidcApplicationSettings,
    acting: Acting | null,
    knownSecretHash?: Buffer,
  ): Promise<CreatedOidcApplication> {
    const { managementAccess = 'none' } = settings;
    if (acting !== null) await this.access.requireMayGive(tx, acting, settings.orgId, managementAccess);
    const accessGivenBy = managementAccess === 'none' ? null : (acting?.actorId ?? null);
    const { clientSecret, clientSecretHash } = newClientSecret(settings.authMethod, knownSecretHash);
    const { id, clientId, details } = await this.applications.add(tx, 'oidc', {
      ...settings,
      accessGivenBy,
      clientSecretHash,
    });
    await this.events.append(tx, {
      orgId: settings.orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence: details.sequence,
      type: 'application.oidc.added',
      actorId: acting?.actorId ?? null,
      data: { projectId: settings.projectId, authMethod: settings.authMethod, managementAccess },
    });
    return { id, clientId, clientSecret, details, problems: complianceProblems(settings) };
  }
}
