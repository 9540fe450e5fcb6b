import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../applications/applications.store.js';
import { makeClientSecret } from '../applications/client-secret.js';
import {
  CreateOidcApplication,
  type OidcApplicationSettings,
} from '../applications/create-oidc-application.js';
import { oidcConfigSchema } from '../applications/oidc-config.js';
import { EventsStore } from '../events/events.store.js';
import { CreateProject } from '../projects/create-project.js';
import { ProjectsStore } from '../projects/projects.store.js';
import type { ClientId, OrgId, ProjectId } from '../shared/ids.js';
import { sha256 } from '../shared/random.js';
import type { Tx } from '../shared/unit-of-work.js';

const PROJECT = 'Tour';

/** Where the tour listens. http on loopback never leaves the machine, yet needs development mode for a web client. */
export const TOUR = {
  redirectUri: 'http://localhost:9080/callback',
  postLogoutRedirectUri: 'http://localhost:9080/signed-out',
  pkceRedirectUri: 'http://localhost:9080/pkce/callback',
} as const;

export interface EnsuredApplications {
  readonly webClientId: ClientId;
  /** Undefined if it is unknown. */
  readonly clientSecret: string | undefined;
  readonly pkceClientId: ClientId;
}

/** Two clients to try the service with: one that keeps a secret, and one that has none and uses PKCE. */
@Injectable()
export class EnsureTourApplications {
  constructor(
    private readonly projects: ProjectsStore,
    private readonly applications: ApplicationsStore,
    private readonly createProject: CreateProject,
    private readonly createOidcApplication: CreateOidcApplication,
    private readonly events: EventsStore,
  ) {}

  /**
   * @param held secret that is said to be the web client's
   * @param renew a new one takes its place when it is not
   */
  async execute(
    tx: Tx,
    orgId: OrgId,
    held: string | undefined,
    renew: boolean,
  ): Promise<EnsuredApplications> {
    const projectId =
      (await this.projects.findIdByName(tx, orgId, PROJECT)) ?? (await this.addProject(tx, orgId));
    const web = await this.ensureWebClient(tx, orgId, projectId, held, renew);
    const pkce = pkceSettings(orgId, projectId);
    const known = await this.applications.findByName(tx, projectId, pkce.name);
    const { clientId: pkceClientId } = known ?? (await this.createOidcApplication.store(tx, pkce, null));
    return { webClientId: web.clientId, clientSecret: web.clientSecret, pkceClientId };
  }

  private async addProject(tx: Tx, orgId: OrgId): Promise<ProjectId> {
    const project = {
      orgId,
      name: PROJECT,
      projectRoleAssertion: false,
      projectRoleCheck: false,
      hasProjectCheck: false,
      privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    };
    return (await this.createProject.execute(tx, project, null)).id;
  }

  private async ensureWebClient(
    tx: Tx,
    orgId: OrgId,
    projectId: ProjectId,
    held: string | undefined,
    renew: boolean,
  ): Promise<{ clientId: ClientId; clientSecret: string | undefined }> {
    const settings = webSettings(orgId, projectId);
    const known = await this.applications.findByName(tx, projectId, settings.name);
    if (known === undefined) {
      const { clientId, clientSecret } = await this.createOidcApplication.store(tx, settings, null);
      if (clientSecret === undefined) throw new Error('a confidential client was made without a secret');
      return { clientId, clientSecret };
    }
    const { id, clientId, clientSecretHash } = known;
    if (held !== undefined && clientSecretHash !== null && timingSafeEqual(sha256(held), clientSecretHash)) {
      return { clientId, clientSecret: held };
    }
    if (!renew) return { clientId, clientSecret: undefined };
    const clientSecret = makeClientSecret();
    const { sequence } = await this.applications.setSecret(tx, id, sha256(clientSecret));
    await this.events.append(tx, {
      orgId,
      aggregateType: 'application',
      aggregateId: id,
      sequence,
      type: 'application.secret.changed',
      actorId: null,
    });
    return { clientId, clientSecret };
  }
}

function webSettings(orgId: OrgId, projectId: ProjectId): OidcApplicationSettings {
  return {
    orgId,
    projectId,
    name: 'Tour web application',
    ...oidcConfigSchema.parse({
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [TOUR.redirectUri],
      postLogoutRedirectUris: [TOUR.postLogoutRedirectUri],
      devMode: true,
      // the tour shows what a user may do for themselves, which takes the service's own audience
      managementAccess: 'instance',
    }),
  };
}

function pkceSettings(orgId: OrgId, projectId: ProjectId): OidcApplicationSettings {
  return {
    ...webSettings(orgId, projectId),
    name: 'Tour PKCE application',
    appType: 'user_agent',
    authMethod: 'none',
    accessTokenType: 'jwt',
    redirectUris: [TOUR.pkceRedirectUri],
  };
}
