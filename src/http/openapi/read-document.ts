import type { OpenApiDocument } from './document.js';

/** Gives the document of the application that is running; whoever builds the application sets it. */
export class ReadDocument {
  document: () => Promise<OpenApiDocument> = () => Promise.reject(new Error('no application has been built'));
}
