import { addressGroup } from '../../shared/address-group.js';
import type { OrgId } from '../../shared/ids.js';
import type { HashingLane } from '../schemes/password-scheme.js';

/** What comes first when slots are short: who waits before a page, then who calls an API, then imports. */
export type HashingClass = 'sign-in' | 'administration' | 'import';

export const HASHING_CLASSES: readonly HashingClass[] = ['sign-in', 'administration', 'import'];

/** Sign-ins that no application asked for; their senders are distinguished by address. */
const OWN_PAGES = 'own pages';
/** Where a process itself asks, there is no address. */
const THIS_SERVICE = 'this service';

interface Billed {
  readonly kind: HashingClass;
  readonly chosen: string | undefined;
  readonly owner?: string | undefined;
  readonly source?: string;
  readonly patient?: boolean;
}

/**
 * Whose share of the slots pays for a hashing, and how urgent it is. Every hashing needs one, and only these named constructors make
 * one, so that no hashing is billed to nobody.
 */
export class HashingBill {
  readonly kind: HashingClass;
  /** IPv6 by its first 64 bits. */
  readonly source: string;
  /** Never refused: whoever asks waits as long as it takes, and asks for a few at a time only. */
  readonly patient: boolean;
  private readonly chosen: string;
  private readonly owner: string | undefined;

  private constructor({ kind, chosen = OWN_PAGES, owner, source, patient = false }: Billed) {
    this.kind = kind;
    this.chosen = chosen;
    this.owner = owner;
    this.source = source === undefined ? THIS_SERVICE : addressGroup(source);
    this.patient = patient;
  }

  /**
   * A password at a sign-in. An ordinary hash is billed to the organization that the request named, or to its application's, as the
   * requester chose it before any user was looked up: otherwise an organization's load would reveal which names exist. One of the
   * slow lane is billed to the organization whose user has it, whatever application they came from: that organization imported the
   * cost, and that such a hash takes longer is visible anyway.
   *
   * @param askedIn the organization that was asked for, or the application's; undefined on the service's own pages
   * @param ownerOrgId the user's, if there is one
   */
  static signIn(askedIn: OrgId | undefined, ownerOrgId: OrgId | undefined, source: string): HashingBill {
    return new HashingBill({ kind: 'sign-in', chosen: askedIn, owner: ownerOrgId, source });
  }

  /** Somebody at a page whose organization is known: registration, a new password, a mail's code. */
  static page(orgId: OrgId, source: string): HashingBill {
    return new HashingBill({ kind: 'sign-in', chosen: orgId, source });
  }

  /** A call of an API, billed to the organization that it acts in. */
  static administration(orgId: OrgId, source: string): HashingBill {
    return new HashingBill({ kind: 'administration', chosen: orgId, source });
  }

  /** The import of a single user, whose caller waits for the answer. */
  static singleImport(orgId: OrgId, source: string): HashingBill {
    return new HashingBill({ kind: 'import', chosen: orgId, source });
  }

  /** Passwords of an import that a worker runs. */
  static bulkImport(orgId: OrgId): HashingBill {
    return new HashingBill({ kind: 'import', chosen: orgId, patient: true });
  }

  /** A command of the operator, which has its process for itself. */
  static setUp(): HashingBill {
    return new HashingBill({ kind: 'administration', chosen: THIS_SERVICE, patient: true });
  }

  /** The same requester, for work that nobody waits for: last in line, and given up where there is no room. */
  behindTheScenes(): HashingBill {
    const { chosen, owner, source } = this;
    return new HashingBill({ kind: 'import', chosen: owner ?? chosen, source });
  }

  /** Whose share of that lane pays. */
  organizationOf(lane: HashingLane): string {
    return lane === 'slow' ? (this.owner ?? this.chosen) : this.chosen;
  }
}
