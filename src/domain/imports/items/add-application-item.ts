import { Injectable } from '@nestjs/common';
import type { ApplicationPlace } from '../../applications/applications.store.js';
import { ChangeApplication } from '../../applications/change-application.js';
import { CreateOidcApplication } from '../../applications/create-oidc-application.js';
import { AddApplicationKey } from '../../applications/keys/add-application-key.js';
import type { ApplicationId, ApplicationKeyId, ClientId, ProjectId } from '../../shared/ids.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { expiryOf, type Added, type Item, type ItemPlace } from './item.js';

/** An application of a project, and its keys. */
@Injectable()
export class AddApplicationItem {
  constructor(
    private readonly oidcApplications: CreateOidcApplication,
    private readonly applications: ChangeApplication,
    private readonly keys: AddApplicationKey,
  ) {}

  /** @throws ApiError as the use cases do */
  async execute(tx: Tx, acting: ItemPlace, item: Item<'oidc_app' | 'api_app' | 'app_key'>): Promise<Added> {
    const place: ApplicationPlace = {
      orgId: acting.orgId,
      projectId: item.projectId as ProjectId,
      id: item.appId as ApplicationId,
    };
    switch (item.type) {
      case 'oidc_app':
        return await this.oidcApplication(tx, acting, place, item);
      case 'api_app':
        return await this.apiApplication(tx, acting, place, item);
      case 'app_key': {
        const prepared = await this.keys.prepare(place, item.publicJwk, expiryOf(item));
        await this.keys.store(tx, place, prepared, acting, item.keyId as ApplicationKeyId);
        return 'added';
      }
    }
  }

  private async oidcApplication(
    tx: Tx,
    acting: ItemPlace,
    place: ApplicationPlace,
    item: Item<'oidc_app'>,
  ): Promise<Added> {
    const { name, config, clientId } = item;
    const settings = { ...place, name, ...config };
    await this.oidcApplications.check(settings);
    const known = clientId === undefined ? {} : { clientId: clientId as ClientId };
    await this.oidcApplications.store(tx, { ...settings, ...known }, acting, secretOf(item));
    if (item.inactive === true) await this.applications.deactivate(tx, place, acting.actorId);
    return 'added';
  }

  private async apiApplication(
    tx: Tx,
    { actorId }: ItemPlace,
    place: ApplicationPlace,
    item: Item<'api_app'>,
  ): Promise<Added> {
    const { name, config } = item;
    const application = { ...place, name, ...config, clientId: item.clientId as ClientId | undefined };
    await this.applications.addApi(tx, application, actorId, secretOf(item));
    if (item.inactive === true) await this.applications.deactivate(tx, place, actorId);
    return 'added';
  }
}

function secretOf({ secretHash }: { readonly secretHash?: string | undefined }): Buffer | undefined {
  return secretHash === undefined ? undefined : Buffer.from(secretHash, 'hex');
}
