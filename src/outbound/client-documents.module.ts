import { Global, Module } from '@nestjs/common';
import { ClientDocuments } from '../domain/applications/client-documents.js';
import { ClientPictures } from '../domain/client-registration/logos/client-pictures.js';
import { HttpClientDocuments } from './http-client-documents.js';
import { HttpClientPictures } from './http-client-pictures.js';

/** A module of its own, since commands that make applications want little else of the outside. */
@Global()
@Module({
  providers: [
    { provide: ClientDocuments, useClass: HttpClientDocuments },
    { provide: ClientPictures, useClass: HttpClientPictures },
  ],
  exports: [ClientDocuments, ClientPictures],
})
export class ClientDocumentsModule {}
