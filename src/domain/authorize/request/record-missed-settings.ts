import { Injectable } from '@nestjs/common';
import type { BrowserApplication, MissedSetting } from '../../applications/application.js';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { needsDevMode } from '../../applications/redirect-uri.js';
import { Log } from '../../shared/log.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';

/**
 * Records for operators and owners what a request would have needed of its application: in the log each time, and once
 * among the application's compliance problems. Anybody can send such a request, so nothing else may depend on it.
 */
@Injectable()
export class RecordMissedSettings {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly log: Log,
  ) {}

  async record(parameters: OAuthParameters, application: BrowserApplication): Promise<void> {
    const missed = missedBy(parameters, application);
    for (const setting of missed) {
      this.log.info(MESSAGES[setting], { clientId: application.clientId });
      if (application.missedSettings?.includes(setting) === true) continue;
      await this.applications.addMissedSetting(application.id, setting);
    }
  }
}

const MESSAGES: Readonly<Record<MissedSetting, string>> = {
  refresh_token: 'offline_access was asked for without the refresh token grant: no refresh token is issued',
  devMode: 'redirect_uri was refused: it can be registered only with devMode',
};

function missedBy(parameters: OAuthParameters, application: BrowserApplication): readonly MissedSetting[] {
  const { grantTypes, responseTypes, devMode, redirectUris, appType } = application;
  const redirectUri = parameters.get('redirect_uri') ?? '';
  const responseType = parameters.get('response_type') ?? '';
  // of the hybrid types only one that is its own, since no other gives a code
  const asksCode =
    responseType === 'code' || (responseTypes.includes(responseType) && /\bcode\b/.test(responseType));
  const asksOffline = asksCode && (parameters.get('scope') ?? '').split(' ').includes('offline_access');
  return [
    ...(asksOffline && !grantTypes.includes('refresh_token') ? (['refresh_token'] as const) : []),
    ...(!devMode && !redirectUris.includes(redirectUri) && needsDevMode(redirectUri, appType)
      ? (['devMode'] as const)
      : []),
  ];
}
