import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { ParameterError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import type { AuthorizationRequest } from '../auth-request.js';
import { ReadRequest, unsigned } from './read-request.js';
import { RecordMissedSettings } from './record-missed-settings.js';
import { OpenRequestObject } from './request-object.js';
import { requireRedirectUri } from './validate-request.js';

/** Reads an authorization request that its application pushes (RFC 9126): both phases at once, as no browser has it yet. */
@Injectable()
export class ReadPushedRequest {
  constructor(
    private readonly applications: ApplicationsStore,
    private readonly requestObjects: OpenRequestObject,
    private readonly missedSettings: RecordMissedSettings,
    private readonly readRequest: ReadRequest,
  ) {}

  /** Of a client that has authenticated. @throws OAuthError for the client */
  async execute(outside: OAuthParameters, clientId: string): Promise<AuthorizationRequest> {
    const application = await this.applications.findBrowserClient(clientId);
    if (application === undefined) throw new ParameterError('client_id', 'unknown');
    // what it stands for could say anything (RFC 9126 §2.1)
    if (outside.has('request_uri')) throw new ParameterError('request_uri', 'invalid');
    const { requireSignedRequestObject: isDemanded } = application;
    if (isDemanded && !outside.has('request')) throw unsigned();
    // of who has to sign they are taken here, whatever the instance does with those of others
    const isSigned = isDemanded || this.requestObjects.isUsedBy(outside);
    const parameters = isSigned
      ? await this.requestObjects.open(outside.require('request'), clientId, application)
      : outside;
    await this.missedSettings.record(parameters, application);
    const redirectUri = requireRedirectUri(parameters, application);
    return await this.readRequest.validate(parameters, { application, redirectUri });
  }
}
