import { Global, Module } from '@nestjs/common';
import { ClientDocuments } from '../domain/applications/client-documents.js';
import { HttpClientDocuments } from './http-client-documents.js';

/** A module of its own, since commands that make applications want little else of the outside. */
@Global()
@Module({
  providers: [{ provide: ClientDocuments, useClass: HttpClientDocuments }],
  exports: [ClientDocuments],
})
export class ClientDocumentsModule {}
