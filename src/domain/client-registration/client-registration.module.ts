import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.js';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { AuthenticateRegistration } from './configuration/authenticate-registration.js';
import { ReadRegistration } from './configuration/read-registration.js';
import { RegistrationTokens } from './configuration/registration-tokens.js';
import { RemoveRegistration } from './configuration/remove-registration.js';
import { ReplaceRegistration } from './configuration/replace-registration.js';
import { WriteRegistration } from './configuration/write-registration.js';
import { AddDocumentClient } from './documents/add-document-client.js';
import { ReadClientDocument } from './documents/read-client-document.js';
import { ResolveClientDocument } from './documents/resolve-client-document.js';
import { UpdateDocumentClient } from './documents/update-document-client.js';
import { InitialAccessTokens } from './initial-access/initial-access-tokens.js';
import { IssueRegistration } from './issue-registration.js';
import { ClientLogos } from './logos/client-logos.js';
import { FindClientLinks } from './metadata/client-links.js';
import { ReadClientMetadata } from './metadata/read-client-metadata.js';
import { SoftwareStatements } from './metadata/software-statements.js';
import { OpenClientPlace } from './open/open-client-place.js';
import { RegisterOpenClient } from './open/register-open-client.js';
import { RegisterClient } from './register-client.js';
import { StoreRegisteredClient } from './store-registered-client.js';

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
