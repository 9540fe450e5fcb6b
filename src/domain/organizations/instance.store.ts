import type { ClientId, OrgId, ProjectId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';

/** The one instance row: where names without an organization are looked up, and the service's own project. */
export interface Instance {
  readonly defaultOrgId: OrgId;
  /** Tokens with this project in their audience may be used on the service's own APIs. */
  readonly apiProjectId: ProjectId;
}

/** The row of the instance, which set-up writes once. */
export abstract class InstanceStore {
  /** Written once by bootstrap and never changed, so implementations may keep it. @throws before bootstrap */
  abstract read(): Promise<Instance>;

  /** Serialises the set-up of the instance over all processes until the transaction ends. */
  abstract lockSetUp(tx: Tx): Promise<void>;

  /** Under that lock; undefined before the first set-up. */
  abstract find(tx: Tx): Promise<Instance | undefined>;

  abstract add(tx: Tx, instance: Instance): Promise<void>;

  /** By which the console signs people in; undefined until bootstrap has made it. */
  abstract findConsoleClient(tx?: Tx): Promise<ClientId | undefined>;

  abstract setConsoleClient(tx: Tx, clientId: ClientId): Promise<void>;
}
