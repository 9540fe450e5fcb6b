import { Injectable } from '@nestjs/common';
import { ApplicationsStore } from '../../applications/applications.store.js';
import { OAuthError } from '../../shared/errors.js';
import type { ClientId } from '../../shared/ids.js';
import { ClientRegistrationSettings } from '../client-registration-settings.js';
import { ClientRegistrationsStore, placeOf, type StoredDocument } from '../client-registrations.store.js';
import { AddDocumentClient } from './add-document-client.js';
import { documentAddressProblem, isDocumentAddress } from './client-document.js';
import { documentUnfit, ReadClientDocument, Unfit } from './read-client-document.js';
import { UpdateDocumentClient } from './update-document-client.js';

/** How long a document counts as it was read: no shorter, whatever its server says, and no longer. */
const SHORTEST_SECONDS = 300;
const DEFAULT_SECONDS = 3_600;
const LONGEST_SECONDS = 86_400;

/**
 * A client id that is a URL points to the client's metadata (draft-ietf-oauth-client-id-metadata-document). Before such a
 * client is looked up, its document is fetched, unless it was recently, and stored as an application of the project
 * that the configuration names. It is unvetted, like one that registered without a token.
 */
@Injectable()
export class ResolveClientDocument {
  constructor(
    private readonly registrations: ClientRegistrationsStore,
    private readonly applications: ApplicationsStore,
    private readonly settings: ClientRegistrationSettings,
    private readonly documents: ReadClientDocument,
    private readonly addClient: AddDocumentClient,
    private readonly updateClient: UpdateDocumentClient,
  ) {}

  /**
   * @param askedFrom network address of who names the client
   * @throws OAuthError where there is no such client, or its document does not hold
   */
  async execute(clientId: string | undefined, askedFrom: string): Promise<void> {
    if (!this.settings.documents || clientId === undefined || !isDocumentAddress(clientId)) return;
    const problem = documentAddressProblem(clientId);
    if (problem !== undefined) throw documentUnfit(`client_id ${problem}`);
    const known = await this.registrations.findDocument(clientId);
    if (known !== undefined && countsAsItIs(known)) return;
    await this.refreshOrKeep(clientId as ClientId, known, askedFrom);
  }

  /**
   * Of a client that is on file already and proves who it is by a key: one that its document has no longer opens nothing, also where
   * nobody comes to sign in. Counted with the client and not with who asks: whoever has such a key would use up their own count first.
   *
   * @param clientId as the request says, of which nothing is known yet
   * @throws OAuthError as `execute`
   */
  async refreshKnown(clientId: string | undefined): Promise<void> {
    if (!this.settings.documents || clientId === undefined || !isDocumentAddress(clientId)) return;
    const known = await this.registrations.findDocument(clientId);
    if (known === undefined || countsAsItIs(known)) return;
    await this.refreshOrKeep(clientId as ClientId, known, clientId);
  }

  /** One that was read before still counts while its server is away, for as long as a document may. */
  private async refreshOrKeep(
    clientId: ClientId,
    known: StoredDocument | undefined,
    askedFrom: string,
  ): Promise<void> {
    try {
      await this.refresh(clientId, known, askedFrom);
    } catch (error) {
      const isAway = error instanceof OAuthError && !(error instanceof Unfit);
      if (isAway && known?.isUsable === true) return;
      throw error;
    }
  }

  private async refresh(
    clientId: ClientId,
    known: StoredDocument | undefined,
    askedFrom: string,
  ): Promise<void> {
    const fetched = await this.documents.fetch(clientId, askedFrom, known === undefined);
    const record = known && (await this.applications.find(placeOf(known)));
    const kept = record?.type === 'oidc' ? record.config : undefined;
    const read = await this.documents.read(fetched, clientId, kept);
    const freshSeconds = Math.min(
      Math.max(fetched.maxAgeSeconds ?? DEFAULT_SECONDS, SHORTEST_SECONDS),
      LONGEST_SECONDS,
    );
    if (known === undefined) await this.addClient.execute(clientId, read, freshSeconds);
    else if (kept !== undefined) await this.updateClient.execute(known, read, kept, freshSeconds);
  }
}

/** Who gave it access to our own APIs gave it to what it was then (ChangeManagementAccess). */
function countsAsItIs({ isFresh, managementAccess }: StoredDocument): boolean {
  return isFresh || managementAccess !== 'none';
}
