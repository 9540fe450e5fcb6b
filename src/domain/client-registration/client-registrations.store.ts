import type { ClientRegistration } from '../applications/application.js';
import type { ApplicationPlace } from '../applications/applications.store.js';
import type { ManagementAccess } from '../permissions/management-access.js';
import type { Logo, LogoName } from '../policies/logo.js';
import type { ApplicationId, OrgId, ProjectId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** What a client said of itself that nothing here depends on. It is given back as it came. */
export interface InformationalMetadata {
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly tos_uri?: string;
  readonly policy_uri?: string;
  readonly contacts?: readonly string[];
  readonly software_id?: string;
  readonly software_version?: string;
  /** Signed by somebody else, and it counts in place of what the client says; given back as it came all the same. */
  readonly software_statement?: string;
}

export interface NewClientRegistration {
  readonly applicationId: ApplicationId;
  readonly orgId: OrgId;
  /** Null for what a document describes. */
  readonly tokenHash: Buffer | null;
  /** How long the document counts as it was read. */
  readonly freshSeconds?: number;
  readonly metadata: InformationalMetadata;
  /** It goes then, unless somebody signs in with it before. */
  readonly unusedSeconds: number;
}

export interface StoredRegistration extends ApplicationPlace {
  readonly registration: ClientRegistration;
  readonly metadata: InformationalMetadata;
  readonly registeredAt: Date;
}

export interface StoredDocument extends ApplicationPlace {
  readonly metadata: InformationalMetadata;
  readonly managementAccess: ManagementAccess;
  /** It need not be fetched again. */
  readonly isFresh: boolean;
  /** It counts as it was read where it cannot be fetched again. */
  readonly isUsable: boolean;
}

/** Which application it is, without what is stored beside. */
export function placeOf({ orgId, projectId, id }: ApplicationPlace): ApplicationPlace {
  return { orgId, projectId, id };
}

/** The picture that a client names. */
export interface ClientLogo {
  readonly uri: string;
  /** Of the one that was fetched from there; null where there is none. */
  readonly name: LogoName | null;
  /** Nobody has tried to fetch one of this client for a while. */
  readonly isDue: boolean;
}

/** What applications registered themselves, by what they may change that, and when they go. */
export abstract class ClientRegistrationsStore {
  /** @returns when it was registered */
  abstract add(tx: Tx, registration: NewClientRegistration): Promise<Date>;

  /** By a client id and a token of that very client, while application, project and organization are active. */
  abstract find(clientId: string, tokenHash: Buffer, tx?: Tx): Promise<StoredRegistration | undefined>;

  /** Another token opens it from now on. False for what has none: a document, or what somebody made. */
  abstract replaceToken(tx: Tx, id: ApplicationId, tokenHash: Buffer): Promise<boolean>;

  /** What it said of itself; undefined for an application that somebody made. */
  abstract findMetadata(id: ApplicationId): Promise<InformationalMetadata | undefined>;

  /** Undefined for one that names none. */
  abstract findLogo(id: ApplicationId): Promise<ClientLogo | undefined>;

  /** True for the one caller that is to fetch it; all others get false for a while. */
  abstract claimLogo(id: ApplicationId, uri: string): Promise<boolean>;

  /** False where the client names another one meanwhile. */
  abstract keepLogo(id: ApplicationId, uri: string, logo: Logo): Promise<boolean>;

  /** While a client that is active has it. */
  abstract readLogo(name: LogoName): Promise<Logo | undefined>;

  /** Of what a document describes, by its address. */
  abstract findDocument(clientId: string): Promise<StoredDocument | undefined>;

  abstract setFresh(tx: Tx, id: ApplicationId, seconds: number): Promise<void>;

  /** A logo of another `logo_uri` is removed. */
  abstract replaceMetadata(tx: Tx, id: ApplicationId, metadata: InformationalMetadata): Promise<void>;

  /** Somebody signs in with it: it stays for so long again. Written once a day at most. */
  abstract noteUse(tx: Tx, id: ApplicationId, unusedSeconds: number): Promise<void>;

  /** How many unvetted applications a project has, those of documents included; counts up to `limit`. */
  abstract countOpen(projectId: ProjectId, limit: number): Promise<number>;

  /** Owner of an active project; undefined for one that does not exist or is deactivated. */
  abstract ownerOfProject(projectId: ProjectId): Promise<OrgId | undefined>;
}
