import { Injectable } from '@nestjs/common';
import { applicationNotFound, type Application } from '../applications/application.js';
import { ApplicationsStore, type ApplicationPlace } from '../applications/applications.store.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import { RequestedAudience } from '../tokens/audience/requested-audience.js';
import { knownScopes, parseScopes } from '../tokens/scopes/scopes.js';

/** So many scopes at most: each is a further look at the claims. */
const MOST_SCOPES = 30;

/** The applications whose tokens may be looked at, and what one would ask for. */
@Injectable()
export class PreviewedApplications {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly audience: RequestedAudience,
  ) {}

  /** @throws ApiError not-found, failed-precondition */
  async find(
    place: ApplicationPlace,
  ): Promise<{ readonly application: Application; readonly details: ResourceDetails }> {
    const record = await this.applications.find(place);
    if (record === undefined) throw applicationNotFound();
    if (record.type === 'api') {
      throw new ApiError('failed-precondition', 'An API application gets no tokens for users', 'APP-Pv4Ap');
    }
    const application = await this.applications.findClient(record.clientId);
    if (application === undefined) throw applicationNotFound();
    return { application, details: record.details };
  }

  /** @throws ApiError invalid-argument */
  async requested(
    scope: string,
    application: Application,
  ): Promise<{ readonly scopes: readonly string[]; readonly audience: readonly string[] }> {
    const parsed = parseScopes(scope);
    if (parsed === undefined || parsed.length > MOST_SCOPES) {
      throw new ApiError(
        'invalid-argument',
        `scope must be at most ${MOST_SCOPES} scopes (RFC 6749, section 3.3)`,
        'APP-Pv4Sc',
      );
    }
    const scopes = knownScopes(parsed);
    const requested = await this.audience.of(scopes, application);
    if ('refusal' in requested) {
      throw new ApiError('invalid-argument', requested.refusal.description, 'APP-Pv4Au');
    }
    return { scopes, audience: requested.audience };
  }
}
