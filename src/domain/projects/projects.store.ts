import type { ResourceDetails } from '../shared/details.js';
import type { OrgId, ProjectId } from '../shared/ids.js';
import type { Page, PageQuery } from '../shared/page.js';
import type { Tx } from '../shared/unit-of-work.js';

export interface ProjectSettings {
  readonly name: string;
  /** Roles go into userinfo and introspection without being asked for. */
  readonly projectRoleAssertion: boolean;
  /** Only users who hold a role of the project may sign in to its applications. */
  readonly projectRoleCheck: boolean;
  /** Only users of an organization that has the project may. */
  readonly hasProjectCheck: boolean;
  readonly privateLabelingSetting: string;
  /** By which requests name it (RFC 8707 §2): of one project of its organization alone. Left out: as it is, or none. */
  readonly resourceUri?: string | null;
  /** Unvetted applications (`isUnknownHere`) may ask their users for tokens for it. Omitted: unchanged, or off for a new project. */
  readonly openResource?: boolean;
}

/** A project that has an address. */
export interface Resource {
  readonly id: ProjectId;
  readonly name: string;
  readonly uri: string;
  /** `openResource` of the project. */
  readonly isOpen: boolean;
}

export interface NewProject extends ProjectSettings {
  /** Kept when it comes along from elsewhere, made when it does not. */
  readonly id?: ProjectId;
  readonly orgId: OrgId;
}

/** Projects and what hangs below them rest when inactive, and work again afterwards. */
export type ActivityState = 'active' | 'inactive';

export interface Project extends ProjectSettings {
  readonly id: ProjectId;
  readonly state: ActivityState;
  readonly details: ResourceDetails;
}

/** What an application may call a user: the key stands in claims, the rest is for people. */
export interface ProjectRole {
  readonly key: string;
  readonly displayName: string;
  readonly group: string;
}

export interface StoredProjectRole extends ProjectRole {
  readonly details: ResourceDetails;
}

export interface ProjectRolePlace {
  readonly orgId: OrgId;
  readonly projectId: ProjectId;
}

/** Projects and their roles. */
export abstract class ProjectsStore {
  /** @throws ApiError already-exists when the organization has a project of that name or address */
  abstract add(tx: Tx, project: NewProject): Promise<{ id: ProjectId; details: ResourceDetails }>;

  abstract findIdByName(tx: Tx, orgId: OrgId, name: string): Promise<ProjectId | undefined>;

  /** Whether the organization owns an active project of this id. */
  abstract isActive(orgId: OrgId, projectId: ProjectId): Promise<boolean>;

  abstract find(orgId: OrgId, id: ProjectId, tx?: Tx): Promise<Project | undefined>;

  /** Nobody else changes the project until the transaction ends. */
  abstract lock(tx: Tx, orgId: OrgId, id: ProjectId): Promise<Project | undefined>;

  /**
   * Whom an organization's applications mean by these addresses, one project for each at most: its own, else one that is granted to
   * it. Of several, the one whose organization has verified the domain of the address, then the one that was granted first.
   */
  abstract findResources(orgId: OrgId, uris: readonly string[]): Promise<readonly Resource[]>;

  /** Those among active projects of active organizations that have an address and are open. */
  abstract findOpenResources(ids: readonly string[]): Promise<readonly Resource[]>;

  /** Names of those that there are, whoever owns them, in their order. */
  abstract listNames(ids: readonly string[]): Promise<readonly string[]>;

  abstract list(orgId: OrgId, query: PageQuery): Promise<Page<Project>>;

  /** Undefined when the organization has no such project. @throws ApiError already-exists for the name or address */
  abstract replace(
    tx: Tx,
    orgId: OrgId,
    id: ProjectId,
    settings: ProjectSettings,
  ): Promise<ResourceDetails | undefined>;

  /**
   * Into `state` from the other one; undefined when it was not in that. A project that goes to rest takes the tokens
   * of its applications with it: their epoch rises.
   */
  abstract setState(
    tx: Tx,
    orgId: OrgId,
    id: ProjectId,
    state: ActivityState,
  ): Promise<ResourceDetails | undefined>;

  /** With its applications, their grants and tokens, its roles and who holds them. Undefined when there is none. */
  abstract remove(tx: Tx, orgId: OrgId, id: ProjectId): Promise<ResourceDetails | undefined>;

  /** @throws ApiError already-exists for the key, not-found for the project */
  abstract addRole(tx: Tx, place: ProjectRolePlace, role: ProjectRole): Promise<ResourceDetails>;

  abstract listRoles(place: ProjectRolePlace, query: PageQuery): Promise<Page<StoredProjectRole>>;

  /** Nobody else changes the role until the transaction ends. */
  abstract lockRole(tx: Tx, place: ProjectRolePlace, key: string): Promise<ProjectRole | undefined>;

  /** Display name and group; undefined when the project has no such role. */
  abstract replaceRole(
    tx: Tx,
    place: ProjectRolePlace,
    role: ProjectRole,
  ): Promise<ResourceDetails | undefined>;

  /** Takes the role from everybody who holds it, too. Undefined when the project has no such role. */
  abstract removeRole(tx: Tx, place: ProjectRolePlace, key: string): Promise<ResourceDetails | undefined>;
}
