import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.js';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { FindClientLinks } from './client-links.js';
import { ClientLogos } from './client-logos.js';
import { AddDocumentClient } from './documents/add-document-client.js';
import { ReadClientDocument } from './documents/read-client-document.js';
import { ResolveClientDocument } from './documents/resolve-client-document.js';
import { UpdateDocumentClient } from './documents/update-document-client.js';
import { InitialAccessTokens } from './initial-access-tokens.js';
import { ManageRegistration } from './manage-registration.js';
import { OpenClientPlace } from './open-client-place.js';
import { RegisterClient } from './register-client.js';
import { RegistrationTokens } from './registration-tokens.js';
import { SoftwareStatements } from './software-statements.js';
import { StoreRegisteredClient } from './store-registered-client.js';

const useCases = [
  FindClientLinks,
  ClientLogos,
  InitialAccessTokens,
  SoftwareStatements,
  RegisterClient,
  RegistrationTokens,
  ManageRegistration,
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
