/** So many within any stretch of so much time. */
export interface Cap {
  readonly most: number;
  readonly withinSeconds: number;
}

/** Whom a cap counts for. `address`: where the request came from (`address-group.ts`); `prefix`: a block of numbers. */
export const CAPPED_BY = ['user', 'number', 'prefix', 'address', 'organization'] as const;
export type CappedBy = (typeof CAPPED_BY)[number];

/** What stops somebody from having messages sent at our cost; also the token under which configuration provides it. */
export abstract class SmsLimitSettings {
  /** ISO 3166-1 alpha-2; `*` stands for all. */
  abstract readonly countries: ReadonlySet<string>;
  /** `mobile`, `voip`, …; `*` stands for all, those that nobody listed among them. */
  abstract readonly numberTypes: ReadonlySet<string>;
  /** Between two messages that a user asks for; 0 is none. */
  abstract readonly cooldownSeconds: number;
  abstract readonly caps: Readonly<Record<CappedBy, readonly Cap[]>>;
  /** Of one organization, in millionths of whatever `costs` are in; 0 is no cap. */
  abstract readonly spendPerDay: number;
  /** Calling code → what a message there costs; `default` for all others. */
  abstract readonly costs: ReadonlyMap<string, number>;
  /** Last digits of a number that do not belong to its prefix. */
  abstract readonly prefixTail: number;
  /** A prefix is blocked when of so many messages fewer per cent were answered by their code; 0 sends never. */
  abstract readonly conversion: {
    readonly sends: number;
    readonly percent: number;
    readonly windowSeconds: number;
    /** Messages younger than that may still be answered. */
    readonly graceSeconds: number;
  };
  abstract readonly blockSeconds: number;
}
