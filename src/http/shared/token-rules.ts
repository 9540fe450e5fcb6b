import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ApplicationsStore } from '../../domain/applications/applications.store.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { LiveToken } from '../../domain/tokens/access-token/check-access-token.js';

/** What a live token may be used for on the APIs. */
@Injectable()
export class TokenRules {
  constructor(
    private readonly instance: InstanceStore,
    private readonly applications: ApplicationsStore,
    private readonly config: Config,
  ) {}

  /** Carries the service's own project in its audience; a personal access token always does. */
  async isForApi({ kind, audience }: LiveToken): Promise<boolean> {
    return kind === 'pat' || audience.includes((await this.instance.read()).apiProjectId);
  }

  /** Whoever acts for another never administers in the other's name. @throws ApiError permission-denied */
  refuseActor({ actor }: LiveToken): void {
    if (actor === undefined) return;
    throw new ApiError('permission-denied', 'Errors.TokenExchange.Token.NotForAPI', 'APP-Shi0J');
  }

  /**
   * A script may use a client's token only from an origin of that client, and no script a personal access token.
   * @throws ApiError permission-denied
   */
  async requireOrigin(origin: string | undefined, { clientId }: LiveToken): Promise<void> {
    if (origin === undefined || origin === this.config.app.issuer.url) return;
    if (clientId !== undefined && (await this.applications.isOriginOfClient(clientId, origin))) return;
    throw new ApiError('permission-denied', 'Errors.OriginNotAllowed', 'AUTH-DZG21');
  }
}
