import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.js';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { AddDocumentClient } from './add-document-client.js';
import { InitialAccessTokens } from './initial-access-tokens.js';
import { ManageRegistration } from './manage-registration.js';
import { OpenClientPlace } from './open-client-place.js';
import { ReadClientDocument } from './read-client-document.js';
import { RegisterClient } from './register-client.js';
import { RegistrationTokens } from './registration-tokens.js';
import { ResolveClientDocument } from './resolve-client-document.js';
import { SoftwareStatements } from './software-statements.js';
import { StoreRegisteredClient } from './store-registered-client.js';
import { UpdateDocumentClient } from './update-document-client.js';

const useCases = [
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
