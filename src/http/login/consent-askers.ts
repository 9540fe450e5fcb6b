import { Injectable } from '@nestjs/common';
import { isUnknownHere, type BrowserApplication } from '../../domain/applications/application.js';
import type { AuthorizationRequest } from '../../domain/authorize/auth-request.js';
import { ClientLogos } from '../../domain/client-registration/logos/client-logos.js';
import { FindClientLinks } from '../../domain/client-registration/metadata/client-links.js';
import { DeviceAuthorizationsStore } from '../../domain/device-authorizations/device-authorizations.store.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import { logoPath } from '../../domain/policies/logo.js';
import { ProjectsStore } from '../../domain/projects/projects.store.js';
import { audienceProject } from '../../domain/tokens/scopes/scopes.js';

/** Who asks for a consent: the application's owner, the device that it runs on, and what an application is known by. */
@Injectable()
export class ConsentAskers {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly devices: DeviceAuthorizationsStore,
    private readonly projects: ProjectsStore,
    private readonly clientLinks: FindClientLinks,
    private readonly clientLogos: ClientLogos,
  ) {}

  /**
   * @param address where the reader's request came from
   * @returns undefined where nobody may agree any more: of a device it was decided by another browser, or too late
   */
  async find(
    application: BrowserApplication,
    { deviceAuthorizationId, scopes }: AuthorizationRequest,
    address: string,
  ) {
    const owner = await this.organizations.find(application.orgId);
    if (owner === undefined) return undefined;
    const device = deviceAuthorizationId && (await this.devices.find(deviceAuthorizationId));
    if (deviceAuthorizationId !== undefined && device === undefined) return undefined;
    const logo = await this.clientLogos.nameOf(application, address);
    const isUnknown = isUnknownHere(application);
    const newcomer = isUnknown
      ? { source: sourceOf(application), logoUrl: logo && logoPath(logo) }
      : undefined;
    const keepsAccess = application.grantTypes.includes('refresh_token');
    const asks =
      isUnknown || device !== undefined
        ? {
            scopes: scopes.filter((scope) => keepsAccess || scope !== 'offline_access'),
            resources: await this.resourcesOf(scopes, isUnknown),
          }
        : undefined;
    return { owner, device, newcomer, asks, clientLinks: await this.clientLinks.of(application) };
  }

  /** Names of the projects that the tokens would be for. */
  private async resourcesOf(scopes: readonly string[], isUnknown: boolean): Promise<readonly string[]> {
    const ids = scopes.flatMap((scope) => audienceProject(scope, '') ?? []);
    if (ids.length === 0) return [];
    if (!isUnknown) return await this.projects.listNames(ids);
    return (await this.projects.findOpenResources(ids)).map(({ name }) => name);
  }
}

/** The host that publishes what describes the application: what people can know it by. */
function sourceOf({ registration, clientId }: BrowserApplication): string | undefined {
  return registration === 'document' ? new URL(clientId).host : undefined;
}
