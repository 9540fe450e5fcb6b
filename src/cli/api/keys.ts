/** A key as `/admin/v1/keys` returns it. */
export interface Key {
  readonly id: string;
  readonly state: string;
  readonly algorithm: string;
  readonly activatesAt?: string;
  readonly activeSince?: string;
  readonly inactiveSince?: string;
  readonly removableAt?: string;
  readonly removedAt?: string;
  readonly readers?: number;
  readonly hasMoreReaders?: boolean;
}

export interface KeySetReader {
  readonly id: string;
  readonly reads: string;
  readonly firstReadAt: string;
  readonly lastReadAt: string;
}

export interface AffectedApplication {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly orgId: string;
  readonly grants: number;
  readonly hasMoreGrants?: boolean;
}

export interface Rotation {
  /** Without it nothing was changed. */
  readonly id?: string;
  /** Of all algorithms at once. */
  readonly ids?: readonly string[];
  /** New keys of algorithms that do not sign yet. */
  readonly waiting?: readonly {
    readonly algorithm: string;
    readonly id: string;
    readonly activatesAt: string;
  }[];
  /** Whose keys an emergency of all left as they were. */
  readonly skipped?: readonly { readonly algorithm: string; readonly retryAfterSeconds?: number }[];
  readonly affected?: {
    readonly grants?: number;
    readonly applications?: number;
    readonly hasMoreGrants?: boolean;
    readonly keySetReaders?: number;
    readonly hasMoreKeySetReaders?: boolean;
  };
}

export const KEYS = '/admin/v1/keys';

export function keyPath(id: string, call?: string): string {
  return `${KEYS}/${encodeURIComponent(id)}${call === undefined ? '' : `/${call}`}`;
}
