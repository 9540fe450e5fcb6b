import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.js';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { AuthenticateRegistration } from './authenticate-registration.js';
import { FindClientLinks } from './client-links.js';
import { ClientLogos } from './client-logos.js';
import { AddDocumentClient } from './documents/add-document-client.js';
import { ReadClientDocument } from './documents/read-client-document.js';
import { ResolveClientDocument } from './documents/resolve-client-document.js';
import { UpdateDocumentClient } from './documents/update-document-client.js';
import { InitialAccessTokens } from './initial-access-tokens.js';
import { IssueRegistration } from './issue-registration.js';
import { OpenClientPlace } from './open-client-place.js';
import { ReadClientMetadata } from './read-client-metadata.js';
import { ReadRegistration } from './read-registration.js';
import { RegisterClient } from './register-client.js';
import { RegisterOpenClient } from './register-open-client.js';
import { RegistrationTokens } from './registration-tokens.js';
import { RemoveRegistration } from './remove-registration.js';
import { ReplaceRegistration } from './replace-registration.js';
import { SoftwareStatements } from './software-statements.js';
import { StoreRegisteredClient } from './store-registered-client.js';
import { WriteRegistration } from './write-registration.js';

const useCases = [
  FindClientLinks,
  ClientLogos,
  InitialAccessTokens,
  SoftwareStatements,
  ReadClientMetadata,
  RegisterClient,
  RegisterOpenClient,
  IssueRegistration,
  RegistrationTokens,
  AuthenticateRegistration,
  ReadRegistration,
  ReplaceRegistration,
  WriteRegistration,
  RemoveRegistration,
  ResolveClientDocument,
  ReadClientDocument,
  AddDocumentClient,
  OpenClientPlace,
  StoreRegisteredClient,
  UpdateDocumentClient,
];

/** Applications that register themselves (RFC 7591), and change and remove what they registered (RFC 7592). */
@Module({ imports: [ApplicationsModule, FetchedKeysModule], providers: useCases, exports: useCases })
export class ClientRegistrationModule {}
