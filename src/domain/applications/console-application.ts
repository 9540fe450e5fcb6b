import { Injectable } from '@nestjs/common';
import { InstanceStore } from '../organizations/instance.store.js';
import { changesTo } from '../shared/changed-fields.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ApplicationsStore, type ApplicationPlace } from './applications.store.js';
import type { OidcConfig } from './oidc-config.js';

/** With another value of one of these, the console could sign nobody in or call none of the APIs. Bootstrap sets them. */
const CONSOLE_SETTINGS = [
  'appType',
  'authMethod',
  'responseTypes',
  'grantTypes',
  'redirectUris',
  'devMode',
  'userinfoAlgorithm',
  'requirePushedAuthorizationRequests',
  'requireSignedRequestObject',
  'dpopBoundAccessTokens',
  'tlsClientCertificateBoundAccessTokens',
  'securityProfile',
  'subjectType',
  'sectorIdentifierUri',
  // a webhook that fails may keep tokens from being issued
  'claimsWebhook',
  'managementAccess',
] as const satisfies readonly (keyof OidcConfig)[];

type ConsoleSettings = Pick<OidcConfig, (typeof CONSOLE_SETTINGS)[number]>;

export function consoleSettingsOf(config: OidcConfig): ConsoleSettings {
  return Object.fromEntries(
    CONSOLE_SETTINGS.map((name) => [name, config[name]]),
  ) as unknown as ConsoleSettings;
}

/**
 * The application by which the console signs people in belongs to the default organization like any other application. Whoever
 * manages that organization must not be able to shut everybody out of the console, so it stays, active and able to sign people in.
 */
@Injectable()
export class ConsoleApplication {
  constructor(
    private readonly instance: InstanceStore,
    private readonly applications: ApplicationsStore,
  ) {}

  /** @throws ApiError failed-precondition where it is the console's */
  async requireOther(tx: Tx, place: ApplicationPlace): Promise<void> {
    if ((await this.find(tx, place)) === undefined) return;
    throw new ApiError(
      'failed-precondition',
      'The service needs the application of its console',
      'COMMAND-k7Cns',
    );
  }

  /** @throws ApiError failed-precondition where it is the console's, and would not work with this configuration */
  async requireKept(tx: Tx, place: ApplicationPlace, config: OidcConfig): Promise<void> {
    const found = await this.find(tx, place);
    if (found?.type !== 'oidc') return;
    const changed = changesTo(found.config, consoleSettingsOf(config));
    if (changed.length === 0) return;
    throw new ApiError(
      'failed-precondition',
      `The console would not work with another value of ${changed.join(', ')}`,
      'COMMAND-k8Cns',
    );
  }

  /** Undefined for any other application. */
  private async find(tx: Tx, place: ApplicationPlace) {
    const found = await this.applications.find(place, tx);
    if (found === undefined) return undefined;
    return found.clientId === (await this.instance.findConsoleClient(tx)) ? found : undefined;
  }
}
